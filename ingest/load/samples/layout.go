package samples

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// role is what a column says.
type role uint8

// Roles. The times and durations come first.
const (
	due      role = iota // when the request should have been sent
	start                // when it was sent
	end                  // when its answer came
	latency              // from start to end
	response             // from due to end
	status
	op
	roles
	none = roles
)

// String names a role in a message.
func (r role) String() string {
	return [...]string{"due time", "start", "end", "latency", "latency from the due time", "status", "operation"}[r]
}

// flag returns the name of the role in --columns.
func (r role) flag() string {
	return [...]string{"due", "start", "end", "latency", "latency", "status", "op"}[r]
}

// mappable are the roles that --columns may name.
var mappable = map[string]role{"due": due, "start": start, "end": end, "latency": latency, "status": status, "op": op}

// known are the names of columns by role, without their unit. Of the names of
// a status and an operation the first present is taken; of two names of one
// time the file would have to say more, so they are refused.
var known = [roles][]string{
	due:      {"due", "due_time", "intended", "intended_offset", "intended_start", "intended_time", "scheduled", "scheduled_start", "scheduled_time"},
	start:    {"start", "start_time", "start_offset", "started", "send", "send_time", "send_offset"},
	end:      {"end", "end_time", "end_offset", "done", "done_time", "done_offset", "finish", "finish_time", "finished"},
	latency:  {"latency", "latency_from_send", "latency_from_start", "service", "service_time", "duration", "elapsed", "response_time"},
	response: {"latency_from_due", "latency_from_intended", "response_from_due"},
	status:   {"status", "status_code", "http_status", "response_code", "code"},
	op:       {"op", "operation", "label", "name", "url"},
}

// layout says which column has which role.
type layout struct {
	names   []string
	bases   []string     // names without their unit, in lower case
	units   []int64      // of the names, in nanoseconds; 0: none
	roleOf  []role       // of each column
	column  [roles]int   // of each role; -1: none
	unit    [roles]int64 // nanoseconds of one unit of a time's column; 0: not known
	rivals  [roles][]string
	fromDue bool // the only latency is the one from the due time
}

func (l *layout) has(r role) bool     { return l.column[r] >= 0 }
func (l *layout) name(r role) string  { return l.names[l.column[r]] }
func (l *layout) set(r role, col int) { l.column[r], l.roleOf[col] = col, r }

// newLayout assigns roles to the columns of a header. With an error it returns
// what it had assigned.
func newLayout(names []string, opt ingest.Options) (*layout, error) {
	l := &layout{names: names, bases: make([]string, len(names)), units: make([]int64, len(names)), roleOf: make([]role, len(names))}
	for i, name := range names {
		l.bases[i], l.units[i] = splitUnit(name)
		l.roleOf[i] = none
	}
	for r := range l.column {
		l.column[r] = -1
	}
	for _, flag := range slices.Sorted(maps.Keys(opt.Columns)) {
		if err := l.mapped(flag, opt.Columns[flag]); err != nil {
			return l, err
		}
	}
	for r := due; r < roles; r++ {
		if !l.has(r) {
			l.find(r)
		}
	}
	for r := due; r <= response; r++ {
		if l.has(r) {
			if l.unit[r] = l.units[l.column[r]]; l.unit[r] == 0 {
				l.unit[r] = int64(max(0, opt.Unit))
			}
		}
	}
	return l, l.check()
}

// mapped assigns a column by the user's word.
func (l *layout) mapped(flag, name string) error {
	r, ok := mappable[flag]
	if !ok {
		return fmt.Errorf("--columns names the role `%s`; the roles are due, start, end, latency, status, op", flag)
	}
	col := slices.Index(l.names, name)
	if col < 0 {
		col = slices.IndexFunc(l.names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	if col < 0 {
		return fmt.Errorf("no column `%s` for --columns %s=%s: the header has %s", name, flag, name, l.list())
	}
	if l.roleOf[col] != none {
		return fmt.Errorf("--columns gives the column `%s` two roles", name)
	}
	l.set(r, col)
	return nil
}

// find assigns the column of a role by its known names. A name with a unit
// goes before one without.
func (l *layout) find(r role) {
	best, bestUnit := -1, false
	for _, want := range known[r] {
		for col, name := range l.names {
			unit := l.units[col]
			if l.bases[col] != want || l.roleOf[col] != none {
				continue
			}
			if r >= status {
				l.set(r, col)
				return
			}
			switch {
			case best < 0 || unit > 0 && !bestUnit:
				best, bestUnit = col, unit > 0
				l.rivals[r] = []string{name}
			case unit > 0 || !bestUnit:
				l.rivals[r] = append(l.rivals[r], name)
			}
		}
	}
	if best >= 0 {
		l.set(r, best)
	}
}

// check reports what a header lacks, and drops what nothing needs.
func (l *layout) check() error {
	switch {
	case l.has(latency), l.has(start) && (l.has(end) || l.has(due) && l.has(response)):
	case l.has(response), l.has(due) && l.has(end):
		l.fromDue = true
	default:
		return fmt.Errorf("the header has no latency, and not both a start and an end: it has %s; say with --columns latency=NAME which it is", l.list())
	}
	if l.has(latency) && l.has(start) {
		for _, r := range [...]role{end, response} {
			if l.has(r) && l.unit[r] == 0 {
				l.drop(r)
			}
		}
		l.rivals[end], l.rivals[response] = nil, nil
	}
	for r := due; r <= response; r++ {
		if len(l.rivals[r]) > 1 {
			return fmt.Errorf("the columns `%s` and `%s` could both be the %s: say which with --columns %s=NAME", l.rivals[r][0], l.rivals[r][1], r, r.flag())
		}
		if l.has(r) && l.unit[r] == 0 {
			return fmt.Errorf("the column `%s` has no unit: give --unit, or name it `%s_ms`", l.name(r), l.name(r))
		}
	}
	return nil
}

func (l *layout) drop(r role) {
	l.roleOf[l.column[r]] = none
	l.column[r] = -1
}

// list names the columns for a message.
func (l *layout) list() string {
	const most = 12
	var b strings.Builder
	for i, name := range l.names {
		if i == most {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("`" + excerpt([]byte(name)) + "`")
	}
	return b.String()
}

// units of names by suffix.
var units = map[string]int64{"s": int64(time.Second), "ms": int64(time.Millisecond), "us": int64(time.Microsecond), "ns": 1}

// splitUnit cuts the unit from a column's name: "Latency_ms" is "latency" and a
// million nanoseconds. The unit is 0 where there is none.
func splitUnit(name string) (base string, unit int64) {
	name = strings.ToLower(name)
	if i := strings.LastIndexByte(name, '_'); i > 0 {
		if u := units[name[i+1:]]; u > 0 {
			return name[:i], u
		}
	}
	return name, 0
}

// splitHeader returns the names of the columns in the first line of a file.
func splitHeader(line []byte) ([]string, error) {
	s := string(line)
	s = strings.TrimSuffix(strings.TrimPrefix(s, "\uFEFF"), "\r") // the byte order mark of spreadsheets
	if strings.TrimSpace(s) == "" {
		return nil, errors.New("no header in the first line")
	}
	var sp splitter
	var names []string
	if err := sp.split([]byte(s)); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	for _, field := range sp.fields {
		names = append(names, strings.TrimSpace(string(field)))
	}
	return names, nil
}
