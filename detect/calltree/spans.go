package calltree

import (
	"encoding/binary"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
)

// Spans is a store of spans at rest, in which traces meet. Each worker fills
// one of its own; they are merged, and then give the traces. What they give
// depends only on the spans that were added, not on their order or on who
// added which.
//
// A span takes 104 bytes, with what segments leave free about 107 to 113 (the
// store's tests measure it), and its texts are shared. The zero value is an
// empty store without a limit. A Spans is not safe for concurrent use while it is
// filled; when it is full, different parts may be read at once.
type Spans struct {
	memory *Memory
	own    *shelf // nil: nothing was added
	merged []*shelf
	open   *[parts]segment
	n      int64
	err    error // the first error of a temporary file

	stores map[*ingest.Datastore][2]ref // without those that are kept beside the rows
	calls  map[*ingest.Call]ref
	extras map[extra]ref
	buf    []byte
}

// maxCached bounds each of the maps above, in entries.
const maxCached = 1 << 13

// NewSpans returns an empty store. Memory is shared with others; nil: no limit.
func NewSpans(m *Memory) *Spans { return &Spans{memory: m} }

// Len returns how many spans were added.
func (s *Spans) Len() int64 { return s.n }

// Add stores a copy of a span. After an error of a temporary file, which Traces
// reports, it does nothing.
func (s *Spans) Add(span *ingest.Span) {
	if s.err != nil {
		return
	}
	if s.own == nil {
		s.own = &shelf{memory: s.memory, names: newNames()}
		s.open = new([parts]segment)
		s.stores, s.calls, s.extras = map[*ingest.Datastore][2]ref{}, map[*ingest.Call]ref{}, map[extra]ref{}
	}
	part := partOf(span.Trace)
	g := &s.open[part]
	if g.full() {
		s.put(part)
		g.rows = make([]row, 0, segmentRows)
	}
	g.names = s.own.names
	g.rows = append(g.rows, row{
		trace: span.Trace, id: span.ID, parent: span.Parent, start: span.Start, end: span.End,
		offset: span.Offset, input: span.Input, args: span.Args, status: span.Status, flags: flagsOf(span),
		service: s.name(g, span.Service), instance: s.name(g, span.Instance), op: s.name(g, span.Op), peer: s.name(g, span.Peer),
	})
	r := &g.rows[len(g.rows)-1]
	if span.Store != nil {
		r.store, r.statement = s.datastore(g, span.Store)
	}
	if span.Call != nil {
		r.call = s.call(g, span.Call)
	}
	if span.Stands != 1 || span.Resend != -1 || span.Rare != nil {
		r.extra = s.extra(g, extra{span.Stands, span.Resend, span.Rare})
	}
	s.n++
}

func (s *Spans) name(g *segment, t string) ref {
	if r, ok := s.own.names.number(t); ok {
		return r
	}
	return g.add(t)
}

func (s *Spans) datastore(g *segment, d *ingest.Datastore) (store, statement ref) {
	if r, ok := s.stores[d]; ok {
		return r[0], r[1]
	}
	s.buf = packStore(s.buf[:0], d)
	store = s.name(g, string(s.buf))
	// Statements often differ in every span. They get half of the table, so that
	// names have a place in the rest.
	statement, ok := ref(0), d.Statement == ""
	if n := s.own.names; !ok && len(n.list) < maxNames/2 && n.bytes < maxNameBytes/2 {
		statement, ok = n.number(d.Statement)
	}
	if !ok {
		statement = g.add(d.Statement)
	}
	if (store|statement)&beside == 0 {
		remember(s.stores, d, [2]ref{store, statement})
	}
	return store, statement
}

func (s *Spans) call(g *segment, c *ingest.Call) ref {
	if r, ok := s.calls[c]; ok {
		return r
	}
	s.buf = packCall(s.buf[:0], c)
	r := s.name(g, string(s.buf))
	if r&beside == 0 {
		remember(s.calls, c, r)
	}
	return r
}

func (s *Spans) extra(g *segment, e extra) ref {
	if r, ok := s.extras[e]; ok {
		return r
	}
	s.buf = packExtra(s.buf[:0], e.stands, e.resend, e.rare)
	r := s.name(g, string(s.buf))
	if r&beside == 0 {
		remember(s.extras, e, r)
	}
	return r
}

func remember[K comparable, V any](m map[K]V, k K, v V) {
	if len(m) >= maxCached {
		clear(m)
	}
	m[k] = v
}

func (s *Spans) put(part int) {
	g := s.open[part]
	s.open[part] = segment{}
	if err := s.own.put(part, &g); err != nil && s.err == nil {
		s.err = err
	}
}

// Merge adds all of o, which is not used again.
func (s *Spans) Merge(o *Spans) {
	if o.own != nil {
		for part := range o.open {
			if len(o.open[part].rows) > 0 {
				o.put(part)
			}
		}
		s.merged = append(s.merged, o.own)
	}
	s.merged = append(s.merged, o.merged...)
	s.n += o.n
	if s.err == nil {
		s.err = o.err
	}
	*o = Spans{}
}

// Parts is the number of parts that the traces of a store are spread over. All
// spans of a trace are in one part.
func (*Spans) Parts() int { return parts }

// Traces assembles the traces of one part and yields them in the order of a hash
// of their ids. The trace and all that it holds is overwritten by the next, but
// for strings and what Store, Call and Rare point to. An error, of a temporary
// file, is yielded last.
func (s *Spans) Traces(part int) iter.Seq2[*Trace, error] {
	return func(yield func(*Trace, error) bool) {
		if s.err != nil {
			yield(nil, s.err)
			return
		}
		newLoader().run(s, part, yield)
	}
}

// All assembles the traces of all parts, as Traces does.
func (s *Spans) All() iter.Seq2[*Trace, error] {
	return func(yield func(*Trace, error) bool) {
		if s.err != nil {
			yield(nil, s.err)
			return
		}
		l := newLoader()
		for part := range parts {
			if !l.run(s, part, yield) {
				return
			}
		}
	}
}

// Close forgets the spans and removes temporary files.
func (s *Spans) Close() error {
	err := s.err
	for _, shelf := range s.shelves() {
		if e := shelf.close(); err == nil {
			err = e
		}
	}
	*s = Spans{memory: s.memory}
	return err
}

func (s *Spans) shelves() []*shelf {
	if s.own == nil {
		return s.merged
	}
	return append([]*shelf{s.own}, s.merged...)
}

// each calls visit with every segment of a part.
func (s *Spans) each(part int, visit func(*segment) error) error {
	for _, shelf := range s.shelves() {
		if err := shelf.each(part, visit); err != nil {
			return err
		}
	}
	if s.open != nil && len(s.open[part].rows) > 0 {
		return visit(&s.open[part])
	}
	return nil
}

// rows returns how many spans a part holds.
func (s *Spans) rows(part int) (n int64) {
	for _, shelf := range s.shelves() {
		n += shelf.rows(part)
	}
	if s.open != nil {
		n += int64(len(s.open[part].rows))
	}
	return n
}

// low returns the low 64 bits of a trace id: what spans of one trace share
// where some of their processes know 64-bit ids only.
func low(id ingest.TraceID) uint64  { return binary.BigEndian.Uint64(id[8:]) }
func high(id ingest.TraceID) uint64 { return binary.BigEndian.Uint64(id[:8]) }

// partOf returns the part of a trace. Ids need not be random, so they are mixed.
func partOf(id ingest.TraceID) int { return int(mix(low(id)) >> (64 - partBits)) }

// mix spreads the bits of x over all 64 (the finaliser of SplitMix64, Steele
// et al. 2014).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
