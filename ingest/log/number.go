package log

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// maxLatency is the longest latency that is believed, 36 years, so that sums fit.
const maxLatency = int64(1) << 60

// Duration reads a latency: a number of units ("0.042"), or a value that names
// its own unit ("42ms", "0.000864s", "1m2.5s"), which then wins. Step is one
// unit of its last digit. A unit of 0 is none: only values with their own unit
// are read. Negative values are not.
func Duration(b []byte, unit time.Duration) (d, step time.Duration, explicit, ok bool) {
	if len(b) == 0 {
		return 0, 0, false, false
	}
	if isDigit(b[len(b)-1]) || b[len(b)-1] == '.' {
		if unit == 0 {
			return 0, 0, false, false
		}
		v, s, ok := ingest.ParseDecimal(b, int64(unit))
		return time.Duration(v), time.Duration(s), false, ok && v >= 0 && v < maxLatency
	}
	d, step, ok = ingest.ParseUnit(b)
	if !ok {
		var err error
		d, err = time.ParseDuration(string(b))
		step, ok = 1, err == nil
	}
	return d, step, true, ok && d >= 0 && int64(d) < maxLatency
}

// Millis reads seconds with exactly three decimals, as nginx prints every time
// that it measures. A number that was cut off is none.
func Millis(b []byte) (time.Duration, bool) {
	n := len(b)
	if n < 5 || n > 14 || b[n-4] != '.' {
		return 0, false
	}
	v := uint64(0)
	for _, c := range b[:n-4] {
		if c -= '0'; c > 9 {
			return 0, false
		}
		v = v*10 + uint64(c)
	}
	x, y, z := b[n-3]-'0', b[n-2]-'0', b[n-1]-'0'
	v = v*1000 + uint64(x)*100 + uint64(y)*10 + uint64(z)
	return time.Duration(v) * time.Millisecond, x <= 9 && y <= 9 && z <= 9
}

// Unit is how the latencies of a layout are written.
type Unit struct {
	Size   time.Duration // of one; 0: values name their own
	Millis bool          // seconds with exactly three decimals, as nginx writes them
}

func (u Unit) read(b []byte) (time.Duration, bool) {
	if u.Millis {
		return Millis(b)
	}
	d, _, _, ok := Duration(b, u.Size)
	return d, ok
}

// keyUnits are the endings that name a unit, behind a separator or as a word of
// their own in camel case.
var keyUnits = []struct {
	ending string
	unit   time.Duration
}{
	{"ns", time.Nanosecond}, {"nanos", time.Nanosecond}, {"nsec", time.Nanosecond}, {"nanoseconds", time.Nanosecond},
	{"us", time.Microsecond}, {"micros", time.Microsecond}, {"usec", time.Microsecond}, {"microsec", time.Microsecond}, {"microseconds", time.Microsecond},
	{"ms", time.Millisecond}, {"millis", time.Millisecond}, {"msec", time.Millisecond}, {"millisec", time.Millisecond}, {"milliseconds", time.Millisecond},
	{"s", time.Second}, {"sec", time.Second}, {"secs", time.Second}, {"seconds", time.Second},
}

// KeyUnit returns the unit that the name of a field ends in: duration_ms,
// "time-taken-s", elapsedMillis, TimeTakenMS; and the name without it. ok is
// false for names that end in no unit.
func KeyUnit(key []byte) (base []byte, unit time.Duration, ok bool) {
	for _, k := range keyUnits {
		n := len(key) - len(k.ending)
		if n < 1 || !bytes.EqualFold(key[n:], []byte(k.ending)) {
			continue
		}
		switch before := key[n-1]; {
		case before == '_' || before == '-' || before == '.':
			return key[:n-1], k.unit, true
		case key[n]-'A' < 26 && (before-'a' < 26 || isDigit(before)):
			return key[:n], k.unit, true
		}
	}
	return key, 0, false
}

// Status reads a status of three digits. "-" and "000" are none, 0.
func Status(b []byte) (int, bool) {
	if len(b) == 3 && isDigit(b[0]) && isDigit(b[1]) && isDigit(b[2]) {
		return int(b[0]-'0')*100 + int(b[1]-'0')*10 + int(b[2]-'0'), true
	}
	return 0, len(b) == 1 && b[0] == '-'
}

// Outcome returns what a status of HTTP says about a request. A latency beside
// TimedOut or Canceled is a lower bound: 499 (nginx) and 460 (AWS) mean that the
// client left, 504, 524 and 598 (proxies) that nobody waited any longer.
func Outcome(status int) ingest.Outcome {
	switch {
	case status == 499, status == 460:
		return ingest.Canceled
	case status == 504, status == 524, status == 598:
		return ingest.TimedOut
	case status >= 400, status < 100:
		return ingest.Failed
	}
	return ingest.OK
}

// Whole reports a whole number: digits only, and no more than fit.
func Whole(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return len(b) > 0 && len(b) < 18
}

// Micros reports seconds with six decimals, as Python and Varnish print them.
func Micros(b []byte) bool {
	_, step, ok := ingest.ParseDecimal(b, int64(time.Second))
	return ok && step == int64(time.Microsecond)
}
