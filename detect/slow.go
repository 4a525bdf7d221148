package detect

import (
	"cmp"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Slow is one of the slowest samples.
type Slow struct {
	Latency time.Duration
	Start   ingest.Time // 0: not known
	Pos     ingest.Pos
	Op      string
	Connect time.Duration // of Latency, spent on setting up the connection; 0: none or not known
	Outcome ingest.Outcome
	Status  int // 0: none
}

func slowOf(s *ingest.Sample) Slow {
	return Slow{s.Latency, s.Start, s.Pos, s.Op, s.Connect, s.Outcome, s.Status}
}

func slower(a, b Slow) int {
	if c := cmp.Compare(b.Latency, a.Latency); c != 0 {
		return c
	}
	return a.Pos.Compare(b.Pos)
}

// slow keeps a heap whose root is the least slow of those kept.
func (in *Input) slow(s Slow) {
	h := in.Slowest
	if len(h) < MaxSlowest {
		h = append(h, s)
		for i := len(h) - 1; i > 0; {
			p := (i - 1) / 2
			if slower(h[p], h[i]) >= 0 {
				break
			}
			h[p], h[i] = h[i], h[p]
			i = p
		}
		in.Slowest = h
		return
	}
	if slower(s, h[0]) >= 0 {
		return
	}
	h[0] = s
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && slower(h[c+1], h[c]) > 0 {
			c++
		}
		if slower(h[c], h[i]) <= 0 {
			break
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
