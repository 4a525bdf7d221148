package w3c

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Reasons why lines are not read.
var (
	errFields = errors.New("not as many fields as the header names")
	errHeader = errors.New("no header, and not the order of IIS")
	errOther  = errors.New("fields without a request")
)

// maxLayouts is how many headers are told apart when lines are counted.
const maxLayouts = 16

// reader reads a log from its first line to its last.
type reader struct {
	log.Builder
	opt      ingest.Options
	software unit
	day      []byte // of the last #Date
	columns  *columns
	layout   *log.Layout
	layouts  map[layoutKey]*log.Layout
	headless [2]*log.Layout // of lines without a header: without and with a latency
	guess    []column
	fields   []field
	f        [columnCount]field
	roles    log.Fields
	stamp    []byte
}

type layoutKey struct {
	names string
	unit  unit
	taken bool
}

func newReader(opt ingest.Options) *reader {
	return &reader{opt: opt, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}}, layouts: map[layoutKey]*log.Layout{}}
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	if line[0] == '#' {
		r.header(line)
		return log.ErrIgnore
	}
	r.fields = split(line, r.fields[:0])
	of, l := []column(nil), r.layout
	switch {
	case r.columns == nil:
		if !dated(line) {
			return errHeader
		}
		if of = usual(r.guess[:0], r.fields); of == nil {
			return errHeader
		}
		r.guess = of
		l = r.bare(slices.Contains(of, taken))
	case !r.columns.requests():
		return errOther
	case len(r.fields) != len(r.columns.of):
		return errFields
	default:
		of = r.columns.of
	}
	clear(r.f[:])
	for i, c := range of {
		r.f[c] = r.fields[i]
	}
	return r.entry(l, e)
}

// header takes note of a line that begins with #.
func (r *reader) header(line []byte) {
	if names, ok := bytes.CutPrefix(line, []byte("#Fields:")); ok {
		if r.columns == nil || !bytes.Equal(bytes.TrimSpace(names), []byte(r.columns.names)) {
			r.columns = newColumns(names)
		}
	} else if software, ok := bytes.CutPrefix(line, []byte("#Software:")); ok {
		r.software = softwareUnit(software)
	} else if day, ok := bytes.CutPrefix(line, []byte("#Date:")); ok {
		if day = bytes.TrimSpace(day); len(day) >= 10 {
			r.day = append(r.day[:0], day[:10]...)
		}
		return
	}
	if r.columns == nil {
		return
	}
	u := r.software
	switch {
	case r.columns.ms:
		u = unit{time.Millisecond, ingest.UnitFromKey}
	case u.size == 0 && r.columns.iis:
		u = unit{time.Millisecond, ingest.UnitFromFormat}
	}
	r.layout = r.layoutOf(layoutKey{r.columns.names, u, r.columns.taken})
}

// layoutOf returns the layout of lines with a header and a unit.
func (r *reader) layoutOf(k layoutKey) *log.Layout {
	if l := r.layouts[k]; l != nil {
		return l
	}
	if len(r.layouts) >= maxLayouts {
		k.names = "W3C"
		if l := r.layouts[k]; l != nil {
			return l
		}
	}
	s := ingest.Shape{Layout: k.names, Stamp: ingest.StampEnd}
	if k.taken {
		s.Clock, s.Unit, s.UnitFrom = "request received", k.unit.size, k.unit.from
		switch k.unit.size {
		case 0:
			s.Assumed, s.Other = time.Millisecond, time.Second
		case time.Millisecond:
			s.Step = time.Millisecond
		}
	}
	l := log.NewLayout(s, ingest.Server, r.opt)
	r.layouts[k] = &l
	return &l
}

// bare returns the layout of lines without a header.
func (r *reader) bare(timed bool) *log.Layout {
	i := 0
	if timed {
		i = 1
	}
	if r.headless[i] == nil {
		r.headless[i] = r.layoutOf(layoutKey{"no header; the order of IIS", unit{time.Millisecond, ingest.UnitFromFormat}, timed})
	}
	return r.headless[i]
}

// entry makes a request of the fields.
func (r *reader) entry(l *log.Layout, e *log.Entry) error {
	f := &r.f
	if none(f[method]) && none(f[target]) {
		return log.ErrIgnore // a connection that timed out without a request
	}
	clear(r.roles[:])
	r.roles[log.Target], r.roles[log.StatusCode] = f[target], f[status]
	if !none(f[method]) {
		r.roles[log.Method] = f[method]
	}
	if f[target] == nil {
		r.roles[log.Target] = []byte("*")
	}
	r.roles[log.Latency], r.roles[log.RequestID] = f[taken], f[request]
	if err := r.Build(l, &r.roles, e); err != nil {
		return err
	}
	if !r.when(e) {
		return log.ErrStamp
	}
	return nil
}

// when reads the stamp, if the lines have one.
func (r *reader) when(e *log.Entry) (ok bool) {
	f := &r.f
	day, at, utc := f[date], f[clock], true
	if day == nil && at != nil && f[localDate] == nil {
		day = r.day
	}
	switch {
	case f[ended] != nil:
		e.Stamp, ok = r.read(f[ended], nil, true)
		return ok
	case day == nil || at == nil:
		day, at, utc = f[localDate], f[localClock], false
	}
	if day == nil || at == nil {
		return true // none
	}
	e.Stamp, ok = r.read(day, at, utc)
	return ok
}

// read reads a stamp in one field or two.
func (r *reader) read(day, at []byte, utc bool) (m log.Moment, ok bool) {
	r.stamp = append(r.stamp[:0], day...)
	if at != nil {
		r.stamp = append(append(r.stamp, 'T'), at...)
	}
	if utc {
		r.stamp = append(r.stamp, 'Z')
	}
	if m, ok = r.Clock.Read(r.stamp); ok && utc {
		m.Zone = ingest.ZoneUTC
	}
	return m, ok
}

func none(b []byte) bool { return len(b) == 0 || len(b) == 1 && b[0] == '-' }
