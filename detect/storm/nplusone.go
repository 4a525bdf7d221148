package storm

import (
	"fmt"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// Thresholds of an n-plus-one: so many calls of one parent that the request
// waits for at least so long, or for this part of the parent (10 %); under
// silentPart of the parent (1 %) whatever the time.
const (
	leastCalls = 5
	leastTime  = 100 * time.Millisecond
	leastPart  = 10
	silentPart = 100
)

// NPlusOne finds calls that are made once for each item of a list.
var NPlusOne = detect.Detector{
	Name: "n-plus-one", Severity: detect.Warning, Reads: ingest.KindTrace,
	Doc: `One call for each item of a list

A program asks for a list, and then for each item by itself: N+1 queries or calls
where one or two would do. Each is fast, so that no percentile of the called
service shows it; the caller pays a round trip for each.

What it rests on: one parent makes at least 5 successful calls that differ in
their arguments only: the same statement with its literals left out, the same
route, the same procedure; where nothing of the kind is recorded, the same name
with the same operation behind it in another process. Order and overlap do not
matter, and other calls may be in between. The request waits for them at least
100 ms, or for 10 % of the time of the parent, and in either case for 1 % of it:
time on the critical path, not the sum. Confidence is high where statement, route
or procedure tell and the calls follow each other, medium where names tell or the
calls overlap, low where keys are hidden or the parent is missing.

Numbers are of all parents that are like that, and lower bounds.

Not reported: connection set-up and pools, pipelines and batches (a statement
with a list of values), answers from a cache, failed calls and what is sent again
after them, commands that are a storm (mget-storm), the same call with the same
visible arguments (repeated-call), calls to as many servers as there are calls (a
scatter: serial-fan-out, tail-amplification), polling at steady or growing
intervals, queues, streams, scripts and blocking pops, control of transactions,
names that say no more than the protocol, dialogues with language models, and what
no request waits for (prefetching, fire-and-forget, work after the parent ended).

As a grouping: children by (trace, parent, service, normalised statement or route),
with the count, the number of distinct argument hashes and peers, the sum of
durations and the time on the critical path of the root; of those with count >= 5
that pass the thresholds, by (service, operation of the parent, statement or
route): the sums, the number of parents and of distinct traces.`,
	New: func() detect.Tally { return &callTally{find: (&perItem{}).find, say: sayPerItem, sums: table[sums]{}} },
}

// perItem finds the calls of n-plus-one in one trace after another.
type perItem struct {
	storms volleys
	waits  waits
	index  index[call]
	peers  index[string]
	groups []perItemGroup
	args   map[uint64]ingest.Time
	stormy map[calltree.Node]bool
}

type perItemGroup struct {
	call  call
	spans []calltree.Node
}

func (p *perItem) find(t *calltree.Trace, found []occurrence) []occurrence {
	for parent := range t.Parents() {
		kids := t.Children(parent)
		var n int64
		for _, k := range kids {
			n = add(n, stands(&t.Spans[k]))
		}
		if n < leastCalls {
			continue
		}
		p.group(t, parent, kids)
		for i := range p.groups {
			if o, ok := p.judge(t, parent, &p.groups[i]); ok {
				found = append(found, o)
			}
		}
	}
	if len(found) == 0 {
		return found
	}
	p.waits.fill(t, found)
	return slices.DeleteFunc(found, func(o occurrence) bool {
		var within time.Duration // 0: not known
		if t.Span(o.parent) != nil {
			within = t.Duration(o.parent)
		}
		switch {
		case o.waited <= 0 || o.waited < within/silentPart:
			return true
		case o.waited >= leastTime:
			return false
		}
		return within == 0 || o.waited < within/leastPart
	})
}

// group sorts the calls of a parent by what they call.
func (p *perItem) group(t *calltree.Trace, parent calltree.Node, kids []calltree.Node) {
	if p.stormy == nil || len(p.stormy) > 1024 {
		p.stormy = map[calltree.Node]bool{}
	}
	clear(p.stormy)
	p.index.reset()
	p.groups = p.groups[:0]
	for _, v := range p.storms.find(t, parent) {
		for _, k := range v.spans {
			p.stormy[k] = true
		}
	}
	for _, k := range kids {
		s := &t.Spans[k]
		if s.Outcome != ingest.OK || !waitedFor(t, k) || p.stormy[k] || noItem(s) {
			continue
		}
		c := describe(t, k)
		if c.kind == noCall {
			continue
		}
		i := p.index.of(c)
		if i == len(p.groups) {
			if i == cap(p.groups) {
				p.groups = append(p.groups, perItemGroup{})
			}
			p.groups = p.groups[:i+1]
			p.groups[i] = perItemGroup{c, p.groups[i].spans[:0]}
		}
		g := &p.groups[i]
		g.spans = append(g.spans, k)
	}
}

// twice is how soon after a call the same one is taken for another record of it
// (ioredis records commands that wait for a connection twice, and Node.js' clock
// has milliseconds).
const twice = time.Millisecond

// judge says whether calls of one kind are one for each item.
func (p *perItem) judge(t *calltree.Trace, parent calltree.Node, g *perItemGroup) (occurrence, bool) {
	if p.args == nil || len(p.args) > 1024 {
		p.args = map[uint64]ingest.Time{}
	}
	clear(p.args)
	var n, different int64
	kept := g.spans[:0]
	for _, k := range g.spans {
		s := &t.Spans[k]
		if s.Args != 0 && s.Stands <= 1 {
			end, seen := p.args[s.Args]
			p.args[s.Args] = max(end, s.End)
			if seen && s.Start < end.Add(twice) {
				continue
			}
			if !seen {
				different++
			}
		} else {
			different = add(different, stands(s))
		}
		kept = append(kept, k)
		n = add(n, stands(s))
	}
	g.spans = kept
	if different < leastCalls || paced(t, kept) {
		return occurrence{}, false
	}
	o := occurrence{parent: parent, key: keyOf(t, parent, kept[0]), calls: n}
	o.busy, o.took = busy(t, kept)
	parallel := o.took >= 2*o.busy
	servers, known := p.targets(t, kept)
	switch {
	case 2*int64(servers) > n && (parallel || !keyed(&t.Spans[kept[0]])): // a scatter
		return o, false
	case parallel && !known && g.call.kind != byQuery: // may be one
		return o, false
	case t.Span(parent) == nil, hidden(&t.Spans[kept[0]]):
		o.confidence = detect.Low
	case parallel, g.call.kind < byRoute:
		o.confidence = detect.Medium
	default:
		o.confidence = detect.High
	}
	o.spans, o.key.call = slices.Clone(kept), g.call.words()
	return o, true
}

// targets returns how many servers calls went to, by their peers or by the
// processes that answered, and whether that is known.
func (p *perItem) targets(t *calltree.Trace, spans []calltree.Node) (n int, known bool) {
	p.peers.reset()
	for _, k := range spans {
		if peer := t.Spans[k].Peer; peer != "" {
			p.peers.of(peer)
		}
	}
	peers := len(p.peers.keys)
	if 2*peers > len(spans) {
		return peers, true
	}
	p.peers.reset()
	for _, k := range spans {
		for _, c := range t.Children(k) {
			if t.Crosses(c) && t.Spans[c].Instance != "" {
				p.peers.of(t.Spans[c].Instance)
			}
		}
	}
	answered := len(p.peers.keys)
	return max(peers, answered), peers+answered > 0
}

// sayPerItem writes the finding of an operation.
func sayPerItem(k key, s *sums) detect.Finding {
	f := s.finding(k)
	f.Numbers = CallNumbers{s.calls, s.parents, millis(s.took)}
	times := fmt.Sprintf("at least %d times", s.most)
	if s.parents > 1 {
		times = fmt.Sprintf("%s times in each of %d runs", span(s.least, s.most), s.parents)
	}
	f.Message = fmt.Sprintf("%s calls %s %s, as if once for each item of a list; %s waited %s for that",
		k.caller(), clip(k.call), times, count(s.requests, "request"), ms(s.waited))
	e := evidence{}
	e.add("calls under one parent, at least", span(s.least, s.most), fmt.Sprintf("below %d", leastCalls))
	e.add("time waited", ms(s.waited), "")
	if s.within > 0 {
		e.add("part of the parents' time", percent(s.waited, s.within), fmt.Sprintf("below %d %%, or %s", 100/leastPart, ms(leastTime)))
	}
	if s.atOnce > 0 {
		e.add("parents whose calls overlap", fmt.Sprintf("%d of %d", s.atOnce, s.parents), "")
	}
	if s.pruned > 0 {
		e.add("parents with pruned summaries", fmt.Sprint(s.pruned), "counted as the spans they stand for")
	}
	f.Evidence = e
	f.Remedy = "Ask for all items in one call: a query with a list (IN, JOIN), a batch or bulk procedure, MGET or a pipeline in Redis, a data loader that collects the keys of a request. Where there is no such call, make the calls at once, with a bound on how many."
	return f
}
