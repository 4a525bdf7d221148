package storm

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/redisslot"
)

// MGetNumbers are the numbers of an mget-storm finding, of the request that sent
// the most commands. All are lower bounds: spans may be lost or pruned. Null: not
// known.
type MGetNumbers struct {
	Commands int64  `json:"commands"`
	Keys     *int64 `json:"keys"`  // distinct ones where all are visible
	Slots    *int64 `json:"slots"` // of the keys, where all are visible
	Peers    *int64 `json:"peers"` // servers seen

	Requests int64 `json:"requests_affected"`
}

// MGetStorm finds reads and writes of many keys that went out key by key.
var MGetStorm = detect.Detector{
	Name: "mget-storm", Severity: detect.Error, Reads: ingest.KindTrace,
	Doc: `One read or write of many keys became a command for each key

A Redis Cluster answers a command on several keys only if all of them are in one
of its 16384 slots. Client libraries therefore split MGET, MSET and DEL by slot,
and since the keys of a batch nearly all have slots of their own (k random keys
have 16384(1-(1-1/16384)^k) of them: 48 keys 47.9), one call of 48 keys becomes
48 commands, not one for each server. Programs that send GET or SET for each key
at once do the same by hand. The slowest of all the commands decides, and the
servers do many times the work.

What it rests on: under one parent at least 8 commands, and more than twice the
servers seen, that are one MGET, MSET or DEL (UNLINK) over again, overlapping or
back to back, or one command of a single key at once (they overlap so much that
two ran at any time on average); to one logical store, most of them with one key,
in more than one slot or to more than one server. Keys are read
from statements where those show them; where they show the number only (Node.js)
or nothing (.NET), command, parent and time are left. Confidence is high where a
command for many keys was split and the number of keys of each is known, medium
for commands of a single key and where it is known of some, low where nothing
says how many keys each named, or that they were spread. MSET that is followed
by EXPIRE for each key is the same finding: twice the commands, and keys without
an expiry if the program ends between the two.

Numbers are of the request with the most commands, and lower bounds: collectors
drop spans, and pruned summaries are counted as the spans they stand for. A
command that a client recorded twice, or sent again, counts once.

Not reported: pipelines and transactions (one round trip however many commands),
connection set-up, batches of several keys each, keys of one slot, single-key
commands one after another (n-plus-one), commands of queues, streams, scripts
and blocking pops, and what no request waits for (prefetching, fire-and-forget).

As a grouping: children by (trace, parent, service, store, command), with the
count, the numbers of distinct keys, slots and peers, the sum of durations and
the time that at least one ran; of those with count >= 8 and more than twice the
peers, by (service, operation of the parent, command): the number of distinct
traces, the maximum of the counts, and the sum of their time on critical paths.

tailcheck slots --from FILE works out the slots of the largest batch in a trace
file, what each way of sending it costs, and hash tags for the cluster's
primaries.

Source of the rule on slots: the Redis Cluster specification.`,
	New: func() detect.Tally { return &mgetTally{sums: table[mgetSums]{}} },
}

// mgetTally adds up storms by operation.
type mgetTally struct {
	sums table[mgetSums]

	find  volleys
	list  []volley
	found []occurrence
	waits waits
	trace collector
}

type mgetSums struct {
	sums
	command, also string // Redis names
	system        string
	does          command
	peers         int // most seen in a request
	worst         worst
}

// worst is the storm with the most commands.
type worst struct {
	commands, named int64
	all             bool
	slots           int
	keys            []string // at most maxWorst, the first in order
	trace           ingest.TraceID
	parent          ingest.SpanID
}

// maxWorst is how many keys are kept to plan with.
const maxWorst = 1 << 12

func (t *mgetTally) Add(r ingest.Record) {
	tr, ok := r.(*calltree.Trace)
	if !ok {
		return
	}
	t.list, t.found = t.list[:0], t.found[:0]
	for parent := range tr.Parents() {
		for _, v := range t.find.find(tr, parent) {
			k := keyOf(tr, parent, v.spans[0])
			if k.call = v.op; v.also != "" {
				k.call += " and " + v.also
			}
			spans := slices.Clone(v.spans)
			t.found = append(t.found, occurrence{parent: parent, key: k, spans: spans, calls: v.commands, took: v.took, busy: v.busy, confidence: v.confidence})
			v.spans = spans
			t.list = append(t.list, v)
		}
	}
	if len(t.found) == 0 {
		return
	}
	t.waits.fill(tr, t.found)
	t.trace.reset()
	for i := range t.found {
		if o := &t.found[i]; o.waited > 0 {
			t.trace.add(tr, o)
			t.sums.get(o.key).storm(tr, o, &t.list[i])
		}
	}
	for k, s := range t.trace.seen {
		t.sums.get(k).merge(s)
	}
}

// storm adds what only storms have.
func (s *mgetSums) storm(t *calltree.Trace, o *occurrence, v *volley) {
	s.command, s.also, s.system, s.does = v.op, v.also, t.Spans[o.spans[0]].Store.System, v.does
	s.peers = max(s.peers, v.peers)
	w := worst{commands: v.commands, named: v.named, all: v.all, slots: v.slots, keys: v.keys, trace: t.ID}
	if p := t.Span(o.parent); p != nil {
		w.parent = p.ID
	} else {
		w.parent = t.Spans[o.spans[0]].Parent
	}
	if w.compare(&s.worst) < 0 {
		w.keys = nil
		for _, key := range v.keys[:min(len(v.keys), maxWorst)] {
			w.keys = append(w.keys, strings.Clone(key)) // not to hold the statement
		}
		s.worst = w
	}
}

// compare orders the worst first.
func (w *worst) compare(o *worst) int {
	all := 0
	if w.all != o.all {
		if all = 1; w.all {
			all = -1
		}
	}
	return cmp.Or(cmp.Compare(o.commands, w.commands), all, cmp.Compare(len(o.keys), len(w.keys)), cmp.Compare(o.slots, w.slots), cmp.Compare(o.named, w.named),
		bytes.Compare(w.trace[:], o.trace[:]), bytes.Compare(w.parent[:], o.parent[:]))
}

func (t *mgetTally) Merge(other detect.Tally) {
	for k, o := range other.(*mgetTally).sums {
		s := t.sums.get(k)
		s.merge(&o.sums)
		s.command, s.also, s.system, s.does = o.command, o.also, o.system, o.does
		s.peers = max(s.peers, o.peers)
		if o.worst.compare(&s.worst) < 0 {
			s.worst = o.worst
		}
	}
}

func (t *mgetTally) Findings() []detect.Finding {
	var out []detect.Finding
	for _, k := range t.sums.keys() {
		out = append(out, t.sums[k].report(k))
	}
	return out
}

func (s *mgetSums) report(k key) detect.Finding {
	f := s.finding(k)
	w := &s.worst
	n := MGetNumbers{Commands: w.commands, Requests: s.requests}
	if w.named >= 0 {
		n.Keys = &w.named
	}
	if w.all {
		slots := int64(w.slots)
		n.Slots = &slots
	}
	if s.peers > 0 {
		peers := int64(s.peers)
		n.Peers = &peers
	}
	f.Numbers = n

	what := "one read"
	if s.does.writes() {
		what = "one write"
	}
	if s.does == deleteMany {
		what = "one deletion"
	}
	of := " of one key each"
	if w.named < 0 {
		of = ""
	}
	servers := ""
	if s.peers > 0 {
		servers = " to " + count(int64(s.peers), "server")
	}
	f.Message = fmt.Sprintf("%s sends at least %d %s commands%s%s for what looks like %s; %s waited %s for them",
		k.caller(), w.commands, k.call, of, servers, what, count(s.requests, "request"), ms(s.waited))

	e := evidence{}
	e.add("commands at once or in a row, at least", span(s.least, s.most), fmt.Sprintf("below %d, or one for each server", leastCommands))
	if n.Keys != nil {
		e.add("keys named, at least", fmt.Sprint(*n.Keys), "")
	}
	switch {
	case n.Slots != nil:
		e.add("slots of the keys", fmt.Sprint(w.slots), fmt.Sprintf("about %s for so many random keys", short(redisslot.ExpectedSlots(len(w.keys)))))
	case len(w.keys) > 0:
		e.add("slots of the keys that are visible", fmt.Sprint(w.slots), "")
	}
	if s.peers > 0 {
		e.add("round trips that would do", fmt.Sprint(s.peers), "one for each server seen")
		e.add("round trips saved", fmt.Sprint(w.commands-int64(s.peers)), "")
	}
	e.add("time that the commands took, added up", ms(s.took), "")
	if s.pruned > 0 {
		e.add("groups with pruned summaries", fmt.Sprint(s.pruned), "counted as the spans they stand for")
	}
	e.add("rests on", s.restsOn(), "")
	f.Evidence = e
	f.Remedy = s.remedy()
	return f
}

func (s *mgetSums) restsOn() string {
	switch {
	case s.worst.all:
		return "keys in statements, parent and time"
	case s.worst.named >= 0:
		return "number of keys of each command, parent and time"
	}
	return "command, parent and time; how many keys each command named is not recorded"
}
