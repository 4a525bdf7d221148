package applog

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// number returns the length of a plain number behind blanks.
func number(b []byte) int {
	i := 0
	for i < len(b) && b[i] == ' ' {
		i++
	}
	from := i
	for i < len(b) && (b[i]-'0' <= 9 || b[i] == '.') {
		i++
	}
	if i == from || i < len(b) && b[i] != ' ' && b[i] != ',' && b[i] != ';' && b[i] != ')' {
		return 0
	}
	return i
}

// quantity reads a number with a unit of time, glued to it or behind a blank, and
// returns both and where they end; 0: there is none.
func quantity(b []byte) (value []byte, n int) {
	from := 0
	for from < len(b) && (b[from] == ' ' || b[from] == '\t') {
		from++
	}
	i := from
	for i < len(b) && (b[i]-'0' <= 9 || b[i] == '.') {
		i++
	}
	if i == from || i == len(b) || b[from] == '.' {
		return nil, 0
	}
	if b[i] == ' ' {
		j := i + 1
		for j < len(b) && (b[j]|0x20-'a' < 26 || b[j] >= 0x80) {
			j++
		}
		switch string(b[i+1 : j]) {
		case "ns", "us", "µs", "μs", "usec", "ms", "msec", "s", "sec", "secs", "seconds", "millis", "milliseconds":
			return b[from:j], j
		}
		return nil, 0
	}
	end := i
	for end < len(b) && (b[end]-'0' <= 9 || b[end]|0x20-'a' < 26 || b[end] == '.' || b[end] >= 0x80) {
		end++
	}
	value = bytes.TrimRight(b[from:end], ".")
	if last := value[len(value)-1]; last != 's' && last != 'c' {
		return nil, 0
	}
	if _, _, explicit, ok := log.Duration(value, 0); !ok || !explicit {
		return nil, 0
	}
	return value, end
}

// pairLength returns the length of the key of key=value, or 0.
func pairLength(word []byte) int {
	for i, c := range word {
		switch {
		case c == '=':
			return i
		case c|0x20-'a' < 26, c-'0' <= 9, c == '_', c == '.', c == '-', c == '@':
		default:
			return 0
		}
	}
	return 0
}

// leadingStamp returns the stamp that a line begins with, in brackets or not, and
// where it ends.
func leadingStamp(line []byte) (stamp []byte, end int) {
	b, open := line, 0
	if len(b) > 0 && b[0] == '[' {
		b, open = b[1:], 1
	}
	if len(b) < 19 || b[0]-'0' > 9 || b[4] != '-' && b[4] != '/' || b[7] != b[4] || b[10] != 'T' && b[10] != ' ' || b[13] != ':' || b[16] != ':' {
		return nil, 0
	}
	i := 19
	if i+1 < len(b) && (b[i] == '.' || b[i] == ',') && b[i+1]-'0' <= 9 {
		for i++; i < len(b) && b[i]-'0' <= 9; i++ {
		}
	}
	switch {
	case i < len(b) && b[i] == 'Z':
		i++
	case zoned(b[i:]) > 0:
		i += zoned(b[i:])
	case i < len(b) && b[i] == ' ' && zoned(b[i+1:]) > 0:
		i += 1 + zoned(b[i+1:])
	}
	stamp, end = b[:i], i+open
	if open == 1 && i < len(b) && b[i] == ']' {
		end++
	}
	return stamp, end
}

// zoned returns the length of an offset, "+0100" or "+01:00", or 0.
func zoned(b []byte) int {
	if len(b) < 5 || b[0] != '+' && b[0] != '-' || b[1]-'0' > 9 || b[2]-'0' > 9 {
		return 0
	}
	if b[3] == ':' {
		if len(b) > 5 && b[4]-'0' <= 9 && b[5]-'0' <= 9 {
			return 6
		}
		return 0
	}
	if b[3]-'0' <= 9 && b[4]-'0' <= 9 {
		return 5
	}
	return 0
}

func isVerb(word []byte) bool {
	switch string(bytes.TrimLeft(word, `"'[(`)) {
	case "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS":
		return true
	}
	return false
}

func isLevel(word []byte) bool {
	switch string(bytes.Trim(word, "[]:|")) {
	case "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "SEVERE", "PANIC", "DPANIC",
		"trace", "debug", "info", "warn", "warning", "error", "fatal",
		"TRC", "DBG", "INF", "WRN", "ERR", "FTL", "PNC":
		return true
	}
	return false
}
