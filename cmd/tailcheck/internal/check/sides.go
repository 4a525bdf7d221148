package check

import (
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Side is all that is known about one distribution, for a comparison with
// another: the figures as measured and corrected, and the requests behind them.
type Side struct {
	Input       int // number of the input
	Op, Vantage string
	Kind        string // load or log
	Run         ingest.Run

	Raw       correct.Figures   // nil: the report holds corrected figures only
	Sampled   bool              // Raw is of samples, or of the buckets of all of them
	Summary   *ingest.Aggregate // what Raw was printed in; nil: it was not printed
	Buckets   bool              // values are the upper edges of buckets of the report
	Error     float64           // by how much of itself a value may be too high; 0: exact
	Repair    correct.Repair    // corrected in whatever way is valid, or why it is not
	Method    string            // of Repair, in words
	ToolsOwn  bool              // Repair's figures are of samples or buckets that the tool had corrected
	Unstated  bool              // nothing says that Raw is raw
	NoUnit    bool              // times were read in a unit that the file does not state
	Suspect   bool              // Raw proves nothing by itself
	Why       string            // Suspect in words
	Doubt     string            // why none of it can be believed; empty: nothing
	Requests  int64             // all that ended; 0: not known
	Failed    int64             // of them
	Lost      int64             // of Failed: those that left no latency
	Bounded   int64             // requests in the figures whose latency is a lower bound
	HasCounts bool              // Requests and Failed are known, and all that failed are among them

	Pairs []detect.Pair // requests of the input by start; nil: their times are not known
	Alone bool          // all of Pairs are of this operation
}

// Sides returns the distributions of an outcome of the command compare, in the
// order of Result.Distributions.
func (o *Outcome) Sides() []Side {
	j := o.judged
	if j == nil {
		return nil
	}
	var out []Side
	for _, x := range j.inputs {
		in := j.pass.table.Input(x.index)
		switch x.kind() {
		case kindLoad:
			out = append(out, j.loadSides(in)...)
		case kindLog:
			out = append(out, j.logSides(in)...)
		}
	}
	return out
}

func (j *judge) loadSides(in *detect.Input) []Side {
	var out []Side
	suspect, why := j.suspect(in)
	refuse, doubt := j.refuse(in.Index), j.doubt(in)
	whole := j.whole(in)
	rows := in.Rows()
	for _, row := range rows {
		e := evidenceOf(row)
		if !e.measured() {
			continue
		}
		r := e.mend(in, j.workers(in), refuse)
		s := sideOf(in, e, len(rows) == 1)
		s.Kind, s.Repair, s.Method = kindLoad, r, methodOf(r, &in.Run)
		s.ToolsOwn = r.Method == correct.ByTool && e.toolResolution != "printed"
		s.Suspect, s.Why, s.Doubt = suspect, why, doubt
		s.Unstated, s.NoUnit = e.unstated(in), in.Run.UnitAssumed > 0
		s.HasCounts, s.Requests, s.Failed, s.Lost = whole.Counted, whole.Requests, whole.Errors, in.Run.Lost
		if len(rows) > 1 {
			c := countsOf(in, row)
			s.HasCounts, s.Requests, s.Failed, s.Lost = c.Counted, c.Requests, c.Errors, 0
		}
		s.HasCounts = s.HasCounts && !in.Run.Survivors
		out = append(out, s)
	}
	return out
}

func (j *judge) logSides(in *detect.Input) []Side {
	whole := &detect.Row{}
	rows := in.Rows()
	for _, row := range rows {
		whole.Vantage = row.Vantage
		whole.Add(row)
	}
	if len(rows) > 1 {
		rows = append([]*detect.Row{whole}, rows...)
	}
	var out []Side
	for i, row := range rows {
		e := evidenceOf(row)
		if !e.measured() {
			continue
		}
		s := sideOf(in, e, i == 0)
		s.Kind, s.Doubt, s.NoUnit = kindLog, j.logDoubt(in), unitUnknown(in) != nil
		s.Repair.Method = correct.None
		s.HasCounts, s.Requests, s.Failed = row.Requests > 0, row.Requests, row.Requests-row.Outcomes[ingest.OK]
		out = append(out, s)
	}
	return out
}

func sideOf(in *detect.Input, e *evidence, alone bool) Side {
	return Side{Input: in.Index, Op: e.row.Op, Vantage: e.row.Vantage.String(), Run: in.Run, Raw: e.raw, Sampled: e.samples != nil, Summary: e.summary,
		Buckets: e.buckets, Error: e.row.Service.Error(), Bounded: e.row.Censored, Pairs: in.Pairs, Alone: alone}
}
