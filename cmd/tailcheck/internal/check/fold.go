package check

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

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
	keptUnread   = 3 // of a log, where they are lines that were not read
)

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
	jobs := max(1, opt.Jobs)
	work := make(chan part, jobs)
	free := make(chan []byte, 2*jobs+2)
	passes := make([]*pass, jobs)
	memory := calltree.NewMemory(opt.Memory, "")
	var wg sync.WaitGroup
	for i := range passes {
		p := newPass(detectors, memory)
		p.filter, p.narrow = opt.Filter, opt.Filter != (Filter{})
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
		in := ingest.Input{Index: int32(x.index), Head: x.found.Head, Section: x.found.Section(), Command: x.found.Command, CommandFrom: x.found.CommandFrom, Options: x.asked.reading}
		cut := x.found.Format.SplitOf(x.found.Head)
		if cut == ingest.SplitNever || x.found.Section() || twice(x) {
			in.Whole = true
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
	for i := range passes[1:] {
		whole.merge(passes[i+1])
		passes[i+1] = nil
	}
	for _, x := range failed {
		whole.fail(x)
	}
	if err := whole.traces(ctx, detectors, opt); err != nil {
		return nil, err
	}
	whole.table.Finish()
	return whole, nil
}

// twice reports whether stamps of a log may be of an hour that its zone has twice:
// which of the two they are is told by the lines before them.
func twice(x *input) bool {
	zone := x.asked.reading.Zone
	if x.kind() != kindLog || zone == nil {
		return false
	}
	_, winter := time.Date(2026, 1, 1, 0, 0, 0, 0, zone).Zone()
	_, summer := time.Date(2026, 7, 1, 0, 0, 0, 0, zone).Zone()
	return winter != summer
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
	percent := 400
	for _, x := range inputs {
		if x.kind() == kindLog {
			percent = 25 // many routes and windows are kept, and hardly anything thrown away
		}
	}
	old := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(old) }
}
