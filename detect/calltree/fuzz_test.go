package calltree

import (
	"encoding/binary"
	"math"
	"sync"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// fuzzSpans makes spans of bytes, eight for each.
func fuzzSpans(b []byte) []ingest.Span {
	var out []ingest.Span
	for ; len(b) >= 8 && len(out) < 40; b = b[8:] {
		s := sp(int(b[0]%12), int(b[1]%14), "op"+string('0'+b[2]%3), int(b[4]), int(b[4])+int(int8(b[5])))
		s.Kind = ingest.Kind(b[3] % 6)
		s.Service = []string{"", "a", "b", "c"}[b[3]/6%4]
		s.Async = b[3] >= 192
		s.Peer = string('p' + b[6]%3)
		switch b[7] % 16 {
		case 0:
			s.Start, s.End = 0, 0
		case 1:
			s.Start = ingest.Time(binary.LittleEndian.Uint64(b))
		case 2:
			s.Trace = traceID(int(b[7]/16%3), 1)
		}
		out = append(out, s)
	}
	return out
}

func FuzzAssemble(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz0123456789"))
	f.Add([]byte{1, 0, 0, 1, 0, 100, 0, 5, 2, 1, 1, 3, 10, 20, 0, 5, 2, 1, 1, 2, 12, 10, 0, 5})
	f.Add([]byte{1, 2, 0, 1, 0, 100, 0, 5, 2, 3, 0, 1, 1, 90, 0, 5, 3, 1, 0, 1, 2, 80, 0, 5})
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Spans
		var p Profile
		for _, x := range fuzzSpans(b) {
			s.Add(&x)
		}
		for tr, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			checkTree(t, tr)
			p.Add(tr)
			tr.Skews()
		}
		for _, r := range p.Roots() {
			total := r.Time
			for _, step := range r.Steps {
				total -= step.Self
			}
			if total != 0 && r.Time < math.MaxInt64 { // sums stop there
				t.Fatalf("steps of %+v do not add up", r)
			}
		}
	})
}

// Parts may be read at once.
func TestPartsAtOnce(t *testing.T) {
	s := NewSpans(NewMemory(1<<20, t.TempDir()))
	defer s.Close()
	const n = 40_000
	for i := range n {
		x := typical(i)
		s.Add(&x)
	}
	var mu sync.Mutex
	var all Profile
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			var p Profile
			for part := worker; part < s.Parts(); part += 4 {
				for tr, err := range s.Traces(part) {
					if err != nil {
						t.Error(err)
						return
					}
					p.Add(tr)
				}
			}
			mu.Lock()
			all.Merge(&p)
			mu.Unlock()
		})
	}
	group.Wait()
	var requests int64
	for _, r := range all.Roots() {
		requests += r.Requests
	}
	if requests != n/20 {
		t.Errorf("%d requests, want %d", requests, n/20)
	}
}
