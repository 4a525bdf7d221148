package calltree

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tailcheck/tailcheck/ingest"
)

// MaxTrace is how many spans of one trace are assembled. Of a larger one those
// whose content has the lowest hashes are taken, the same ones whatever the
// order, and the others are counted in Counts.Beyond.
const MaxTrace = 1 << 20

// minRoom is what a part may take in memory while it is judged, however low the
// limit, in bytes: files are read once for each pass.
const minRoom = 8 << 20

// Tests lower these.
var (
	maxTrace = int64(MaxTrace)
	room     = int64(minRoom)
)

// rec is a row and the segment whose texts it refers to.
type rec struct {
	*row
	seg *segment
}

func (r rec) str(f ref) string { return r.seg.str(f) }

// hash mixes what tells a row from others.
func (r *row) hash() uint64 {
	return mix(binary.BigEndian.Uint64(r.id[:]) ^ mix(uint64(r.start)) ^ mix(uint64(r.end)+uint64(r.kind())))
}

// loader turns the rows of a part into traces, one after another, in memory
// that it uses again.
type loader struct {
	recs, sorted []rec            // as read, and by group
	which        []int32          // group of each of recs
	index        map[uint64]int32 // low half of a trace id to its group
	groups       []group          // by low half of the trace id
	traces       []group          // by a hash of the trace id
	builder      builder
}

// group is a piece of sorted.
type group struct {
	id       ingest.TraceID
	from, to int
	beyond   int64 // rows that were left out
}

func newLoader() *loader { return &loader{index: map[uint64]int32{}} }

// run yields the traces of a part, and returns false when that is to end. A
// part that is large for the memory limit is loaded in several passes, each
// with the traces that another few bits of the hash of their ids select.
func (l *loader) run(s *Spans, part int, yield func(*Trace, error) bool) bool {
	total := s.rows(part)
	passBits := 0
	if m := s.memory; m != nil && m.limit > 0 {
		for total*(rowSize+16)>>passBits > max(m.limit/4, room) && passBits < 8 {
			passBits++
		}
	}
	for pass := range uint64(1) << passBits {
		in := func(r *row) bool {
			return passBits == 0 || mix(low(r.trace))<<partBits>>(64-passBits) == pass
		}
		if err := l.load(s, part, total, in); err != nil {
			yield(nil, err)
			return false
		}
		for _, g := range l.traces {
			t := l.builder.build(g.id, l.sorted[g.from:g.to], g.beyond)
			if !yield(t, nil) {
				return false
			}
		}
	}
	return true
}

// load fills sorted and traces with the rows of a part that are in.
func (l *loader) load(s *Spans, part int, total int64, in func(*row) bool) error {
	var limits map[uint64]uint64 // of traces that are too large: the highest hash to keep
	if total > maxTrace {
		var err error
		if limits, err = tooLarge(s, part, in); err != nil {
			return err
		}
	}
	clear(l.recs) // let go of segments that were read from files
	l.recs, l.which, l.groups, l.traces = l.recs[:0], l.which[:0], l.groups[:0], l.traces[:0]
	if len(l.index) > 1<<16 {
		l.index = map[uint64]int32{} // clearing costs as much as it ever held
	}
	clear(l.index)
	err := s.each(part, func(g *segment) error {
		for i := range g.rows {
			if r := &g.rows[i]; in(r) {
				l.take(rec{r, g}, limits)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	at := 0
	for i := range l.groups {
		g := &l.groups[i]
		n := g.to
		g.from, g.to = at, at
		at += n
	}
	clear(l.sorted)
	l.sorted = slices.Grow(l.sorted[:0], at)[:at]
	for i, r := range l.recs {
		g := &l.groups[l.which[i]]
		l.sorted[g.to] = r
		g.to++
	}
	for _, g := range l.groups {
		l.split(g)
	}
	// By hash, since that is how passes follow on each other.
	slices.SortFunc(l.traces, func(a, b group) int {
		return cmp.Or(cmp.Compare(mix(low(a.id)), mix(low(b.id))), bytes.Compare(a.id[:], b.id[:]))
	})
	return nil
}

// take adds a row to its group, whose to is the number of rows until all are there.
func (l *loader) take(r rec, limits map[uint64]uint64) {
	t := low(r.trace)
	n, ok := l.index[t]
	if !ok {
		n = int32(len(l.groups))
		l.index[t] = n
		l.groups = append(l.groups, group{})
	}
	if limit, ok := limits[t]; ok && r.hash() > limit {
		l.groups[n].beyond++
		return
	}
	l.groups[n].to++
	l.recs = append(l.recs, r)
	l.which = append(l.which, n)
}

// tooLarge returns the traces of more than maxTrace spans, and of each the
// highest hash that leaves no more.
func tooLarge(s *Spans, part int, in func(*row) bool) (map[uint64]uint64, error) {
	count := map[uint64]*[65]int64{} // rows by leading zeros of their hash
	err := s.each(part, func(g *segment) error {
		for i := range g.rows {
			r := &g.rows[i]
			if !in(r) {
				continue
			}
			c := count[low(r.trace)]
			if c == nil {
				c = new([65]int64)
				count[low(r.trace)] = c
			}
			c[bits.LeadingZeros64(r.hash())]++
		}
		return nil
	})
	limits := map[uint64]uint64{}
	for t, c := range count {
		var n int64
		for zeros := 64; zeros >= 0; zeros-- {
			if n += c[zeros]; n > maxTrace {
				limits[t] = ^uint64(0) >> (zeros + 1)
				break
			}
		}
	}
	return limits, err
}

// split adds the traces of a group. Spans whose trace id has only 64 bits
// belong to the one trace of 128 bits with the same low half; where there are
// several of those, they stay alone.
func (l *loader) split(g group) {
	list := l.sorted[g.from:g.to]
	if len(list) == 0 {
		return
	}
	id, mixed := list[0].trace, false
	for _, r := range list {
		switch {
		case r.trace == id || high(r.trace) == 0 && low(id) != 0:
		case high(id) == 0 && low(id) != 0:
			id = r.trace
		default:
			mixed = true
		}
	}
	g.id = id
	if !mixed {
		l.traces = append(l.traces, g)
		return
	}
	slices.SortStableFunc(list, func(a, b rec) int { return bytes.Compare(a.trace[:], b.trace[:]) })
	for i := g.from + 1; i <= g.to; i++ {
		if i == g.to || l.sorted[i].trace != l.sorted[i-1].trace {
			l.traces = append(l.traces, group{l.sorted[i-1].trace, g.from, i, g.beyond})
			g.from, g.beyond = i, 0
		}
	}
}
