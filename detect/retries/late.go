package retries

import (
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// floor is by how much a span must start after its caller gave up to count:
// instrumentation ends spans in whatever order it likes within a millisecond or
// so. Where clocks may differ by more, that counts instead.
const floor = 5 * time.Millisecond

// late finds, for each span of a trace, the callers that had given up on it.
//
// The direct parent is often still at work when somebody further up has long
// gone, so all ancestors count. What nobody waits for anyway (messages,
// FOLLOWS_FROM) is not looked at, nor what is below it, nor what a user did next:
// a server's span that began after its parent, which is no client, had ended
// (redirects, pages of one login that share a trace).
type late struct {
	t *calltree.Trace

	attached []bool          // of each span: its parent is there, and waits for it
	gone     []calltree.Node // of each span: of the ancestors that gave up, the one that ended first
	near     []calltree.Node // of each span: of the client spans that gave up, the nearest
	failed   []calltree.Node // of each span: of the ancestors that failed otherwise while the child on the way to it went on, the one that ended first
	latest   []calltree.Node // of each span: of the spans below it, the one that started last
}

// gaveUp reports whether a caller, or a server on whose answer one waited,
// stopped waiting: it timed out or was cancelled.
func gaveUp(s *ingest.Span) bool {
	return s.Outcome == ingest.TimedOut || s.Outcome == ingest.Canceled
}

func isEnd(t *calltree.Trace, n calltree.Node) bool {
	s := &t.Spans[n]
	return (s.Kind == ingest.ClientSpan || s.Kind == ingest.ServerSpan) && !s.Async && t.Timed(n)
}

func (l *late) scan(t *calltree.Trace) {
	n := len(t.Spans)
	l.t = t
	l.attached = slices.Grow(l.attached[:0], n)[:n]
	for _, s := range []*[]calltree.Node{&l.gone, &l.near, &l.failed, &l.latest} {
		*s = slices.Grow((*s)[:0], n)[:n]
	}
	for k := range t.Spans {
		l.descend(calltree.Node(k))
	}
	for k := n - 1; k >= 0; k-- { // children before parents
		if l.attached[k] && t.Timed(calltree.Node(k)) {
			p := t.Parent(calltree.Node(k))
			for _, c := range [...]calltree.Node{calltree.Node(k), l.latest[k]} {
				if c != calltree.None && (l.latest[p] == calltree.None || t.Spans[c].Start > t.Spans[l.latest[p]].Start) {
					l.latest[p] = c
				}
			}
		}
	}
}

// descend works out what a span's ancestors are to it, from what they are to
// its parent.
func (l *late) descend(n calltree.Node) {
	t := l.t
	l.gone[n], l.near[n], l.failed[n], l.latest[n] = calltree.None, calltree.None, calltree.None, calltree.None
	p := t.Parent(n)
	l.attached[n] = t.Span(p) != nil && l.waits(n, p)
	if !l.attached[n] {
		return
	}
	l.gone[n], l.near[n], l.failed[n] = l.gone[p], l.near[p], l.failed[p]
	if !isEnd(t, p) {
		return
	}
	switch s := &t.Spans[p]; {
	case gaveUp(s):
		if g := l.gone[n]; g == calltree.None || s.End <= t.Spans[g].End {
			l.gone[n] = p
		}
		if s.Kind == ingest.ClientSpan {
			l.near[n] = p
		}
	case s.Outcome == ingest.Failed && t.Timed(n) && l.outlived(n, p):
		if f := l.failed[n]; f == calltree.None || s.End <= t.Spans[f].End {
			l.failed[n] = p
		}
	}
}

// waits reports whether a parent waits for a span while it lasts.
func (l *late) waits(n, p calltree.Node) bool {
	s, ps := &l.t.Spans[n], &l.t.Spans[p]
	if s.Async || s.Setup {
		return false
	}
	next := s.Kind == ingest.ServerSpan && ps.Kind != ingest.ClientSpan && l.t.Crosses(n)
	// Clocks that differ are no excuse here: in doubt nobody waits.
	return !next || !l.t.Timed(n) || !l.t.Timed(p) || s.Start.Sub(ps.End) <= floor
}

// after reports whether a span started after another had ended, clocks and
// instrumentation allowed for. Both have times.
func (l *late) after(n, ended calltree.Node) bool {
	d := l.t.Spans[n].Start.Sub(l.t.Spans[ended].End)
	return d > floor && d > l.t.Skew(n, ended)
}

// outlived reports whether a span that began before another ended went on after
// that, clocks and instrumentation allowed for. Both have times.
func (l *late) outlived(n, ended calltree.Node) bool {
	s, e := &l.t.Spans[n], &l.t.Spans[ended]
	d := s.End.Sub(e.End)
	return s.Start < e.End && d > floor && d > l.t.Skew(n, ended)
}

// by returns the ancestor that had given up when a span started; None: none had.
// Sure: it timed out or was cancelled. Else it failed, and was waiting for what
// the span belongs to: the call below it, or the work inside it, had begun
// before and went on. Of a client that got its answer, though it was an error,
// what the server does afterwards is the server's own affair.
func (l *late) by(n calltree.Node) (a calltree.Node, sure bool) {
	if !l.t.Timed(n) || l.gone[n] == calltree.None && l.failed[n] == calltree.None {
		return calltree.None, false
	}
	for _, a := range [...]calltree.Node{l.gone[n], l.near[n]} {
		if a != calltree.None && l.after(n, a) {
			return a, true
		}
	}
	if a := l.failed[n]; a != calltree.None && l.after(n, a) {
		return a, false
	}
	return calltree.None, false
}

// background reports whether work goes on below a span that ended well: by
// design, then, and not because somebody gave up.
func (l *late) background(n calltree.Node) bool {
	k := l.latest[n]
	return k != calltree.None && l.after(k, n)
}

// selfAfter returns how long a span ran after a moment while none of its
// children did.
func (l *late) selfAfter(n calltree.Node, moment ingest.Time) time.Duration {
	s := &l.t.Spans[n]
	if !l.t.Timed(n) || s.End <= moment {
		return 0
	}
	if s.Rare != nil && s.Rare.Total > 0 {
		// A pruned summary: its ends are the first start and the last end.
		if s.Start < moment {
			return 0
		}
		return s.Rare.Total
	}
	self, free := time.Duration(0), max(s.Start, moment)
	for _, k := range l.t.Children(n) {
		c := &l.t.Spans[k]
		if !l.attached[k] || !l.t.Timed(k) || c.End <= free || c.Start >= s.End {
			continue
		}
		if c.Start > free {
			self += c.Start.Sub(free)
		}
		free = c.End
	}
	if free < s.End {
		self += s.End.Sub(free)
	}
	return self
}
