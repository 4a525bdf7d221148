package check

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

const (
	// defaultChunk is Options.Chunk unless it is given.
	defaultChunk = 256 << 10
	// Parts with spans are larger, spanChunks times up to spanChunk bytes: their
	// readers know names again that they have seen, but only in one part.
	spanChunks = 32
	spanChunk  = 8 << 20
	// keptProblems is how many problems of an input are kept to be shown, those
	// that stand first in it; all are counted.
	keptProblems = 20
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

	problems map[int32][]ingest.Problem
	counts   map[int32]*counts
	fatal    map[int32]*ingest.Problem // the error that ended an input; the first in it
}

// counts is how many records of each kind an input yielded.
type counts struct{ runs, samples, aggregates, spans, problems int64 }

func newPass(detectors []detect.Detector, memory *calltree.Memory) *pass {
	p := &pass{table: &detect.Table{}, tallies: make([]detect.Tally, len(detectors)), spans: calltree.NewSpans(memory), assembled: map[int32]*traceCounts{},
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

// chunk is an ingest.Held.
type chunk struct {
	*bytes.Reader
	data []byte
}

func (c chunk) Bytes() []byte { return c.data }

// part is one piece of work: a chunk of an input, or all of it.
type part struct {
	format *ingest.Format
	in     ingest.Input
	data   []byte        // a chunk; nil: read r
	r      io.ReadCloser // a whole input; nil: read data
}

// fold reads all inputs with jobs workers and returns the merged pass.
func fold(ctx context.Context, inputs []*input, detectors []detect.Detector, opt Options) (*pass, error) {
	defer relax(inputs)()
	jobs := max(1, opt.Jobs)
	work := make(chan part, jobs)
	free := make(chan []byte, 2*jobs+2)
	passes := make([]*pass, jobs)
	memory := calltree.NewMemory(opt.Memory, "")
	var wg sync.WaitGroup
	for i := range passes {
		p := newPass(detectors, memory)
		passes[i] = p
		wg.Go(func() {
			for w := range work {
				if w.r != nil {
					p.read(w.format, opt.count(w.r), w.in)
					_ = w.r.Close()
					continue
				}
				p.read(w.format, chunk{bytes.NewReader(w.data), w.data}, w.in)
				select {
				case free <- w.data[:0]:
				default:
				}
			}
			p.table.Settle()
		})
	}
	var failed []ingest.Problem
	for _, x := range inputs {
		if ctx.Err() != nil {
			break
		}
		in := ingest.Input{Index: int32(x.index), Head: x.found.Head, Section: x.found.Section(), Command: x.found.Command, CommandFrom: x.found.CommandFrom, Options: opt.Reading}
		cut := x.found.Format.SplitOf(x.found.Head)
		if cut == ingest.SplitNever || x.found.Section() {
			work <- part{format: x.found.Format, in: in, r: x.found.Open()}
			continue
		}
		if at, err := split(ctx, x, in, cut, opt, work, free); err != nil {
			failed = append(failed, ingest.Problem{Pos: ingest.Pos{Input: in.Index, Offset: at}, Err: err})
		}
	}
	close(work)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	whole := passes[0]
	for _, p := range passes[1:] {
		whole.merge(p)
	}
	for _, x := range failed {
		whole.fail(x)
	}
	whole.table.Finish()
	if err := whole.traces(ctx, detectors, opt); err != nil {
		return nil, err
	}
	return whole, nil
}

// relax lets the heap grow further between collections where inputs leave only
// summaries behind: what is kept is a few dozen megabytes, and a collection
// every four of them would cost a third of the run. Spans at rest may be many
// gigabytes; there the usual rule holds, as it does where GOGC is set.
func relax(inputs []*input) func() {
	for _, x := range inputs {
		if x.found.Format.Yields&(ingest.KindSpan|ingest.KindTrace) != 0 {
			return func() {}
		}
	}
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	old := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(old) }
}

// split cuts an input where parts may begin and hands the chunks to the workers. It
// returns the offset at which reading failed.
func split(ctx context.Context, x *input, in ingest.Input, cut ingest.Split, opt Options, work chan<- part, free <-chan []byte) (int64, error) {
	r := x.found.Open()
	defer r.Close()
	counted := opt.count(r)
	size := opt.Chunk
	if x.found.Format.Yields&ingest.KindSpan != 0 {
		size = max(size, min(size*spanChunks, spanChunk))
	}
	var rest []byte
	for offset := int64(0); ; in.Part++ {
		if err := ctx.Err(); err != nil {
			return offset, err
		}
		var buf []byte
		select {
		case buf = <-free:
		default:
			buf = make([]byte, 0, size)
		}
		buf = append(buf, rest...)
		rest = rest[:0]
		var err error
		end := 0
		for err == nil && end == 0 {
			if len(buf) == cap(buf) {
				if len(buf) >= ingest.MaxLine {
					return offset, ingest.ErrLineTooLong
				}
				buf = slices.Grow(buf, len(buf))
			}
			var n int
			from := len(buf)
			n, err = fill(counted, buf[from:cap(buf)])
			buf = buf[:from+n]
			end = cut.Cut(buf)
		}
		last := err != nil
		if last {
			end = len(buf)
		}
		rest = append(rest, buf[end:]...)
		if end > 0 {
			in.Offset = offset
			work <- part{format: x.found.Format, in: in, data: buf[:end]}
			offset += int64(end)
		}
		if last {
			if err != io.EOF {
				return offset, err
			}
			return offset, nil
		}
	}
}

// fill reads until buf is full or reading ends. Unlike io.ReadFull it hands on
// the reader's own error, so that a compressed file cut short is not taken for
// one that ended.
func fill(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	return n, err
}
