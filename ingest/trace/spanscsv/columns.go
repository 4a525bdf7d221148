package spanscsv

import (
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// role is what a column says.
type role uint8

// Roles. A table has at most one column of each but the last three.
const (
	none role = iota
	traceID
	spanID
	parentID
	start
	end
	duration
	service
	pod
	name
	kind
	status
	message
	failed
	roles
	attribute   // one attribute
	spanMap     // a map of a span's attributes
	resourceMap // a map of a resource's attributes
)

// known are the names of columns by role, folded, the better ones first.
var known = [roles][]string{
	traceID:  {"traceid", "tracetraceid"},
	spanID:   {"spanid", "tracespanid"},
	parentID: {"parentspanid", "parentid", "parentspan", "traceparentid"},
	start:    {"starttimeunixnano", "starttimeus", "starttime", "timestamp", "start", "starttimemillis"},
	end:      {"endtimeunixnano", "finishtimeus", "endtime", "end"},
	duration: {"durationnano", "durationinnanos", "durationns", "durationus", "durationms", "duration", "elapsedtime"},
	service:  {"servicename", "service"},
	pod:      {"podname", "k8spodname", "pod", "cmdbid"},
	name:     {"operationname", "spanname", "name", "operation"},
	kind:     {"spankind", "kindstring", "kind"},
	status:   {"statuscodestring", "statuscode", "status"},
	message:  {"statusmessage", "statusdescription"},
	failed:   {"haserror", "iserror", "error"},
}

// maps are the names of columns that hold attributes.
var maps = map[string]role{
	"spanattributes": spanMap, "attributes": spanMap, "attribute": spanMap, "tags": spanMap, "attributesstring": spanMap, "attributesnumber": spanMap, "attributesbool": spanMap,
	"resourceattributes": resourceMap, "resourcesstring": resourceMap,
}

// flags are the names that --columns has for roles.
var flags = []struct {
	name string
	role role
}{{"start", start}, {"end", end}, {"latency", duration}, {"status", status}, {"op", name}}

var folding = strings.NewReplacer("_", "", ".", "", "-", "", " ", "")

// fold makes names alike that differ in case, dots and underlines only.
func fold(name string) string {
	return folding.Replace(strings.ToLower(name))
}

// layout says which column has which role.
type layout struct {
	comma  byte
	quoted bool // texts may be in quotes
	json   bool // rows are objects

	names  []string
	roleOf []role
	keyOf  []trace.Key    // of columns that are attributes
	column [roles]int     // of each role; -1: none
	index  map[string]int // of names

	startUnit, endUnit time.Duration // 0: a date and a time of day
	durationUnit       time.Duration
	unknown            string // a column whose unit is not known
	mistake            string // a flag that names no column, or one that has a role already
}

// newLayout assigns roles to the columns of a header.
func newLayout(names []string, options ingest.Options) *layout {
	l := &layout{names: names, roleOf: make([]role, len(names)), keyOf: make([]trace.Key, len(names)), index: map[string]int{}}
	for r := range l.column {
		l.column[r] = -1
	}
	folded := make([]string, len(names))
	for i, n := range names {
		folded[i] = fold(n)
		if _, ok := l.index[n]; !ok {
			l.index[n] = i
		}
	}
	for _, flag := range flags {
		want, ok := options.Columns[flag.name]
		if !ok {
			continue
		}
		i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, want) })
		if i < 0 || l.roleOf[i] != none {
			l.mistake = "--columns " + flag.name + "=" + want
			continue
		}
		l.column[flag.role], l.roleOf[i] = i, flag.role
	}
	for r := traceID; r < roles; r++ {
		for _, want := range known[r] {
			if l.column[r] >= 0 {
				break
			}
			if i := slices.Index(folded, want); i >= 0 && l.roleOf[i] == none {
				l.column[r], l.roleOf[i] = i, r
			}
		}
	}
	for i, n := range names {
		if l.roleOf[i] != none {
			continue
		}
		if r, ok := maps[folded[i]]; ok {
			l.roleOf[i] = r
		} else if key := attributeKey(n); key != 0 && strings.ContainsRune(n, '.') {
			l.roleOf[i], l.keyOf[i] = attribute, key
		}
	}
	return l
}

// attributeKey returns the attribute that a column is named after, with or
// without the prefixes of Honeycomb, OpenSearch and SigNoz.
func attributeKey(column string) trace.Key {
	column = strings.ReplaceAll(column, "@", ".")
	for _, prefix := range []string{"span.attributes.", "attributes.", "tag."} {
		if rest, ok := strings.CutPrefix(column, prefix); ok {
			column = rest
			break
		}
	}
	return trace.Lookup([]byte(column))
}

// complete reports whether the columns are those of spans.
func (l *layout) complete() bool {
	return l.column[traceID] >= 0 && l.column[spanID] >= 0 && l.column[parentID] >= 0 && l.column[start] >= 0
}

// lacks names what a table with ids lacks.
func (l *layout) lacks() string {
	if l.column[parentID] < 0 {
		return "parent ids"
	}
	return "start times"
}

// has reports whether there is a column of a name, as it is written.
func (l *layout) has(column string) bool {
	_, ok := l.index[column]
	return ok
}
