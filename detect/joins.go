package detect

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// MaxJoins is how many requests of an input are kept to be found again in
// others: those whose ids have the lowest hashes, so that two inputs keep the
// same ones of the requests that they share.
const MaxJoins = 1 << 14

// Join is a request that may be found in another input.
type Join struct {
	Hash    uint64 // of its id
	Start   ingest.Time
	Latency time.Duration
	Pos     ingest.Pos
	Op      string
}

func (x Join) compare(y Join) int {
	return cmp.Or(cmp.Compare(x.Hash, y.Hash), x.Pos.Compare(y.Pos))
}

// repeats is how many requests of one id are kept, those that come first.
const repeats = 4

// Joins are the requests of an input by their ids. The zero value is none.
type Joins struct {
	list []Join
	most uint64 // hash above which none is kept; 0: there is room for all
	next int    // length at which the list is shortened
}

func (j *Joins) add(x Join) {
	if j.most != 0 && x.Hash > j.most {
		return
	}
	if j.list = append(j.list, x); len(j.list) >= max(j.next, 2*MaxJoins) {
		j.shorten()
		j.next = 2 * len(j.list)
	}
}

// shorten keeps the lowest hashes.
func (j *Joins) shorten() {
	slices.SortFunc(j.list, Join.compare)
	kept, hashes, same := j.list[:0], 0, 0
	for i, x := range j.list {
		if same++; i == 0 || x.Hash != kept[len(kept)-1].Hash {
			if same = 1; hashes == MaxJoins {
				j.most = kept[len(kept)-1].Hash
				break
			}
			hashes++
		}
		if same <= repeats {
			kept = append(kept, x)
		}
	}
	j.list = kept
}

func (j *Joins) merge(o *Joins) {
	if o.most != 0 && (j.most == 0 || o.most < j.most) {
		j.most = o.most
		j.list = slices.DeleteFunc(j.list, func(x Join) bool { return x.Hash > j.most })
	}
	for _, x := range o.list {
		j.add(x)
	}
}

// All returns the requests by hash, those of one id one after the other, once
// the table is finished.
func (j *Joins) All() []Join { return j.list }

// hashString is a hash that is the same on every machine.
func hashString(s string) uint64 {
	h := uint64(len(s)) * 0x9E3779B97F4A7C15
	for len(s) >= 8 {
		h = mix(h ^ uint64(s[0]) ^ uint64(s[1])<<8 ^ uint64(s[2])<<16 ^ uint64(s[3])<<24 ^ uint64(s[4])<<32 ^ uint64(s[5])<<40 ^ uint64(s[6])<<48 ^ uint64(s[7])<<56)
		s = s[8:]
	}
	var last uint64
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	return mix(h ^ last)
}

func hashTrace(id ingest.TraceID) uint64 {
	return mix(binary.LittleEndian.Uint64(id[:8]) ^ mix(binary.LittleEndian.Uint64(id[8:])))
}

// mix is the folded multiply of wyhash.
func mix(h uint64) uint64 {
	hi, lo := bits.Mul64(h^0xA0761D6478BD642F, 0xE7037ED1A0B428DB)
	return hi ^ lo
}

// joins takes note of a request that has an id and a latency.
func (in *Input) joins(s *ingest.Sample) {
	if s.Request != "" {
		in.ByRequest.add(Join{hashString(s.Request), s.Start, s.Latency, s.Pos, s.Op})
	}
	if s.Trace != (ingest.TraceID{}) {
		in.ByTrace.add(Join{hashTrace(s.Trace), s.Start, s.Latency, s.Pos, s.Op})
	}
}

// Trace takes note of how long a whole trace took, so that it may be found again
// in a log.
func (t *Table) Trace(id ingest.TraceID, at ingest.Pos, op string, start ingest.Time, took time.Duration) {
	t.input(at.Input).ByTrace.add(Join{hashTrace(id), start, took, at, op})
}
