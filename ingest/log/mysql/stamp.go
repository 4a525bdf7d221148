package mysql

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// server is what the log was found to be written by.
type server struct {
	kind  kind
	shown bool // an entry has shown that SET timestamp is the start, or the end
	start bool // which
}

type kind uint8

const (
	unknownServer kind = iota
	mySQL              // before 8.0.14; later ones have the end on each entry
	newMySQL
	mariaDB
)

// banner reads "/usr/sbin/mysqld, Version: 5.7.12-log ((Ubuntu)). started with:".
// Versions from 10 on are MariaDB's: MySQL went from 8 to 9.
func (s *server) banner(line []byte) {
	_, version, ok := bytes.Cut(line, []byte(", Version: "))
	if !ok {
		return
	}
	var n [3]int
	part := 0
	for _, c := range version {
		if c == '.' && part < 2 {
			part++
		} else if c-'0' <= 9 && n[part] < 1000 {
			n[part] = n[part]*10 + int(c-'0')
		} else {
			break
		}
	}
	switch {
	case bytes.Contains(line, []byte("MariaDB")) || n[0] >= 10:
		s.kind = mariaDB
	case n[0] > 8 || n[0] == 8 && (n[1] > 0 || n[2] >= 14):
		s.kind = newMySQL
	default:
		s.kind = mySQL
	}
}

// starts reports whether SET timestamp is the start of a query. Sources: MySQL's
// manual, "The Slow Query Log": from 8.0.14 on the start, before when it was
// logged; MariaDB as observed.
func (s *server) starts() bool {
	if s.shown {
		return s.start
	}
	return s.kind == mariaDB || s.kind == newMySQL
}

// quarter is what offsets of zones are multiples of, in seconds.
const quarter = 900

// stamp works out the stamp of the entry, and reports whether it is the start.
func (r *reader) stamp(e *log.Entry) (starts bool) {
	x := &r.entry
	local := x.time
	switch {
	case x.time.Time != 0 && x.time.Zone == ingest.ZoneStated:
		e.Stamp = x.time
		return false
	case x.set.Time != 0:
		if local.Time != 0 && !r.given {
			r.compare(local, x.set, x.took)
		}
		e.Stamp = x.set
		return r.server.starts()
	case local.Time == 0:
		local = r.last
	}
	if local.Time != 0 && local.Zone == ingest.ZoneUnknown && r.zoned {
		local.Time -= ingest.Time(r.offset * int64(time.Second))
		local.Zone = ingest.ZoneStated // by the entries that have both
	}
	e.Stamp = local
	return false
}

// compare learns from an entry that has both stamps: the local one is that of
// the end, so that the other, but for the zone, is as much before it as the
// query took, or not at all.
func (r *reader) compare(local, set log.Moment, took time.Duration) {
	took = min(took, quarter/2*time.Second)
	between := local.Time.Sub(set.Time).Round(time.Second)
	whole, rest := zone(between)
	if took >= 2*time.Second {
		near := func(d time.Duration) bool { return d.Abs() < 1500*time.Millisecond }
		switch late, after := zone(between - took.Round(time.Second)); {
		case near(rest):
			r.server.shown, r.server.start = true, false
		case near(after):
			r.server.shown, r.server.start = true, true
			whole, rest = late, after
		}
	}
	if rest.Abs() < 5*time.Second {
		r.offset, r.zoned = whole, true
	}
}

// zone cuts the time between two stamps into an offset that zones have, in
// seconds, and a rest.
func zone(between time.Duration) (offset int64, rest time.Duration) {
	near := between.Round(quarter * time.Second)
	if near.Abs() > 14*time.Hour {
		return 0, between
	}
	return int64(near / time.Second), between - near
}

// time reads the text behind "# Time:", "2016-07-20T18:13:25.698433Z" or
// "071015 21:43:52", local and with a blank before a hour of one digit.
func (r *reader) time(text []byte) error {
	m, old, ok := readTime(&r.clock, text)
	if !ok {
		return log.ErrStamp
	}
	r.entry.time = m
	if old {
		r.last = m
	}
	return log.ErrIgnore
}

func readTime(c *log.Clock, text []byte) (m log.Moment, old, ok bool) {
	if len(text) == len("071015 21:43:52") && text[6] == ' ' {
		b := []byte("20yy-mm-ddThh:mm:ss")
		copy(b[2:], text[:2])
		copy(b[5:], text[2:4])
		copy(b[8:], text[4:6])
		copy(b[11:], text[7:])
		if b[11] == ' ' {
			b[11] = '0'
		}
		m, ok = c.Read(b)
		return m, true, ok
	}
	m, ok = c.Read(text)
	return m, false, ok
}

// setTimestamp reads "SET timestamp=1469038405;", also behind other variables:
// "SET insert_id=34484549,timestamp=1197996507;".
func (r *reader) setTimestamp(line []byte) (log.Moment, bool) {
	i := bytes.Index(line[:min(len(line), 256)], []byte("timestamp="))
	if i < 4 || line[i-1] != ' ' && line[i-1] != ',' {
		return log.Moment{}, false
	}
	v, rest, _ := bytes.Cut(line[i+len("timestamp="):], []byte(";"))
	v, _, _ = bytes.Cut(v, []byte(","))
	if len(rest) > 0 {
		return log.Moment{}, false // a statement of the user's that goes on
	}
	m, ok := r.clock.Read(v)
	return m, ok && m.Zone == ingest.ZoneUTC
}

// offsetOf finds the offset of local stamps in the first lines of a log: by the
// first entry with a SET timestamp in the second of a "# Time:".
func offsetOf(lines [][]byte) (offset int64, known bool) {
	var r reader
	var local log.Moment
	for _, line := range lines {
		if begins(line) && line[2] == 'T' {
			text, _, _ := bytes.Cut(line[len(timeMark):], []byte(" # User@Host: "))
			m, old, ok := readTime(&r.clock, bytes.TrimSpace(text))
			local = log.Moment{}
			if ok && old {
				local = m
			}
			continue
		}
		if local.Time == 0 || !bytes.HasPrefix(line, []byte("SET ")) {
			continue
		}
		if set, ok := r.setTimestamp(line); ok {
			if offset, rest := zone(local.Time.Sub(set.Time)); rest.Abs() < 5*time.Second {
				return offset, true
			}
		}
	}
	return 0, false
}
