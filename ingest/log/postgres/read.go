package postgres

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// reader keeps what later lines need: a statement that goes on, lock waits that
// go on, statements that were logged when they began.
type reader struct {
	scanner
	clock log.Clock
	ops   log.Statements
	plans bool // auto_explain's are the only durations

	begun bool // there was a record: lines may go on with it
	open  bool // in a quoted field of csvlog
	held  held
	waits []lockWait
	said  map[int64]string // operations by the process that runs them
	text  []byte
}

// held is an entry whose table was not on its first line.
type held struct {
	on    bool
	at    ingest.Pos
	took  time.Duration
	stamp log.Moment
	kind  layout
	step  string
	plan  bool // its statement is behind "Query Text"
	full  bool // its statement has ended
	text  []byte
}

// lockWait is a wait that was logged as going on.
type lockWait struct {
	pid    int64
	length time.Duration
	stamp  log.Moment
	kind   layout
}

// Bounds of what is kept.
const (
	maxWaits = 4096
	maxSaid  = 1 << 16
)

func (r *reader) Read(line []byte, e *log.Entry) error {
	rec, ok := r.scan(line)
	if !ok {
		return r.continues(line, e)
	}
	if r.held.on {
		r.give(e)
		e.More = true
		return nil
	}
	r.begun = true
	r.open = rec.layout == csvLines && odd(line)
	var m log.Moment
	kind, w, err := said(rec.message)
	if string(rec.severity) != "LOG" {
		kind, err = nothing, nil
		if len(r.waits) == 0 || !ends(rec.severity) || r.find(rec.pid) < 0 {
			return log.ErrIgnore
		}
	} else if kind == nothing || err != nil {
		return ignored(err)
	}
	if kind == logged {
		op, _ := r.ops.Op("", r.plain(rec.layout, w.sql))
		if len(r.said) >= maxSaid {
			clear(r.said)
		}
		r.said[rec.pid] = op
		return log.ErrIgnore
	}
	if kind == planned && !r.plans {
		return log.ErrIgnore
	}
	if kind == ran {
		r.plans = false // from here on they would count twice
	}
	if len(rec.stamp) > 0 {
		if m, ok = r.clock.Read(rec.stamp); !ok {
			return log.ErrStamp
		}
	}
	e.Stamp = m
	switch kind {
	case nothing: // an error ends a wait
		i := r.find(rec.pid)
		r.lock(e, r.waits[i])
		r.waits = append(r.waits[:i], r.waits[i+1:]...)
		return nil
	case waiting:
		x := lockWait{w.pid, w.took, m, rec.layout}
		if i := r.find(w.pid); i >= 0 {
			r.waits[i] = x
			return log.ErrIgnore
		}
		if len(r.waits) < maxWaits {
			r.waits = append(r.waits, x)
			return log.ErrIgnore
		}
		r.lock(e, x)
		return nil
	case acquired:
		if i := r.find(w.pid); i >= 0 {
			r.waits = append(r.waits[:i], r.waits[i+1:]...)
		}
		r.lock(e, lockWait{w.pid, w.took, m, rec.layout})
		return nil
	}
	return r.ran(e, &rec, &w, kind == planned)
}

func ignored(err error) error {
	if err != nil {
		return err
	}
	return log.ErrIgnore
}

// ends reports a severity that ends a statement.
func ends(severity []byte) bool {
	switch string(severity) {
	case "ERROR", "FATAL", "PANIC":
		return true
	}
	return false
}

func (r *reader) find(pid int64) int {
	if pid != 0 {
		for i := range r.waits {
			if r.waits[i].pid == pid {
				return i
			}
		}
	}
	return -1
}

// lock makes e the pause of a lock wait.
func (r *reader) lock(e *log.Entry, x lockWait) {
	e.Pause, e.Op, e.Latency, e.Stamp, e.Shape = true, "lock wait", x.length, x.stamp, &waits[x.kind]
}

// ran makes e the sample of a statement, or holds it until its table is known.
func (r *reader) ran(e *log.Entry, rec *record, w *words, plan bool) error {
	e.Latency, e.Vantage, e.Shape = w.took, ingest.Server, &statements[rec.layout]
	if len(w.sql) == 0 && !plan {
		op, ok := r.said[rec.pid]
		if !ok || rec.pid == 0 {
			op = log.NoStatement
		}
		e.Op = op
		return nil
	}
	sql := r.plain(rec.layout, w.sql)
	closed := rec.layout == jsonLines || rec.layout == csvLines && !r.open
	op, whole := r.ops.Op(w.step, sql)
	if whole || closed || e.Stamp.Time == 0 {
		e.Op = op
		return nil
	}
	h := &r.held
	*h = held{on: true, at: e.Pos, took: w.took, stamp: e.Stamp, kind: rec.layout, step: w.step, plan: plan && len(sql) == 0, text: append(append(h.text[:0], sql...), '\n')}
	return log.ErrIgnore
}

// plain returns the first bytes of a statement without the escapes of its layout.
func (r *reader) plain(kind layout, sql []byte) []byte {
	sql = sql[:min(len(sql), log.MaxStatement+1)]
	switch kind {
	case jsonLines:
		if bytes.IndexByte(sql, '\\') >= 0 {
			r.text = log.Unescape(r.text[:0], sql)
			return r.text
		}
	case csvLines:
		r.text = r.text[:0]
		for {
			i := bytes.IndexByte(sql, '"')
			if i < 0 {
				if len(r.text) == 0 {
					return sql
				}
				return append(r.text, sql...)
			}
			r.text = append(r.text, sql[:i]...)
			if i+1 == len(sql) || sql[i+1] != '"' {
				return r.text // the field ends
			}
			r.text = append(r.text, '"')
			sql = sql[i+2:]
		}
	}
	return sql
}

// continues reads a line that goes on with a record.
func (r *reader) continues(line []byte, e *log.Entry) error {
	switch {
	case r.open:
		closes := odd(line)
		r.hold(line, csvLines)
		r.held.full = r.held.full || closes
		r.open = r.open != closes
	case r.begun && (line[0] == '\t' || line[0] == ' '):
		r.hold(line, stderrLines)
	case r.held.on:
		r.give(e)
		e.More = true
		return nil
	default:
		return log.ErrOther
	}
	return log.ErrIgnore
}

// hold adds a line to the statement that is held.
func (r *reader) hold(line []byte, kind layout) {
	h := &r.held
	if !h.on || h.kind != kind || h.full || len(h.text) > log.MaxStatement {
		return
	}
	text := r.plain(kind, line)
	if h.plan {
		if text = queryText(text); text == nil {
			return
		}
		h.plan = false
	}
	h.text = append(append(h.text, text...), '\n')
}

// give makes e the entry that was held.
func (r *reader) give(e *log.Entry) {
	h := &r.held
	h.on = false
	e.Pos, e.Latency, e.Stamp, e.Vantage, e.Shape = h.at, h.took, h.stamp, ingest.Server, &statements[h.kind]
	e.Op, _ = r.ops.Op(h.step, h.text)
}

// End gives the statement that was held, and the waits that the log does not
// see the end of.
func (r *reader) End(e *log.Entry) error {
	switch {
	case r.held.on:
		r.give(e)
	case len(r.waits) > 0:
		r.lock(e, r.waits[0])
		r.waits = r.waits[1:]
	default:
		return log.ErrIgnore
	}
	e.More = true
	return nil
}
