package detect

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Pairs are the sorted pairs, however they were spread over tables.
func TestPairsAgainstSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, n := range []int{0, 1, 5, 3000, manyPairs + 5000} {
		for _, disorder := range []int64{0, 20, 1 << 40} {
			parts := make([]pairs, 3)
			var all []Pair
			for i := range n {
				p := Pair{ingest.Time(int64(i)*10 + r.Int64N(disorder*10+1)), time.Duration(r.Int64N(3))}
				all = append(all, p)
				parts[r.IntN(len(parts))].add(p)
			}
			slices.SortFunc(all, compare)
			parts[1].merge(&parts[2])
			parts[0].merge(&parts[1])
			parts[0].sort()
			if !slices.Equal(parts[0].list, all) {
				t.Fatalf("%d pairs out of order by %d: not the sorted pairs", n, disorder)
			}
		}
	}
	full := pairs{list: make([]Pair, MaxPairs)}
	full.add(Pair{})
	if !full.lost || full.list != nil {
		t.Error("more than may be kept are kept")
	}
	full.add(Pair{})
	if full.list != nil {
		t.Error("pairs are kept again after some were lost")
	}
}
