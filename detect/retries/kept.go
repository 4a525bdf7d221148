package retries

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"math"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// maxExemplars is how many traces a finding names.
const maxExemplars = 5

// exemplars are the traces with the most impact, of equal ones those with the
// lowest ids.
type exemplars struct {
	n    int
	list [maxExemplars]exemplar
}

type exemplar struct {
	impact time.Duration
	trace  ingest.TraceID
}

func (a exemplar) compare(b exemplar) int {
	return cmp.Or(cmp.Compare(b.impact, a.impact), bytes.Compare(a.trace[:], b.trace[:]))
}

// add takes a trace in; one that is there counts with its highest impact.
func (e *exemplars) add(x exemplar) {
	for i := range e.n {
		if e.list[i].trace == x.trace {
			e.list[i].impact = max(e.list[i].impact, x.impact)
			slices.SortFunc(e.list[:e.n], exemplar.compare)
			return
		}
	}
	switch {
	case e.n < maxExemplars:
		e.list[e.n] = x
		e.n++
	case x.compare(e.list[maxExemplars-1]) < 0:
		e.list[maxExemplars-1] = x
	default:
		return
	}
	slices.SortFunc(e.list[:e.n], exemplar.compare)
}

func (e *exemplars) merge(o *exemplars) {
	for _, x := range o.list[:o.n] {
		e.add(x)
	}
}

func (e *exemplars) ids() []string {
	var out []string
	for _, x := range e.list[:e.n] {
		out = append(out, hex.EncodeToString(x.trace[:]))
	}
	return out
}

// inputs is the set of the inputs that traces are from.
type inputs struct{ list []int }

func (s *inputs) add(t *calltree.Trace) {
	for i := range t.Inputs {
		s.put(int(t.Inputs[i].Input))
	}
}

func (s *inputs) put(n int) {
	if i, ok := slices.BinarySearch(s.list, n); !ok {
		s.list = slices.Insert(s.list, i, n)
	}
}

func (s *inputs) merge(o *inputs) {
	for _, n := range o.list {
		s.put(n)
	}
}

// plus and times stop at the highest number: hostile times and counts must not
// wrap round. Neither argument is negative.
func plus[T ~int64](a, b T) T {
	if c := a + b; c >= a {
		return c
	}
	return math.MaxInt64
}

func times(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// stands is how many spans a span stands for: more than one where a collector
// pruned.
func stands(s *ingest.Span) int64 { return max(s.Stands, 1) }
