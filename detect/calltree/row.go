package calltree

import (
	"encoding/binary"

	"github.com/tailcheck/tailcheck/ingest"
)

// row is a span at rest: rowSize bytes that hold no pointer, so that the
// garbage collector does not look at them. Texts, and what few spans have, are
// refs. The trace id is in every row, not in a table beside: at the usual ten
// to thirty spans for a trace that costs about what a hash table of ids would,
// and rows can be merged and spilled without looking anything up.
type row struct {
	trace      ingest.TraceID
	id, parent ingest.SpanID
	start, end ingest.Time
	offset     int64
	args       uint64
	input      int32
	service    ref
	instance   ref
	op         ref
	peer       ref
	store      ref // Datastore without its statement, as packStore writes it; 0: none
	statement  ref
	call       ref // as packCall writes it; 0: none
	extra      ref // as packExtra writes it; 0: nothing
	status     int16
	flags      uint16
}

// rowSize is the size of a row, in memory and in a file, in bytes.
const rowSize = 104

// Bits of row.flags: kind, outcome and Remote+1 below them.
const (
	flagOutcome = 3
	flagRemote  = 5
	flagError   = 1 << (iota + 5)
	flagAsync
	flagLinked
	flagSetup
	flagCached
)

func (r *row) kind() ingest.Kind { return ingest.Kind(r.flags & 7) }

func (r *row) has(flag uint16) bool { return r.flags&flag != 0 }

func flagsOf(s *ingest.Span) uint16 {
	f := uint16(s.Kind&7) | uint16(s.Outcome&3)<<flagOutcome | uint16(s.Remote+1)&3<<flagRemote
	for _, b := range [...]struct {
		set  bool
		flag uint16
	}{
		{s.Error, flagError}, {s.Async, flagAsync}, {s.Linked, flagLinked}, {s.Setup, flagSetup}, {s.Cached, flagCached},
	} {
		if b.set {
			f |= b.flag
		}
	}
	return f
}

// encode appends the row as it is in a file.
func (r *row) encode(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, r.trace[:]...)
	b = append(b, r.id[:]...)
	b = append(b, r.parent[:]...)
	for _, v := range [...]uint64{uint64(r.start), uint64(r.end), uint64(r.offset), r.args} {
		b = le.AppendUint64(b, v)
	}
	for _, v := range [...]uint32{uint32(r.input), uint32(r.service), uint32(r.instance), uint32(r.op), uint32(r.peer),
		uint32(r.store), uint32(r.statement), uint32(r.call), uint32(r.extra)} {
		b = le.AppendUint32(b, v)
	}
	b = le.AppendUint16(b, uint16(r.status))
	return le.AppendUint16(b, r.flags)
}

// decode reads what encode wrote; b has rowSize bytes.
func (r *row) decode(b []byte) {
	le := binary.LittleEndian
	copy(r.trace[:], b)
	copy(r.id[:], b[16:])
	copy(r.parent[:], b[24:])
	r.start, r.end = ingest.Time(le.Uint64(b[32:])), ingest.Time(le.Uint64(b[40:]))
	r.offset, r.args = int64(le.Uint64(b[48:])), le.Uint64(b[56:])
	r.input = int32(le.Uint32(b[64:]))
	for i, f := range [...]*ref{&r.service, &r.instance, &r.op, &r.peer, &r.store, &r.statement, &r.call, &r.extra} {
		*f = ref(le.Uint32(b[68+4*i:]))
	}
	r.status, r.flags = int16(le.Uint16(b[100:])), le.Uint16(b[102:])
}
