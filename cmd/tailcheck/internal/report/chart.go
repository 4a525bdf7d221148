package report

// Chart is something to look at: what stands behind some of the numbers, thinned
// out so far that it can be drawn. Charts are filled in only where a renderer
// wants them. Exactly one of Spectrum, Timeline, Histogram, Tree and Sweep is set.
// Times are milliseconds.
type Chart struct {
	Title string
	Input int    // number of the input; -1: of several
	Op    string // operation; empty: all of the input
	Note  string // sentences: what is drawn, where it comes from, what was left out

	Spectrum  *Spectrum
	Timeline  *Timeline
	Histogram *Histogram
	Tree      *CallTree
	Sweep     *Sweep
}

// Role is what a series stands for; it decides its colour.
type Role uint8

// Roles.
const (
	Measured  Role = iota // as it was measured
	Corrected             // as it would have been with what was omitted; or never sent
	Other                 // the other side: a log beside a report
)

func (r Role) String() string { return [...]string{"measured", "corrected", "other"}[r] }

// Limit is a height that matters: the limit of an objective.
type Limit struct {
	Name       string // "p99<500ms"
	Ms         float64
	Percentile float64 // of a Spectrum: where the limit holds, in percent; 0: everywhere
}

// Spectrum is latency by percentile, on the axis of HdrHistogram's plots: as far
// from 90 % to 99 % as from 99 % to 99.9 %.
type Spectrum struct {
	Series []SpectrumSeries
	Limits []Limit
	Marks  []Mark // percentiles that matter
}

// Mark is a percentile that matters.
type Mark struct {
	Name       string
	Percentile float64 // in percent, below 100
}

// SpectrumSeries is one distribution.
type SpectrumSeries struct {
	Name   string
	Role   Role
	Points []SpectrumPoint // by rising percentile, each once
}

// SpectrumPoint is what is known at one percentile: a value where LowMs and
// HighMs are the same, else bounds. HighMs is +Inf where there is no upper end.
type SpectrumPoint struct {
	Percentile    float64 // in percent, below 100: the maximum of n samples stands at 100-50/n
	LowMs, HighMs float64
}

// Timeline is what happened when: series over one axis of time. That may be a
// load report with what was never sent, or a server's log and a load report laid
// over each other.
type Timeline struct {
	StartUnixMs int64   // the moment of time 0, since 1970; 0: not known, times count from the first request
	WidthMs     float64 // of a bin
	Series      []TimeSeries
	Marks       []Interval // by rising start
	Limits      []Limit
}

// TimeSeries is one observer's view.
type TimeSeries struct {
	Name string // "as the load generator saw it"
	Role Role
	Bins []Bin // by rising time; bins without a request may be left out
}

// Bin is what started in one stretch of time.
type Bin struct {
	AtMs  float64 // where it begins, since time 0
	Count int64   // requests; negative: not known
	MaxMs float64 // the longest of their latencies; negative: none is known
}

// Interval is a stretch of time that stands out: a stall.
type Interval struct {
	Name         string
	FromMs, ToMs float64
}

// Histogram is how often something was how many.
type Histogram struct {
	Each, Of string // "calls in one request", "requests"
	Bars     []Bar  // by rising number
}

// Bar counts what had From to To, both included.
type Bar struct{ From, To, Count int64 }

// Sweep is what a model says for one value after another.
type Sweep struct {
	Over   string   // what is changed: "delay"
	At     []string // its values, in order
	Plain  bool     // what is shown are numbers, and no times
	Of     string   // what is shown: "calls sent"
	Series []SweepSeries
	Beside []SweepColumn // of the table only
	Knee   int           // number of the value at which it turns, from 1; 0: none
}

// SweepSeries has a number for each value.
type SweepSeries struct {
	Name   string
	Role   Role
	Values []float64
}

// SweepColumn has a text for each value.
type SweepColumn struct {
	Name  string
	Cells []string
}

// CallTree is what requests of one operation call, all of them laid over each
// other: each row is an operation below the same operations.
type CallTree struct {
	Requests int64
	Rows     []CallRow // in the order of the tree
	Left     int       // rows that were left out
}

// CallRow is one operation in a CallTree.
type CallRow struct {
	Depth         int
	Service, Name string
	Calls         float64 // in the mean request
	Most          int64   // in one request
	Factor        float64 // calls for each call of the row above; 0: it is the top
	Failed        int64   // of all calls
	MeanMs        float64 // of one call; negative: not known
}
