package log

import (
	"bytes"
	"encoding/hex"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Layout is how the fields of lines of one shape are to be understood.
type Layout struct {
	Shape    ingest.Shape
	Latency  Unit // of the request
	Upstream Unit // of the upstream tries
	Vantage  ingest.Vantage
}

// Builder makes entries of fields. It keeps what is remembered from line to
// line, for one goroutine. The zero value is ready.
type Builder struct {
	Clock  Clock
	Routes Routes
	Peers  Names
	ids    ids
}

// Build fills e from the fields of a line. An error says why the line is not
// to be read.
func (b *Builder) Build(l *Layout, f *Fields, e *Entry) error {
	e.Shape = &l.Shape
	e.Vantage = l.Vantage
	if err := b.stamp(f, e); err != nil {
		return err
	}
	if v := f[StatusCode]; len(v) > 0 {
		status, ok := Status(v)
		if !ok {
			return ErrStatus
		}
		if status > 0 {
			e.Status, e.Outcome = status, Outcome(status)
		}
	}
	switch {
	case f[Request] != nil:
		e.Op = b.Routes.Request(f[Request])
	case f[Target] != nil:
		method := f[Method]
		if method == nil {
			method = []byte("ANY")
		}
		e.Op = b.Routes.Op(method, f[Target])
	}
	if v := f[Latency]; !none(v) {
		d, ok := l.Latency.read(v)
		if !ok {
			return ErrLatency
		}
		e.Latency = d
	}
	if f[Upstream] != nil || f[UpstreamStatus] != nil || f[UpstreamPeer] != nil {
		t := Tries{f[Upstream], f[UpstreamStatus], f[UpstreamPeer], [2][]byte{f[UpstreamOther], f[UpstreamOther2]}}
		var ok bool
		if e.Attempts, ok = t.attempts(e.Attempts, l.Upstream, &b.Peers); !ok {
			return ErrLatency
		}
	}
	if e.Latency < 0 {
		b.lacking(e)
	}
	e.Stream = e.Status == 101 || e.Op == "CONNECT"
	if v := f[RequestID]; v != nil {
		e.Request = b.ID(v)
	}
	if v := f[TraceParent]; len(v) >= 32 {
		e.Trace = TraceID(v)
	}
	return nil
}

// ID returns the string of a request id, or of another value that seldom
// repeats. "-" is none.
func (b *Builder) ID(v []byte) string {
	if none(v) {
		return ""
	}
	return b.ids.string(v)
}

// stamp reads the stamps of a line. A line has to have one that can be read if
// its format has one at all.
func (b *Builder) stamp(f *Fields, e *Entry) (err error) {
	ok := false
	if v := f[Epoch]; v != nil {
		e.Stamp, ok = b.Clock.Read(v)
	}
	if v := f[Time]; v != nil && !ok {
		if e.Stamp, ok = b.Clock.Read(v); !ok {
			return ErrStamp
		}
	}
	if v := f[EndTime]; v != nil && ok {
		end, ok := b.Clock.Read(v)
		if !ok {
			return ErrStamp
		}
		e.Start, e.End = e.Stamp.Time, end.Time
	}
	return nil
}

// lacking makes up for a latency that the line does not give: by its two
// stamps, or by its tries, which came one after the other.
func (b *Builder) lacking(e *Entry) {
	if e.Start != 0 && e.End >= e.Start {
		e.Latency = e.End.Sub(e.Start)
		return
	}
	sum, known := time.Duration(0), false
	for i := range e.Attempts {
		if d := e.Attempts[i].Latency; d >= 0 {
			sum += min(d, time.Duration(maxLatency)-sum)
			known = true
		}
	}
	if known {
		e.Latency = sum
	}
}

// TraceID reads the trace id of a W3C traceparent ("00-<32 hex digits>-…"), or a
// bare one of 32 hex digits. Anything else is none.
func TraceID(v []byte) (id ingest.TraceID) {
	if len(v) >= 35 && v[2] == '-' {
		v = v[3:35]
	}
	v = bytes.TrimSpace(v)
	if len(v) != 32 {
		return id
	}
	if _, err := hex.Decode(id[:], v); err != nil {
		return ingest.TraceID{}
	}
	return id
}
