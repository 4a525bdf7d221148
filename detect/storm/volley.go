package storm

import (
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/redisslot"
)

// leastCommands is how many commands make a storm, and peerShare how many there
// must be for each server that is seen: one for each is what a cluster costs.
const (
	leastCommands = 8
	peerShare     = 2
)

// volley is the commands that one parent sent for one logical read or write.
type volley struct {
	spans    []calltree.Node // by start
	op       string          // command: "MGET"
	also     string          // command that follows each of them: "EXPIRE"; empty: none
	does     command
	commands int64    // sent, each once however often it was recorded or tried again; at least
	named    int64    // keys that the commands name, each as often as it is named; -1: not known
	keys     []string // distinct keys that are visible
	all      bool     // keys are all that the commands name
	peers    int      // servers seen
	slots    int      // of keys
	busy     time.Duration
	took     time.Duration

	confidence detect.Confidence
}

// family is what siblings are grouped by: the same command to one logical store.
// Where a command takes one key only, keys of different patterns are different
// questions: they need not have been one.
type family struct {
	service, system, namespace, op, pattern string
}

// volleys finds storms. It is used again for one parent after another.
type volleys struct {
	index  index[family]
	groups [][]calltree.Node
	args   map[uint64]bool
	list   []volley
	keys   []string
}

// find returns the storms among the children of a node. The slice is overwritten
// by the next call.
func (f *volleys) find(t *calltree.Trace, parent calltree.Node) []volley {
	f.list = f.list[:0]
	kids := t.Children(parent)
	var n int64
	for _, k := range kids {
		if t.Spans[k].Store != nil {
			n = add(n, stands(&t.Spans[k]))
		}
	}
	if n < leastCommands {
		return nil
	}
	f.group(t, kids)
	for _, g := range f.groups {
		if commandOf(&t.Spans[g[0]]) == expireOne {
			continue
		}
		for _, c := range clusters(t, g) {
			// One after another, commands of one key are calls like others.
			v := timed(t, c)
			if v.does.many() || v.took >= 2*v.busy {
				f.judge(t, &v)
			}
			if v.commands > 0 {
				f.list = append(f.list, v)
			}
		}
	}
	for _, g := range f.groups {
		if commandOf(&t.Spans[g[0]]) != expireOne {
			continue
		}
		for _, c := range clusters(t, g) {
			v := timed(t, c)
			if f.judge(t, &v); v.commands > 0 && !f.follows(t, &v) && v.took >= 2*v.busy {
				f.list = append(f.list, v)
			}
		}
	}
	return f.list
}

func (f *volleys) group(t *calltree.Trace, kids []calltree.Node) {
	f.index.reset()
	f.groups = f.groups[:0]
	for _, k := range kids {
		s := &t.Spans[k]
		c := commandOf(s)
		if c == otherCommand || c == queueCommand || !waitedFor(t, k) {
			continue
		}
		d := s.Store
		key := family{s.Service, d.System, d.Namespace, d.Op, ""}
		if !c.many() {
			key.pattern = d.Template
		}
		i := f.index.of(key)
		if i == len(f.groups) {
			if i < cap(f.groups) {
				f.groups = f.groups[:i+1]
				f.groups[i] = f.groups[i][:0]
			} else {
				f.groups = append(f.groups, nil)
			}
		}
		f.groups[i] = append(f.groups[i], k)
	}
}

// clusters splits commands of one family where nothing ran for longer than the
// longest of them took.
func clusters(t *calltree.Trace, spans []calltree.Node) [][]calltree.Node {
	pause := time.Millisecond
	for _, k := range spans {
		pause = max(pause, t.Duration(k))
	}
	var out [][]calltree.Node
	from := 0
	var end ingest.Time
	for i, k := range spans {
		s := &t.Spans[k]
		if i > from && s.Start > end && s.Start.Sub(end) > pause {
			out = append(out, spans[from:i])
			from = i
		}
		if i == from || s.End > end {
			end = s.End
		}
	}
	return append(out, spans[from:])
}

// timed returns a cluster with its times.
func timed(t *calltree.Trace, spans []calltree.Node) volley {
	d := t.Spans[spans[0]].Store
	v := volley{does: commands[d.Op], op: d.Op, spans: spans, all: true}
	v.busy, v.took = busy(t, spans)
	return v
}

// judge fills in the rest, and commands if they are a storm but for when they ran.
func (f *volleys) judge(t *calltree.Trace, v *volley) {
	n := f.count(t, v)
	if n < leastCommands {
		return
	}
	one, known, all := f.look(t, v)
	switch {
	case 2*one <= known && known > 0: // batches
	case n <= peerShare*int64(max(v.peers, 1)): // what the servers cost
	case v.all && v.slots == 1: // nothing is split by slot
	default:
		v.commands = n
	}
	switch {
	case known == 0 || v.slots < 2 && v.peers < 2:
		v.confidence = detect.Low
	case known == all && v.does.many():
		v.confidence = detect.High
	default:
		v.confidence = detect.Medium
	}
}

// count returns how many commands were sent at least. One that is visible counts
// once: ioredis records commands twice that wait for a connection, and go-redis
// each time that it sends one again. Of hidden ones that fail and follow each
// other, each may be the same again.
func (f *volleys) count(t *calltree.Trace, v *volley) int64 {
	if f.args == nil || len(f.args) > 1024 {
		f.args = map[uint64]bool{}
	}
	clear(f.args)
	var n int64
	for _, k := range v.spans {
		s := &t.Spans[k]
		switch {
		case s.Stands > 1:
			n = add(n, s.Stands)
		case s.Args == 0:
			if s.Outcome == ingest.OK || v.took >= 2*v.busy {
				n++
			}
		case !f.args[s.Args]:
			f.args[s.Args] = true
			n++
		}
	}
	return n
}

// look fills in keys, slots and servers, and returns how many commands name one
// key, of how many their number is known, and how many there are.
func (f *volleys) look(t *calltree.Trace, v *volley) (one, known, all int64) {
	f.keys = f.keys[:0]
	var peers []string
	for _, k := range v.spans {
		s := &t.Spans[k]
		n := stands(s)
		all = add(all, n)
		if d := s.Store; d.Keys >= 0 {
			known = add(known, n)
			if d.Keys == 1 {
				one = add(one, n)
			}
			if n < 1<<31 {
				v.named = add(v.named, n*int64(min(d.Keys, 1<<30)))
			}
		}
		var visible bool
		f.keys, visible = visibleKeys(f.keys, s.Store)
		v.all = v.all && visible && n == 1
		if s.Peer != "" && len(peers) < maxPeers {
			if i, ok := slices.BinarySearch(peers, s.Peer); !ok {
				peers = slices.Insert(peers, i, s.Peer)
			}
		}
	}
	slices.Sort(f.keys)
	f.keys = slices.Compact(f.keys)
	var slots redisslot.Set
	for _, key := range f.keys {
		slots.Add(redisslot.Of(key))
	}
	v.keys, v.slots, v.peers = slices.Clone(f.keys), slots.Len(), len(peers)
	if v.all {
		v.named = int64(len(v.keys))
	} else if known == 0 {
		v.named = -1
	}
	return one, known, all
}

// maxPeers is how many servers are told apart. Redis advises at most about 1 000.
const maxPeers = 1 << 10

// follows joins the expiries of keys to what wrote them, and reports whether
// there was such a write: keys that are written and then given an expiry one by
// one take twice the commands.
func (f *volleys) follows(t *calltree.Trace, e *volley) bool {
	same := func(k calltree.Node) bool {
		a, b := &t.Spans[k], &t.Spans[e.spans[0]]
		return a.Service == b.Service && a.Store.System == b.Store.System && a.Store.Namespace == b.Store.Namespace && a.Start <= b.Start
	}
	for i := range f.list {
		if w := &f.list[i]; (w.does == writeMany || w.does == writeOne) && same(w.spans[0]) {
			w.join(e)
			return true
		}
	}
	for _, g := range f.groups {
		if commandOf(&t.Spans[g[0]]) != writeMany || !same(g[0]) {
			continue
		}
		w := timed(t, g)
		n := f.count(t, &w)
		if f.look(t, &w); w.named < leastCommands {
			continue
		}
		w.commands, w.confidence = n, e.confidence
		w.join(e)
		f.list = append(f.list, w)
		return true
	}
	return false
}

// join adds the expiries of what v wrote.
func (v *volley) join(e *volley) {
	v.spans = append(slices.Clip(v.spans), e.spans...)
	slices.Sort(v.spans)
	if e.op != v.op && v.also == "" {
		v.also = e.op
	}
	v.commands = add(v.commands, e.commands)
	v.named = max(v.named, e.named)
	if len(e.keys) > len(v.keys) {
		v.keys, v.slots, v.all = e.keys, e.slots, e.all
	}
	v.peers = max(v.peers, e.peers)
	v.busy, v.took = add(v.busy, e.busy), add(v.took, e.took)
	v.confidence = max(v.confidence, e.confidence)
}
