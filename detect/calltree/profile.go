package calltree

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Profile says where the time of requests went: for each operation at the root,
// what its critical paths consist of, and what would shorten them. It only
// holds sums, so that those of several workers can be merged in any order. The
// zero value is empty.
//
// As a grouping: pieces of critical paths by (root service, root operation,
// service, operation), with the sum of their lengths, and the numbers of
// distinct spans and traces.
type Profile struct {
	roots map[Operation]*rootSum
}

type rootSum struct {
	root    RootPath
	steps   map[Operation]*Step
	changes map[changeKey]*Change
}

type changeKey struct {
	kind ChangeKind
	op   Operation
}

// RootPath is where the time of the requests of one operation went.
type RootPath struct {
	Operation
	Requests int64          // roots with a length
	Time     time.Duration  // of all of them; the Self of all steps add up to it
	Longest  time.Duration  // of one of them
	Exemplar ingest.TraceID // of that one
	Steps    []Step         // by Self, longest first
	Changes  []Change       // by Saves, most first; those that bring something
}

// Step is what one operation had of it.
type Step struct {
	Operation
	Self     time.Duration // on critical paths, outside of children
	Spans    int64         // on critical paths
	Requests int64         // whose critical path has one

	// Wait is how much longer than the median of their parallel siblings of the
	// operation those spans took that the path went through: the time that
	// stragglers cost.
	Wait time.Duration
}

// Change is a single change, and what it would have brought.
type Change struct {
	Kind ChangeKind
	Operation
	Saves    time.Duration // of all requests: at least, see maxChanges
	Requests int64         // that it would have made shorter
}

// Bounds of what is tried on one request. They follow from the request alone,
// so that sums do not depend on the order of requests.
const (
	maxChanges = 8   // of each kind, those that the path spends most on
	minShare   = 100 // a change is tried if it concerns at least this part of the request's time: 1 %
)

// Add adds the requests of a trace: its roots that have a length.
func (p *Profile) Add(t *Trace) {
	for _, r := range t.Roots() {
		d := t.Duration(r)
		if d == 0 {
			continue
		}
		s := &t.Spans[r]
		sum := p.find(Operation{s.Service, s.Op})
		sum.merge(&RootPath{Requests: 1, Time: d, Longest: d, Exemplar: t.ID})
		sum.add(t, r)
	}
}

func (p *Profile) find(o Operation) *rootSum {
	s := p.roots[o]
	if s == nil {
		s = &rootSum{root: RootPath{Operation: o}, steps: map[Operation]*Step{}, changes: map[changeKey]*Change{}}
		if p.roots == nil {
			p.roots = map[Operation]*rootSum{}
		}
		p.roots[o] = s
	}
	return s
}

// Merge adds all of o, which is not used again.
func (p *Profile) Merge(o *Profile) {
	for k, from := range o.roots {
		s := p.find(k)
		s.merge(&from.root)
		for _, f := range from.steps {
			s.step(f)
		}
		for _, f := range from.changes {
			s.change(f)
		}
	}
}

func (s *rootSum) merge(o *RootPath) {
	r := &s.root
	if o.Longest > r.Longest || o.Longest == r.Longest && (r.Requests == 0 || bytes.Compare(o.Exemplar[:], r.Exemplar[:]) < 0) {
		r.Longest, r.Exemplar = o.Longest, o.Exemplar
	}
	r.Requests += o.Requests
	r.Time = sum(r.Time, o.Time)
}

func (s *rootSum) step(o *Step) {
	e := s.steps[o.Operation]
	if e == nil {
		e = &Step{Operation: o.Operation}
		s.steps[o.Operation] = e
	}
	e.Self, e.Wait = sum(e.Self, o.Self), sum(e.Wait, o.Wait)
	e.Spans += o.Spans
	e.Requests += o.Requests
}

func (s *rootSum) change(o *Change) {
	k := changeKey{o.Kind, o.Operation}
	e := s.changes[k]
	if e == nil {
		e = &Change{Kind: o.Kind, Operation: o.Operation}
		s.changes[k] = e
	}
	e.Saves = sum(e.Saves, o.Saves)
	e.Requests += o.Requests
}

// Roots returns the operations at roots, those with the most time first.
func (p *Profile) Roots() []RootPath {
	out := make([]RootPath, 0, len(p.roots))
	for _, s := range p.roots {
		r := s.root
		for _, e := range s.steps {
			r.Steps = append(r.Steps, *e)
		}
		slices.SortFunc(r.Steps, func(a, b Step) int {
			return cmp.Or(cmp.Compare(b.Self, a.Self), a.Operation.compare(b.Operation))
		})
		for _, e := range s.changes {
			r.Changes = append(r.Changes, *e)
		}
		slices.SortFunc(r.Changes, func(a, b Change) int {
			return cmp.Or(cmp.Compare(b.Saves, a.Saves), a.Operation.compare(b.Operation), cmp.Compare(a.Kind, b.Kind))
		})
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b RootPath) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), a.Operation.compare(b.Operation))
	})
	return out
}

func (o Operation) compare(p Operation) int {
	return cmp.Or(cmp.Compare(o.Service, p.Service), cmp.Compare(o.Op, p.Op))
}
