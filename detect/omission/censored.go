package omission

import (
	"fmt"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// failures is what left no latency, or one that is a lower bound.
type failures struct {
	lost     int64 // requests without a latency
	timeouts int64 // of them, known to have timed out
	share    float64
	limit    int64 // after which the tool gives up, ns; 0: not known
	putBack  int64 // timeouts that the checks count at the limit
}

// lostShare is the share of requests without a latency from which on the tail
// is a lower bound: as many as a p99 leaves out.
const lostShare = 0.01

// wrkLimit is wrk's --timeout where the command line is not known (wrk.h,
// SOCKET_TIMEOUT_MS): a slower answer is counted and not recorded.
const wrkLimit = 2 * time.Second

func (f *facts) findFailures() {
	run, x := f.run, &f.failed
	if len(f.parts) > 1 && f != f.parts[0] {
		return // counted once
	}
	x.lost = run.Lost
	x.limit = int64(run.Timeout)
	if run.Tool != "wrk2" {
		// wrk2 looks every two seconds which connections have not sent for a
		// while and counts each again: idle ones too. It loses no latency.
		x.timeouts = min(max(run.Timeouts, 0), run.Lost)
	} else {
		x.lost = max(0, run.Lost-run.Timeouts)
	}
	if run.Tool == "wrk" && x.limit == 0 {
		x.limit = int64(wrkLimit)
	}
	if all := f.spread.n + x.lost; all > 0 {
		x.share = float64(x.lost) / float64(all)
	}
	if x.limit > 0 && f.spread.n > 0 {
		x.putBack = x.timeouts
	}
}

// roundLimits are the limits that people and tools choose.
var roundLimits = []time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second, 60 * time.Second}

// pile is a heap of samples at a limit.
type pile struct {
	limit int64
	count int64 // samples there; 0: percentiles
	words string
	sure  detect.Confidence
}

// Shape of a pile: within 2 % of the limit at least three samples, and more
// than in the tenth below; of printed values two within 0.5 % of each other.
const (
	pileWidth  = 0.02
	pileBelow  = 0.12
	pileLeast  = 3
	pileSpread = 0.005
)

// pile looks for samples that stop at a limit, the largest included: nothing
// is above a limit.
func (f *facts) pile() (pile, bool) {
	limits := roundLimits
	if f.run.Timeout > 0 {
		limits = append([]time.Duration{f.run.Timeout}, limits...)
	}
	top := float64(f.spread.max)
	for i, l := range limits {
		at := float64(l)
		if top < (1-pileWidth)*at || top > (1+pileWidth)*at {
			continue
		}
		known := i == 0 && f.run.Timeout > 0
		if f.spread.values != nil {
			return f.pileOfValues(int64(l), known)
		}
		return f.pileOfPrinted(int64(l), known)
	}
	return pile{}, false
}

func (f *facts) pileOfValues(limit int64, known bool) (pile, bool) {
	at := float64(limit)
	in, _ := f.spread.above(int64((1 - pileWidth) * at))
	both, _ := f.spread.above(int64((1 - pileBelow) * at))
	if in < pileLeast || in <= both-in {
		return pile{}, false
	}
	if f.connect.found || f.stalledTop() {
		return pile{}, false // they have another reason to be equally slow
	}
	p := pile{limit, in, fmt.Sprintf("%d samples lie within 2 %% of %s and nothing above", in, ms(limit)), detect.Medium}
	// A request that was answered well took what it took, at a round time or
	// not. Where the report says nothing about answers, that cannot be told.
	var well, stated int64
	for _, s := range f.in.Slowest {
		if f.spread.source != samples || int64(s.Latency) < int64((1-pileWidth)*at) {
			break
		}
		if s.Outcome == ingest.OK {
			well++
		}
		if s.Outcome != ingest.OK || s.Status != 0 {
			stated++
		}
	}
	switch {
	case known || f.spread.source != samples:
	case stated == 0:
		p.sure = detect.Low
	case 2*well > stated:
		return pile{}, false
	}
	return p, true
}

func (f *facts) pileOfPrinted(limit int64, known bool) (pile, bool) {
	values := []int64{f.spread.max}
	for _, q := range f.spread.quantiles {
		values = append(values, q.value)
	}
	near := 0
	for _, v := range values {
		if d := float64(f.spread.max) - float64(v); d >= 0 && d <= pileSpread*float64(limit) {
			near++
		}
	}
	if near < 2 || f.spread.n < fewSamples {
		return pile{}, false // of few samples the upper percentiles are the maximum
	}
	p := pile{limit, 0, fmt.Sprintf("%d printed values lie within 0.5 %% of each other at %s", near, ms(limit)), detect.Medium}
	if !known && f.run.Counted && f.run.Errors == 0 {
		p.sure = detect.Low // every request was answered well
	}
	return p, true
}

// stalledTop reports whether most of the slowest requests were waiting while
// nothing happened at all: they end together, and that is no limit.
func (f *facts) stalledTop() bool {
	a, t := f.axis, &f.tail
	if a == nil || a.serial || len(t.slow) == 0 {
		return false
	}
	n := 0
	for _, s := range t.slow {
		if s.Start != 0 && a.covered(s) >= 0.5 {
			n++
		}
	}
	return 2*n > len(t.slow)
}

// CensoredNumbers are the numbers of a censored-tail finding. Null: not known.
type CensoredNumbers struct {
	Lost     int64    `json:"lost"`     // requests without a latency
	Timeouts int64    `json:"timeouts"` // of them, known to have timed out
	Bounds   int64    `json:"bounds"`   // latencies that are lower bounds
	Above    *float64 `json:"above_percentile"`
	Limit    *float64 `json:"limit_ms"`
}

// CensoredTail finds reports whose slowest requests are missing.
var CensoredTail = detect.Detector{
	Name: "censored-tail", Severity: detect.Warning, Reads: ingest.Load,
	Doc: `The slowest requests are not in the percentiles

Requests that time out leave no latency in most tools: the worse a server is,
the better its percentiles look. hey, oha and ghz leave failed requests out;
wrk drops every answer slower than its --timeout (2 s by default) and only
counts it; a limit somewhere cuts all values at it. The tail is then a lower
bound: what is above it is at or beyond the limit, and no objective passes on
that part.

It rests on the report's own counts: any timeout (wg/wrk src/wrk.c counts one
where stats_record refuses a value above the limit), or at least 1 % of the
requests without a latency; on latencies that are lower bounds; or on a pile at
a known or round limit (1, 2, 3, 5, 10, 20, 30, 60 s): at least three samples
within 2 % of it, more than in the 10 % below, nothing above; of printed values
two within 0.5 % of each other there.

Not reported: errors that left a latency (an answer with status 500 is timed
like any other); a lone maximum at a round value; samples at a round time whose
answers were good, that stalled together, or that waited for a connection; the
"timeout" that wrk2 prints, which counts idle connections again and again and
loses nothing.`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding { return f.censoredTail() })
	},
}

func (f *facts) censoredTail() *detect.Finding {
	x := &f.failed
	if f.spread.n <= 0 {
		return nil
	}
	out := &detect.Finding{Remedy: "Count the missing requests as slower than the limit, raise the limit well above the objective, and measure again."}
	e := (*evidence)(&out.Evidence)
	numbers := CensoredNumbers{Lost: x.lost, Timeouts: x.timeouts, Bounds: f.censored}
	if x.limit > 0 {
		v := float64(x.limit) / 1e6
		numbers.Limit = &v
	}
	all := f.spread.n + x.lost
	gone := x.timeouts
	switch {
	case x.share >= lostShare:
		gone = x.lost
	case x.timeouts == 0 && f.censored > 0:
		gone = f.censored
	}
	if gone > 0 {
		out.Confidence = detect.High
		above := 100 * (1 - float64(gone)/float64(all))
		if f.censored > 0 && x.timeouts == 0 && x.share < lostShare {
			above = 100 * (1 - float64(gone)/float64(f.spread.n))
		}
		above = float64(int64(above*1000)) / 1000
		numbers.Above = &above
		what := "failed without a latency"
		switch {
		case gone == f.censored && gone != x.lost:
			what = "were given up, so that their latency is only a lower bound"
		case x.timeouts == x.lost && x.limit > 0:
			what = fmt.Sprintf("timed out after %s and left no latency", ms(x.limit))
		case x.timeouts == x.lost:
			what = "timed out and left no latency"
		case gone == x.timeouts && gone != x.lost:
			what = "timed out"
		}
		out.Message = fmt.Sprintf("%d of %s %s: every percentile above p%v is a lower bound", gone, count(all, "request"), what, above)
		e.add("requests without a latency", fmt.Sprint(x.lost), "")
		if f.in.Has {
			e.at(f.run.Pos)
		}
		if x.timeouts > 0 {
			e.add("timeouts", fmt.Sprint(x.timeouts), "0")
		}
		if f.censored > 0 {
			e.add("latencies that are lower bounds", fmt.Sprint(f.censored), "0")
		}
		out.Numbers = numbers
		return out
	}
	if !f.usable() {
		return nil
	}
	p, found := f.pile()
	if !found {
		return nil
	}
	out.Confidence = p.sure
	v := float64(p.limit) / 1e6
	numbers.Limit = &v
	if p.count > 0 {
		above := 100 * (1 - float64(p.count)/float64(f.spread.n))
		above = float64(int64(above*1000)) / 1000
		numbers.Above = &above
	}
	out.Message = fmt.Sprintf("the values stop at %s: %s, so that the tail is a lower bound if that is a limit", ms(p.limit), p.words)
	e.add("maximum", ms(f.spread.max), "not at a round limit")
	if f.tail.has {
		e.at(f.tail.at)
	}
	out.Numbers = numbers
	return out
}
