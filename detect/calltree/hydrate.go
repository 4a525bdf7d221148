package calltree

import (
	"slices"

	"github.com/tailcheck/tailcheck/ingest"
)

// shared remembers what was unpacked, so that most spans cost no allocation and
// equal things share their memory. The values outlive the trace.
type shared struct {
	stores map[storeKey]*ingest.Datastore
	calls  map[sharedKey]*ingest.Call
	extras map[sharedKey]extra
}

type storeKey struct {
	names            *names
	store, statement ref
}

type sharedKey struct {
	names *names
	ref   ref
}

func (c *shared) store(r rec) *ingest.Datastore {
	k := storeKey{r.seg.names, r.row.store, r.statement}
	d, ok := c.stores[k]
	if !ok {
		d = unpackStore(r.str(r.row.store), r.str(r.statement))
		if (k.store|k.statement)&beside == 0 {
			if c.stores == nil {
				c.stores = map[storeKey]*ingest.Datastore{}
			}
			remember(c.stores, k, d)
		}
	}
	return d
}

func (c *shared) call(r rec) *ingest.Call {
	k := sharedKey{r.seg.names, r.row.call}
	v, ok := c.calls[k]
	if !ok {
		v = unpackCall(r.str(r.row.call))
		if k.ref&beside == 0 {
			if c.calls == nil {
				c.calls = map[sharedKey]*ingest.Call{}
			}
			remember(c.calls, k, v)
		}
	}
	return v
}

func (c *shared) extra(r rec) extra {
	k := sharedKey{r.seg.names, r.row.extra}
	v, ok := c.extras[k]
	if !ok {
		v = unpackExtra(r.str(r.row.extra))
		if k.ref&beside == 0 {
			if c.extras == nil {
				c.extras = map[sharedKey]extra{}
			}
			remember(c.extras, k, v)
		}
	}
	return v
}

// unpack makes a row a span again.
func (b *builder) unpack(r rec, s *ingest.Span) {
	*s = ingest.Span{
		Pos:   ingest.Pos{Input: r.input, Offset: r.offset},
		Trace: b.t.ID, ID: r.id, Parent: r.parent,
		Service: r.str(r.service), Instance: r.str(r.instance), Op: r.str(r.op), Peer: r.str(r.peer),
		Start: r.start, End: r.end, Stands: 1, Args: r.args, Resend: -1, Status: r.status,
		Kind: r.kind(), Outcome: ingest.Outcome(r.flags >> flagOutcome & 3), Remote: int8(r.flags>>flagRemote&3) - 1,
		Error: r.has(flagError), Async: r.has(flagAsync), Linked: r.has(flagLinked), Setup: r.has(flagSetup), Cached: r.has(flagCached),
	}
	if r.row.store != 0 {
		s.Store = b.shared.store(r)
	}
	if r.row.call != 0 {
		s.Call = b.shared.call(r)
	}
	if r.row.extra != 0 {
		e := b.shared.extra(r)
		s.Stands, s.Resend, s.Rare = e.stands, e.resend, e.rare
	}
}

// hydrate fills in the spans of the trace, in the order of the tree.
func (b *builder) hydrate() {
	t := &b.t
	for k, i := range b.at {
		b.unpack(b.recs[i], &t.Spans[k])
		t.Spans[k].Parent = b.pid[i]
	}
	for _, f := range b.fill {
		var s ingest.Span
		b.unpack(f.from, &s)
		complete(&t.Spans[b.place[f.to]], &s)
	}
	for k := range t.Spans {
		if p := t.Spans[k].Pos; k == 0 || p.Compare(t.Pos) < 0 {
			t.Pos = p
		}
	}
}

// complete fills in what a span does not know and another row of it does.
func complete(s, from *ingest.Span) {
	fillIn(&s.Service, from.Service)
	fillIn(&s.Instance, from.Instance)
	fillIn(&s.Op, from.Op)
	fillIn(&s.Peer, from.Peer)
	fillIn(&s.Store, from.Store)
	fillIn(&s.Call, from.Call)
	fillIn(&s.Rare, from.Rare)
	fillIn(&s.Args, from.Args)
	fillIn(&s.Status, from.Status)
	fillIn(&s.Outcome, from.Outcome)
	fillIn(&s.Kind, from.Kind)
	s.Stands, s.Resend = max(s.Stands, from.Stands), max(s.Resend, from.Resend)
	s.Error, s.Async, s.Linked = s.Error || from.Error, s.Async || from.Async, s.Linked || from.Linked
	s.Setup, s.Cached = s.Setup || from.Setup, s.Cached || from.Cached
}

func fillIn[T comparable](v *T, from T) {
	var zero T
	if *v == zero {
		*v = from
	}
}

// count fills in the counts of the trace and of each input.
func (b *builder) count(rows []rec) {
	t := &b.t
	// Every row counts for its own input.
	of := func(input int32) *Counts {
		if n := len(t.Inputs); n > 0 && t.Inputs[n-1].Input == input {
			return &t.Inputs[n-1].Counts
		}
		i, ok := slices.BinarySearchFunc(t.Inputs, input, func(c InputCounts, in int32) int { return int(c.Input) - int(in) })
		if !ok {
			t.Inputs = slices.Insert(t.Inputs, i, InputCounts{Input: input})
		}
		return &t.Inputs[i].Counts
	}
	for _, r := range rows {
		c := of(r.input)
		c.Rows++
		if r.has(flagError) {
			c.Errors++
		}
	}
	for _, f := range b.fill {
		c := of(f.from.input)
		c.RepeatedIDs++
		if f.from.start == 0 && f.from.end == 0 && b.recs[f.to].start|b.recs[f.to].end != 0 {
			c.Partial++
		} else {
			c.Duplicates++
		}
	}
	for i, m := range b.mark {
		if m == 0 {
			continue
		}
		c := of(b.recs[i].input)
		if m&markHalf != 0 {
			c.Halves++
			c.RepeatedIDs++
		}
		if m&markRepeated != 0 {
			c.Repeated++
			c.RepeatedIDs++
		}
		if m&markCut != 0 {
			c.Cut++
		}
	}
	for k := range t.Spans {
		s := &t.Spans[k]
		c := of(s.Input)
		c.Spans++
		c.Stands += s.Stands
		switch p := t.parent[k]; {
		case p >= Node(len(t.Spans)):
			c.Orphans++
		case p == None && s.Parent == ingest.SpanID{}:
			c.Roots++
		}
		if !timed(s) {
			c.Untimed++
		}
		if s.Rare != nil {
			c.Dropped += s.Rare.Dropped
		}
	}
	for i := range t.Inputs {
		t.Counts.Add(&t.Inputs[i].Counts)
	}
	t.Counts.Absent = int64(len(t.absent))
}
