package retries

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Percentiles against nearest rank over the sorted values, within a bucket.
func TestHist(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 100, 5000} {
		var a, b hist
		var all []time.Duration
		for i := range n {
			d := time.Duration(math.Exp(r.Float64() * 40))
			all = append(all, d)
			if i%3 == 0 {
				a.add(d)
			} else {
				b.add(d)
			}
		}
		a.merge(&b)
		slices.Sort(all)
		for _, p := range []int64{1, 5, 50, 95, 99, 100} {
			want := all[max(1, (int64(n)*p+99)/100)-1]
			if got := a.percentile(p); math.Abs(float64(got-want)) > 0.004*float64(want)+1 {
				t.Errorf("n=%d p%d: %v, want %v", n, p, got, want)
			}
		}
	}
	var h hist
	if h.percentile(50) != 0 {
		t.Error("an empty one says something")
	}
	for range 3 {
		h.add(100 * time.Millisecond)
	}
	if h.percentile(50) != 100*time.Millisecond {
		t.Errorf("of equal values: %v", h.percentile(50))
	}
	h.add(math.MaxInt64)
	h.add(-5)
	if h.percentile(1) != 0 || h.percentile(100) <= 0 {
		t.Errorf("from %v to %v", h.percentile(1), h.percentile(100))
	}
}

// What is kept does not depend on how keys were spread, and is what was added.
func TestBounded(t *testing.T) {
	type m = bounded[operation, int]
	add := func(b *m, k operation) {
		if v := b.get(k); v != nil {
			*v++
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	keys := make([]operation, 1000)
	times := map[operation]int{}
	var stream []operation
	for i := range keys {
		keys[i] = operation{"s", string(rune('a'+i%26)) + string(rune('0'+i/26))}
		for range 1 + r.IntN(5) {
			stream = append(stream, keys[i])
			times[keys[i]]++
		}
	}
	var first []operation
	for try := range 20 {
		r.Shuffle(len(stream), func(i, j int) { stream[i], stream[j] = stream[j], stream[i] })
		parts := make([]m, 1+r.IntN(5))
		for i := range parts {
			parts[i].limit = 50
		}
		for _, k := range stream {
			add(&parts[r.IntN(len(parts))], k)
		}
		all := m{limit: 50}
		for i := range parts {
			all.merge(&parts[i], func(to, from *int) { *to += *from })
		}
		got := all.sorted()
		if try == 0 {
			first = got
		}
		if len(got) != 50 || !slices.Equal(got, first) {
			t.Fatalf("try %d: %d keys %v, first %v", try, len(got), got, first)
		}
		for _, k := range got {
			if *all.m[k] != times[k] {
				t.Errorf("%v: %d times, want %d", k, *all.m[k], times[k])
			}
		}
	}
}
