package simulate

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// naive is another implementation of the same promises, as plain as possible:
// it walks through time step by step (1 ns each) and moves every request on.
type naive struct {
	load    Load
	server  Server
	rng     *rand.Rand
	out     []Request
	left    []time.Duration // work left of out[i]; 0: not begun or ended
	queue   []int
	clients []client
	planned int
	shut    []span
	clock   []Stall
	begun   int
}

type client struct {
	busy  bool
	since time.Duration // free since
	tick  bool          // a tick waits
	due   time.Duration // of it
	sent  int
}

func runNaive(load Load, server Server, seed uint64) []Request {
	n := &naive{load: load, server: server, rng: random(seed, streamService)}
	n.clients = make([]client, max(load.Workers, 1))
	for _, s := range server.Stalls {
		switch {
		case s.request > 0:
		case s.kind == slow:
			n.clock = append(n.clock, s)
		default:
			n.shut = append(n.shut, span{s.at, s.at + s.length})
		}
	}
	slices.SortStableFunc(n.clock, func(a, b Stall) int { return cmp.Compare(a.at, b.at) })
	// Nothing of these small runs is later than this.
	for t := time.Duration(0); t < 5000; t++ {
		n.end(t)
		n.send(t)
		n.begin(t)
		n.work(t)
	}
	return n.out
}

func (n *naive) send(t time.Duration) {
	w := time.Duration(len(n.clients))
	over := func(at time.Duration) bool { return n.load.Length > 0 && at >= n.load.Length }
	spent := func(k int) bool { return n.load.Requests > 0 && k >= n.load.Requests }
	switch n.load.Loop {
	case Open, Pooled:
		for {
			due := time.Duration(n.planned) * n.load.Interval / w
			if spent(n.planned) || over(due) || due > t {
				return
			}
			id := -1
			for i, c := range n.clients {
				if !c.busy && (id < 0 || c.since < n.clients[id].since) {
					id = i
				}
			}
			if n.load.Loop == Open {
				id = -1
			} else if id < 0 {
				return
			}
			n.planned++
			n.arrive(id, due, t)
		}
	}
	for i := range n.clients {
		c := &n.clients[i]
		if n.load.Loop == Paced && t > 0 && t%n.load.Interval == 0 && !c.tick {
			c.tick, c.due = true, t
		}
		share := n.load.Requests / len(n.clients)
		if i < n.load.Requests%len(n.clients) {
			share++
		}
		if c.busy || n.load.Loop != Scheduled && n.load.Requests > 0 && c.sent >= share {
			continue
		}
		switch n.load.Loop {
		case Closed:
			if !over(t) {
				n.arrive(i, t, t)
			}
		case Paced:
			if c.tick && !over(t) {
				c.tick = false
				n.arrive(i, c.due, t)
			}
		case Scheduled:
			k := c.sent*len(n.clients) + i
			due := time.Duration(k) * n.load.Interval / w
			if due <= t && !over(due) && !spent(k) {
				n.arrive(i, due, t)
			}
		}
	}
}

func (n *naive) arrive(id int, due, t time.Duration) {
	if id >= 0 {
		n.clients[id].busy = true
		n.clients[id].sent++
	}
	n.queue = append(n.queue, len(n.out))
	n.out = append(n.out, Request{Due: due, Start: t, Worker: int32(id + 1)})
	n.left = append(n.left, 0)
}

func (n *naive) begin(t time.Duration) {
	for len(n.queue) > 0 {
		if n.server.Workers > 0 && n.begun >= n.server.Workers {
			return
		}
		for _, s := range n.shut {
			if s.from <= t && t < s.to {
				return
			}
		}
		i := n.queue[0]
		n.queue = n.queue[1:]
		work, longest := max(n.server.Service.Draw(n.rng, i), 1), time.Duration(0)
		for _, s := range n.server.Stalls {
			if s.request == i+1 {
				longest = max(longest, s.length)
				if s.kind == pause {
					n.shut = append(n.shut, span{t, t + s.length})
				}
			}
		}
		for len(n.clock) > 0 && n.clock[0].at <= t {
			longest = max(longest, n.clock[0].length)
			n.clock = n.clock[1:]
		}
		if longest > 0 {
			work = longest
		}
		n.left[i] = work
		n.begun++
	}
}

func (n *naive) work(t time.Duration) {
	for _, s := range n.server.Stalls {
		if s.kind == freeze && s.at <= t && t < s.at+s.length {
			return
		}
	}
	for i := range n.left {
		if n.left[i] > 0 {
			if n.left[i]--; n.left[i] == 0 {
				n.out[i].End = t + 1
			}
		}
	}
}

func (n *naive) end(t time.Duration) {
	for i := range n.out {
		if n.out[i].End == t && t > 0 {
			n.begun--
			if w := n.out[i].Worker; w > 0 {
				n.clients[w-1].busy, n.clients[w-1].since = false, t
			}
		}
	}
}

func TestAgainstNaive(t *testing.T) {
	runs := 400
	if testing.Short() {
		runs = 100
	}
	for seed := range uint64(runs) {
		r := random(seed, 99)
		load := Load{
			Loop:     Loop(r.IntN(int(Open) + 1)),
			Workers:  1 + r.IntN(4),
			Interval: time.Duration(1 + r.IntN(40)),
			Requests: r.IntN(60),
			Length:   time.Duration(r.IntN(300)),
		}
		if load.Requests == 0 && load.Length == 0 {
			load.Requests = 10
		}
		times := make([]time.Duration, 1+r.IntN(9))
		for i := range times {
			times[i] = time.Duration(r.IntN(15))
		}
		server := Server{Service: Given(times...), Workers: r.IntN(4)}
		for range r.IntN(4) {
			length := time.Duration(r.IntN(80))
			at := time.Duration(r.IntN(200))
			server.Stalls = append(server.Stalls, []Stall{
				SlowRequest(1+r.IntN(30), length), SlowAt(at, length), PauseAtRequest(1+r.IntN(30), length), PauseAt(at, length), FreezeAt(at, length),
			}[r.IntN(5)])
		}
		got, want := Run(load, server, seed), runNaive(load, server, seed)
		if len(got) != len(want) {
			t.Fatalf("seed %d: %+v, %v: %d requests, want %d", seed, load, server, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("seed %d: %+v, %v: request %d is %v, want %v", seed, load, server, i+1, got[i], want[i])
			}
		}
	}
}
