package amplification

import (
	"math"
	"sort"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// leaves is the distribution of calls, to ask what other ways of waiting for
// them would bring. All of it takes calls to be independent.
type leaves struct {
	values []latency.Value
	upTo   []int64 // calls that took as long as the value, or less
	n      int64
}

func newLeaves(s *latency.Summary) leaves {
	l := leaves{values: s.Values(), n: s.Count()}
	for _, v := range l.values {
		before := int64(0)
		if n := len(l.upTo); n > 0 {
			before = l.upTo[n-1]
		}
		l.upTo = append(l.upTo, before+v.Count)
	}
	return l
}

// share returns the share of calls that took as long as d, or less.
func (l leaves) share(d int64) float64 {
	i := sort.Search(len(l.values), func(i int) bool { return l.values[i].V > d })
	if i == 0 {
		return 0
	}
	return float64(l.upTo[i-1]) / float64(l.n)
}

// at returns the value at a quantile: the lowest that so large a share of calls
// does not exceed.
func (l leaves) at(q float64) time.Duration {
	i := sort.Search(len(l.values), func(i int) bool { return float64(l.upTo[i]) >= q*float64(l.n)-1e-9 })
	return time.Duration(l.values[min(i, len(l.values)-1)].V)
}

// hedged returns the quantile q of calls that are sent once more when they have
// taken longer than after, and take what the faster of the two takes.
func (l leaves) hedged(q float64, after time.Duration) time.Duration {
	both := func(d int64) float64 {
		if d < int64(after) {
			return l.share(d)
		}
		return 1 - (1-l.share(d))*(1-l.share(d-int64(after)))
	}
	low, high := int64(0), l.values[len(l.values)-1].V
	for low < high {
		if mid := low + (high-low)/2; both(mid) >= q {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return time.Duration(low)
}

// slowestQuantile returns the quantile of the calls that the median request
// meets in its slowest: where the mean of q^n over the numbers of calls is a
// half, 0.5^(1/n) if all requests make n.
func slowestQuantile(widths []width, part float64) float64 {
	var requests float64
	for _, w := range widths {
		requests += float64(w.requests)
	}
	low, high := 0.0, 1.0
	for range 60 {
		q := (low + high) / 2
		var sum float64
		for _, w := range widths {
			sum += float64(w.requests) * math.Pow(q, max(1, math.Round(part*float64(w.calls))))
		}
		if sum < requests/2 {
			low = q
		} else {
			high = q
		}
	}
	return (low + high) / 2
}

// orderQuantile returns the quantile of the calls that the median request meets
// in the k-th fastest of n: the median of a beta distribution, by (k-1/3)/(n+1/3)
// (the usual approximation; for ten or more it is within 0.003).
func orderQuantile(k, n int64) float64 {
	return (float64(k) - 1.0/3) / (float64(n) + 1.0/3)
}

// widthsOf returns how many requests made how many calls.
func widthsOf(s *latency.Summary) []width {
	var out []width
	for _, v := range s.Values() {
		out = append(out, width{v.V, v.Count})
	}
	return out
}
