package check

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Gathered is what inputs hold, folded and merged, with nothing judged: for
// commands that ask something else of a report than check and correct do.
type Gathered struct {
	Table    *detect.Table  // plans of Options.Plan are in its runs
	Tallies  []detect.Tally // those of Options.Detectors; nil: it judges the table
	Findings []detect.Finding
	Inputs   []report.Input
	Yields   []ingest.Kinds // of each input's format
	Problems []report.Problem
}

// Gather reads the inputs of opt. The error says which of them could not be used.
func Gather(ctx context.Context, opt Options) (*Gathered, error) {
	if opt.Jobs <= 0 {
		opt.Jobs = runtime.GOMAXPROCS(0)
	}
	opt.Jobs = min(opt.Jobs, 64*runtime.NumCPU())
	if opt.Memory <= 0 {
		opt.Memory = defaultMemory()
	}
	if opt.Chunk <= 0 {
		opt.Chunk = defaultChunk
	}
	out := &Outcome{Result: &report.Result{}}
	var inputs []*input
	for _, path := range opt.Paths {
		found, err := find(path, opt, out)
		if err != nil {
			p := problemOf(path, err)
			return nil, errors.New(p.Path + ": " + p.Message)
		}
		for _, f := range found {
			inputs = append(inputs, &input{index: len(inputs), path: f.File.Path, found: f, asked: opt.of(f.File.Path)})
		}
	}
	defer relax(inputs)()
	whole, err := fold(ctx, inputs, opt.Detectors, opt)
	if err != nil {
		return nil, err
	}
	j := &judge{opt: opt, out: out, inputs: inputs, pass: whole, planned: map[int]bool{}, doubts: map[int]string{}}
	j.positions.inputs = inputs
	j.plans()
	j.detect()
	g := &Gathered{Table: whole.table, Tallies: whole.tallies, Findings: j.findings}
	for _, x := range inputs {
		j.input(x)
		g.Yields = append(g.Yields, x.found.Format.Yields)
	}
	j.findings = nil // no trees are drawn
	j.show()
	g.Inputs, g.Problems = out.Inputs, out.Problems
	if err := whole.spans.Close(); err != nil {
		return nil, err
	}
	for _, x := range inputs {
		if bad := whole.fatal[int32(x.index)]; bad != nil {
			return nil, fmt.Errorf("%s: %w", x.path, bad.Err)
		}
	}
	return g, nil
}
