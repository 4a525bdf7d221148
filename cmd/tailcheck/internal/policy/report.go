package policy

import (
	"math"
	"time"
)

// Schema is the version of the JSON form.
const Schema = "tailcheck-retries/1"

// Report is all that is said about a chain; its JSON form is a contract of its
// own. Times are milliseconds, null where there is no end or nothing is known.
type Report struct {
	Schema   string          `json:"schema"`
	Worst    WorstReport     `json:"worst"`
	Chain    []HopReport     `json:"chain"`
	Expected []Expectation   `json:"expected"`
	Findings []FindingReport `json:"findings"`
	Notes    []NoteReport    `json:"notes"`
	Files    []FileReport    `json:"files"`

	reckoned *Reckoned
}

// WorstReport is the worst of one request.
type WorstReport struct {
	LeafCalls    int64    `json:"leaf_calls"`
	WaitMs       *float64 `json:"wait_ms"`         // null: without an end
	DeadlineMs   *float64 `json:"deadline_ms"`     // null: nobody gives up
	DeadlineFrom string   `json:"deadline_from"`   // given, own settings (when the entry gives up by itself)
	WorkMs       *float64 `json:"work_ms"`         // until all work is over, at least; null: without an end
	InVainMs     *float64 `json:"orphaned_ms"`     // of it after the deadline; null: without an end, or no deadline
	CostMs       *float64 `json:"leaf_cost_ms"`    // that the last service was taken to work; null: it never answers
	FitsDeadline *bool    `json:"within_deadline"` // null: no deadline was given
}

// HopReport is one call of the chain.
type HopReport struct {
	Name      string   `json:"name"`
	System    string   `json:"system"`
	At        string   `json:"at"`
	Others    int      `json:"other_policies"` // of the file, that were not taken
	Tries     int      `json:"tries"`
	Stated    *int     `json:"tries_stated"` // where the system allows fewer
	Usable    int      `json:"tries_that_fit"`
	CallsOf   int      `json:"calls"` // for one request of the caller
	Reach     int64    `json:"calls_per_request"`
	TimeoutMs *float64 `json:"timeout_ms"`
	Default   bool     `json:"timeout_is_default"`
	PerTryMs  *float64 `json:"per_try_ms"`
	WaitMs    *float64 `json:"wait_ms"`
	GivesMs   *float64 `json:"gives_callee_ms"`
	Hedge     bool     `json:"hedged"`
	DelayMs   *float64 `json:"hedge_delay_ms"`
	RetryOn   []string `json:"retry_on"`
	Methods   []string `json:"methods"` // empty: any, or not known
	Budget    *string  `json:"budget"`
	PassesOn  bool     `json:"passes_deadline"`
}

// Expectation is the mean number of calls where each fails by itself.
type Expectation struct {
	FailureRate float64 `json:"failure_rate"`
	LeafCalls   float64 `json:"leaf_calls"`
}

// FindingReport is a Finding in JSON.
type FindingReport struct {
	Rule       string   `json:"rule"`
	Severity   string   `json:"severity"`
	Confidence string   `json:"confidence"`
	Hops       []int    `json:"hops"`
	Message    string   `json:"message"`
	At         []string `json:"at"`
	Remedy     string   `json:"remedy"`
}

// NoteReport is what a setting means that is easily read otherwise.
type NoteReport struct {
	Hop     int    `json:"hop"`
	At      string `json:"at"`
	Message string `json:"message"`
}

// FileReport is what was read.
type FileReport struct {
	Path     string `json:"path"`
	Policies int    `json:"policies"`
	Limits   int    `json:"limits"`
	Ignored  int    `json:"other_documents"`
}

// NewReport works a chain out and judges it.
func NewReport(c *Chain, files []*File) *Report {
	r := c.Reckon()
	out := &Report{Schema: Schema, reckoned: r, Chain: []HopReport{}, Findings: []FindingReport{}, Notes: []NoteReport{}, Files: []FileReport{},
		Worst: WorstReport{LeafCalls: r.LeafCalls, WaitMs: ms(r.Waits), DeadlineMs: ms(r.Deadline), DeadlineFrom: "own settings", WorkMs: ms(r.Works), CostMs: known(c.Cost)}}
	if r.Given {
		out.Worst.DeadlineFrom = "given"
	}
	if fits := r.Waits <= r.Deadline; r.Given {
		out.Worst.FitsDeadline = &fits
	}
	if r.Deadline < Forever && r.Works < Forever {
		out.Worst.InVainMs = ms(max(0, r.Works-r.Deadline))
	}
	for i, h := range r.Hops {
		p := h.Policy
		x := HopReport{Name: h.Name, System: p.System, At: p.String(), Others: h.Others, Tries: p.Tries, Usable: p.reachable(), CallsOf: h.Calls, Reach: h.Reach,
			TimeoutMs: ms(p.Timeout), Default: p.Default, PerTryMs: ms(p.PerTry), WaitMs: ms(h.Waits), GivesMs: ms(h.Gives), Hedge: p.Hedge,
			RetryOn: p.RetryOn, Methods: p.Methods, PassesOn: p.PassesOn}
		if p.Stated > 0 {
			x.Stated = &p.Stated
		}
		if p.Hedge {
			x.DelayMs = ms(p.Delay)
		}
		if p.Budget != "" {
			x.Budget = &p.Budget
		}
		out.Chain = append(out.Chain, x)
		for _, n := range p.Notes {
			out.Notes = append(out.Notes, NoteReport{i, n.String(), n.Text})
		}
	}
	for _, f := range []float64{0.01, 0.1, 0.5, 1} {
		out.Expected = append(out.Expected, Expectation{f, math.Round(100*r.Expected(f)) / 100})
	}
	for _, f := range r.Findings() {
		x := FindingReport{Rule: f.Rule, Severity: f.Severity, Confidence: f.Confidence, Hops: f.Hops, Message: f.Message, Remedy: f.Remedy, At: []string{}}
		for _, at := range f.At {
			x.At = append(x.At, at.String())
		}
		out.Findings = append(out.Findings, x)
	}
	for _, f := range files {
		out.Files = append(out.Files, FileReport{f.Path, len(f.Policies), len(f.Limits), f.Ignored})
	}
	return out
}

func ms(d time.Duration) *float64 {
	if d == Forever {
		return nil
	}
	v := float64(d) / 1e6
	return &v
}

func known(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	return ms(d)
}
