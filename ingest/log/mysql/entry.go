package mysql

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// reader keeps the entry that was begun, and what the server was found to be.
type reader struct {
	shapes     *shapes
	statements log.Statements
	clock      log.Clock

	server server
	given  bool       // --tz
	zoned  bool       // offset is known
	offset int64      // of local stamps, in seconds east of UTC
	last   log.Moment // of the last "# Time:" without a zone: further entries of its second have none

	begun bool
	entry entry
}

// entry is what was read of one.
type entry struct {
	at    ingest.Pos
	user  bool
	took  time.Duration
	timed bool // took was read
	whole bool // in whole seconds

	time  log.Moment // "# Time:"; zero: none
	set   log.Moment // "SET timestamp="; zero: none
	admin bool
	text  []byte
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	x := &r.entry
	head := len(x.text) == 0 // no statement has begun
	switch {
	case begins(line):
		userOnly := line[2] == 'U'
		if r.begun && (x.user || x.timed || !userOnly) {
			return r.turn(line, e)
		}
		if !r.begun {
			r.begin(e.Pos)
		}
		if userOnly {
			x.user = true
			return log.ErrIgnore
		}
		text, _, both := bytes.Cut(line[len(timeMark):], []byte(" # User@Host: "))
		x.user = both
		return r.time(bytes.TrimSpace(text))
	case bytes.HasPrefix(line, queryMark) && claims(line) == log.Own:
		if r.begun && x.timed {
			return r.turn(line, e)
		}
		if !r.begun {
			r.begin(e.Pos)
		}
		return r.query(line[len(queryMark):])
	case isBanner(line):
		if r.begun {
			return r.turn(line, e)
		}
		r.server.banner(line)
		r.last = log.Moment{}
		return log.ErrIgnore
	case !r.begun:
		if bytes.HasPrefix(line, []byte("# ")) || bytes.HasPrefix(line, []byte("SET timestamp=")) {
			return errCut // the rest of an entry
		}
		return log.ErrOther
	case head && line[0] == '#':
		if bytes.Contains(line, []byte("  QC_hit: ")) {
			r.server.kind = mariaDB
		}
		x.admin = x.admin || bytes.HasPrefix(line, adminMark)
		return log.ErrIgnore
	case head && prefixFold(line, "use ") && bytes.HasSuffix(line, []byte(";")):
		return log.ErrIgnore
	case head && bytes.HasPrefix(line, []byte("SET ")):
		if m, ok := r.setTimestamp(line); ok {
			x.set = m
			return log.ErrIgnore
		}
	}
	if room := log.MaxStatement + 1 - len(x.text); room > 0 {
		x.text = append(append(x.text, line[:min(len(line), room)]...), '\n')
	}
	return log.ErrIgnore
}

func (r *reader) begin(at ingest.Pos) {
	r.begun = true
	r.entry = entry{at: at, text: r.entry.text[:0]}
}

// turn gives the entry that a line ends. The line is asked for again, unless
// there is nothing to give.
func (r *reader) turn(line []byte, e *log.Entry) error {
	err := r.End(e)
	if e.More = err == nil; !e.More {
		_ = r.Read(line, e) // no entry is begun: it cannot come back here
	}
	return err
}

// End gives the entry that was begun.
func (r *reader) End(e *log.Entry) error {
	if !r.begun {
		return log.ErrIgnore
	}
	r.begun = false
	x := &r.entry
	if !x.timed {
		return errCut
	}
	e.Pause, e.Pos, e.Latency = true, x.at, x.took
	switch {
	case x.admin && len(x.text) == 0:
		e.Op = "administrator command"
	default:
		e.Op, _ = r.statements.Op("", x.text)
	}
	starts := r.stamp(e)
	i, j := 0, 0
	if starts {
		i = 1
	}
	if x.whole {
		j = 1
	}
	e.Shape = &r.shapes[i][j]
	return nil
}

// query reads "0.003464  Lock_time: 0.000324 Rows_sent: 1000 …".
func (r *reader) query(rest []byte) error {
	number, _, _ := bytes.Cut(rest, []byte(" "))
	d, _, explicit, ok := log.Duration(number, r.shapes[0][0].Unit)
	if !ok || explicit {
		return log.ErrLatency
	}
	r.entry.took, r.entry.timed, r.entry.whole = d, true, bytes.IndexByte(number, '.') < 0
	return log.ErrIgnore
}

func prefixFold(line []byte, prefix string) bool {
	return len(line) >= len(prefix) && bytes.EqualFold(line[:len(prefix)], []byte(prefix))
}
