// Package compare puts two runs side by side: corrected percentiles, counts and
// findings of a base and of a head, with intervals that say what the number of
// requests can show. What was not measured in the same way is named, and not
// compared.
package compare

import "github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"

// Schema names the JSON schema of an Answer: docs/schema/tailcheck-compare-1.json.
const Schema = "tailcheck-compare/1"

// What a comparison says of one number, and of all.
const (
	Slower    = "slower" // of shares of errors and rates: worse
	Faster    = "faster" // better
	Same      = "~"      // no difference is shown
	NotJudged = "?"      // it cannot be said

	Mixed = "mixed" // of all: some slower, some faster
)

// Answer is the whole outcome of a comparison. Times are milliseconds, changes
// shares of the base: 0.12 is 12 % slower. Unknown is null. Its order is fixed.
type Answer struct {
	Schema     string  `json:"schema"`
	Verdict    string  `json:"verdict"` // slower, faster, mixed, ~, ?
	Answer     string  `json:"answer"`  // in a sentence or two
	Gate       *Gate   `json:"gate"`    // null: --fail-on-regression was not given
	Confidence float64 `json:"confidence"`
	Each       float64 `json:"confidence_each"` // of a single interval, so that all of them hold together
	Intervals  int     `json:"intervals"`       // how many hold together
	Ignore     float64 `json:"ignore"`          // changes below it are not called

	Base        []Input      `json:"base"`
	Head        []Input      `json:"head"`
	Pairs       []Pair       `json:"pairs"`
	Comparisons []Comparison `json:"comparisons"`
	Findings    Findings     `json:"findings"`
	Alone       []string     `json:"without_counterpart"` // inputs and operations that one side alone has
	Problems    []string     `json:"problems"`

	Unusable bool `json:"-"`
}

// Input is one input of a side, by what a comparison depends on.
type Input struct {
	Path       string   `json:"path"`
	Line       *int64   `json:"line"`
	Format     string   `json:"format"`
	Kind       string   `json:"kind"`
	Tool       string   `json:"tool"`
	Loop       *string  `json:"loop"`
	Treatment  *string  `json:"treatment"`
	Workers    *int     `json:"workers"`
	Rate       *float64 `json:"rate"`
	IntervalMs *float64 `json:"interval_ms"`
	ElapsedMs  *float64 `json:"elapsed_ms"`
}

// Pair is one input of each side that are compared.
type Pair struct {
	Base int    `json:"base"`
	Head int    `json:"head"`
	By   string `json:"by"` // name, operations, order
}

// Comparison is one operation of a pair.
type Comparison struct {
	Pair    int      `json:"pair"`
	Op      string   `json:"op"`
	Vantage string   `json:"vantage"`
	Judged  *string  `json:"judged_on"` // measured or corrected; null: not compared
	Why     *string  `json:"not_compared"`
	Base    Figures  `json:"base"`
	Head    Figures  `json:"head"`
	Changes []Change `json:"changes"`
	Notes   []string `json:"notes"`
}

// Figures say what stands behind the numbers of one side.
type Figures struct {
	Requests *int64 `json:"requests"`
	Failed   *int64 `json:"failed"`
	Measured string `json:"measured"` // samples, buckets, printed, none
	Method   string `json:"method"`   // of the correction; empty: none
	Refused  string `json:"refused"`
	Blocks   *int   `json:"blocks"` // of the measured samples; null: their times are not known
	InBlock  *int   `json:"in_block"`
}

// Change is one number on both sides. Of times, base and head are in
// milliseconds; of errors in percent; of rates a second.
type Change struct {
	Metric  string   `json:"metric"` // p50, …, max, mean, errors, rate
	Of      string   `json:"of"`     // measured, corrected; empty: of neither
	Base    Number   `json:"base"`
	Head    Number   `json:"head"`
	Change  *float64 `json:"change"` // of errors the difference of the shares
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	Verdict string   `json:"verdict"`
	Decides bool     `json:"decides"` // the verdict rests on it
	Why     string   `json:"why"`     // there is no interval

	needs float64 // independent requests that an interval takes
	asked bool    // an objective is about it
}

// Number is a value of one side, with its own interval.
type Number struct {
	Value     *float64 `json:"value"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Count     *int64   `json:"count"`
	Effective *float64 `json:"effective"` // independent requests that the count is worth
}

// Findings of the two sides by rule, operation and pair.
type Findings struct {
	New       []Finding `json:"new"`
	Gone      []Finding `json:"gone"`
	Unchanged []Finding `json:"unchanged"`
}

// Finding is one finding of the head, or of the base where it is gone.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Op       string `json:"op"`
	Path     string `json:"path"`
	Message  string `json:"message"`

	fails bool
	key   string
}

// Gate is what --fail-on-regression says.
type Gate struct {
	Limit   float64  `json:"limit"`
	Verdict string   `json:"verdict"` // pass, fail, inconclusive
	Why     []string `json:"why"`
}

// Verdicts of a gate.
const (
	Pass         = report.VerdictPass
	Fail         = report.VerdictFail
	Inconclusive = report.VerdictInconclusive
)
