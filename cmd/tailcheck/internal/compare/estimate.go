package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// estimator answers for one kind of figures of one side.
type estimator struct {
	side    *check.Side
	of      string
	figures correct.Figures
	values  *correct.Sampled // behind figures; nil: they are printed, or bounds
	count   counting
	order   *order // the requests as they were sent; nil: not known
	step    int64  // values are multiples of it; 0: not seen
}

// estimator returns what answers for a side, or nil where it has no such figures.
func (c *comparing) estimator(s *check.Side, of string) *estimator {
	e := &estimator{side: s, of: of, figures: s.Raw}
	if of == corrected {
		e.figures = s.Repair.Figures
	}
	if e.figures == nil {
		return nil
	}
	raw, _ := s.Raw.(interface{ Values() []latency.Value })
	switch f := e.figures.(type) {
	case *correct.Sampled:
		e.values = f
	case *correct.Filled:
		e.count.interval = s.Repair.Interval
		if raw != nil {
			e.values = correct.FromValues(raw.Values())
		}
	}
	if e.values != nil && !s.Buckets {
		e.step = stepOf(e.values.Values())
	}
	e.order = c.orderOf(s, of)
	return e
}

// stepOf is the largest power of ten, in nanoseconds, that all values are
// multiples of: what a file rounds to. 0: there are too few values to see it.
func stepOf(values []latency.Value) int64 {
	if len(values) < 10 {
		return 0
	}
	for step := int64(1e8); step > 1; step /= 10 {
		if !slices.ContainsFunc(values, func(v latency.Value) bool { return v.V%step != 0 }) {
			return step
		}
	}
	return 0
}

// guess is a percentile of one side.
type guess struct {
	span      // nanoseconds
	known     bool
	interval  bool
	count     int64
	effective float64 // independent requests; 0: not known
	why       string  // there is no interval
	needs     float64 // independent requests that one would take; 0: no number of them gives one
}

// percentile estimates a percentile, with an interval that misses it with the
// probability alpha.
func (e *estimator) percentile(p latency.Percentile, alpha float64) guess {
	r := e.figures.Percentile(p)
	g := guess{count: e.figures.Count()}
	if !r.IsValue() {
		if g.why = "it is not printed"; r.Known() {
			g.why = "it is known within bounds only"
		}
		return g
	}
	g.known, g.at = true, float64(r.Low)
	q := p.Percent() / 100
	switch {
	case e.values == nil:
		g.why = "only the percentiles are printed: no interval can be had from them"
		return g
	case e.hidden(1 - q):
		g.why = fmt.Sprintf("%d requests left no full latency: the tail is not known", e.side.Lost+e.side.Bounded)
		return g
	}
	f := 1.0
	switch {
	case e.order == nil:
		f = clumping(e.values, e.count, r.Low)
	case !e.side.Alone:
		f = e.order.together(p, alpha) * clumping(e.values, e.count, r.Low)
	default:
		f = inflation(e.order.latencies, e.count, r.Low, alpha)
	}
	g.needs = least(q, alpha)
	if math.IsInf(f, 1) {
		g.why = "slow requests hang together over more than a block of the run: it is too short"
		return g
	}
	worth := float64(g.count) / f
	if e.order != nil {
		g.effective = worth
	}
	low, high, ok := ranks(q, worth, alpha)
	if !ok {
		g.why = fmt.Sprintf("an interval takes %.0f independent requests; these are worth %.0f", g.needs, math.Floor(worth))
		return g
	}
	g.interval = true
	g.low = float64(e.lower(e.rank(low*f, false)))
	g.high = float64(e.rank(high*f, true) + (e.step+1)/2)
	return g
}

// hidden reports whether requests without a full latency are more than a tenth
// of those above a percentile. Fewer move its rank by less than its interval.
func (e *estimator) hidden(tail float64) bool {
	n := e.side.Lost + e.side.Bounded
	return n > 0 && float64(n) > tail*float64(e.figures.Count()+e.side.Lost)/10
}

// rank returns the value of a rank, that may be fractional: the one below it, or
// above.
func (e *estimator) rank(r float64, up bool) int64 {
	n := float64(e.figures.Count())
	share := max(0, min(1, math.Floor(r)/n))
	if up {
		share = max(0, min(1, math.Ceil(r)/n))
	}
	p := latency.Percentile(math.Floor(share * float64(latency.P100)))
	if up {
		p = latency.Percentile(math.Ceil(share * float64(latency.P100)))
	}
	return e.figures.Percentile(p).Low
}

// lower returns the least that a value may have been before it was rounded: to a
// multiple of the step, or up to the edge of its bucket.
func (e *estimator) lower(v int64) int64 {
	if e.side.Buckets {
		below := int64(0)
		for _, x := range e.values.Values() {
			if x.V >= v {
				break
			}
			below = x.V
		}
		return below
	}
	v -= int64(float64(v)*e.side.Error) + e.step/2
	return max(v, 0)
}

// mean estimates the mean: of samples whose times are known by the blocks' own
// means, of others it has no interval.
func (e *estimator) mean(alpha float64) guess {
	r := e.figures.Mean()
	g := guess{count: e.figures.Count()}
	if !r.IsValue() || !r.Known() {
		g.why = "it is not printed"
		return g
	}
	g.known, g.at = true, float64(r.Low)
	if e.order == nil || !e.side.Alone {
		g.why = "when its requests were sent is not known"
		return g
	}
	k := blocks(len(e.order.latencies))
	if e.side.Lost+e.side.Bounded > 0 {
		g.why = "requests left no full latency: their part of the mean is not known"
		return g
	}
	sum, n := make([]float64, k), make([]float64, k)
	var all, mean float64
	for i, v := range e.order.latencies {
		stands, b := 1.0, int(int64(i)*int64(k)/int64(len(e.order.latencies)))
		total := float64(v)
		if e.count.interval > 0 {
			if s := correct.Stands(v, e.count.interval); s > 1 { // v, v-i, v-2i, …
				stands = float64(s)
				total = stands*float64(v) - float64(e.count.interval)*stands*(stands-1)/2
			}
		}
		sum[b] += total
		n[b] += stands
		mean += total
		all += stands
	}
	mean /= all
	var v float64
	for b := range sum {
		r := sum[b] - mean*n[b]
		v += r * r
	}
	half := student(alpha, float64(k-1)) * math.Sqrt(v*float64(k)/float64(k-1)) / all
	g.low, g.high, g.interval = g.at-half, g.at+half, g.at > half
	return g
}
