package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// chainSeen is a chain as it was measured.
type chainSeen struct {
	path     []hopKey // its calls, the root's first
	requests []chainRequest
	tries    []int
	own      []time.Duration // of each hop but the last: its own time for each try
	pause    time.Duration   // before a further try, the mean
	cost     time.Duration   // of one call of the leaf, the mean
	failing  float64         // share of the leaf's calls
	deadline time.Duration   // of the entry; 0: none was seen
	calls    int64
	notes    []string
}

// chainRequest is one request: what happened at the leaf, and what was observed.
type chainRequest struct {
	simulate.ChainCase
	gaveUp bool // the entry's call was cut
	late   bool // calls of the leaf began after that
	seen   simulate.ChainRun
}

// measureChain finds the chain that leads to a call, and what its hops did.
func measureChain(requests []hopRequest, op string) (*chainSeen, error) {
	path, names := choosePath(requests, op)
	if path == nil {
		if op != "" {
			return nil, fmt.Errorf("no call of an operation named %q\nhint: it has %s", op, strings.Join(quoted(names), ", "))
		}
		return nil, fmt.Errorf("its traces hold no calls whose time is known")
	}
	slices.SortFunc(requests, func(a, b hopRequest) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.hash, b.hash)) })
	c := &chainSeen{path: path, tries: make([]int, len(path)), own: make([]time.Duration, len(path))}
	var deadlines latency.Summary
	own, took := make([]time.Duration, len(path)), make([]int64, len(path))
	pauses, paused := time.Duration(0), int64(0)
	failed, leafTime, leafTimed := int64(0), time.Duration(0), int64(0)
	exhausted := make([]int, len(path))
	overlap := 0
	for i := range requests {
		r := &requests[i]
		stats := along(r, path)
		if stats == nil {
			continue
		}
		leaf, entry := stats[len(path)-1], stats[0]
		x := chainRequest{}
		x.seen = simulate.ChainRun{Leaf: leaf.calls, Elapsed: r.last, Waited: r.took, Success: r.ok, Orphaned: leaf.lateFor}
		x.gaveUp, x.late = entry.cut > 0, leaf.late > 0
		for k, s := range stats {
			x.seen.Distinct += s.calls
			c.tries[k] = max(c.tries[k], int(min(s.tried, maxTries)))
			exhausted[k] = max(exhausted[k], int(s.most))
			if s.cut == 0 && k < len(path)-1 {
				own[k] += max(s.own, 0)
				took[k] += s.calls
			}
			pauses += s.pauses
			paused += s.paused
		}
		if x.gaveUp {
			deadlines.Record(int64(entry.gaveUp))
		}
		if timed := leaf.calls - leaf.cut; timed > 0 {
			x.Cost = leaf.took / time.Duration(timed)
			leafTime += leaf.took
			leafTimed += timed
		}
		x.Fails = leaf.before
		if leaf.ok == 0 && leaf.failed > 0 {
			x.Fails = -1
		}
		callers := int64(1)
		for _, s := range stats {
			x.Steps = append(x.Steps, int(min(max((s.asked+callers/2)/max(callers, 1), 1), 1000)))
			callers = s.calls
		}
		if x.gaveUp && !x.late && leaf.cut == 0 {
			x.Steps[len(path)-1]++ // it was given up before it was done: at least one more was to come
		}
		x.Own = max(0, r.took-entry.busy-entry.pauses)
		if entry.busy > r.took+r.took/5 && !x.gaveUp || leaf.own < 0 {
			overlap++
		}
		for k := range len(path) - 1 {
			if -stats[k].own > stats[k].took/5 && stats[k].cut == 0 {
				overlap++
				break
			}
		}
		failed += leaf.failed
		c.calls += leaf.calls
		c.requests = append(c.requests, x)
	}
	for k := range c.tries {
		c.tries[k] = max(c.tries[k], 1)
		if c.tries[k] > 1 && exhausted[k] < c.tries[k] {
			c.notes = append(c.notes, fmt.Sprintf("%s never used up its tries: they may be more than %d", path[k], c.tries[k]))
		}
		if took[k] > 0 {
			c.own[k] = own[k] / time.Duration(took[k])
		}
	}
	if paused > 0 {
		c.pause = pauses / time.Duration(paused)
	}
	if leafTimed > 0 {
		c.cost = leafTime / time.Duration(leafTimed)
	}
	if c.calls > 0 {
		c.failing = float64(failed) / float64(c.calls)
	}
	c.deadline = time.Duration(deadlines.Percentile(latency.P50))
	for i := range c.requests {
		x := &c.requests[i]
		if x.Cost == 0 {
			x.Cost = c.cost
		}
	}
	all := int64(0)
	for _, x := range c.requests {
		work := (&simulate.Chain{Tries: c.tries}).Work(x.ChainCase)
		if all += work; work > maxWork || all > maxAllWork {
			return nil, fmt.Errorf("a request could become %s calls of %s: so many are not simulated", report.Whole(work), c.path[len(c.path)-1])
		}
	}
	if n := len(requests) - len(c.requests); n > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%s without this chain are left out", counted(n, "request")))
	}
	if overlap > 0 {
		c.notes = append(c.notes, fmt.Sprintf("calls overlap in %s: the model makes them one after the other, and its times are too long", counted(overlap, "request")))
	}
	return c, nil
}

// along returns what the hops of a path did in a request; nil: it has not all of
// them.
func along(r *hopRequest, path []hopKey) []*hopStat {
	var out []*hopStat
	for k, key := range path {
		i := slices.IndexFunc(r.hops, func(s hopStat) bool { return s.key == key })
		if i < 0 || k == 0 && r.hops[i].above != (hopKey{}) || k > 0 && r.hops[i].above != path[k-1] {
			return nil
		}
		out = append(out, &r.hops[i])
	}
	return out
}

// choosePath returns the calls that lead to the operation named, or else to the
// deepest of those that were tried again or called most; by the way that most
// requests take.
func choosePath(requests []hopRequest, op string) (path []hopKey, names []string) {
	type total struct {
		calls, extra int64
		depth        int
		above        map[hopKey]int64
	}
	all := map[hopKey]*total{}
	for i := range requests {
		for k := range requests[i].hops {
			s := &requests[i].hops[k]
			x := all[s.key]
			if x == nil {
				x = &total{above: map[hopKey]int64{}}
				all[s.key] = x
			}
			x.calls += s.calls
			x.extra += s.calls - s.asked
			x.depth = max(x.depth, s.depth)
			x.above[s.above]++
		}
	}
	keys := make([]hopKey, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b hopKey) int {
		x, y := all[a], all[b]
		return cmp.Or(cmp.Compare(y.extra, x.extra), cmp.Compare(y.depth, x.depth), cmp.Compare(y.calls, x.calls), a.compare(b))
	})
	var leaf *hopKey
	for i, k := range keys {
		if leaf == nil && (op == "" || k.op == op || k.String() == op) {
			leaf = &keys[i]
		}
		if !slices.Contains(names, k.op) {
			names = append(names, k.op)
		}
	}
	if leaf == nil {
		return nil, names
	}
	for k := *leaf; len(path) < maxHops-1; {
		path = append(path, k)
		up, most := hopKey{}, int64(-1)
		for a, n := range all[k].above {
			if n > most || n == most && a.compare(up) < 0 {
				up, most = a, n
			}
		}
		if up == (hopKey{}) || slices.Contains(path, up) {
			break
		}
		k = up
	}
	slices.Reverse(path)
	return path, names
}
