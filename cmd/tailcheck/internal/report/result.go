// Package report holds Result, what one run of tailcheck has to say, and the
// renderers, each a pure function of it.
package report

import (
	"io"
	"strings"

	"github.com/tailcheck/tailcheck/detect"
)

// Schema names the JSON schema of Result.
const Schema = "tailcheck/1"

// Renderer writes a Result in one form. Renderers are values, listed once in
// the suite.
type Renderer struct {
	Name, Doc string
	Render    func(w io.Writer, r *Result, o Options) error
	Charts    bool // it shows Result.Charts
}

// Options are what a renderer may know beside the Result.
type Options struct {
	Width int  // columns of the terminal; 0: not a terminal, 80 is used
	Color bool // ANSI colours are welcome
	Plain bool // the terminal shows ASCII only: pictures are drawn with it
	Top   int  // findings that text shows; 0: as many as are readable
}

// Result is the whole outcome of a run. Its JSON form is the contract: field
// order and array order are fixed, times are milliseconds, unknown is null.
type Result struct {
	Schema        string         `json:"schema"`
	Verdict       string         `json:"verdict"` // pass, fail, inconclusive
	Inputs        []Input        `json:"inputs"`
	Distributions []Distribution `json:"distributions"`
	Objectives    []Objective    `json:"objectives"`
	Findings      []Finding      `json:"findings"`
	Problems      []Problem      `json:"problems"`
	Settings      []Setting      `json:"settings"`

	Command string   `json:"-"` // check, correct
	Next    []string `json:"-"` // what to do beyond the remedies of findings; a line that begins with "$ " is a command
	Skipped []string `json:"-"` // files of a directory that no format claimed, with the reason
	Why     string   `json:"-"` // one sentence: why the verdict is what it is
	Rules   []Rule   `json:"-"` // the detectors that had something to look at, in the order of the suite

	// Unusable says that an input could not be used: exit code 2.
	Unusable bool    `json:"-"`
	Charts   []Chart `json:"-"` // empty unless a renderer wants them
}

// Input is one input as it was read.
type Input struct {
	Path    string  `json:"path"`
	Line    *int64  `json:"line"` // where the report starts in a longer file; null: the whole file
	Format  string  `json:"format"`
	Kind    string  `json:"kind"` // load, trace, log
	Tool    string  `json:"tool"`
	Records Records `json:"records"`
	Run     *Run    `json:"run"`
	Trace   *Trace  `json:"trace"`
	Log     *Log    `json:"log"`
}

// Records counts what the reader yielded.
type Records struct {
	Runs       int64 `json:"runs"`
	Samples    int64 `json:"samples"`
	Aggregates int64 `json:"aggregates"`
	Spans      int64 `json:"spans"`
	Traces     int64 `json:"traces"`
	Problems   int64 `json:"problems"`
}

// Run is how the load was offered.
type Run struct {
	Loop         string   `json:"loop"`
	Treatment    string   `json:"treatment"`
	Workers      *int     `json:"workers"`
	WorkersFrom  *string  `json:"workers_from"`
	Rate         *float64 `json:"rate"` // planned, requests a second, all workers
	RateFrom     *string  `json:"rate_from"`
	IntervalMs   *float64 `json:"interval_ms"`
	IntervalFrom *string  `json:"interval_from"`
	ElapsedMs    *float64 `json:"elapsed_ms"`
	Achieved     *float64 `json:"achieved_rate"` // requests a second
	Requests     *int64   `json:"requests"`
	Errors       *int64   `json:"errors"`
	Timeouts     *int64   `json:"timeouts"`
	Unit         *string  `json:"unit_assumed"` // the file states no unit: read as this one; null: it is stated
	Command      *string  `json:"command"`      // command line found above the report
}

// Trace is the completeness of a trace input.
type Trace struct {
	Spans       int64 `json:"spans"`
	Traces      int64 `json:"traces"`
	Roots       int64 `json:"roots"`
	Orphans     int64 `json:"orphans"`
	RepeatedIDs int64 `json:"repeated_ids"`
	Errors      int64 `json:"errors"`
	StandsFor   int64 `json:"stands_for"`
}

// Log is what a log input turned out to be. Unit, stamp, zone, layout and wrapper
// are those of most of its requests.
type Log struct {
	Lines       int64   `json:"lines"`
	Requests    int64   `json:"requests"`
	Unread      int64   `json:"unread"`
	Unit        *string `json:"unit"`
	UnitFrom    *string `json:"unit_from"`
	Stamp       *string `json:"stamp"`
	Zone        *string `json:"zone"`
	ClockStarts *string `json:"clock_starts"`
	From        *string `json:"from"`
	To          *string `json:"to"`
	Censored    int64   `json:"censored"`
	Retried     int64   `json:"retried"`      // requests of which an upstream try repeats the one before
	Tries       int64   `json:"tries"`        // upstream tries of all requests
	Layout      *string `json:"layout"`       // how requests are written, as far as it was recognised
	Wrapper     *string `json:"wrapper"`      // what stands around each line; null: nothing
	Untimed     int64   `json:"untimed"`      // requests without a latency: they are in no percentile
	Streams     int64   `json:"streams"`      // connections and not requests: neither are they
	Assumed     *string `json:"unit_assumed"` // the unit is not known: read as this one, and judged by none; null: it is known
	Other       *string `json:"unit_or"`      // another that would explain the lines as well
	Pauses      int64   `json:"pauses"`       // times in which the server did nothing: collections, locks, slow commands

	WindowMs *float64 `json:"window_ms"` // width of the windows; null: no request has a time
	Windows  []Window `json:"windows"`   // by time; those in which nothing happened are left out
}

// Window is what happened in a stretch of a log's time. Its percentiles are up to
// a sixteenth of themselves too high; the maximum is exact.
type Window struct {
	From     string   `json:"from"`
	Requests int64    `json:"requests"`
	Errors   int64    `json:"errors"`
	P50      *float64 `json:"p50_ms"`
	P90      *float64 `json:"p90_ms"`
	P99      *float64 `json:"p99_ms"`
	P999     *float64 `json:"p99.9_ms"`
	Max      *float64 `json:"max_ms"`
	Tries    int64    `json:"tries"`
	Retried  int64    `json:"retried"`
	Queue    *float64 `json:"queue_mean_ms"` // mean wait for a worker; null: none is known
}

// Distribution is one operation of one input, before and after.
type Distribution struct {
	Input      int         `json:"input"`
	Op         string      `json:"op"`
	Vantage    string      `json:"vantage"`
	Measured   *Figures    `json:"measured"`  // null: the report holds corrected figures only
	Corrected  *Figures    `json:"corrected"` // null: not corrected; Correction says why
	Correction *Correction `json:"correction"`
}

// Figures are the percentiles of one distribution. Null: not known.
type Figures struct {
	Count *int64   `json:"count"`
	Min   *float64 `json:"min_ms"`
	Mean  *float64 `json:"mean_ms"`
	P50   *float64 `json:"p50_ms"`
	P75   *float64 `json:"p75_ms"`
	P90   *float64 `json:"p90_ms"`
	P95   *float64 `json:"p95_ms"`
	P99   *float64 `json:"p99_ms"`
	P999  *float64 `json:"p99.9_ms"`
	P9999 *float64 `json:"p99.99_ms"`
	Max   *float64 `json:"max_ms"`

	// Rule is how the percentiles were picked: "nearest rank" (recomputed from
	// samples or buckets), or "printed" with the tool's own rule.
	Rule string `json:"rule"`
	// Resolution says how finely the values are known: "samples", "histogram",
	// "spectrum", "printed", "bounds", "log".
	Resolution string `json:"resolution"`
	// Printed are the same percentiles by another rule, where it says something
	// else: the tool's own beside nearest rank, or nearest rank over the
	// report's own buckets beside what was printed.
	Printed []Printed `json:"printed"`
	// Bounds hold [low, high] of percentiles that are only known within bounds.
	Bounds []Bound `json:"bounds"`
}

// Printed is a percentile by another rule.
type Printed struct {
	Name  string  `json:"name"`
	Value float64 `json:"value_ms"`
	Rule  string  `json:"rule"`
}

// Bound is a percentile that is only known to lie between two values.
type Bound struct {
	Name string   `json:"name"`
	Low  *float64 `json:"low_ms"`
	High *float64 `json:"high_ms"`
}

// Correction is how the corrected figures came about, or why there are none.
type Correction struct {
	Method       string   `json:"method"` // intended, fill, substitute, bounds, by-tool, none
	IntervalMs   *float64 `json:"interval_ms"`
	IntervalFrom *string  `json:"interval_from"`
	Added        *int64   `json:"added"`
	AddedShare   *float64 `json:"added_share"`
	Confidence   *string  `json:"confidence"`
	Assumes      *string  `json:"assumes"`
	Refused      *string  `json:"refused"`
	Band         *Band    `json:"band_ms"`
	RandomWait   []Wait   `json:"random_arrival"` // c = 1 only: share of random moments that wait longer
}

// Band is the corrected p99 at half and at double the interval.
type Band struct {
	Half   *float64 `json:"half_interval_p99_ms"`
	Double *float64 `json:"double_interval_p99_ms"`
}

// Wait is one point of the random-arrival view.
type Wait struct {
	Over  float64 `json:"over_ms"`
	Share float64 `json:"share"`
}

// Objective is one objective judged on one distribution.
type Objective struct {
	Objective    string   `json:"objective"`
	Input        int      `json:"input"`
	Op           string   `json:"op"`
	Raw          *Judged  `json:"raw"`
	Corrected    *Judged  `json:"corrected"`
	Verdict      string   `json:"verdict"`
	Flips        bool     `json:"flips"`
	FlipInterval *float64 `json:"flip_interval_ms"`
	Why          string   `json:"why"`
	From         *string  `json:"from"` // "--sla", "tailcheck.yaml:12"; null: not said
}

// Judged is one value against the limit.
type Judged struct {
	Value   *float64 `json:"value_ms"`
	Low     *float64 `json:"low_ms"`
	High    *float64 `json:"high_ms"`
	Verdict string   `json:"verdict"`
	// Amount is the value of an objective that is not a time: errors in
	// percent, rate in requests a second.
	Amount *float64 `json:"value"`
}

// Finding is one finding of one detector.
type Finding struct {
	Rule       string     `json:"rule"`
	Severity   string     `json:"severity"`
	Confidence string     `json:"confidence"`
	Inputs     []int      `json:"inputs"`
	Op         string     `json:"op"`
	ImpactMs   *float64   `json:"impact_ms"`
	Message    string     `json:"message"`
	Evidence   []Evidence `json:"evidence"`
	Numbers    any        `json:"numbers"`
	Exemplars  []string   `json:"exemplars"`
	Remedy     string     `json:"remedy"`
	WhatIf     *WhatIf    `json:"what_if"` // what the first command of the remedy says; null: not asked, or there is none

	Command string          `json:"-"` // the first command of the remedy, ready to be run; empty: there is none, or its input has no path
	Level   detect.Severity `json:"-"`
	Tree    *Tree           `json:"-"` // the first exemplar; nil: none
}

// WhatIf is what a command of a remedy says.
type WhatIf struct {
	Command string   `json:"command"` // as it was run
	Lines   []string `json:"lines"`   // safe to show
}

// advice is the remedy with what its command says below it.
func (f *Finding) advice() string {
	if f.WhatIf == nil || f.Remedy == "" {
		return f.Remedy
	}
	said := strings.Join(f.WhatIf.Lines, "\n")
	before, after, found := strings.Cut(f.Remedy, "\n$ "+f.Command)
	if !found {
		return f.Remedy + "\n" + said
	}
	return before + "\n$ " + f.Command + "\n" + said + after
}

// Tree is a trace drawn small: siblings of one operation are one row.
type Tree struct {
	Trace   string // id
	TotalMs float64
	Rows    []TreeRow // in the order of the tree
	Left    int       // rows that were left out
	More    bool      // there are further rows, that were not counted
}

// TreeRow is one or more siblings of one operation.
type TreeRow struct {
	Depth         int
	Service, Name string
	Times         int64   // how many they are
	Failed        int64   // of them: those that did not succeed, in whatever way
	Cancelled     int64   // of the failed
	TimedOut      int64   // of the failed
	Skipped       int     // rows left out between it and the row above
	FromMs, ToMs  float64 // first start and last end, since the start of the trace
}

// Evidence is one number that a finding rests on.
type Evidence struct {
	What string  `json:"what"`
	Got  string  `json:"got"`
	Want *string `json:"want"`
	At   *string `json:"at"` // "hey.csv:151"
}

// Problem is a part of an input that could not be read.
type Problem struct {
	Path    string `json:"path"`
	Line    *int64 `json:"line"`
	Message string `json:"message"`
}

// Setting is what tailcheck.yaml says and what stands beside no number: who
// wonders why a detector is silent finds it here.
type Setting struct {
	Name      string  `json:"name"`         // objective, skip, fail-on, inconclusive, strict, report
	Value     string  `json:"value"`        // the objective, the detector, the severity
	Files     string  `json:"files"`        // patterns of the inputs that it is about; empty: all
	Reason    *string `json:"reason"`       // of a skip
	Until     *string `json:"until"`        // last day of a skip; null: no end
	From      string  `json:"from"`         // "tailcheck.yaml:12"
	Overruled *string `json:"overruled_by"` // the flag that says otherwise; null: it counts
}
