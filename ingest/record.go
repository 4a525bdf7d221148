// Package ingest turns files into records.
//
// It holds the vocabulary that every reader speaks (Run, Sample, Aggregate, …),
// the Format value that one reader is, and Open, which finds the reports in a
// file whatever is wrapped around them. It judges nothing.
package ingest

import "time"

// A Record is one thing that an input says. A reader may reuse a record after
// it was yielded: copy what you keep.
type Record interface {
	// Where returns the place in the input that the record was read from.
	Where() Pos
	record()
}

// Pos is a place in an input: the number of the input in the run of tailcheck,
// and the byte offset in it after decompression. Lines are counted only when a
// position is printed.
type Pos struct {
	Input  int32
	Offset int64
}

// Where returns the position itself, so that records can embed it.
func (p Pos) Where() Pos { return p }

func (Pos) record() {}

// Compare orders positions by input, then by offset.
func (p Pos) Compare(q Pos) int {
	if p.Input != q.Input {
		return int(p.Input) - int(q.Input)
	}
	switch {
	case p.Offset < q.Offset:
		return -1
	case p.Offset > q.Offset:
		return 1
	}
	return 0
}

// Kinds is a set of record kinds.
type Kinds uint16

// The kinds of records that a format yields and a detector reads.
const (
	KindRun Kinds = 1 << iota
	KindSample
	KindAggregate
	KindPause
	KindSpan
	KindTrace
	KindProblem
	KindLog
)

// Load is what formats of load reports yield.
const Load = KindRun | KindSample | KindAggregate

// Time is a moment in nanoseconds: since the Unix epoch where the input has
// dates, else since an origin of the input's own. Zero: not known.
type Time int64

// Relative is the Time of an offset from the start of an input that has no
// dates. It adds one nanosecond, so that offset zero is not "not known".
func Relative(offset time.Duration) Time {
	if t := Time(offset) + 1; t != 0 {
		return t
	}
	return 1
}

// Sub returns t-u. Both must be known.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Add returns t+d. t must be known.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Loop says what decides when the next request is sent.
type Loop uint8

// Loop models. In a closed loop a worker sends when its answer has come; in an
// open loop requests are sent by the clock, however many are in flight; a
// scheduled loop has a plan of due times and few connections that try to keep it.
const (
	LoopUnknown Loop = iota
	Closed
	Open
	Scheduled
)

func (l Loop) String() string {
	return [...]string{"unknown", "closed", "open", "scheduled"}[l]
}

// Treatment says what was done to latencies before they were reported.
type Treatment uint8

// Treatments. FromSchedule latencies are timed from the moment at which the
// request was due; Filled ones had samples added for requests never sent.
const (
	TreatmentUnknown Treatment = iota
	Raw
	Filled
	FromSchedule
)

func (t Treatment) String() string {
	return [...]string{"unknown", "raw", "filled", "from-schedule"}[t]
}

// Corrected reports whether the tool has already made up for omitted requests.
func (t Treatment) Corrected() bool { return t == Filled || t == FromSchedule }

// Outcome of one request.
type Outcome uint8

// Outcomes. Failed includes answers that are errors by their status. The
// latency of a TimedOut or Canceled request is a lower bound.
const (
	OK Outcome = iota
	Failed
	TimedOut
	Canceled
)

func (o Outcome) String() string {
	return [...]string{"ok", "failed", "timed-out", "canceled"}[o]
}

// Vantage is the place from which a request was timed.
type Vantage uint8

// Vantages.
const (
	VantageUnknown Vantage = iota
	Client
	Proxy
	Server
)

func (v Vantage) String() string {
	return [...]string{"unknown", "client", "proxy", "server"}[v]
}

// Fact is where a number comes from, in words that are printed behind it:
// "report", "--rate", "command line at ci.log:12". Empty: the number is not known.
type Fact string

// Run is how the load was offered. A reader yields at most one for an input
// (for a part of an input: only when Input.Part is 0).
type Run struct {
	Pos
	Tool, Version string // version empty: not known
	Loop          Loop
	CatchUp       bool // late sends are made up for: a fill would count them twice
	Treated       Treatment
	Absolute      bool // times of the samples are dates

	Workers      int // connections; 0: not known
	WorkersFrom  Fact
	Rate         float64 // planned requests a second of all workers; 0: not known
	RateFrom     Fact
	Interval     time.Duration // planned time between requests of one worker; 0: not known
	IntervalFrom Fact
	Timeout      time.Duration // after which the tool gives a request up; 0: not known
	Planned      time.Duration // planned length of the run; 0: not known
	Elapsed      time.Duration // length of the run; 0: not known
	Achieved     float64       // requests a second as printed by the report; 0: not printed

	Requests  int64 // all requests that ended, well or badly; 0 with Counted: none
	Errors    int64 // failed requests: no answer, or an answer that is an error (status 400 and above)
	Lost      int64 // of Errors: those that left no latency
	Timeouts  int64 // of Lost: those known to have timed out
	Dropped   int64 // planned, and never sent
	Counted   bool  // the report states Requests and Errors; false: count the samples
	Capped    bool  // the tool stopped recording samples before the run ended
	Cut       bool  // the report ends before its own end: what would have followed is not known
	Survivors bool  // a request without an answer leaves nothing: Errors is a lower bound

	// UnitAssumed is the unit as which values were read that the file gives
	// without one (an .hgrm, an .hlog); --unit sets it. 0: the unit is stated.
	UnitAssumed time.Duration

	Command string // the command line found above the report; empty: none
}

// Sample is one request as one observer timed it: a row of a load tool or a
// line of a server's log.
type Sample struct {
	Pos
	Op       string        // operation; empty: the input has only one
	Worker   int32         // 1, 2, …; 0: not known
	Due      Time          // when the plan wanted it sent; 0: no plan known
	Start    Time          // when it was sent; 0: not known
	End      Time          // when it ended, where Start and Latency do not tell (a log line without a latency); 0: they do, or not known
	Latency  time.Duration // NoLatency: the input does not give it
	Outcome  Outcome
	Status   int // HTTP or gRPC status; 0: none
	Vantage  Vantage
	Attempts []Attempt     // upstream tries listed on a proxy's line
	Tries    int32         // or their number only; 0: not known
	Connect  time.Duration // connection set-up; 0: none or not known
	Queue    time.Duration // wait before a worker took it; 0: none or not known
	Request  string        // join key (request id); empty: none
	Trace    TraceID       // zero: none
	Stream   bool          // a connection and not one request (a websocket, a tunnel): Latency is how long it was open
}

// Attempt is one try of a request against one upstream.
type Attempt struct {
	Peer       string        // address; empty: not known
	Latency    time.Duration // negative: not known
	Status     int           // 0: no answer, or not known
	Redirected bool          // the first try after an internal redirect: not a retry of the one before
}

// Aggregate is a statistic that the report computed itself. Many reports have
// nothing else.
type Aggregate struct {
	Pos
	Op        string
	Vantage   Vantage
	Count     int64         // samples behind it; 0: not known
	Min, Mean time.Duration // negative: not printed
	Max       time.Duration // negative: not printed
	Stddev    time.Duration // negative: not printed
	Unit      time.Duration // one unit in the last printed digit of Min, Mean, Max (the coarsest); 0: exact
	Truncates bool          // printed values are cut, not rounded
	Quantiles []Quantile    // by rising percentile
	Rule      QuantileRule
	Buckets   []Bucket // by rising value
	Complete  bool     // Buckets hold every sample, finely enough to stand for them (an HDR histogram, a percentile spectrum)
	Digest    float64  // relative error that the tool states for its quantiles (a t-digest, a sketch); 0: none
	Treated   Treatment
	Start     Time          // of the interval that it covers; 0: the whole run
	Length    time.Duration // of that interval; 0: the whole run
}

// Reset makes a the zero aggregate with nothing printed, keeping its slices.
func (a *Aggregate) Reset() {
	*a = Aggregate{Min: -1, Mean: -1, Max: -1, Stddev: -1, Quantiles: a.Quantiles[:0], Buckets: a.Buckets[:0]}
}

// Quantile is one printed percentile.
type Quantile struct {
	Percentile float64       // in percent: 99.9
	Value      time.Duration // as printed
	Unit       time.Duration // one unit in the last printed digit; 0: exact
	Pos        int64         // byte offset of the line; 0: that of the aggregate
}

// Bucket counts samples above Low and at or below High.
type Bucket struct {
	Low, High time.Duration
	Unit      time.Duration // one unit in the last printed digit of the bounds; 0: exact
	Count     int64
}

// QuantileRule is the rule by which a tool picks the sample that it prints as
// a percentile. Sources: omission rules of each tool, named at the constants.
type QuantileRule uint8

// Quantile rules. RuleUnknown is treated with one rank of slack either way, as
// every printed percentile is when bounds are computed.
const (
	RuleUnknown QuantileRule = iota
	NearestRank              // ceil(p·n/100), at least 1: tailcheck's own
	RuleHdrJava              // HdrHistogram Java 2.1: max(1, ceil(nextDown(p)·n/100))
	RuleHdrC                 // HdrHistogram C and Go: max(1, floor(p·n/100 + 0.5))
	RuleHey                  // rakyll/hey print.go: first index i with i·100/n >= p in whole numbers, so ceil(p·n/100)+1
	RuleWrk                  // wg/wrk stats.c stats_percentile: round(p·n/100 + 0.5)
	RuleOha                  // hatoo/oha: floor(p·n/100)+1
	RuleLinear               // k6, NumPy: linear interpolation at p·(n-1)/100
	RuleDigest               // a t-digest or another sketch
)

func (r QuantileRule) String() string {
	return [...]string{"unknown rule", "nearest rank", "HdrHistogram (Java)", "HdrHistogram (C, Go)", "hey", "wrk", "oha", "linear interpolation", "digest"}[r]
}

// Pause is a time in which the server did nothing for anybody: garbage
// collection, a safepoint, a lock, an entry of a slow-query log.
type Pause struct {
	Pos
	Op     string
	Start  Time // 0: not known
	Length time.Duration
	All    bool // nobody was served meanwhile (a collection that stops the world, a command of a server with one thread); false: those who needed the same waited
}

// Problem is a part of an input that could not be read. It is never fatal by
// itself; --strict makes it so.
type Problem struct {
	Pos
	Err error
}
