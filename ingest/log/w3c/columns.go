package w3c

import (
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// column is what a field is.
type column uint8

// Columns that are read.
const (
	skip column = iota
	date
	clock
	localDate
	localClock
	method
	target
	status
	taken
	request
	ended // EndRequest-UTC of Advanced Logging: date and time
	columnCount
)

// named are the fields that are read, by their names in lower case.
var named = map[string]column{
	"date": date, "time": clock, "date-utc": date, "time-utc": clock, "date-local": localDate, "time-local": localClock,
	"endrequest-utc": ended,
	"cs-method":      method, "cs-uri-stem": target, "cs-uri": target, "sc-status": status,
	"time-taken": taken, "timetakenms": taken,
	"x-request-id": request, "cs(x-request-id)": request, "x-arr-log-id": request, "cs(x-arr-log-id)": request,
}

// columns are the fields of a header.
type columns struct {
	of    []column
	names string
	ms    bool // the name of the latency states milliseconds
	iis   bool // fields that only Microsoft's servers have
	taken bool
}

// newColumns reads what stands behind "#Fields:".
func newColumns(names []byte) *columns {
	c := &columns{names: strings.Join(strings.Fields(string(names)), " ")}
	var has [columnCount]bool
	for name := range strings.FieldsSeq(strings.ToLower(c.names)) {
		n := named[name]
		if n == target && name == "cs-uri" && strings.Contains(strings.ToLower(c.names), "cs-uri-stem") || has[n] {
			n = skip
		}
		has[n] = n != skip
		switch {
		case name == "timetakenms":
			c.ms = true
		case name == "sc-win32-status", name == "sc-substatus", name == "s-sitename", name == "s-siteid":
			c.iis = true
		}
		if c.of = append(c.of, n); len(c.of) == maxFields {
			break
		}
	}
	c.taken = has[taken]
	return c
}

// requests reports whether the lines are requests.
func (c *columns) requests() bool {
	return slices.Contains(c.of, method) || slices.Contains(c.of, target)
}

// usual appends the columns of a line of IIS whose header is missing, or returns nil:
// fields keep their order whichever of them are chosen. Behind the three statuses
// may stand sc-bytes, cs-bytes and time-taken, and more behind those; a single
// number is time-taken, which is chosen by default.
func usual(of []column, f []field) []column {
	if len(f) < 8 || len(f[0]) != 10 || len(f[1]) < 8 || levels[string(f[2])] {
		return nil
	}
	of = append(of, make([]column, len(f))...)
	of[0], of[1] = date, clock
	at := 0
	for i := 2; i+1 < len(f) && at == 0; i++ {
		if isMethod(f[i]) && len(f[i+1]) > 0 && f[i+1][0] == '/' {
			of[i], of[i+1] = method, target
			at = i + 2
		}
	}
	if at == 0 {
		return nil
	}
	for i := at; i+2 < len(f); i++ {
		if len(f[i]) == 3 && f[i][0]-'1' < 5 && number(f[i]) && number(f[i+1]) && number(f[i+2]) && !number(f[i-1]) {
			of[i] = status
			rest := f[i+3:]
			switch {
			case len(rest) == 1 && number(rest[0]):
				of[i+3] = taken
			case len(rest) >= 3 && number(rest[0]) && number(rest[1]) && number(rest[2]):
				of[i+5] = taken
			case len(rest) == 0:
			default:
				return nil
			}
			return of
		}
	}
	return nil
}

// levels are words that stand behind a stamp in logs of applications.
var levels = map[string]bool{"TRACE": true, "DEBUG": true, "INFO": true, "WARN": true, "WARNING": true, "ERROR": true, "FATAL": true, "NOTICE": true}

func isMethod(b []byte) bool {
	for _, c := range b {
		if c-'A' >= 26 && c != '_' && c != '-' {
			return false
		}
	}
	return len(b) > 2 && len(b) < 20
}

func number(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

// unit is the unit of time-taken.
type unit struct {
	size time.Duration // 0: not known
	from ingest.Fact
}

// softwareUnit returns the unit in which a program writes time-taken, by its
// #Software line. Sources: Microsoft's documentation of IIS (milliseconds);
// NetScaler's web server logging, which follows the W3C's draft (seconds); Blue
// Coat's SGOS (milliseconds).
func softwareUnit(software []byte) unit {
	s := strings.ToLower(string(software))
	switch {
	case strings.Contains(s, "internet information services"), strings.Contains(s, "iis advanced logging"), strings.Contains(s, "sgos"):
		return unit{time.Millisecond, ingest.UnitFromFormat}
	case strings.Contains(s, "netscaler"), strings.Contains(s, "nswl"):
		return unit{time.Second, ingest.UnitFromFormat}
	}
	return unit{}
}
