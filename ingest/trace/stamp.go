package trace

import (
	"bytes"
	"math"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// ParseStamp reads a date and a time of day as trace exports print them, to the
// nanosecond: "2026-11-29T21:29:22.879416003Z" (RFC 3339), "2025-11-18
// 23:27:00.123456789" (ClickHouse), "2021-02-02 13:24:36.25349814 +0100 CET"
// (Go's Time.String, the collector). Without a zone it is UTC, which is what
// those that print none mean. Empty text is no time, and known.
func ParseStamp(t []byte) (at ingest.Time, ok bool) {
	t = bytes.TrimSpace(t)
	if len(t) == 0 {
		return 0, true
	}
	year, t, ok := digits(t, 4, '-')
	month, t, ok1 := digits(t, 2, '-')
	day, t, ok2 := digits(t, 2, 0)
	if !ok || !ok1 || !ok2 || len(t) == 0 || t[0] != 'T' && t[0] != ' ' {
		return 0, false
	}
	hour, t, ok := digits(t[1:], 2, ':')
	minute, t, ok1 := digits(t, 2, ':')
	second, t, ok2 := digits(t, 2, 0)
	if !ok || !ok1 || !ok2 {
		return 0, false
	}
	nanos := 0
	if len(t) > 0 && (t[0] == '.' || t[0] == ',') {
		scale := 100_000_000
		for t = t[1:]; len(t) > 0 && t[0]-'0' <= 9; t = t[1:] {
			nanos += scale * int(t[0]-'0')
			scale /= 10
		}
	}
	east, ok := zone(bytes.TrimSpace(t))
	if !ok || month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60 {
		return 0, false
	}
	return nanosOf(time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC).Unix()-int64(east), nanos)
}

func nanosOf(seconds int64, nanos int) (ingest.Time, bool) {
	if seconds < 0 || seconds >= math.MaxInt64/int64(time.Second) {
		return 0, false
	}
	return ingest.Time(seconds*int64(time.Second) + int64(nanos)), true
}

// digits reads n digits and, unless it is 0, the separator behind them.
func digits(t []byte, n int, separator byte) (v int, rest []byte, ok bool) {
	if len(t) < n {
		return 0, nil, false
	}
	for _, c := range t[:n] {
		if c -= '0'; c > 9 {
			return 0, nil, false
		}
		v = 10*v + int(c)
	}
	t = t[n:]
	if separator == 0 {
		return v, t, true
	}
	if len(t) == 0 || t[0] != separator {
		return 0, nil, false
	}
	return v, t[1:], true
}

// zone reads "Z", "+01:00", "+0100" and what Go prints behind it ("CET",
// "m=+0.01"), and returns how many seconds it is east of Greenwich.
func zone(t []byte) (east int, ok bool) {
	if i := bytes.IndexByte(t, ' '); i >= 0 {
		t = t[:i]
	}
	switch {
	case len(t) == 0, string(t) == "Z", string(t) == "UTC":
		return 0, true
	case len(t) < 3 || t[0] != '+' && t[0] != '-':
		return 0, false
	}
	hours, rest, ok := digits(t[1:], 2, 0)
	if !ok {
		return 0, false
	}
	rest = bytes.TrimPrefix(rest, []byte(":"))
	minutes := 0
	if len(rest) > 0 {
		if minutes, rest, ok = digits(rest, 2, 0); !ok || len(rest) > 0 {
			return 0, false
		}
	}
	east = 3600*hours + 60*minutes
	if t[0] == '-' {
		east = -east
	}
	return east, hours <= 14 && minutes <= 59
}

// Times sets the times of a span. A time that is not known (ok is false) stays
// so, and is a problem, and an end before the start is kept as recorded.
func (f *Feed) Times(s *ingest.Span, at int64, start, end ingest.Time, ok bool) {
	if !ok {
		f.Problem(at, ErrTime)
	}
	s.Start, s.End = start, end
}

// ParseTicks reads a decimal number of units since 1970 as a time. Empty text
// and 0 are no time.
func ParseTicks(t []byte, unit time.Duration) (at ingest.Time, ok bool) {
	if len(t) == 0 {
		return 0, true
	}
	n, _, ok := ingest.ParseDecimal(t, int64(unit))
	if !ok || n < 0 {
		return 0, false
	}
	return ingest.Time(n), true
}

// After returns the time that is a decimal number of units behind start. It is
// not known where start is not, or where the text is empty.
func After(start ingest.Time, t []byte, unit time.Duration) (end ingest.Time, ok bool) {
	if len(t) == 0 {
		return 0, true
	}
	n, _, ok := ingest.ParseDecimal(t, int64(unit))
	if !ok || n < 0 || n > math.MaxInt64-int64(start) {
		return 0, false
	}
	if start == 0 {
		return 0, true
	}
	return start + ingest.Time(n), true
}
