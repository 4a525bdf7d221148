package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// fanOuts is a tally of the calls that parents make, by operation: each request
// with the times of its calls, so that models can be run on what was measured.
//
// Memory is bounded: of more operations those with the lowest hashes are kept,
// and of each the requests with the lowest hashes of their ids.
type fanOuts struct {
	ops  map[opKey]*fanOut
	most uint64 // once cut: operations with a higher hash are left out; else 0
}

const (
	maxOps       = 1 << 10
	maxKeptCalls = 1 << 18 // calls kept of an operation
)

// fanOut is the calls of one operation.
type fanOut struct {
	key      opKey
	requests []request // by hash, once cut or sorted
	most     uint64    // once cut: requests with this hash or a higher one are left out; else 0
	kept     int       // calls in requests
	calls    int64     // all that were seen
	parallel int64     // of these: calls of requests that made three or more, overlapping
	serial   int64     // of these: calls of requests that made several, one after another
	hedged   int64     // requests in which a call was sent more than once, and the loser cancelled
	cut      bool
	method   string          // of the calls that must not be repeated, as far as that is visible; empty: none
	unsafe   int64           // such calls
	safe     int64           // calls whose method says that they may be repeated
	delays   latency.Summary // of hedged: from the first call to the second
}

func (f *fanOuts) Add(rec ingest.Record) {
	t, ok := rec.(*calltree.Trace)
	if !ok {
		return
	}
	for parent := range t.Parents() {
		for _, g := range t.Groups(parent) {
			f.group(t, parent, g)
		}
	}
}

func (f *fanOuts) group(t *calltree.Trace, parent calltree.Node, g calltree.Group) {
	p := t.Span(parent)
	r := request{hash: hashOf(t, parent, g)}
	var o *fanOut
	var end, first ingest.Time
	overlapping := false
	for _, n := range g.Spans {
		s := t.Span(n)
		if !isCall(t, p, n) {
			continue
		}
		if o == nil {
			key := opKey{service: g.Service, op: g.Op, kind: g.Kind}
			if p != nil {
				key.caller, key.callerOp = p.Service, p.Op
			}
			if o = f.get(key); o == nil {
				return
			}
			first = s.Start
		}
		took := t.Duration(n)
		r.calls = append(r.calls, call{s.Start, took, peerHash(s.Peer), s.Outcome})
		switch {
		case len(r.calls) == 1 || s.Start >= end:
			r.wait += took
		default:
			overlapping = true
			r.wait += max(0, s.End.Sub(end))
		}
		end = max(end, s.End)
		switch idempotent(s) {
		case 1:
			o.safe++
		case -1:
			o.unsafe++
			if m := methodOf(s); o.method == "" || m < o.method {
				o.method = m
			}
		}
	}
	if o == nil {
		return
	}
	r.start, r.took = first, r.wait
	if p != nil && t.Timed(parent) && t.Duration(parent) < 24*longestCall {
		r.took = t.Duration(parent)
	}
	n := int64(len(r.calls))
	o.calls += n
	switch {
	case overlapping && isHedge(r.calls):
		o.hedged++
		o.delays.Record(int64(r.calls[1].start.Sub(r.calls[0].start)))
	case overlapping && n > 2:
		o.parallel += n
	case n > 1 && !overlapping:
		o.serial += n
	}
	o.add(r)
}

func (f *fanOuts) cut() {
	if len(f.ops) <= maxOps {
		return
	}
	hashes := make([]uint64, 0, len(f.ops))
	for k := range f.ops {
		hashes = append(hashes, k.hash())
	}
	slices.Sort(hashes)
	f.drop(hashes[maxOps])
}

// drop leaves out operations with this hash or a higher one.
func (f *fanOuts) drop(most uint64) {
	f.most = most
	for k := range f.ops {
		if k.hash() >= most {
			delete(f.ops, k)
		}
	}
}

func (f *fanOuts) Merge(other detect.Tally) {
	x := other.(*fanOuts)
	if x.most != 0 && (f.most == 0 || x.most < f.most) {
		f.drop(x.most)
	}
	for k, from := range x.ops {
		if o := f.get(k); o != nil {
			o.merge(from)
		}
	}
}

func (f *fanOuts) Findings() []detect.Finding { return nil }

func (o *fanOut) add(r request) {
	if o.most != 0 && r.hash >= o.most {
		return
	}
	o.requests = append(o.requests, r)
	if o.kept += len(r.calls); o.kept > 2*maxKeptCalls {
		o.trim()
	}
}

// trim keeps the requests with the lowest hashes, as many as have maxKeptCalls
// calls, and leaves out from then on what comes behind them, so that what is
// kept does not depend on the order of records.
func (o *fanOut) trim() {
	slices.SortFunc(o.requests, func(a, b request) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.start, b.start), cmp.Compare(a.wait, b.wait), cmp.Compare(len(a.calls), len(b.calls)))
	})
	kept := 0
	for i, r := range o.requests {
		if kept += len(r.calls); kept > maxKeptCalls && i > 0 {
			o.most = r.hash
			at := i
			for at > 0 && o.requests[at-1].hash == r.hash {
				at--
			}
			o.requests, o.cut = o.requests[:at], true
			break
		}
	}
	o.kept = 0
	for _, r := range o.requests {
		o.kept += len(r.calls)
	}
}

func (o *fanOut) merge(x *fanOut) {
	if x.most != 0 && (o.most == 0 || x.most < o.most) {
		o.most, o.cut = x.most, true
		o.requests = slices.DeleteFunc(o.requests, func(r request) bool { return r.hash >= o.most })
	}
	for _, r := range x.requests {
		o.add(r)
	}
	o.cut = o.cut || x.cut
	o.calls += x.calls
	o.parallel += x.parallel
	o.serial += x.serial
	o.hedged += x.hedged
	o.unsafe += x.unsafe
	o.safe += x.safe
	if o.method == "" || x.method != "" && x.method < o.method {
		o.method = x.method
	}
	o.delays.Merge(&x.delays)
}

// remote is 1 for calls of something else, and 0 for steps of the parent's own.
func (o *fanOut) remote() int {
	if o.key.kind == ingest.Internal {
		return 0
	}
	return 1
}

// choose returns the calls that are asked for, with their requests in order:
// those of the operation named, else those with the most calls in parallel, else
// with the most calls. Others names what else there is.
func (f *fanOuts) choose(op string) (best *fanOut, others string) {
	f.cut()
	var all []*fanOut
	for _, o := range f.ops {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *fanOut) int {
		return cmp.Or(cmp.Compare(b.parallel, a.parallel), cmp.Compare(b.remote(), a.remote()), cmp.Compare(b.calls, a.calls), a.key.compare(b.key))
	})
	var names []string
	for _, o := range all {
		if best == nil && (op == "" || o.key.op == op || o.key.String() == op) {
			best = o
		} else if !slices.Contains(names, o.key.op) {
			names = append(names, o.key.op)
		}
	}
	if best != nil {
		best.trim()
	}
	switch {
	case len(names) == 0:
	case best == nil:
		others = "\nhint: it has " + strings.Join(quoted(names), ", ")
	default:
		others = fmt.Sprintf("; other operations, for --op: %s", strings.Join(quoted(names), ", "))
	}
	return best, others
}

// hedged names the operations but one whose calls are sent more than once.
func (f *fanOuts) hedged(but *fanOut) []string {
	var out []string
	for _, o := range f.ops {
		if o != but && o.hedged > 0 {
			out = append(out, fmt.Sprintf("%s, %d times", o.key, o.hedged))
		}
	}
	slices.Sort(out)
	return out[:min(len(out), 3)]
}
