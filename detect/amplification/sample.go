package amplification

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// sample is the requests whose ids have the lowest hashes, for what sums cannot
// tell.
type sample struct {
	list []request
	most uint64 // once cut: requests with a higher hash are left out; else 0
}

// request is one parent and the slowest of its calls.
type request struct {
	hash          uint64
	took, slowest time.Duration
}

func (a request) compare(b request) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.took, b.took), cmp.Compare(a.slowest, b.slowest))
}

// requestHash identifies a parent.
func requestHash(t *calltree.Trace, n calltree.Node) uint64 {
	id := func(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
	s := t.Span(n)
	h := mix(id(s.ID[:]))
	h = mix(h ^ id(t.ID[8:]))
	return mix(h ^ id((*ingest.TraceID)(&t.ID)[:8]))
}

func (s *sample) add(r request) {
	if s.most != 0 && r.hash > s.most {
		return
	}
	s.list = append(s.list, r)
	if len(s.list) >= 2*maxSample {
		s.cut()
	}
}

func (s *sample) cut() {
	slices.SortFunc(s.list, request.compare)
	if len(s.list) > maxSample {
		s.list = s.list[:maxSample]
		s.most = s.list[maxSample-1].hash
	}
}

func (s *sample) merge(o *sample) {
	for _, r := range o.list {
		s.add(r)
	}
}

// correlation returns Spearman's rank correlation of how long a request took
// and how long its slowest call did, over the sample; 0 where one of the two is
// always the same.
func (s *sample) correlation() float64 {
	s.cut()
	x, y := make([]time.Duration, len(s.list)), make([]time.Duration, len(s.list))
	for i, r := range s.list {
		x[i], y[i] = r.took, r.slowest
	}
	a, b := ranks(x), ranks(y)
	var ab, aa, bb float64
	mean := float64(len(a)+1) / 2
	for i := range a {
		u, v := a[i]-mean, b[i]-mean
		ab += u * v
		aa += u * u
		bb += v * v
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// ranks returns the rank of each value from 1, equal ones the mean of theirs.
func ranks(v []time.Duration) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	out := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}
