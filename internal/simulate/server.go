package simulate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Server answers requests in the order in which they arrive.
type Server struct {
	Service Distribution // how long a request is worked on; nil: 1 ns
	Workers int          // requests worked on at once, the others wait in one FIFO queue; 0: no limit, nobody waits
	Stalls  []Stall
}

// String returns "1 at a time, constant 50ms, slow request 150 2s".
func (s Server) String() string {
	text := "no queue"
	if s.Workers > 0 {
		text = fmt.Sprintf("%d at a time", s.Workers)
	}
	if s.Service != nil {
		text += ", " + s.Service.String()
	}
	for _, stall := range s.Stalls {
		text += ", " + stall.String()
	}
	return text
}

// Stall is a time in which a server does not get on. Make one with
// [SlowRequest], [SlowAt], [PauseAtRequest], [PauseAt] or [FreezeAt]. Of
// several that meet one request the longest counts; pauses may overlap.
type Stall struct {
	kind    stallKind
	request int // the n-th to arrive, from 1; 0: by the clock
	at      time.Duration
	length  time.Duration
}

type stallKind uint8

const (
	slow stallKind = iota
	pause
	freeze
)

// SlowRequest makes the n-th request to arrive, counted from 1, take length
// instead of its service time. Nobody else is touched, but by the queue: a
// server with one worker is held.
func SlowRequest(n int, length time.Duration) Stall { return Stall{slow, n, 0, length} }

// SlowAt makes the first request that is begun at or after a moment take
// length instead of its service time.
func SlowAt(at, length time.Duration) Stall { return Stall{slow, 0, at, length} }

// PauseAtRequest makes the n-th request to arrive take length, and no other is
// begun until it has ended. Requests begun before go on.
func PauseAtRequest(n int, length time.Duration) Stall { return Stall{pause, n, 0, length} }

// PauseAt lets no request begin from a moment on until length has passed.
// Requests begun before go on.
func PauseAt(at, length time.Duration) Stall { return Stall{pause, 0, at, length} }

// FreezeAt stops everything for length: no request begins, and those begun
// before take longer by it (a stopped process, a garbage collection).
func FreezeAt(at, length time.Duration) Stall { return Stall{freeze, 0, at, length} }

// HoldsAll reports whether the stall itself holds every request, and not one
// alone (which holds others only where they queue behind it).
func (s Stall) HoldsAll() bool { return s.kind != slow }

// Length returns how long the stall lasts.
func (s Stall) Length() time.Duration { return s.length }

// String returns "pause of 2s at request 150" or "slow request of 1s at 30s".
func (s Stall) String() string {
	text := [...]string{"slow request", "pause", "freeze"}[s.kind] + " of " + s.length.String()
	if s.request > 0 {
		return fmt.Sprintf("%s at request %d", text, s.request)
	}
	return fmt.Sprintf("%s at %v", text, s.at)
}

type span struct{ from, to time.Duration }

// serving is a server at work. Requests are begun in the order in which they
// arrive, so that moments of beginning never go back, and everything sorted by
// time is walked through once.
type serving struct {
	service Distribution
	rng     *rand.Rand
	seen    int             // requests so far
	begun   time.Duration   // when the last of them was begun
	free    []time.Duration // heap of the moments at which workers are free; nil: no limit
	shut    []span          // nothing begins in these, sorted by from; those left behind are cut off
	frozen  []span          // and nothing goes on in these, sorted, apart
	numbers []Stall         // stalls by request, sorted; those left behind are cut off
	clock   []Stall         // slow requests by the clock, likewise
}

func newServing(s Server, rng *rand.Rand) *serving {
	v := &serving{service: s.Service, rng: rng}
	if v.service == nil {
		v.service = Constant(1)
	}
	if s.Workers > 0 {
		v.free = make([]time.Duration, s.Workers)
	}
	for _, stall := range s.Stalls {
		switch {
		case stall.length <= 0:
		case stall.request > 0:
			v.numbers = append(v.numbers, stall)
		case stall.kind == slow:
			v.clock = append(v.clock, stall)
		default:
			out := span{stall.at, stall.at + stall.length}
			v.shut = append(v.shut, out)
			if stall.kind == freeze {
				v.frozen = append(v.frozen, out)
			}
		}
	}
	slices.SortStableFunc(v.numbers, func(a, b Stall) int { return cmp.Compare(a.request, b.request) })
	slices.SortStableFunc(v.clock, func(a, b Stall) int { return cmp.Compare(a.at, b.at) })
	byFrom := func(a, b span) int { return cmp.Compare(a.from, b.from) }
	slices.SortFunc(v.shut, byFrom)
	slices.SortFunc(v.frozen, byFrom)
	v.frozen = joined(v.frozen)
	return v
}

// joined merges sorted spans that overlap, so that no time is counted twice.
func joined(spans []span) []span {
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// serve takes a request that arrives now, not before the one that arrived
// last, and returns when it ends: at least 1 ns later, so that a closed loop
// gets on.
func (s *serving) serve(now time.Duration) time.Duration {
	s.seen++
	begin := max(now, s.begun)
	if s.free != nil {
		begin = max(begin, s.free[0])
	}
	for len(s.shut) > 0 && s.shut[0].from <= begin {
		begin = max(begin, s.shut[0].to)
		s.shut = s.shut[1:]
	}
	s.begun = begin
	work := s.service.Draw(s.rng, s.seen-1)
	if len(s.numbers)+len(s.clock) > 0 {
		work = s.stalled(begin, work)
	}
	end := begin + max(work, 1)
	for len(s.frozen) > 0 && s.frozen[0].to <= begin {
		s.frozen = s.frozen[1:]
	}
	for _, f := range s.frozen {
		if f.from >= end {
			break
		}
		end += f.to - f.from
	}
	if s.free != nil {
		s.busy(end)
	}
	return end
}

// stalled returns how long a request takes that is begun now, stalls that
// begin with it considered.
func (s *serving) stalled(begin, work time.Duration) time.Duration {
	var longest, closed time.Duration
	for len(s.numbers) > 0 && s.numbers[0].request <= s.seen {
		st := s.numbers[0]
		s.numbers = s.numbers[1:]
		longest = max(longest, st.length)
		if st.kind == pause {
			closed = max(closed, st.length)
		}
	}
	for len(s.clock) > 0 && s.clock[0].at <= begin {
		longest = max(longest, s.clock[0].length)
		s.clock = s.clock[1:]
	}
	if closed > 0 {
		// Spans before begin are gone, so this one is the first.
		s.shut = append([]span{{begin, begin + closed}}, s.shut...)
	}
	if longest > 0 {
		return longest
	}
	return work
}

// busy puts the worker that is free first to work until end.
func (s *serving) busy(end time.Duration) {
	h, i := s.free, 0
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if h[c] >= end {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = end
}
