package latency

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A sketch is never too low and never too high by more than it states, and says
// the same however its samples were spread.
func TestSketchAgainstSortedSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, n := range []int{1, 2, 30, 4000} {
		var all []int64
		one, parts := Sketch{}, [3]Sketch{}
		for range n {
			v := r.Int64N(1 << (1 + r.IntN(62)))
			all = append(all, v)
			one.Record(v)
			parts[r.IntN(3)].Record(v)
		}
		parts[2].Merge(&parts[1])
		parts[0].Merge(&parts[2])
		if !slices.Equal(one.Values(), parts[0].Values()) || one.Count() != int64(n) {
			t.Fatalf("%d: spread over three, other values", n)
		}
		slices.Sort(all)
		for _, p := range []Percentile{0, P50, P90, P99, P100} {
			want := all[max(p.Rank(int64(n)), 1)-1]
			if got := one.Percentile(p); got < want || float64(got-want) > SketchError*float64(want) {
				t.Errorf("%d: %v is %d, want %d", n, p, got, want)
			}
		}
		if one.Max() != all[n-1] {
			t.Errorf("max %d, want %d", one.Max(), all[n-1])
		}
	}
	var many, twice Sketch // more than one count holds
	many.Record(5)
	for range 24 {
		twice = many
		twice.bins = slices.Clone(many.bins)
		many.Merge(&twice)
	}
	if v := many.Values(); len(v) != 1 || v[0] != (Value{5, 1 << 24}) || many.Percentile(P99) != 5 {
		t.Errorf("%v", v)
	}
	var none Sketch
	if none.Percentile(P99) != 0 || none.Values() == nil || len(none.Values()) != 0 {
		t.Error("an empty sketch says something")
	}
}

func BenchmarkSketch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	values := make([]int64, 1<<12)
	for i := range values {
		values[i] = int64(r.ExpFloat64() * 30e6)
	}
	var s Sketch
	for i := range b.N {
		s.Record(values[i&(1<<12-1)])
	}
}
