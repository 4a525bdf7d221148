package whatif

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// hopTally collects, request by request, what each hop of it did: the calls that
// were made, how often each was tried, how long a try took. Requests are kept by
// the hash of their ids, as many as have maxKeptHops hops.
type hopTally struct {
	requests []hopRequest
	most     uint64 // once cut: requests with this hash or a higher one are left out; else 0
	kept     int
	index    map[hopKey]int // scratch
	level    []int32        // scratch: of each span, index in the request's hops of the nearest call at or above it, plus 1
}

const (
	maxKeptHops = 1 << 17
	maxHopsOf   = 64          // different hops of one request; the others are left out
	maxSpansOf  = 1_000_000   // spans of one request: sums of their times stay in range
	maxBackoff  = time.Minute // the longest pause that is taken for one before a further try
)

// hopKey names a call as its caller makes it.
type hopKey struct{ caller, op string }

func (k hopKey) String() string { return strings.TrimSpace(k.caller + " " + k.op) }

func (k hopKey) compare(o hopKey) int {
	return cmp.Or(cmp.Compare(k.caller, o.caller), cmp.Compare(k.op, o.op))
}

// hopRequest is one request.
type hopRequest struct {
	hash  uint64
	start ingest.Time
	took  time.Duration // of the root
	last  time.Duration // from its start to the end of the last call
	ok    bool
	root  hopKey
	hops  []hopStat
}

// hopStat is one hop in one request.
type hopStat struct {
	key     hopKey
	above   hopKey // the hop by whose calls it is made; zero: the root makes them
	depth   int
	calls   int64 // each try counted
	asked   int64 // all tries of one counted as one
	failed  int64 // calls that failed by themselves
	cut     int64 // calls that were cancelled or timed out
	most    int64 // tries of one call, all of which failed
	tried   int64 // tries of one call, the most
	before  int64 // calls that failed before the first that succeeded
	ok      int64
	took    time.Duration // of calls that were not cut, in sum
	busy    time.Duration // of all calls, in sum
	own     time.Duration // of took: what no call further down and no pause explains
	pauses  time.Duration
	paused  int64
	gaveUp  time.Duration // the shortest call that was cut
	late    int64         // calls that began when a caller further up had given up
	lateFor time.Duration // what these took
}

func (h *hopTally) Findings() []detect.Finding { return nil }

func (h *hopTally) Add(rec ingest.Record) {
	t, ok := rec.(*calltree.Trace)
	if !ok {
		return
	}
	for _, root := range t.Roots() {
		if t.Timed(root) && t.Duration(root) < 24*longestCall && !t.Spans[root].Async {
			h.request(t, root)
		}
	}
}

func (h *hopTally) request(t *calltree.Trace, root calltree.Node) {
	s := t.Span(root)
	id := func(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
	r := hopRequest{hash: mixed(mixed(mixed(id(t.ID[:8]))^id(t.ID[8:])) ^ id(s.ID[:])), start: s.Start, took: t.Duration(root), ok: s.Outcome == ingest.OK, root: hopKey{s.Service, s.Op}}
	if h.most != 0 && r.hash >= h.most {
		return
	}
	from, to := t.Subtree(root)
	h.level = slices.Grow(h.level[:0], int(to-from))[:to-from]
	if h.index == nil {
		h.index = map[hopKey]int{}
	}
	clear(h.index)
	r.last = r.took
	gone := map[calltree.Node]ingest.Time{} // of spans: when the first caller above it gave up
	for n := from; n < to; n++ {
		above := int32(0)
		end, given := ingest.Time(0), false
		if n != root {
			p := t.Parent(n)
			above = h.level[p-from]
			if end, given = gone[p]; given {
				gone[n] = end
			}
		}
		h.level[n-from] = above
		if n == root || !isTry(t, n) {
			continue
		}
		c := t.Span(n)
		stat := r.hop(h.index, hopKey{callerOf(t, n), c.Op}, above)
		if stat < 0 {
			continue
		}
		h.level[n-from] = int32(stat) + 1
		x := &r.hops[stat]
		took := t.Duration(n)
		x.calls++
		x.busy += took
		switch c.Outcome {
		case ingest.OK:
			x.ok++
		case ingest.Failed:
			if x.failed++; x.ok == 0 {
				x.before++
			}
		default:
			if x.cut == 0 || took < x.gaveUp {
				x.gaveUp = took
			}
			x.cut++
			if !given || c.End < end {
				gone[n] = c.End
			}
		}
		if c.Outcome == ingest.OK || c.Outcome == ingest.Failed {
			x.took += took
			x.own += took
			if above > 0 {
				r.hops[above-1].own -= took
			}
		}
		if given && c.Start >= end && t.Skew(n, root) == 0 {
			x.late++
			x.lateFor += took
		}
		if last := c.End.Sub(s.Start); last < 24*longestCall {
			r.last = max(r.last, last)
		}
	}
	h.group(t, &r, from, to)
	if len(r.hops) == 0 || int64(to-from) > maxSpansOf {
		return
	}
	h.requests = append(h.requests, r)
	if h.kept += len(r.hops); h.kept > 2*maxKeptHops {
		h.trim()
	}
}

// hop returns the index of a hop of the request; below 0: there are too many.
func (r *hopRequest) hop(index map[hopKey]int, k hopKey, above int32) int {
	if i, ok := index[k]; ok {
		return i
	}
	if len(r.hops) >= maxHopsOf {
		return -1
	}
	x := hopStat{key: k, depth: 1}
	if above > 0 {
		x.above, x.depth = r.hops[above-1].key, r.hops[above-1].depth+1
	}
	index[k] = len(r.hops)
	r.hops = append(r.hops, x)
	return len(r.hops) - 1
}

// group looks at which calls are tries of one, parent by parent.
func (h *hopTally) group(t *calltree.Trace, r *hopRequest, from, to calltree.Node) {
	for p := from; p < to; p++ {
		if len(t.Children(p)) == 0 {
			continue
		}
		for _, g := range t.Groups(p) {
			var before *ingest.Span
			var x *hopStat
			tries := int64(0)
			flush := func() {
				if tries == 0 {
					return
				}
				x.asked++
				x.tried = max(x.tried, tries)
				if before.Outcome != ingest.OK {
					x.most = max(x.most, tries)
				}
				tries = 0
			}
			for _, n := range g.Spans {
				if n == from || !isTry(t, n) || h.level[n-from] == 0 {
					continue
				}
				c := t.Span(n)
				x = &r.hops[h.level[n-from]-1]
				pause := time.Duration(0)
				if before != nil {
					pause = c.Start.Sub(before.End)
				}
				if before != nil && (before.Outcome == ingest.OK || pause < -time.Millisecond || pause > maxBackoff) {
					flush() // a call of its own
				} else if before != nil && pause > 0 {
					x.pauses += pause
					x.paused++
					if up := h.level[p-from]; up > 0 {
						r.hops[up-1].own -= pause
					}
				}
				tries++
				before = c
			}
			flush()
		}
	}
}

func (h *hopTally) trim() {
	slices.SortFunc(h.requests, func(a, b hopRequest) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.start, b.start), cmp.Compare(a.took, b.took))
	})
	kept := 0
	for i := range h.requests {
		if kept += len(h.requests[i].hops); kept > maxKeptHops && i > 0 {
			at := i
			for at > 0 && h.requests[at-1].hash == h.requests[i].hash {
				at--
			}
			h.most = h.requests[i].hash
			h.requests = h.requests[:at]
			break
		}
	}
	h.kept = 0
	for i := range h.requests {
		h.kept += len(h.requests[i].hops)
	}
}

func (h *hopTally) Merge(other detect.Tally) {
	o := other.(*hopTally)
	if o.most != 0 && (h.most == 0 || o.most < h.most) {
		h.most = o.most
		h.requests = slices.DeleteFunc(h.requests, func(r hopRequest) bool { return r.hash >= h.most })
	}
	for _, r := range o.requests {
		if h.most != 0 && r.hash >= h.most {
			continue
		}
		h.requests = append(h.requests, r)
		h.kept += len(r.hops)
	}
	if h.kept > 2*maxKeptHops {
		h.trim()
	}
}
