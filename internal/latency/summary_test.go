package latency

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRank(t *testing.T) {
	for _, c := range []struct {
		p       Percentile
		n, want int64
	}{
		{P99, 200, 198}, {P99, 224, 222}, {P99, 1, 1}, {P99, 100, 99}, {P999, 1000, 999}, {P50, 3, 2}, {P50, 0, 0},
		{0, 10, 1}, {P100, 10, 10}, {P999, 1 << 62, 4607074332408960517},
	} {
		if got := c.p.Rank(c.n); got != c.want {
			t.Errorf("%v.Rank(%d) = %d, want %d", c.p, c.n, got, c.want)
		}
	}
}

// A summary says the same whatever the order and the split, and its values lie
// within the stated error of the sorted samples.
func TestSummaryAgainstSortedSamples(t *testing.T) {
	for _, n := range []int{1, 5, 1000, 4096, 4097, 60000} {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(r.ExpFloat64() * 1e7)
		}
		var whole Summary
		parts := make([]Summary, 7)
		for i, v := range values {
			whole.Record(v)
			parts[r.IntN(len(parts))].Record(v)
			_ = i
		}
		var merged Summary
		for _, i := range r.Perm(len(parts)) {
			merged.Merge(&parts[i])
		}
		if !slices.Equal(whole.Values(), merged.Values()) || whole.Mean() != merged.Mean() || whole.Min() != merged.Min() || whole.Max() != merged.Max() {
			t.Fatalf("n=%d: merged parts differ from the whole", n)
		}
		slices.Sort(values)
		for _, p := range []Percentile{0, P50, P90, P99, P999, P100} {
			want := values[p.Rank(int64(n))-1]
			got := whole.Percentile(p)
			if got < want || float64(got) > float64(want)*(1+Error)+1 || whole.Exact() && got != want {
				t.Errorf("n=%d exact=%v %v = %d, want %d", n, whole.Exact(), p, got, want)
			}
		}
	}
}

func TestSummaryHugeSums(t *testing.T) {
	var s Summary
	s.RecordN(Highest*3, 1<<40)
	s.RecordN(Highest, 1<<40)
	if s.Mean() != 2*Highest || s.Max() != 3*Highest || s.Count() != 1<<41 {
		t.Errorf("mean %d max %d count %d", s.Mean(), s.Max(), s.Count())
	}
	s.Record(-5)
	if s.Min() != 0 {
		t.Errorf("min %d", s.Min())
	}
}

func BenchmarkRecord(b *testing.B) {
	for _, c := range []struct {
		name string
		max  int64
	}{{"exact", 1000}, {"hdr", 1 << 40}} {
		b.Run(c.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			values := make([]int64, 1<<14)
			for i := range values {
				values[i] = r.Int64N(c.max)
			}
			var s Summary
			for i := 0; b.Loop(); i++ {
				s.Record(values[i&(1<<14-1)])
			}
		})
	}
}
