package spanscsv

import (
	"bytes"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// units finds the unit of the times: in the columns' names, for a start in the
// size of the first one, for a duration in what the table is known to be.
func (l *layout) units(head []byte, options ingest.Options) {
	column := l.names[l.column[start]]
	if l.startUnit = unitOf(column); l.startUnit == 0 {
		first := l.first(head)
		if date, ok := trace.ParseStamp(first); !ok || date == 0 {
			if l.startUnit = unitBySize(first); l.startUnit == 0 {
				l.startUnit = options.Unit
			}
			if l.startUnit == 0 && len(first) > 0 {
				l.unknown = column
			}
		}
	}
	if l.column[end] >= 0 {
		if l.endUnit = unitOf(l.names[l.column[end]]); l.endUnit == 0 {
			l.endUnit = l.startUnit
		}
		return
	}
	if l.column[duration] < 0 {
		return
	}
	column = l.names[l.column[duration]]
	switch l.durationUnit = unitOf(column); {
	case l.durationUnit > 0:
	case options.Unit > 0:
		l.durationUnit = options.Unit
	case l.has("Timestamp") && l.has("SpanName") && l.has("Duration"): // the collector's ClickHouse exporter
		l.durationUnit = time.Nanosecond
	case l.has("traceID") && l.has("spanID") && l.has("startTime") && l.startUnit == time.Microsecond: // taken from Jaeger
		l.durationUnit = time.Microsecond
	default:
		l.unknown = column
	}
}

// unitOf returns the unit that a column's name states; 0: none.
func unitOf(column string) time.Duration {
	folded := fold(column)
	for _, u := range []struct {
		suffix string
		unit   time.Duration
	}{
		{"nano", time.Nanosecond}, {"nanos", time.Nanosecond}, {"ns", time.Nanosecond}, {"micros", time.Microsecond}, {"us", time.Microsecond},
		{"millis", time.Millisecond}, {"ms", time.Millisecond}, {"seconds", time.Second},
	} {
		if strings.HasSuffix(folded, u.suffix) {
			return u.unit
		}
	}
	return 0
}

// unitBySize returns the unit in which a number since 1970 is a date between
// 1973 and 5138; 0: in none, it is an offset.
func unitBySize(t []byte) time.Duration {
	n, _, ok := ingest.ParseDecimal(t, 1)
	switch {
	case !ok || n < 1e8:
		return 0
	case n < 1e11:
		return time.Second
	case n < 1e14:
		return time.Millisecond
	case n < 1e17:
		return time.Microsecond
	}
	return time.Nanosecond
}

// first returns the first start in the head that is not empty.
func (l *layout) first(head []byte) []byte {
	d := &reader{layout: l}
	if l.json {
		var c trace.Cursor
		var found []byte
		row := func() {
			for name := range c.Members() {
				if string(name) == l.names[l.column[start]] && len(found) == 0 {
					found = c.Text()
				} else {
					c.Skip()
				}
			}
		}
		if c.Reset(head); c.Peek() == '[' {
			for range c.Elements() {
				row()
			}
			return found
		}
		for c.Peek() == '{' {
			row()
		}
		return found
	}
	isHeader := true
	for line := range bytes.Lines(bytes.TrimLeft(head, " \t\r\n")) {
		if isHeader || len(bytes.TrimSpace(line)) == 0 {
			isHeader = false
			continue
		}
		if cells, ok := d.split(bytes.TrimRight(line, "\r\n")); ok && len(cells) == len(l.names) && !isTypes(cells[l.column[traceID]]) {
			if t := bytes.TrimSpace(cells[l.column[start]]); len(t) > 0 {
				return t
			}
		}
	}
	return nil
}

// isTypes recognises the row of types that ClickHouse's …WithNamesAndTypes have
// below the names.
func isTypes(cell []byte) bool {
	switch {
	case string(cell) == "String", string(cell) == "UUID", bytes.HasPrefix(cell, []byte("FixedString(")), bytes.HasPrefix(cell, []byte("LowCardinality(")), bytes.HasPrefix(cell, []byte("Nullable(")):
		return true
	}
	return false
}
