package calltree

import (
	"encoding/binary"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// What few spans have is kept as a text of its own kind, so that one table of
// names and one way beside it serve everything. Texts in them are preceded by
// their length, numbers are varints.

func packStore(b []byte, d *ingest.Datastore) []byte {
	for _, s := range [...]string{d.System, d.Namespace, d.Op, d.Template} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	var bits uint64
	if d.Cut {
		bits |= 1
	}
	if d.Pipelined {
		bits |= 2
	}
	b = binary.AppendUvarint(b, bits)
	b = binary.AppendVarint(b, int64(d.Keys))
	return binary.AppendVarint(b, int64(d.Batch))
}

func unpackStore(text, statement string) *ingest.Datastore {
	u := unpacker(text)
	d := &ingest.Datastore{System: u.text(), Namespace: u.text(), Op: u.text(), Template: u.text(), Statement: statement}
	bits := u.uvarint()
	d.Cut, d.Pipelined = bits&1 != 0, bits&2 != 0
	d.Keys, d.Batch = int(u.varint()), int(u.varint())
	return d
}

func packCall(b []byte, c *ingest.Call) []byte {
	b = append(b, byte(c.Protocol))
	b = binary.AppendUvarint(b, uint64(len(c.Method)))
	b = append(b, c.Method...)
	return append(b, c.Target...)
}

func unpackCall(text string) *ingest.Call {
	u := unpacker(text)
	c := &ingest.Call{Protocol: ingest.Protocol(u.uvarint()), Method: u.text()}
	c.Target = string(u)
	return c
}

// packExtra writes what a span has beside the defaults: one that stands for
// itself, whose attempt is not known, and that has nothing rare is nothing.
func packExtra(b []byte, stands int64, resend int32, r *ingest.Rare) []byte {
	b = binary.AppendVarint(b, stands)
	b = binary.AppendVarint(b, int64(resend))
	if r != nil {
		for _, v := range [...]int64{int64(r.Min), int64(r.Max), int64(r.Total), int64(r.Budget), int64(r.Retries), int64(r.Hedges), r.Dropped} {
			b = binary.AppendVarint(b, v)
		}
	}
	return b
}

// extra is packExtra unpacked.
type extra struct {
	stands int64
	resend int32
	rare   *ingest.Rare
}

func unpackExtra(text string) extra {
	if text == "" {
		return extra{stands: 1, resend: -1}
	}
	u := unpacker(text)
	e := extra{stands: u.varint(), resend: int32(u.varint())}
	if len(u) > 0 {
		d := func() time.Duration { return time.Duration(u.varint()) }
		e.rare = &ingest.Rare{Min: d(), Max: d(), Total: d(), Budget: d(), Retries: int32(u.varint()), Hedges: int32(u.varint()), Dropped: u.varint()}
	}
	return e
}

// unpacker is the rest of a packed text. At its end it gives zeros.
type unpacker string

func (u *unpacker) uvarint() uint64 {
	var v uint64
	for i := 0; i < len(*u) && i < binary.MaxVarintLen64; i++ {
		c := (*u)[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			*u = (*u)[i+1:]
			return v
		}
	}
	*u = ""
	return 0
}

func (u *unpacker) varint() int64 {
	v := u.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (u *unpacker) text() string {
	n := min(u.uvarint(), uint64(len(*u)))
	s := string((*u)[:n])
	*u = (*u)[n:]
	return s
}
