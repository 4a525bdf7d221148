package latency

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A light summary says the same however its samples came: in any order, spread
// over others and merged. It is exact up to its limit, and beyond it within the
// error that it states, never too low.
func TestLightAgainstSortedSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, distinct := range []int{1, 60, 64, 65, 5000} {
		const limit, keep = 64, 6
		var all []int64
		one := Light(limit, keep)
		parts := []Summary{Light(limit, keep), Light(limit, keep), Light(limit, keep)}
		for range 4 * distinct {
			v := int64(r.IntN(distinct)) * 1_234_567
			all = append(all, v)
			one.Record(v)
			parts[r.IntN(3)].Record(v)
		}
		for range 3 { // the distinct ones, so that there are as many as meant
			for v := range distinct {
				all = append(all, int64(v)*1_234_567)
				one.Record(int64(v) * 1_234_567)
				parts[r.IntN(3)].Record(int64(v) * 1_234_567)
			}
		}
		parts[2].Merge(&parts[0])
		parts[1].Merge(&parts[2])
		if !slices.Equal(one.Values(), parts[1].Values()) || one.Count() != parts[1].Count() || one.Mean() != parts[1].Mean() {
			t.Fatalf("%d distinct: spread over three, other values", distinct)
		}
		if exact := distinct <= limit; one.Exact() != exact || (one.Error() == 0) != exact {
			t.Errorf("%d distinct: exact %v", distinct, one.Exact())
		}
		slices.Sort(all)
		for _, p := range []Percentile{P50, P90, P99, P999} {
			want := all[p.Rank(int64(len(all)))-1]
			if got := one.Percentile(p); got < want || float64(got-want) > one.Error()*float64(want) {
				t.Errorf("%d distinct: %v is %d, want %d within %v", distinct, p, got, want, one.Error())
			}
		}
		if one.Max() != all[len(all)-1] || one.Min() != all[0] || one.Values()[len(one.Values())-1].V != one.Max() {
			t.Errorf("%d distinct: extremes %d, %d", distinct, one.Min(), one.Max())
		}
	}
}
