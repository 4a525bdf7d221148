package calltree

import (
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Piece is a time in which one span alone, none of its children, kept its root
// waiting.
type Piece struct {
	Span       Node
	Start, End ingest.Time
}

// Length returns the length of a piece.
func (p Piece) Length() time.Duration { return p.End.Sub(p.Start) }

// overlapShare is how much two children may overlap and still be taken for one
// after the other: less than one part in 100 of their parent, as CRISP (Zhang
// et al., USENIX ATC 2022) has it. Clocks that tick in milliseconds, and
// instrumentation that ends a span a little late, make it necessary.
const overlapShare = 100

// Path returns the critical path below a span, mostly a root: pieces by time
// that tile the span exactly. Empty: the span has no times or no length.
//
// From the end of the span backwards, the path is in the child that ended last;
// from that child's start it goes on with the child that ended last before
// then, and so on; in between it is in the span itself. A child counts within
// the span only (what is outside is cut off), one that nobody waits for (Async)
// not at all. The same holds in each child. Children that touch are one after
// the other; so are those that overlap by less than overlapShare, and then the
// common time belongs to the later one.
//
// The slice is the trace's own.
func (t *Trace) Path(n Node) []Piece {
	p := &t.paths
	at, ok := p.of[n]
	if !ok {
		at[0] = len(p.pieces)
		p.find(t, n)
		at[1] = len(p.pieces)
		if p.of == nil {
			p.of = map[Node][2]int{}
		}
		p.of[n] = at
	}
	return p.pieces[at[0]:at[1]:at[1]]
}

// paths holds the critical paths that were asked for.
type paths struct {
	of     map[Node][2]int // where they are in pieces
	pieces []Piece
	stack  []step
	kids   []Node // children of the spans on the stack that are still to be looked at
}

func (p *paths) reset() {
	if len(p.of) > 1024 {
		p.of = nil // clearing costs as much as it ever held
	}
	clear(p.of)
	p.pieces = p.pieces[:0]
}

// step is a span on the way down, of which the time after at is done.
type step struct {
	span     Node
	from, at ingest.Time
	kids     int // where its children begin in paths.kids, the last to end first
	next     int // the first of them that is to be looked at
	begun    bool
}

func (p *paths) find(t *Trace, n Node) {
	if !t.Timed(n) {
		return
	}
	first := len(p.pieces)
	p.stack, p.kids = p.stack[:0], p.kids[:0]
	p.push(t, n, t.Spans[n].Start, t.Spans[n].End)
	for len(p.stack) > 0 {
		s := &p.stack[len(p.stack)-1]
		k := p.before(t, s)
		if k == None {
			p.add(s.span, s.from, s.at)
			p.kids = p.kids[:s.kids]
			p.stack = p.stack[:len(p.stack)-1]
			continue
		}
		c := &t.Spans[k]
		from, to := max(c.Start, s.from), min(c.End, s.at)
		p.add(s.span, to, s.at)
		s.at, s.begun = from, true
		p.push(t, k, from, to)
	}
	slices.Reverse(p.pieces[first:])
}

func (p *paths) add(n Node, from, to ingest.Time) {
	if from < to {
		p.pieces = append(p.pieces, Piece{n, from, to})
	}
}

func (p *paths) push(t *Trace, n Node, from, to ingest.Time) {
	s := step{span: n, from: from, at: to, kids: len(p.kids), next: len(p.kids)}
	for _, k := range t.Children(n) {
		if c := &t.Spans[k]; t.waitedFor(k) && c.Start < to && c.End > from {
			p.kids = append(p.kids, k)
		}
	}
	slices.SortFunc(p.kids[s.kids:], func(a, b Node) int {
		x, y := &t.Spans[a], &t.Spans[b]
		return cmp.Or(cmp.Compare(y.End, x.End), cmp.Compare(x.Start, y.Start), cmp.Compare(a, b))
	})
	p.stack = append(p.stack, s)
}

// before returns the child of a step that the path is in before s.at; None:
// there is none.
func (p *paths) before(t *Trace, s *step) Node {
	if s.at <= s.from {
		return None
	}
	kids := p.kids
	if !s.begun { // the last to end, whenever that was
		for ; s.next < len(kids); s.next++ {
			if c := &t.Spans[kids[s.next]]; c.Start < s.at && c.End > c.Start {
				s.next++
				return kids[s.next-1]
			}
		}
		return None
	}
	slack := t.Duration(s.span) / overlapShare
	over := None // ends after s.at by less than slack: the one that does so by least
	for ; s.next < len(kids); s.next++ {
		k := kids[s.next]
		c := &t.Spans[k]
		if c.Start >= s.at || c.End == c.Start || c.End > s.at && c.End.Sub(s.at) >= slack {
			continue
		}
		if c.End > s.at {
			over = k
			continue
		}
		if over != None && t.Spans[over].End.Sub(s.at) < s.at.Sub(c.End) {
			return over // c stays the next to be looked at
		}
		s.next++
		return k
	}
	return over
}
