package simulate

import "time"

// worker is one connection of a load generator.
type worker struct {
	at   time.Duration // when it sends next; Pooled: when it is free
	due  time.Duration // when the plan wants that request sent
	tick time.Duration // Paced: the next tick of its clock that it has not seen
	id   int32
	sent int
}

// workers is a binary heap of workers by (at, id): the order in which they send.
type workers []worker

func newWorkers(n int) workers {
	h := make(workers, n)
	for i := range h {
		h[i].id = int32(i)
	}
	return h // equal times, rising ids: a heap already
}

func (h workers) less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].id < h[j].id
}

// down restores the heap after the worker at i was put later.
func (h workers) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h.less(c+1, c) {
			c++
		}
		if !h.less(c, i) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// workers runs the loops in which every worker decides for itself.
func (l Load) workers(out []Request, s *serving) []Request {
	l = l.defaults()
	h := newWorkers(l.Workers)
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].tick = l.Interval; !l.ask(&h[i], 0) {
			h[i] = h[len(h)-1]
			h = h[:len(h)-1]
		}
		h.down(i)
	}
	for len(h) > 0 {
		w := &h[0]
		end := s.serve(w.at)
		out = append(out, Request{w.due, w.at, end, w.id + 1})
		w.sent++
		if !l.ask(w, end) {
			h[0] = h[len(h)-1]
			h = h[:len(h)-1]
		}
		h.down(0)
	}
	return out
}

// ask sets when a worker that is free from a moment on sends its next request,
// and returns false when it has none.
func (l Load) ask(w *worker, free time.Duration) bool {
	switch l.Loop {
	case Scheduled:
		k := w.sent*l.Workers + int(w.id)
		if l.Requests > 0 && k >= l.Requests {
			return false
		}
		w.due = l.due(k)
		w.at = max(w.due, free)
		return l.Length <= 0 || w.due < l.Length
	case Paced:
		w.due = w.tick
		w.at = max(w.tick, free)
		// The ticker holds one tick; those that come while it is full, up to
		// the moment at which it is read, are dropped.
		w.tick += (w.at-w.tick)/l.Interval*l.Interval + l.Interval
	default:
		w.due, w.at = free, free
	}
	if l.Requests > 0 && w.sent >= l.share(w.id) {
		return false
	}
	return l.Length <= 0 || w.at < l.Length
}

// share is how many of the requests a worker sends: the first ones send one
// more when they do not divide evenly.
func (l Load) share(id int32) int {
	n := l.Requests / l.Workers
	if int(id) < l.Requests%l.Workers {
		n++
	}
	return n
}
