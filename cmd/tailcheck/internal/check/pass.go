package check

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// pass is what one worker has folded. Passes are merged; nothing else is shared.
type pass struct {
	table      *detect.Table
	tallies    []detect.Tally // by detector; nil: it judges the table
	live       []detect.Tally // those that read samples and what comes with them
	ofProblems []detect.Tally // those that read problems
	ofTraces   []detect.Tally // those that read assembled traces

	spans     *calltree.Spans
	assembled map[int32]*traceCounts // by input
	cut       map[int32]bool         // inputs of which a part is lost

	filter Filter // of lines of logs
	narrow bool   // it lets not all through

	problems map[int32][]ingest.Problem
	counts   map[int32]*counts
	fatal    map[int32]*ingest.Problem // the error that ended an input; the first in it
}

// counts is how many records of each kind an input yielded.
type counts struct{ runs, samples, aggregates, spans, problems int64 }

func newPass(detectors []detect.Detector, memory *calltree.Memory) *pass {
	p := &pass{table: &detect.Table{}, tallies: make([]detect.Tally, len(detectors)), spans: calltree.NewSpans(memory), assembled: map[int32]*traceCounts{}, cut: map[int32]bool{},
		problems: map[int32][]ingest.Problem{}, counts: map[int32]*counts{}, fatal: map[int32]*ingest.Problem{}}
	for i, d := range detectors {
		if d.New == nil {
			continue
		}
		t := d.New()
		p.tallies[i] = t
		if d.Reads&ingest.KindTrace != 0 {
			p.ofTraces = append(p.ofTraces, t)
		}
		if d.Reads&ingest.KindProblem != 0 {
			p.ofProblems = append(p.ofProblems, t)
		}
		if d.Reads&^(ingest.KindTrace|ingest.KindProblem) != 0 {
			p.live = append(p.live, t)
		}
	}
	return p
}

func (p *pass) count(input int32) *counts {
	c := p.counts[input]
	if c == nil {
		c = &counts{}
		p.counts[input] = c
	}
	return c
}

func (p *pass) add(rec ingest.Record, c *counts) {
	switch r := rec.(type) {
	case *ingest.Sample: // the hot path: millions of them
		if p.narrow && !p.filter.keeps(r) {
			return
		}
		c.samples++
		p.table.Sample(r)
		for _, t := range p.live {
			t.Add(rec)
		}
		return
	case *ingest.Span:
		c.spans++
		p.spans.Add(r)
		return
	case *ingest.Aggregate:
		c.aggregates++
	case *ingest.Run:
		c.runs++
	case *ingest.Problem:
		c.problems++
		p.problem(*r)
		if errors.Is(r.Err, ingest.ErrCut) {
			p.cut[r.Input] = true
		}
		for _, t := range p.ofProblems {
			t.Add(rec)
		}
		p.table.Add(rec)
		return
	}
	p.table.Add(rec)
	for _, t := range p.live {
		t.Add(rec)
	}
}

// problem keeps the first ones of an input.
func (p *pass) problem(x ingest.Problem) {
	list := p.problems[x.Input]
	if len(list) == keptProblems && x.Offset >= list[len(list)-1].Offset {
		return
	}
	i, _ := slices.BinarySearchFunc(list, x, func(a, b ingest.Problem) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Err.Error(), b.Err.Error()))
	})
	list = slices.Insert(list, i, x)
	p.problems[x.Input] = list[:min(len(list), keptProblems)]
}

func (p *pass) fail(x ingest.Problem) {
	if old := p.fatal[x.Input]; old == nil || x.Offset < old.Offset {
		p.fatal[x.Input] = &x
	}
}

func (p *pass) merge(o *pass) {
	p.table.Merge(o.table)
	p.spans.Merge(o.spans)
	for input := range o.cut {
		p.cut[input] = true
	}
	for input, c := range o.assembled {
		if into := p.assembled[input]; into != nil {
			into.traces += c.traces
			into.Counts.Add(&c.Counts)
		} else {
			p.assembled[input] = c
		}
	}
	for i, t := range p.tallies {
		if t != nil {
			t.Merge(o.tallies[i])
		}
	}
	for _, list := range o.problems {
		for _, x := range list {
			p.problem(x)
		}
	}
	for _, x := range o.fatal {
		p.fail(*x)
	}
	for input, c := range o.counts {
		into := p.count(input)
		into.runs += c.runs
		into.samples += c.samples
		into.aggregates += c.aggregates
		into.spans += c.spans
		into.problems += c.problems
	}
}

// read folds one part of an input.
func (p *pass) read(f *ingest.Format, r io.Reader, in ingest.Input) {
	c := p.count(in.Index)
	last := in.Pos(0)
	for rec, err := range f.Read(r, in) {
		if err != nil {
			p.fail(ingest.Problem{Pos: last, Err: err})
			return
		}
		last = rec.Where()
		p.add(rec, c)
	}
}
