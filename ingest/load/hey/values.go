package hey

import (
	"bytes"
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// oneMillisecond is the last digit of a histogram's mark (three decimals of a second).
const oneMillisecond = time.Millisecond

// printed is a printed time with one unit of its last digit.
type printed struct{ value, unit time.Duration }

// seconds reads "0.0512 secs". NaN is numeric without a value: the average of
// nothing. known is false where there is no value.
func seconds(b []byte) (p printed, known, numeric bool) {
	b = bytes.TrimSpace(b)
	num, _, _ := bytes.Cut(b, []byte(" "))
	if string(num) == "NaN" {
		return printed{}, false, true
	}
	v, u, ok := ingest.ParseUnit(b)
	return printed{v, u}, ok, ok
}

// histogramRow reads "0.150 [1819]\t|■■■". The bars may be missing.
func histogramRow(row []byte) (mark printed, count int64, ok bool) {
	open := bytes.IndexByte(row, '[')
	if open < 0 {
		return printed{}, 0, false
	}
	v, u, ok := ingest.ParseDecimal(bytes.TrimSpace(row[:open]), int64(time.Second))
	if !ok || v < 0 {
		return printed{}, 0, false
	}
	count, rest, ok := bracketed(row[open:])
	if !ok || len(rest) > 0 && rest[0] != '|' {
		return printed{}, 0, false
	}
	return printed{time.Duration(v), time.Duration(u)}, count, true
}

// bracketed reads "[1819] rest" and returns the number and the rest without
// blanks around it.
func bracketed(b []byte) (n int64, rest []byte, ok bool) {
	end := bytes.IndexByte(b, ']')
	if len(b) == 0 || b[0] != '[' || end < 0 {
		return 0, nil, false
	}
	n, ok = whole(b[1:end])
	return n, bytes.TrimSpace(b[end+1:]), ok
}

// whole reads a number of digits only.
func whole(b []byte) (int64, bool) {
	if len(b) == 0 || b[0] == '-' || b[0] == '+' {
		return 0, false
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	return n, err == nil
}

// percentileRow reads "99% in 1.4755 secs", and what a second pass through
// Printf makes of it: "99%% in …" (builds of 2024 and later) and "99%!i(MISSING)n …".
func percentileRow(row []byte) (percentile float64, p printed, ok bool) {
	sign := bytes.IndexByte(row, '%')
	if sign < 0 {
		return 0, printed{}, false
	}
	percentile, err := strconv.ParseFloat(string(row[:sign]), 64)
	if err != nil || !(percentile >= 0 && percentile <= 100) {
		return 0, printed{}, false
	}
	fields := bytes.Fields(row[sign:])
	if len(fields) < 3 || string(fields[len(fields)-1]) != "secs" {
		return 0, printed{}, false
	}
	v, u, ok := ingest.ParseDecimal(fields[len(fields)-2], int64(time.Second))
	if !ok || v < 0 {
		return 0, printed{}, false
	}
	return percentile, printed{time.Duration(v), time.Duration(u)}, true
}

// statusRow reads "[200]\t1840 responses".
func statusRow(row []byte) (status, count int64, ok bool) {
	status, rest, ok := bracketed(row)
	fields := bytes.Fields(rest)
	if !ok || len(fields) != 2 || string(fields[1]) != "responses" {
		return 0, 0, false
	}
	count, ok = whole(fields[0])
	return status, count, ok
}

// timedOut reports whether the text of an error is that of a timeout. The
// method and address in front (Get "http://host/timeout": …, without quotes
// before Go 1.14) are not looked at: an address says nothing about the error.
// A percent sign in the address may have swallowed its closing quote; then the
// whole text is looked at.
func timedOut(text []byte) bool {
	if _, after, found := bytes.Cut(text, []byte(`": `)); found {
		text = after
	} else if sp := bytes.IndexByte(text, ' '); sp > 0 && bytes.Contains(text[:min(len(text), sp+12)], []byte("://")) {
		if _, after, found := bytes.Cut(text, []byte(": ")); found {
			text = after
		}
	}
	for _, sign := range [...]string{"deadline exceeded", "imeout", "timed out"} {
		if bytes.Contains(text, []byte(sign)) {
			return true
		}
	}
	return false
}
