package log

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Clock reads time stamps. It keeps the last second that it worked out, so that
// a second which many lines share costs one comparison. The zero value reads
// stamps without an offset as UTC and says so.
type Clock struct {
	Zone *time.Location // of stamps without an offset; nil: not known

	clf     [26]byte // the last stamp in the common log format, with an offset
	clfTime ingest.Time

	last   [40]byte // the last stamp of another layout, up to its seconds, and its zone behind it
	length int      // of last; 0: none
	whole  Moment   // of last, without its fraction
}

// MaxStamp is the length of the longest time stamp that is read.
const MaxStamp = 48

// Years that stamps may be of, so that nanoseconds fit and zero stays "not known".
const (
	minYear = 1971
	maxYear = 2261
)

// Read reads a time stamp, all of b. Layouts: the common log format
// ("29/Nov/2026:21:16:22 +0000", or a blank before the time), ISO 8601 and its kin ("2026-11-29T21:16:22.5Z",
// "2026/11/29 21:16:22", a comma before the fraction), ctime ("Sun Nov 29
// 21:16:22 2026"), RFC 1123 and "29 Nov 2026 21:16:22.5"; each with a fraction
// and an offset, a known zone name, or neither. Seconds, milliseconds, micro-
// and nanoseconds since the epoch are told apart by their 10, 13, 16 and 19
// digits. A stamp with the name of an unknown zone is refused.
func (c *Clock) Read(b []byte) (Moment, bool) {
	if len(b) == len(c.clf) && b[2] == '/' {
		if string(b) == string(c.clf[:]) {
			return Moment{Time: c.clfTime, Resolution: time.Second, Zone: ingest.ZoneStated}, true
		}
		if m, ok := c.parse(b); ok && m.Zone == ingest.ZoneStated && m.Resolution == time.Second {
			copy(c.clf[:], b)
			c.clfTime = m.Time
			return m, true
		}
	}
	if len(b) < 9 || len(b) > MaxStamp {
		return Moment{}, false
	}
	if m, ok := epoch(b); ok {
		return m, true
	}
	return c.parse(b)
}

// parse reads a stamp with a date by way of the last one.
func (c *Clock) parse(b []byte) (Moment, bool) {
	whole, frac, zone := cutStamp(b)
	n, resolution, ok := fraction(frac)
	if !ok {
		return Moment{}, false
	}
	if len(whole)+len(zone) != c.length || c.length == 0 || string(whole) != string(c.last[:len(whole)]) || string(zone) != string(c.last[len(whole):c.length]) {
		m, ok := c.date(whole, zone)
		if !ok {
			return Moment{}, false
		}
		c.whole = m
		c.length = 0
		if len(whole)+len(zone) <= len(c.last) {
			c.length = copy(c.last[:], whole)
			c.length += copy(c.last[c.length:], zone)
		}
	}
	m := c.whole
	m.Time += n
	m.Resolution = resolution
	return m, true
}

// cutStamp cuts a stamp into date and time of day, the digits of its fraction,
// and what is behind them: an offset, a zone, a year. The fraction is behind
// the second colon-separated pair of the time of day.
func cutStamp(b []byte) (whole, frac, zone []byte) {
	colons := 0
	if len(b) > 11 && b[2] == '/' && b[11] == ':' {
		colons = -1 // 29/Nov/2026:21:16:22
	}
	for i, ch := range b {
		if ch != ':' {
			continue
		}
		if colons++; colons < 2 {
			continue
		}
		end := min(len(b), i+3)
		whole = b[:end]
		rest := b[end:]
		if len(rest) > 0 && (rest[0] == '.' || rest[0] == ',') {
			n := 1
			for n < len(rest) && isDigit(rest[n]) {
				n++
			}
			frac, rest = rest[1:n], rest[n:]
			if len(frac) == 0 {
				frac = []byte("?") // a point without digits
			}
		}
		return whole, frac, rest
	}
	return b, nil, nil
}

// fraction reads the digits behind a second.
func fraction(digits []byte) (ingest.Time, time.Duration, bool) {
	n, unit := ingest.Time(0), time.Second
	for _, d := range digits {
		if !isDigit(d) {
			return 0, 0, false
		}
		if unit == 1 {
			continue // finer than a nanosecond
		}
		unit /= 10
		n += ingest.Time(d-'0') * ingest.Time(unit)
	}
	return n, unit, true
}

// epoch reads seconds or fractions of them since the epoch.
func epoch(b []byte) (Moment, bool) {
	digits := 0
	for digits < len(b) && isDigit(b[digits]) {
		digits++
	}
	if digits < 9 || digits < len(b) && b[digits] != '.' {
		return Moment{}, false
	}
	unit := time.Second
	switch digits {
	case 9, 10:
	case 13:
		unit = time.Millisecond
	case 16:
		unit = time.Microsecond
	case 19:
		unit = time.Nanosecond
	default:
		return Moment{}, false
	}
	v, step, ok := ingest.ParseDecimal(b, int64(unit))
	if !ok || v < minEpoch || v > maxEpoch {
		return Moment{}, false
	}
	return Moment{Time: ingest.Time(v), Resolution: time.Duration(step), Zone: ingest.ZoneUTC}, true
}

const (
	minEpoch = int64(minYear-1970) * 365 * 24 * int64(time.Hour)
	maxEpoch = int64(maxYear-1970) * 365 * 24 * int64(time.Hour)
)

// date reads date, time of day and zone.
func (c *Clock) date(whole, zone []byte) (Moment, bool) {
	var d civil
	if !d.read(whole, &zone) {
		return Moment{}, false
	}
	zone = bytes.TrimLeft(zone, " ")
	seconds := d.seconds()
	if len(zone) > 0 {
		if offset, ok := zoneOffset(zone); ok {
			return Moment{Time: ingest.Time((seconds - offset) * int64(time.Second)), Zone: ingest.ZoneStated}, true
		}
		if c.Zone == nil || !isLetters(zone) {
			return Moment{}, false
		}
		m := inZone(seconds, c.Zone)
		if name, _ := time.Unix(0, int64(m.Time)).In(c.Zone).Zone(); name != string(zone) {
			return Moment{}, false // --tz does not know the name either
		}
		return m, true
	}
	if c.Zone != nil {
		return inZone(seconds, c.Zone), true
	}
	return Moment{Time: ingest.Time(seconds * int64(time.Second)), Zone: ingest.ZoneUnknown}, true
}

// inZone returns the moment at which clocks in a zone show a time of day, given
// as if it were UTC. Where summer time ends there are two: the first is taken.
// Where it begins there may be none: then the clock was not yet put forward.
func inZone(seconds int64, zone *time.Location) Moment {
	offset := func(at int64) int64 {
		_, o := time.Unix(at, 0).In(zone).Zone()
		return int64(o)
	}
	before, after := offset(seconds-24*3600), offset(seconds+24*3600)
	first, second := seconds-before, seconds-after
	m := Moment{Time: ingest.Time(first * int64(time.Second)), Zone: ingest.ZoneGiven}
	if before == after {
		return m
	}
	fits, later := offset(first) == before, offset(second) == after
	switch {
	case fits && later:
		m.Twice = true
		m.Again = int32(max(first, second) - min(first, second))
		m.Time = ingest.Time(min(first, second) * int64(time.Second))
	case later:
		m.Time = ingest.Time(second * int64(time.Second))
	}
	return m
}

// Once settles which of the two moments a stamp is that a clock showed twice, by
// about when its line was written, which is known from elsewhere.
func (m *Moment) Once(written ingest.Time) {
	if !m.Twice {
		return
	}
	again := time.Duration(m.Again) * time.Second
	switch late := written.Sub(m.Time); {
	case (late - again).Abs() < again/4:
		m.Time, m.Twice = m.Time.Add(again), false
	case late.Abs() < again/4:
		m.Twice = false
	}
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isLetters(b []byte) bool {
	for _, c := range b {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return len(b) > 0
}
