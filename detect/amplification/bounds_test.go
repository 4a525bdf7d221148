package amplification

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// What a bounded map keeps does not depend on the order in which keys came, nor
// on how parts were merged, and what it keeps is complete.
func TestBounded(t *testing.T) {
	const limit = 50
	plus := func(a, b *int) { *a += *b }
	r := rand.New(rand.NewPCG(1, 2))
	for _, distinct := range []int{10, 50, 51, 99, 100, 101, 1000} {
		var keys []string
		for i := range distinct {
			for range 1 + i%3 {
				keys = append(keys, fmt.Sprint("key ", i))
			}
		}
		var want map[string]int
		for try := range 20 {
			r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			parts := make([]bounded[string, int], 1+r.IntN(4))
			for i, k := range keys {
				if v := parts[i%len(parts)].get(k, limit, hashOf); v != nil {
					*v++
				}
			}
			all := parts[0]
			for i := range parts[1:] {
				all.merge(&parts[1+i], limit, hashOf, plus)
			}
			if len(all.m) > 2*limit {
				t.Fatalf("%d entries", len(all.m))
			}
			if lost := all.cut(limit, hashOf); lost != (distinct > limit) {
				t.Errorf("%d keys: left out: %v", distinct, lost)
			}
			got := map[string]int{}
			for k, v := range all.m {
				got[k] = *v
				var i int
				fmt.Sscanf(k, "key %d", &i)
				if *v != 1+i%3 {
					t.Fatalf("%q counted %d times", k, *v)
				}
			}
			if try == 0 {
				want = got
			}
			if len(got) != min(distinct, limit) || !reflect.DeepEqual(got, want) {
				t.Fatalf("%d keys, try %d: %d kept, others than before", distinct, try, len(got))
			}
		}
	}
}

// The same of the sample of requests and of the worst traces.
func TestSampleAndWorst(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var requests []request
	var traces []exemplar
	for i := range 5000 {
		requests = append(requests, request{mix(uint64(i)), 1, 2})
		traces = append(traces, exemplar{int64(i % 300), ingest.TraceID{15: byte(i % 7), 14: byte(i % 40)}})
	}
	var wantSample []request
	var wantWorst []string
	for try := range 10 {
		r.Shuffle(len(requests), func(i, j int) {
			requests[i], requests[j] = requests[j], requests[i]
			traces[i], traces[j] = traces[j], traces[i]
		})
		s, w := make([]sample, 3), make([]worst, 3)
		for i := range requests {
			s[r.IntN(3)].add(requests[i])
			w[r.IntN(3)].add(traces[i])
		}
		for i := range 2 {
			s[0].merge(&s[1+i])
			w[0].merge(&w[1+i])
		}
		s[0].cut()
		if try == 0 {
			wantSample, wantWorst = slices.Clone(s[0].list), w[0].ids()
			all := slices.Clone(traces)
			slices.SortFunc(all, exemplar.compare)
			if w[0].list[0] != all[0] || len(wantWorst) != exemplars || len(wantSample) != maxSample {
				t.Fatalf("worst %v, sample of %d", w[0], len(wantSample))
			}
		}
		if !slices.Equal(s[0].list, wantSample) || !slices.Equal(w[0].ids(), wantWorst) {
			t.Fatalf("try %d: others than before", try)
		}
	}
}
