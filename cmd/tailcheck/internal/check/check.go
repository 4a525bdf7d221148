// Package check is the pipeline, the only place where everything meets: open,
// read, fold, merge, detect, correct, judge. Its outcome is a report.Result.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Options say what to read and what to judge.
type Options struct {
	Command    string   // check or correct: what the text puts first
	Paths      []string // "-" is Stdin; a directory means its files
	Stdin      io.Reader
	Formats    []ingest.Format
	Detectors  []detect.Detector // those to run
	muted      []string          // of those: whose findings nobody wants to see
	Format     string            // read as this one; empty: recognise
	Reading    ingest.Options
	Speaks     string          // format whose language Reading.LogFormat is in: what no load or trace format claims is read as it
	Objectives []sla.Objective // on every input
	Plan       Plan
	Scopes     []Scope         // what tailcheck.yaml says of single inputs; later ones beat earlier ones, and what stands above beats all
	FailOn     detect.Severity // findings at or above it fail
	NeverFail  bool            // no finding fails
	Lenient    bool            // what cannot be judged passes
	Strict     bool            // any problem makes the input unusable
	Filter     Filter          // of traces
	Memory     int64           // bytes that spans at rest may take before they go to temporary files; 0: a quarter of the machine's
	Jobs       int             // workers; 0: one for each core
	Charts     bool            // some renderer shows charts
	Chunk      int             // bytes of an input that may be cut which are read apart; 0: 256 KiB

	// Read is set to the number of bytes read so far, compressed inputs
	// counted as they come out; nil: nobody looks.
	Read *atomic.Int64

	Settings    []report.Setting // what tailcheck.yaml says beside that
	LenientFrom string           // who says Lenient; empty: the flag
	Problems    []report.Problem // of tailcheck.yaml

	asked map[string]*settings // by path; see of
}

func (o Options) count(r io.Reader) io.Reader {
	if o.Read == nil {
		return r
	}
	return io.TeeReader(r, counter{o.Read})
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// input is one report on its way through the pipeline.
type input struct {
	index int
	path  string
	found *ingest.Found
	asked *settings
}

// Outcome is the Result with what the exit code needs beside it.
type Outcome struct {
	*report.Result

	repairs []correct.Figures // corrected figures of each distribution; nil: not corrected
	judged  *judge            // for Sides; nil: the command is another
}

// Run does all of it. The error is one of the context; what is wrong with
// inputs is in the outcome.
func Run(ctx context.Context, opt Options) (*Outcome, error) {
	if opt.Jobs <= 0 {
		opt.Jobs = runtime.GOMAXPROCS(0)
	}
	opt.Jobs = min(opt.Jobs, 64*runtime.NumCPU()) // more would only take memory
	if opt.Memory <= 0 {
		opt.Memory = defaultMemory()
	}
	if opt.Chunk <= 0 {
		opt.Chunk = defaultChunk
	}
	out := &Outcome{Result: &report.Result{Schema: report.Schema, Command: opt.Command,
		Inputs: []report.Input{}, Distributions: []report.Distribution{}, Objectives: []report.Objective{}, Findings: []report.Finding{}, Problems: append([]report.Problem{}, opt.Problems...), Settings: append([]report.Setting{}, opt.Settings...)}}
	opt.asked = map[string]*settings{}
	var inputs []*input
	for _, path := range opt.Paths {
		found, err := find(path, opt, out)
		if err != nil {
			out.Unusable = true
			out.Problems = append(out.Problems, problemOf(path, err))
			continue
		}
		for _, f := range found {
			inputs = append(inputs, &input{index: len(inputs), path: f.File.Path, found: f, asked: opt.of(f.File.Path)})
		}
	}
	out.Problems = append(out.Problems, opt.idle()...)
	out.Rules = rulesOf(inputs, opt)
	defer relax(inputs)()
	whole, err := fold(ctx, inputs, opt.Detectors, opt)
	if err != nil {
		return nil, err
	}
	j := &judge{opt: opt, out: out, inputs: inputs, pass: whole}
	j.all()
	if opt.Command == "compare" {
		out.judged = j
	}
	return out, whole.spans.Close()
}

// find returns the reports behind one path.
func find(path string, opt Options, out *Outcome) ([]*ingest.Found, error) {
	info, err := os.Stat(path)
	if path == "-" || err != nil || !info.IsDir() {
		f, err := ingest.OpenFile(path, opt.Stdin)
		if err != nil {
			return nil, err
		}
		return opt.recognise(f)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var all []*ingest.Found
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if e.Name()[0] == '.' {
			continue
		}
		info, err := os.Stat(name)
		if err != nil { // a link to nowhere
			out.Skipped = append(out.Skipped, name+": "+problemOf(name, err).Message)
			continue
		}
		if !info.Mode().IsRegular() {
			continue
		}
		f, err := ingest.OpenFile(name, nil)
		if err != nil {
			return nil, err
		}
		found, err := opt.recognise(f)
		if err != nil {
			var u *ingest.Unrecognised
			var e *ingest.Empty
			if errors.As(err, &u) || errors.As(err, &e) {
				out.Skipped = append(out.Skipped, err.Error())
				continue
			}
			// it may be a report: what cannot be read is not skipped
			out.Unusable = true
			out.Problems = append(out.Problems, problemOf(name, err))
			continue
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: holds no file that is recognised", path)
	}
	return all, nil
}

// recognise finds the reports in a file. A log whose format string is given is
// read as it says, whatever its lines look like; reports of load tools and traces
// are known as ever.
func (o *Options) recognise(f *ingest.File) ([]*ingest.Found, error) {
	how := o.of(f.Path).how
	if how.Speaks == "" {
		return ingest.Find(f, o.Formats, how.Format)
	}
	if how.Format == "" && f.Path != "-" {
		others := slices.DeleteFunc(slices.Clone(o.Formats), func(x ingest.Format) bool { return x.Yields&ingest.KindLog != 0 })
		found, err := ingest.Find(f, others, "")
		if u := (*ingest.Unrecognised)(nil); !errors.As(err, &u) {
			return found, err
		}
	}
	return ingest.Find(f, o.Formats, how.Speaks)
}

func problemOf(path string, err error) report.Problem {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	// Errors of opening have the file in front; a problem has it beside.
	return report.Problem{Path: path, Message: strings.TrimPrefix(err.Error(), path+": ")}
}

// positions turns byte offsets into lines, input by input, in one reading of each.
type positions struct {
	inputs  []*input
	offsets map[int32][]int64
	lines   map[ingest.Pos]int64
}

func (p *positions) want(pos ingest.Pos) {
	if p.offsets == nil {
		p.offsets = map[int32][]int64{}
	}
	p.offsets[pos.Input] = append(p.offsets[pos.Input], pos.Offset)
}

func (p *positions) resolve() {
	p.lines = map[ingest.Pos]int64{}
	for in, offsets := range p.offsets {
		if int(in) >= len(p.inputs) {
			continue
		}
		slices.Sort(offsets)
		offsets = slices.Compact(offsets)
		for i, line := range p.inputs[in].found.Lines(offsets) {
			p.lines[ingest.Pos{Input: in, Offset: offsets[i]}] = line
		}
	}
}

// at prints a position: "hey.csv:151", or by its byte where lines cannot be counted.
func (p *positions) at(pos ingest.Pos) string {
	if int(pos.Input) >= len(p.inputs) {
		return ""
	}
	path := p.inputs[pos.Input].path
	if line, ok := p.lines[pos]; ok {
		return fmt.Sprintf("%s:%d", path, line)
	}
	return fmt.Sprintf("%s:byte %d", path, pos.Offset)
}

func (p *positions) line(pos ingest.Pos) *int64 {
	if line, ok := p.lines[pos]; ok {
		return &line
	}
	return nil
}

func msOf(ns int64) *float64 {
	v := float64(ns) / float64(time.Millisecond)
	return &v
}
