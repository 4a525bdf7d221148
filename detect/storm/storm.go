// Package storm finds work that one request does many times over and could do
// at once: a batch that a client library splits into a command for each key, a
// query for each row of a list, the same question asked again and again.
//
// The checks rest on the shape of the trace (who called what under which parent,
// and when). Attributes such as statements make them surer where they are
// recorded. What costs nobody any time is no finding: time is counted where a
// request waited for it, on its critical path.
package storm

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// Detectors are the detectors of repeated work, the gravest first.
var Detectors = []detect.Detector{
	MGetStorm,
	NPlusOne,
	RepeatedCall,
}

// key names an operation whose requests repeat a call.
type key struct {
	service, parent string // of the span that calls; parent empty with lost
	lost            bool   // the calling span is missing, service is that of the calls
	call            string // what is called, in words
}

func (k key) compare(o key) int {
	lost := 0
	if k.lost != o.lost {
		lost = 1
		if o.lost {
			lost = -1
		}
	}
	return cmp.Or(cmp.Compare(k.service, o.service), cmp.Compare(k.parent, o.parent), lost, cmp.Compare(k.call, o.call))
}

// hash is the same in every run.
func (k key) hash() uint64 {
	h := fnv.New64a()
	for _, s := range [...]string{k.service, k.parent, k.call} {
		_, _ = h.Write([]byte(s))
		_, _ = h.Write([]byte{0})
	}
	if k.lost {
		_, _ = h.Write([]byte{1})
	}
	return h.Sum64()
}

// caller names who calls, for messages.
func (k key) caller() string {
	who := clip(k.parent)
	if k.lost {
		who = "a missing span"
	} else if who == "" {
		who = "a span without a name"
	}
	if k.service != "" {
		who += " of " + clip(k.service)
	}
	return who
}

// maxKeys is how many operations a tally remembers. There are so many only
// where names hold identifiers; then those with the lowest hashes are kept, the
// same ones whatever the order of traces.
const maxKeys = 1 << 12

// table holds the sums of operations.
type table[V any] map[key]*V

func (m table[V]) get(k key) *V {
	v := m[k]
	if v == nil {
		if len(m) >= 2*maxKeys {
			m.prune()
		}
		v = new(V)
		m[k] = v
	}
	return v
}

func (m table[V]) prune() {
	if len(m) <= maxKeys {
		return
	}
	hashes := make([]uint64, 0, len(m))
	for k := range m {
		hashes = append(hashes, k.hash())
	}
	slices.Sort(hashes)
	limit := hashes[maxKeys-1]
	for k := range m {
		if k.hash() > limit {
			delete(m, k)
		}
	}
}

// keys returns the operations that are kept, in order.
func (m table[V]) keys() []key {
	m.prune()
	out := make([]key, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, key.compare)
	return out
}

// sums are what is added up for an operation. All of it is whole numbers,
// extremes and sets, so that the order of traces does not matter.
type sums struct {
	requests    int64 // with at least one such parent
	parents     int64 // spans that made the calls
	calls       int64 // of all parents
	least, most int64 // calls of one parent; least 0: none yet
	took        time.Duration
	waited      time.Duration // on critical paths
	within      time.Duration // durations of the parents that are known
	atOnce      int64         // parents whose calls ran beside each other
	pruned      int64         // parents some of whose calls a collector had pruned
	confidence  detect.Confidence
	inputs      []int32 // sorted
	exemplars   []exemplar
}

// exemplar is a trace that shows it.
type exemplar struct {
	waited time.Duration
	id     ingest.TraceID
}

// maxExemplars is how many traces a finding names.
const maxExemplars = 5

func (s *sums) merge(o *sums) {
	s.requests += o.requests
	s.parents += o.parents
	s.calls = add(s.calls, o.calls)
	if s.least == 0 || o.least != 0 && o.least < s.least {
		s.least = o.least
	}
	s.most = max(s.most, o.most)
	s.took, s.waited, s.within = add(s.took, o.took), add(s.waited, o.waited), add(s.within, o.within)
	s.atOnce += o.atOnce
	s.pruned += o.pruned
	s.confidence = max(s.confidence, o.confidence)
	for _, in := range o.inputs {
		s.input(in)
	}
	s.show(o.exemplars...)
}

func (s *sums) input(in int32) {
	if i, ok := slices.BinarySearch(s.inputs, in); !ok {
		s.inputs = slices.Insert(s.inputs, i, in)
	}
}

// show offers exemplars; those that waited longest stay, of equal ones those of
// the lower ids.
func (s *sums) show(list ...exemplar) {
	for _, e := range list {
		if i := slices.IndexFunc(s.exemplars, func(x exemplar) bool { return x.id == e.id }); i >= 0 {
			e.waited = max(e.waited, s.exemplars[i].waited)
			s.exemplars = slices.Delete(s.exemplars, i, i+1)
		}
		i, _ := slices.BinarySearchFunc(s.exemplars, e, func(a, b exemplar) int {
			return cmp.Or(cmp.Compare(b.waited, a.waited), bytes.Compare(a.id[:], b.id[:]))
		})
		if i < maxExemplars {
			s.exemplars = slices.Insert(s.exemplars, i, e)
			s.exemplars = s.exemplars[:min(len(s.exemplars), maxExemplars)]
		}
	}
}

// occurrence is the calls of one parent, to be added.
type occurrence struct {
	parent     calltree.Node
	key        key
	spans      []calltree.Node // by start
	calls      int64           // that they stand for; each once
	took       time.Duration   // durations added up
	busy       time.Duration   // time in which at least one ran
	waited     time.Duration   // that the request waited for them
	confidence detect.Confidence
}

// collector adds the occurrences of one trace, so that requests and exemplars
// count once.
type collector struct {
	seen map[key]*sums
	tops map[topKey]bool
}

type topKey struct {
	key key
	top calltree.Node
}

// add adds the calls of one parent.
func (c *collector) add(t *calltree.Trace, o *occurrence) {
	if c.seen == nil {
		c.seen, c.tops = map[key]*sums{}, map[topKey]bool{}
	}
	s := c.seen[o.key]
	if s == nil {
		s = &sums{}
		c.seen[o.key] = s
	}
	one := sums{
		parents: 1, calls: o.calls, least: o.calls, most: o.calls, took: o.took, waited: o.waited, confidence: o.confidence,
	}
	top := o.parent
	if p := t.Span(o.parent); p != nil {
		one.within = t.Duration(o.parent)
		one.input(p.Input)
		top = t.Top(o.parent)
	}
	if k := (topKey{o.key, top}); !c.tops[k] {
		c.tops[k] = true
		one.requests = 1
	}
	if o.took >= 2*o.busy && len(o.spans) > 1 {
		one.atOnce = 1
	}
	for _, k := range o.spans {
		one.input(t.Spans[k].Input)
		if t.Spans[k].Stands > 1 {
			one.pruned = 1
		}
	}
	s.merge(&one)
	s.exemplars = append(s.exemplars[:0], exemplar{s.waited, t.ID})
}

func (c *collector) reset() {
	clear(c.seen)
	clear(c.tops)
}

// finding fills in what all findings of the package have in common.
func (s *sums) finding(k key) detect.Finding {
	f := detect.Finding{Confidence: s.confidence, Op: k.parent, Impact: s.waited}
	for _, in := range s.inputs {
		f.Inputs = append(f.Inputs, int(in))
	}
	for _, e := range s.exemplars {
		f.Exemplars = append(f.Exemplars, hex.EncodeToString(e.id[:]))
	}
	return f
}

// add adds what must not wrap round, however hostile the times.
func add[T ~int64](a, b T) T {
	if c := a + b; c >= a || b < 0 {
		return c
	}
	return 1<<63 - 1
}

// clip shortens a name that is quoted in a message.
func clip(name string) string {
	const longest = 80
	if len(name) <= longest {
		return name
	}
	return strings.ToValidUTF8(name[:longest], "") + "…"
}

// keyOf names who calls; what is called is filled in by others.
func keyOf(t *calltree.Trace, parent, child calltree.Node) key {
	if p := t.Span(parent); p != nil {
		return key{service: p.Service, parent: p.Op}
	}
	return key{service: t.Spans[child].Service, lost: true}
}
