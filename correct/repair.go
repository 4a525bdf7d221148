package correct

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// Method is how a distribution was corrected.
type Method string

// Methods, from exact to none.
const (
	Intended    Method = "intended"   // timed from the moment at which each request was due: exact
	FillAdded   Method = "fill"       // HdrHistogram's additive fill: an estimate
	FillInPlace Method = "substitute" // the fill, in the place of fast samples: an estimate
	Bounds      Method = "bounds"     // the least and the most that the summary allows
	ByTool      Method = "by-tool"    // the tool corrected before it reported
	None        Method = "none"
)

// Send is one request on the time axis, for a schedule that must be rebuilt.
type Send struct {
	Start   ingest.Time
	Latency time.Duration
}

// Case is what is known about one distribution that may need a repair.
type Case struct {
	Run      ingest.Run
	Samples  *Sampled          // samples or histogram, raw; nil: none
	Buckets  bool              // Samples are bucket edges of a report
	Response *Sampled          // due to end, where due times are known; nil: none
	Sends    []Send            // by start; nil: not known
	Summary  *ingest.Aggregate // raw summary; nil: none
	Tool     Figures           // as corrected by the tool; nil: none
	Unstated bool              // nothing says that Samples or Summary are raw

	// Refuse is why nothing may be filled although an interval is known (a
	// censored tail, a saturated run, one slow request); empty: it may.
	Refuse string
}

// Repair is a corrected distribution, or why there is none.
type Repair struct {
	Method       Method
	Figures      Figures // nil: Method is None
	Interval     int64   // of one worker, ns; 0: none was needed or known
	IntervalFrom ingest.Fact
	Added        int64 // samples put in
	AddedShare   float64
	Confidence   string // high, medium, low; empty: not an estimate
	Assumes      string // what must hold for the figures to be right
	Refused      string // why nothing was corrected; empty: something was, or nothing had to be

	// Half and Double are the p99 at half and at double the interval.
	Half, Double Range

	// Weighed is the fill with the calm times at the plan's weight, where the
	// run sent faster than the plan; nil: it did not, or it is not known. A pass
	// that it does not share proves nothing.
	Weighed Figures
}

const assumesAll = "every stall held all requests that were due meanwhile"

// Mend repairs one distribution by the best method that is valid for it.
func Mend(c Case) Repair {
	iv := int64(c.Run.Interval)
	r := Repair{Method: None, Interval: iv, IntervalFrom: c.Run.IntervalFrom, Half: Unknown, Double: Unknown}
	switch {
	case c.Tool != nil:
		r.Method, r.Figures, r.Interval, r.IntervalFrom = ByTool, c.Tool, 0, ""
		r.Assumes = "the tool's own correction is right"
		return r
	case c.Response != nil:
		r.Method, r.Figures, r.Interval, r.IntervalFrom = Intended, c.Response, 0, ""
		return r
	case c.Run.Rate > 0 && c.Sends != nil && c.catchesUp():
		r.Method, r.Figures = Intended, Rebuild(c.Sends, c.Run.Rate)
		r.Assumes = fmt.Sprintf("requests were due every %v from the first one on", time.Duration(float64(time.Second)/c.Run.Rate))
		return r
	case iv <= 0:
		r.Refused = "the plan is not known: " + c.missing()
		return r
	case iv < ShortestInterval:
		r.Refused = "an interval below 1 µs is no plan for one worker"
		return r
	case c.Refuse != "":
		r.Refused = c.Refuse
		return r
	case c.Samples != nil:
		if c.fill(&r); r.Refused != "" && c.Unstated {
			r.Refused += ", or the reported figures are corrected already"
		}
	case c.Summary != nil:
		c.bound(&r)
	default:
		r.Refused = "the report holds no latencies"
	}
	if c.Unstated && r.Figures != nil {
		r.Assumes = "the reported figures are raw, which nothing says; " + r.Assumes
	}
	return r
}

// missing says what an interval would take that is not known.
func (c Case) missing() string {
	switch {
	case c.Run.Rate > 0:
		return "the rate is, the number of workers is not (--workers)"
	case c.Run.Workers > 0 && c.Run.WorkersFrom != "":
		return "the number of workers is, the rate is not (--rate)"
	}
	return "neither the rate and the number of workers nor one worker's interval"
}

// catchesUp reports whether the generator sent late what it could not send in
// time: then the number of samples is what the plan wanted (within 2 %, the
// rate check's tolerance), and a fill would count the same loss twice.
func (c Case) catchesUp() bool {
	if c.Run.CatchUp {
		return true
	}
	n := len(c.Sends)
	if n < 2 || c.Run.Loop == ingest.Closed {
		return false
	}
	sent := c.Sends[n-1].Start.Sub(c.Sends[0].Start).Seconds() * c.Run.Rate
	return math.Abs(float64(n-1)-sent) <= 0.02*sent
}

// Rebuild times every request from the moment at which it was due, when a
// global schedule of one request every 1/rate seconds was kept from the first
// send on: the k-th request sent was due at t0 + k/rate. A request that was
// sent early counts from its send.
func Rebuild(sends []Send, rate float64) *Sampled {
	sends = slices.Clone(sends)
	slices.SortStableFunc(sends, func(a, b Send) int { return cmp.Compare(a.Start, b.Start) })
	var s latency.Summary
	for k, x := range sends {
		due := sends[0].Start + ingest.Time(math.Round(float64(k)*1e9/rate))
		s.Record(int64(x.Start.Add(x.Latency).Sub(min(due, x.Start))))
	}
	return FromSummary(&s)
}

func (c Case) fill(r *Repair) {
	iv := r.Interval
	if median := c.Samples.Percentile(latency.P50).Low; iv < median {
		r.Refused = fmt.Sprintf("one worker cannot send every %v when the median request takes %v: the run was saturated, not omitted", time.Duration(iv), time.Duration(median))
		return
	}
	if tooMany(c.Samples, iv) {
		r.Refused = "nearly all of the samples would be invented"
		return
	}
	f := Fill(c.Samples, iv)
	if why := implausible(c, f); why != "" {
		r.Refused = why
		return
	}
	r.Method, r.Figures, r.Assumes = FillAdded, f, assumesAll
	r.Added, r.AddedShare = f.Added(), f.AddedShare()
	half, double := Fill(c.Samples, max(1, iv/2)), Fill(c.Samples, 2*iv)
	if c.Run.CatchUp {
		s := Substitute(c.Samples, iv)
		if s == nil {
			*r = Repair{Method: None, Interval: iv, IntervalFrom: r.IntervalFrom, Half: Unknown, Double: Unknown,
				Refused: "more requests are missing than fast ones were sent: the generator cannot have caught up at this interval"}
			return
		}
		r.Method, r.Figures, r.AddedShare = FillInPlace, s, s.AddedShare()
		r.Assumes = assumesAll + ", and the generator sent them late, in a burst"
	}
	switch {
	case r.AddedShare > 0.5:
		*r = Repair{Method: None, Interval: iv, IntervalFrom: r.IntervalFrom, Half: Unknown, Double: Unknown,
			Refused: fmt.Sprintf("more than half of the samples (%.0f %%) would be invented", 100*r.AddedShare)}
		return
	case r.AddedShare > 0.3:
		r.Confidence = "low"
	case r.AddedShare > 0.1:
		r.Confidence = "medium"
	default:
		r.Confidence = "high"
	}
	if r.Method == FillAdded && c.Run.Workers > 0 && c.Run.Elapsed > 0 {
		if w := Weigh(c.Samples, iv, planned(c.Run.Workers, c.Run.Elapsed, iv)); w != nil && float64(w.removed) > 0.02*float64(f.Count()) {
			r.Weighed = w
		}
	}
	if c.Buckets {
		r.Assumes += "; values are bucket edges of the report"
	}
	r.Half, r.Double = half.Percentile(latency.P99), double.Percentile(latency.P99)
}

// planned returns how many requests a run had by its plan, at least one: an
// interval longer than the run is a plan all the same, and not an empty one.
func planned(workers int, elapsed time.Duration, interval int64) int64 {
	hi, lo := bits.Mul64(uint64(workers), uint64(elapsed))
	if hi >= uint64(interval) {
		return math.MaxInt64
	}
	n, _ := bits.Div64(hi, lo, uint64(interval))
	return int64(min(max(n, 1), math.MaxInt64))
}

// tooMany reports whether a fill adds so many samples that they cannot be counted.
func tooMany(d *Sampled, interval int64) bool {
	var added float64
	for _, v := range d.Values() {
		added += float64(v.Count) * float64(Stands(v.V, interval)-1)
	}
	return added > 1<<60
}

// implausible says why a fill cannot be right, or "". A fill never lowers the
// mean or a quantile, and a run of length D with stalls S cannot have more than
// Σ(S+i)/D of its requests affected, nor a mean above b + Σ(S+i)²/(2D) (b: the
// median); both over all workers.
func implausible(c Case, f *Filled) string {
	if f.Mean().Low < c.Samples.Mean().Low {
		return "the fill would lower the mean: the interval does not fit the run"
	}
	for _, p := range []latency.Percentile{latency.P50, latency.P75, latency.P90, latency.P95, latency.P99, latency.P999} {
		if f.Percentile(p).Low < c.Samples.Percentile(p).Low {
			return fmt.Sprintf("the fill would lower the %v: the interval does not fit the run", p)
		}
	}
	if c.Run.Elapsed <= 0 || c.Run.Workers <= 0 || f.Added() == 0 {
		return ""
	}
	worker := float64(c.Run.Elapsed) * float64(c.Run.Workers)
	var held, squares float64
	var slow int64
	for _, v := range f.long {
		s := float64(v.V + f.interval)
		held += float64(v.Count) * s
		squares += float64(v.Count) * s * s
		slow += v.Count
	}
	if share := float64(f.Added()+slow) / float64(f.Count()); share > held/worker*1.05 && share-held/worker > 0.01 {
		return fmt.Sprintf("%.0f %% of the requests would have met stalls that lasted %.0f %% of the run: the interval does not fit the run", 100*share, 100*held/worker)
	}
	limit := float64(c.Samples.Percentile(latency.P50).Low) + squares/(2*worker)
	if mean := float64(f.Mean().Low); mean > limit*1.05 && mean > 1.05*float64(c.Samples.Mean().Low) {
		return fmt.Sprintf("the mean would become %v where stalls of that length allow %v: the interval does not fit the run",
			time.Duration(mean).Round(time.Microsecond), time.Duration(limit).Round(time.Microsecond))
	}
	return ""
}

func (c Case) bound(r *Repair) {
	b, err := Brackets(c.Summary)
	if err != nil {
		r.Refused = err.Error()
		return
	}
	if median := FillBounds(b, Infinite).Percentile(latency.P50); r.Interval < median.Low {
		r.Refused = fmt.Sprintf("one worker cannot send every %v when the median request takes at least %v: the run was saturated, not omitted", time.Duration(r.Interval), time.Duration(median.Low))
		return
	}
	r.Method, r.Figures, r.Assumes = Bounds, FillBounds(b, r.Interval), assumesAll
	r.Half = FillBounds(b, max(1, r.Interval/2)).Percentile(latency.P99)
	r.Double = FillBounds(b, 2*r.Interval).Percentile(latency.P99)
}

// Wait returns the share of random moments of the run at which a user who
// arrived then would have waited longer than x: Σ max(0, L-x) / T over the
// samples of one worker. It needs no rate. elapsed is the length of the run.
func Wait(d *Sampled, x int64, elapsed time.Duration) float64 {
	var sum float64
	for _, v := range d.values {
		if v.V > x {
			sum += float64(v.V-x) * float64(v.Count)
		}
	}
	return sum / float64(elapsed)
}
