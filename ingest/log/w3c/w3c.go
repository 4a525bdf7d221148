// Package w3c reads access logs in the W3C Extended Log File Format, as IIS and
// NetScaler write them.
package w3c

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is a log in the W3C Extended Log File Format.
var Dialect = log.Dialect{
	Name: "w3c",
	Doc: `IIS and other access logs in W3C extended format

Lines of fields that a header names: "#Fields: date time cs-method cs-uri-stem
sc-status time-taken". IIS writes them by default (Logging, format W3C; select
time-taken). Fields are read by their names, whatever their order, so the logs of
NetScaler and of others in this format are read too. The header may repeat and may
change in mid-file. Where it is missing, the order of IIS is assumed, and time-taken
is read only where that order leaves no doubt.

IIS writes time-taken in milliseconds: from the request received to the last packet
of the answer acknowledged by the client, so the network is in it (since IIS 7; for
answers of up to 2 KB it is not). NetScaler writes seconds, as the W3C's draft has
it. Of other writers the unit is not known: give --unit.

A line is stamped at its end, to the second, UTC; date-local and time-local have no
zone: give --tz. HTTP.sys' own error logs are read where they hold requests, and
have no latencies.
`,
	Whole:  true,
	Claims: claims,
	Header: func(line []byte) func([]byte) bool {
		names, ok := bytes.CutPrefix(line, []byte("#Fields:"))
		if !ok {
			return nil
		}
		l := newColumns(names)
		if !l.requests() || bytes.Contains(names, []byte("x-edge-")) { // CloudFront has a format of its own
			return func([]byte) bool { return false }
		}
		var f []field
		return func(line []byte) bool {
			f = split(line, f[:0])
			return line[0] != '#' && len(f) == len(l.of)
		}
	},
	Near: func(line []byte) string {
		if names, ok := bytes.CutPrefix(line, []byte("#Fields:")); ok && !newColumns(names).requests() {
			return "the header #Fields names no request: cs-uri-stem or cs-method is missing"
		}
		return ""
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		return func() log.Reader { return newReader(opt) }, nil
	},
}

// claims tells whose a line is. A line without its header is IIS' own where it
// has date and time, a method with a path behind it, and the three numbers that
// only IIS writes in a row: status, substatus and Windows' own status.
func claims(line []byte) log.Claim {
	if len(line) == 0 {
		return log.Foreign
	}
	if line[0] == '#' {
		for _, name := range [...]string{"#Software:", "#Version:", "#Date:", "#Fields:", "#Start-Date:", "#End-Date:", "#Remark:"} {
			if bytes.HasPrefix(line, []byte(name)) {
				return log.Aside
			}
		}
		return log.Foreign
	}
	if !dated(line) {
		return log.Foreign
	}
	if of := usual(nil, split(line, nil)); of == nil {
		return log.Foreign
	}
	return log.Own
}

// dated reports whether a line begins with a date and a time.
func dated(line []byte) bool {
	return len(line) > 20 && line[4] == '-' && line[7] == '-' && line[10] == ' ' && line[13] == ':' && line[16] == ':' && line[19] == ' '
}

// field is a field of a line, without its quotes.
type field = []byte

// maxFields is how many fields of a line are looked at.
const maxFields = 96

// split cuts a line at its blanks and tabs. Fields in quotes may have blanks in
// them, as those of IIS' Advanced Logging have.
func split(line []byte, f []field) []field {
	for len(f) < maxFields {
		for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
			line = line[1:]
		}
		if len(line) == 0 {
			break
		}
		if line[0] == '"' {
			if i := bytes.IndexByte(line[1:], '"'); i >= 0 && (i+2 == len(line) || line[i+2] == ' ' || line[i+2] == '\t') {
				f = append(f, line[1:i+1])
				line = line[i+2:]
				continue
			}
		}
		i := 0
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		f = append(f, line[:i])
		line = line[i:]
	}
	return f
}
