package check

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// Filter narrows traces down, and lines of logs. The zero Filter lets all through. A trace passes
// whole or not at all: detectors need its every span.
type Filter struct {
	Since, Until ingest.Time    // of the first span of the trace; 0: open
	Service, Op  string         // a span with both must be in it; empty: any
	Trace        ingest.TraceID // only this one; zero: all
}

func (f Filter) passes(t *calltree.Trace) bool {
	if f == (Filter{}) {
		return true
	}
	if f.Trace != (ingest.TraceID{}) && f.Trace != t.ID {
		return false
	}
	if f.Since != 0 || f.Until != 0 {
		var first ingest.Time
		for i := range t.Spans {
			if s := t.Spans[i].Start; s != 0 && (first == 0 || s < first) {
				first = s
			}
		}
		if first < f.Since || f.Until != 0 && first >= f.Until {
			return false
		}
	}
	if f.Service == "" && f.Op == "" {
		return true
	}
	return slices.ContainsFunc(t.Spans, func(s ingest.Span) bool {
		return (f.Service == "" || s.Service == f.Service) && (f.Op == "" || s.Op == f.Op)
	})
}

// keeps reports whether a line of a log passes. Samples of load reports always
// do: they have no dates.
func (f Filter) keeps(s *ingest.Sample) bool {
	if s.Vantage != ingest.Proxy && s.Vantage != ingest.Server {
		return true
	}
	at := s.Start
	if at == 0 {
		at = s.End
	}
	return at >= f.Since && (f.Until == 0 || at < f.Until) && (f.Op == "" || f.Op == s.Op) && (f.Trace == (ingest.TraceID{}) || f.Trace == s.Trace)
}

// String writes a filter as the flags that ask for it.
func (f Filter) String() string {
	var flags []string
	add := func(name, value string) {
		if value != "" {
			flags = append(flags, name+" "+value)
		}
	}
	moment := func(t ingest.Time) string {
		if t == 0 {
			return ""
		}
		return time.Unix(0, int64(t)).UTC().Format(time.RFC3339Nano)
	}
	if f.Trace != (ingest.TraceID{}) {
		add("--trace", hex.EncodeToString(f.Trace[:]))
	}
	add("--service", f.Service)
	add("--op", f.Op)
	add("--since", moment(f.Since))
	add("--until", moment(f.Until))
	return strings.Join(flags, " ")
}

// without notes an input none of whose traces is judged: it holds none, or none
// that the filter lets through, which is nothing to complain about as long as
// another input has one.
func (j *judge) without(path string, spans int64) {
	switch {
	case spans == 0 || j.opt.Filter == (Filter{}):
		j.empty = append(j.empty, path)
	case len(j.pass.assembled) == 0:
		j.narrowed = true
	}
}

// parseTraceID reads a trace id in hex, of 32 digits or fewer.
func parseTraceID(s string) (id ingest.TraceID, err error) {
	t := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "0x")
	if len(t) == 0 || len(t) > 32 {
		return id, fmt.Errorf("--trace %q: want a trace id of up to 32 hexadecimal digits", s)
	}
	t = strings.Repeat("0", 32-len(t)) + t
	if _, err := hex.Decode(id[:], []byte(t)); err != nil {
		return id, fmt.Errorf("--trace %q: want a trace id of up to 32 hexadecimal digits", s)
	}
	return id, nil
}

// traceCounts is what the traces of one input amount to.
type traceCounts struct {
	calltree.Counts
	traces int64
}

// traces assembles the traces of a pass and feeds them to the tallies that read
// traces, on all cores: parts of the store share no trace.
func (p *pass) traces(ctx context.Context, detectors []detect.Detector, opt Options) error {
	if p.spans.Len() == 0 {
		return nil
	}
	parts := make(chan int)
	passes := make([]*pass, opt.Jobs)
	errs := make([]error, opt.Jobs)
	var wg sync.WaitGroup
	for i := range passes {
		w := newPass(detectors, nil)
		passes[i] = w
		wg.Go(func() {
			for part := range parts {
				for t, err := range p.spans.Traces(part) {
					if err != nil {
						errs[i] = err
						break
					}
					if ctx.Err() != nil {
						break
					}
					if opt.Filter.passes(t) {
						w.trace(t)
					}
				}
			}
		})
	}
	for part := range p.spans.Parts() {
		parts <- part
	}
	close(parts)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, w := range passes {
		if errs[i] != nil {
			return fmt.Errorf("spans at rest: %w", errs[i])
		}
		p.merge(w)
	}
	return nil
}

// trace folds one assembled trace.
func (p *pass) trace(t *calltree.Trace) {
	for _, in := range t.Inputs {
		c := p.assembled[in.Input]
		if c == nil {
			c = &traceCounts{}
			p.assembled[in.Input] = c
		}
		c.traces++
		c.Counts.Add(&in.Counts)
	}
	if roots := t.Roots(); len(roots) == 1 && t.Timed(roots[0]) {
		root := &t.Spans[roots[0]]
		p.table.Trace(t.ID, root.Pos, root.Op, root.Start, t.Duration(roots[0]))
	}
	for _, tally := range p.ofTraces {
		tally.Add(t)
	}
}

// defaultMemory bounds the spans at rest: a quarter of what the machine has, as
// far as that can be known, else 4 GiB.
func defaultMemory() int64 {
	if total := totalMemory(); total > 0 {
		return total / 4
	}
	return 4 << 30
}
