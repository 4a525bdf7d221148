package whatif

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

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

// opKey names calls of one operation by who makes them.
type opKey struct {
	caller, callerOp string
	service, op      string
	kind             ingest.Kind
}

// String returns what is called, and by whom.
func (k opKey) String() string {
	name := strings.TrimSpace(k.op)
	if name == "" {
		name = "calls without a name"
	}
	if by := strings.TrimSpace(k.caller + " " + k.callerOp); by != "" {
		name += " below " + by
	}
	return name
}

func (k opKey) compare(o opKey) int {
	return cmp.Or(cmp.Compare(k.caller, o.caller), cmp.Compare(k.callerOp, o.callerOp), cmp.Compare(k.service, o.service), cmp.Compare(k.op, o.op), cmp.Compare(k.kind, o.kind))
}

func (k opKey) hash() uint64 {
	h := uint64(14695981039346656037) + uint64(k.kind)
	for _, t := range [...]string{k.caller, k.callerOp, k.service, k.op} {
		for i := range len(t) {
			h = (h ^ uint64(t[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return mixed(h)
}

// mixed spreads the bits of x (the finaliser of SplitMix64); it is never 0.
func mixed(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return (x ^ x>>31) | 1
}

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

// request is one parent with its calls.
type request struct {
	hash       uint64
	start      ingest.Time
	took, wait time.Duration // of the parent; the time in which at least one call ran
	calls      []call        // by start
}

type call struct {
	start   ingest.Time
	took    time.Duration
	peer    uint32 // hash of its name; 0: not known
	outcome ingest.Outcome
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
	if p != nil && t.Timed(parent) {
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

// isCall reports whether a span is a call that its parent waits for: no message,
// no connection set-up, no command that shares a round trip, and not the server's
// end of the call that the parent is.
func isCall(t *calltree.Trace, p *ingest.Span, n calltree.Node) bool {
	s := t.Span(n)
	if !t.Timed(n) || s.Async || s.Setup || s.Cached || s.Store != nil && s.Store.Pipelined {
		return false
	}
	if s.Kind == ingest.ServerSpan {
		return p != nil && p.Kind != ingest.ClientSpan && t.Crosses(n)
	}
	return p != nil || s.Kind == ingest.ClientSpan
}

// isHedge reports whether overlapping calls are one that was sent more than
// once: one has an answer, and the others were cancelled when it came.
func isHedge(calls []call) bool {
	if len(calls) < 2 || len(calls) > 5 || calls[1].start.Sub(calls[0].start) < time.Millisecond {
		return false
	}
	won, lost := 0, 0
	for _, c := range calls {
		switch c.outcome {
		case ingest.OK:
			won++
		case ingest.Canceled:
			lost++
		}
	}
	return won == 1 && won+lost == len(calls)
}

// idempotent says whether a call may be made twice: 1 its method says so, -1 its
// method says no, 0 not known. HTTP: RFC 9110, 9.2.2; of stores, commands that
// add to what is there.
func idempotent(s *ingest.Span) int {
	switch m := methodOf(s); m {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "SELECT", "MGET", "HGET", "HGETALL", "EXISTS":
		return 1
	case "POST", "PATCH", "CONNECT", "INSERT", "UPDATE", "INCR", "INCRBY", "DECR", "DECRBY", "LPUSH", "RPUSH", "XADD":
		return -1
	}
	return 0
}

func methodOf(s *ingest.Span) string {
	switch {
	case s.Call != nil && s.Call.Protocol == ingest.HTTP:
		return s.Call.Method
	case s.Store != nil:
		return s.Store.Op
	}
	return ""
}

func peerHash(name string) uint32 {
	if name == "" {
		return 0
	}
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return uint32(mixed(h)>>32) | 1
}

func hashOf(t *calltree.Trace, n calltree.Node, g calltree.Group) uint64 {
	id := func(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
	h := mixed(id(t.ID[:8]))
	h = mixed(h ^ id(t.ID[8:]))
	return mixed(h ^ id(t.Spans[g.Spans[0]].ID[:]) ^ uint64(n))
}

func (f *fanOuts) get(k opKey) *fanOut {
	if o := f.ops[k]; o != nil {
		return o
	}
	if f.most != 0 && k.hash() >= f.most {
		return nil
	}
	if f.ops == nil {
		f.ops = map[opKey]*fanOut{}
	}
	o := &fanOut{key: k}
	f.ops[k] = o
	if len(f.ops) > 2*maxOps {
		f.cut()
	}
	return f.ops[k]
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
		return cmp.Or(cmp.Compare(b.parallel, a.parallel), cmp.Compare(b.calls, a.calls), a.key.compare(b.key))
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
