package check

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Scope is one thing that a file of settings says about some inputs, or about
// all. Of several that say something else about one input the last one counts;
// flags, which are Options' own fields, beat them all.
type Scope struct {
	Path   string                 // of the file that says it
	Line   int                    // where in it
	Files  string                 // the patterns, as they are shown: "load/*.csv"
	Covers func(path string) bool // nil: every input

	Objective *sla.Objective // nil: it is about something else
	Plan      Plan
	How       How
	Unit      time.Duration
	Zone      *time.Location
	Skip      string // detector whose findings about these inputs alone are left out; empty: none
}

// How is the way in which an input is written. What says any of it says all of it.
type How struct {
	Format    string // empty: recognise
	Speaks    string // see Options
	LogFormat string
	Columns   map[string]string
}

func (h How) given() bool {
	return h.Format != "" || h.Speaks != "" || h.LogFormat != "" || len(h.Columns) > 0
}

// From says where a scope stands: "tailcheck.yaml:12".
func (s *Scope) From() ingest.Fact { return ingest.Fact(fmt.Sprintf("%s:%d", s.Path, s.Line)) }

func (s *Scope) covers(path string) bool { return s.Covers == nil || s.Covers(path) }

// settings are what is asked about one input.
type settings struct {
	objectives []sla.Objective
	from       []ingest.Fact // of each objective
	plan       Plan
	how        How
	reading    ingest.Options
	skip       []string
}

// fromFlag is where objectives come from that no file says.
const fromFlag ingest.Fact = "--sla"

// SameMetric reports whether two objectives limit the same number: one beats the
// other.
func SameMetric(a, b sla.Objective) bool {
	return a.Op == b.Op && a.Metric == b.Metric && a.Percentile == b.Percentile
}

func (s *settings) objective(o sla.Objective, from ingest.Fact) {
	if i := slices.IndexFunc(s.objectives, func(x sla.Objective) bool { return SameMetric(x, o) }); i >= 0 {
		s.objectives, s.from = slices.Delete(s.objectives, i, i+1), slices.Delete(s.from, i, i+1)
	}
	s.objectives, s.from = append(s.objectives, o), append(s.from, from)
}

// of returns what is asked about the input at a path.
func (o *Options) of(path string) *settings {
	if s := o.asked[path]; s != nil {
		return s
	}
	s := &settings{}
	for i := range o.Scopes {
		x := &o.Scopes[i]
		if !x.covers(path) {
			continue
		}
		if x.Objective != nil && !slices.ContainsFunc(o.Objectives, func(f sla.Objective) bool { return SameMetric(f, *x.Objective) }) {
			s.objective(*x.Objective, x.From())
		}
		s.plan = x.Plan.over(s.plan)
		if x.How.given() {
			s.how = x.How
		}
		s.reading.Unit = cmp.Or(x.Unit, s.reading.Unit)
		s.reading.Zone = cmp.Or(x.Zone, s.reading.Zone)
		if x.Skip != "" {
			s.skip = append(s.skip, x.Skip)
		}
	}
	for _, f := range o.Objectives { // of flags every one counts
		s.objectives, s.from = append(s.objectives, f), append(s.from, fromFlag)
	}
	s.plan = o.Plan.over(s.plan)
	if f := (How{o.Format, o.Speaks, o.Reading.LogFormat, o.Reading.Columns}); f.given() {
		s.how = f
	}
	s.reading = ingest.Options{Unit: cmp.Or(o.Reading.Unit, s.reading.Unit), Zone: cmp.Or(o.Reading.Zone, s.reading.Zone),
		LogFormat: s.how.LogFormat, Columns: s.how.Columns}
	if o.asked != nil {
		o.asked[path] = s
	}
	return s
}

// over returns a plan that beats another. An interval and a rate are two words for
// one thing: where only one of them is said anew, the other follows from it.
func (p Plan) over(base Plan) Plan {
	if p.Workers > 0 {
		base.Workers, base.WorkersFrom = p.Workers, p.WorkersFrom
	}
	if p.Rate > 0 || p.Interval > 0 {
		base.Rate, base.RateFrom = p.Rate, p.RateFrom
		base.Interval, base.IntervalFrom = p.Interval, p.IntervalFrom
	}
	return base
}

// idle returns what scopes say about files of which there is none: a slip in a
// pattern would otherwise be followed by silence. Objectives are judged as not
// measured instead.
func (o *Options) idle() (out []report.Problem) {
	for i := range o.Scopes {
		x := &o.Scopes[i]
		if x.Covers == nil || x.Objective != nil {
			continue
		}
		used := false
		for path := range o.asked {
			used = used || x.Covers(path)
		}
		if line := int64(x.Line); !used {
			out = append(out, report.Problem{Path: x.Path, Line: &line, Message: "no input matches " + x.Files})
		}
	}
	return out
}

// skipped reports whether a finding is one that nobody wants to see: its detector
// is skipped for every input that it is about.
func (j *judge) skipped(f *detect.Finding) bool {
	for _, in := range f.Inputs {
		if in < 0 || in >= len(j.inputs) || !slices.Contains(j.inputs[in].asked.skip, f.Detector) {
			return false
		}
	}
	return len(f.Inputs) > 0
}

// objectives are those that are asked of an input.
func (j *judge) objectives(input int) []sla.Objective { return j.inputs[input].asked.objectives }

// asks reports whether there is an objective on any input.
func (j *judge) asks() bool {
	return slices.ContainsFunc(j.inputs, func(x *input) bool { return len(x.asked.objectives) > 0 })
}

// from says where the objective of an input stands.
func (j *judge) from(o sla.Objective, input int) *string {
	s := j.inputs[input].asked
	if i := slices.Index(s.objectives, o); i >= 0 {
		return known(string(s.from[i]))
	}
	return nil
}

// unmatched judges objectives on operations that no input has, and those on
// files that were not given: a metric that was not measured never passes.
func (j *judge) unmatched() {
	missing := func(o sla.Objective, from ingest.Fact, why string) {
		j.out.Objectives = append(j.out.Objectives, report.Objective{Objective: o.String(), Input: -1, Op: o.Op, Verdict: sla.Inconclusive, Why: why, From: known(string(from))})
	}
	type origin struct{ objective, from string }
	seen := map[origin]bool{}
	for _, x := range j.out.Objectives {
		if x.From != nil {
			seen[origin{x.Objective, *x.From}] = true
		}
	}
	judged := func(o sla.Objective, from ingest.Fact) bool { return seen[origin{o.String(), string(from)}] }
	unmeasured := func(o sla.Objective) string {
		if o.Op != "" {
			return fmt.Sprintf("no input has an operation named %q", o.Op)
		}
		return "no input holds latencies"
	}
	for i := range j.opt.Scopes {
		s := &j.opt.Scopes[i]
		if s.Objective == nil {
			continue
		}
		covered, asked := s.Covers == nil, s.Covers == nil && len(j.inputs) == 0
		for _, x := range j.inputs {
			if s.covers(x.path) {
				covered = true
				k := slices.Index(x.asked.objectives, *s.Objective)
				asked = asked || k >= 0 && x.asked.from[k] == s.From()
			}
		}
		switch {
		case !covered:
			missing(*s.Objective, s.From(), "no input matches "+s.Files)
		case asked && !judged(*s.Objective, s.From()):
			missing(*s.Objective, s.From(), unmeasured(*s.Objective))
		}
	}
	for _, o := range j.opt.Objectives {
		if !judged(o, fromFlag) {
			missing(o, fromFlag, unmeasured(o))
		}
	}
}
