package nginx

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// each reports whether all elements of a list have a shape, or are "-".
func each(list []byte, is func([]byte) bool) bool {
	for len(list) > 0 {
		element := list
		i := bytes.IndexByte(list, ' ')
		switch {
		case i < 0:
			list = nil
		case i > 0 && list[i-1] == ',':
			element, list = list[:i-1], list[i+1:]
		case bytes.HasPrefix(list[i:], []byte(" : ")):
			element, list = list[:i], list[i+3:]
		default:
			return false
		}
		if !dash(element) && !is(element) {
			return false
		}
	}
	return true
}

func isList(b []byte) bool { return bytes.IndexByte(b, ' ') >= 0 }

func dash(b []byte) bool { return len(b) == 1 && b[0] == '-' }

// isTime reports seconds with three decimals.
func isTime(b []byte) bool {
	_, ok := log.Millis(b)
	return ok
}

// isCutTime reports a number with fewer decimals: what is left of a time where
// its line was cut off. It keeps its role, and is then refused.
func isCutTime(b []byte) bool { return bytes.IndexByte(b, '.') > 0 && numeric(b) }

// finerUnit reports the name of a unit that nginx writes no time in. Express's
// morgan ends a line of the common log format with "12.345 ms", whose three
// decimals look like those of nginx's seconds.
func finerUnit(b []byte) bool {
	switch string(b) {
	case "ms", "msec", "msecs", "millis", "milliseconds", "us", "µs", "usec", "micros", "microseconds", "ns", "nanoseconds":
		return true
	}
	return false
}

// withUnit reports a number with the name of such a unit behind it: "12.345 ms".
func withUnit(b []byte) bool {
	if len(b) < 4 || b[0]-'0' > 9 || len(b) > 32 {
		return false
	}
	i := bytes.IndexByte(b, ' ')
	return i > 0 && numeric(b[:i]) && finerUnit(b[i+1:])
}

// isStamp reports a stamp of $time_iso8601, which has an offset and no fraction,
// or of $time_local.
func isStamp(b []byte) bool {
	return len(b) == len("2026-11-29T21:16:22+00:00") && b[10] == 'T' && b[22] == ':' || len(b) == len("29/Nov/2026:21:16:22 +0000") && b[2] == '/'
}

func isStatus(b []byte) bool { return len(b) == 3 && b[0]-'1' < 5 && isNumber(b) }

func isNumber(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

// numeric reports digits, and points between them.
func numeric(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 && c != '.' {
			return false
		}
	}
	return len(b) > 0
}

// isPeer reports the address of an upstream: host:port, [v6]:port or a socket's path.
func isPeer(b []byte) bool {
	if bytes.HasPrefix(b, []byte("unix:")) {
		return true
	}
	i := bytes.LastIndexByte(b, ':')
	return i > 0 && isNumber(b[i+1:]) && bytes.IndexByte(b, '/') < 0
}

// isID reports what looks like a request id: hex digits, with hyphens between
// them in a UUID.
func isID(b []byte) bool {
	if len(b) < 16 || len(b) > 36 {
		return false
	}
	for _, c := range b {
		if c-'0' > 9 && c-'a' > 5 && c-'A' > 5 && c != '-' {
			return false
		}
	}
	return true
}
