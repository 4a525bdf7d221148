package storm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// leastRepeats is how many equal calls are reported: two may be one that was
// recorded twice, or two parts of a program that do not know of each other.
const leastRepeats = 3

// RepeatedCall finds questions that are asked again and again.
var RepeatedCall = detect.Detector{
	Name: "repeated-call", Severity: detect.Note, Reads: ingest.KindTrace,
	Doc: `The same question is asked again and again

While it serves one request, a process sends the same read with the same arguments
several times and gets an answer each time: a value that could have been kept for
the length of the request.

What it rests on: at least 3 successful reads (GET, SELECT and the like) of one
statement or URL to one server, made below one span at which the request entered
the process, with every argument visible; nothing was written to the store or
service in between. The request waits for what is repeated at least 1 % of the
time of that span. Confidence is high where the calls follow each other, medium
where they overlap.

Not reported: calls whose arguments are hidden (?, "[2 other arguments]", a bare
command), answers from a cache, failed calls and what is sent again after them,
connection set-up and validation, pipelines, polling at steady or growing
intervals, writes, reads that lock or count up, and what no request waits for. A
command that was recorded twice while its connection opened is below the number.

Numbers: calls, the requests of a process that made them, durations added up.

As a grouping: spans by (trace, nearest span above that entered the process, hash
of statement or URL with arguments, peer, number of writes before), with the count
and the sum of durations; of those with count >= 3, by (service, operation that
entered, normalised statement or route): the sums.`,
	New: func() detect.Tally { return &callTally{find: (&again{}).find, say: sayAgain, sums: table[sums]{}} },
}

// again finds repeated calls in one trace after another.
type again struct {
	waits  waits
	entry  []calltree.Node // of each span: where the request entered its process
	often  [1 << 10]uint8  // reads by a hash of entry and arguments: of different ones, too
	count  map[question]int32
	asked  []calltree.Node
	writes map[target]int32
	groups map[question][]calltree.Node
}

// question is what is asked.
type question struct {
	entry  calltree.Node
	args   uint64
	peer   string
	writes int32 // that came before
}

// target is what may have been written to.
type target struct {
	entry        calltree.Node
	system, name string
}

func (a *again) find(t *calltree.Trace, found []occurrence) []occurrence {
	if !a.any(t) {
		return found
	}
	a.collect(t)
	if len(a.groups) == 0 {
		return found
	}
	from := len(found)
	for q, spans := range a.groups {
		if len(spans) < leastRepeats || paced(t, spans) {
			continue
		}
		k := keyOf(t, q.entry, spans[0])
		c := describe(t, spans[0])
		if k.call = c.words(); k.call == "" {
			k.call = t.Spans[spans[0]].Op
		}
		o := occurrence{parent: q.entry, key: k, spans: spans, calls: int64(len(spans)), confidence: detect.High}
		o.busy, o.took = busy(t, spans)
		if o.took >= 2*o.busy {
			o.confidence = detect.Medium
		}
		found = append(found, o)
	}
	// By the span that the calls are below, as waits wants them, in a fixed order.
	slices.SortFunc(found[from:], func(x, y occurrence) int {
		return cmp.Or(cmp.Compare(x.parent, y.parent), cmp.Compare(x.spans[0], y.spans[0]))
	})
	// The first call was needed.
	first := make([]calltree.Node, len(found))
	for i := range found {
		first[i] = found[i].spans[0]
		found[i].spans = found[i].spans[1:]
	}
	a.waits.fill(t, found)
	for i := range found {
		found[i].spans = slices.Insert(found[i].spans, 0, first[i])
	}
	return slices.DeleteFunc(found, func(o occurrence) bool {
		return o.waited <= 0 || t.Timed(o.parent) && o.waited < t.Duration(o.parent)/silentPart
	})
}

// any finds where requests entered processes, and reports whether any question
// may have been asked often enough.
func (a *again) any(t *calltree.Trace) bool {
	n := len(t.Spans)
	a.entry = slices.Grow(a.entry[:0], n)[:n]
	clear(a.often[:])
	often := false
	for i := range t.Spans {
		k := calltree.Node(i)
		p := t.Parent(k)
		if t.Span(p) == nil || t.Crosses(k) || t.Spans[i].Async {
			a.entry[i] = k
		} else {
			a.entry[i] = a.entry[p]
		}
		if s := &t.Spans[i]; s.Args != 0 && asks(t, k) {
			h := (s.Args ^ uint64(a.entry[i])) * 0x9E3779B97F4A7C15 >> 54
			if a.often[h]++; a.often[h] >= leastRepeats {
				often, a.often[h] = true, leastRepeats
			}
		}
	}
	return often
}

// collect groups the questions that are asked often by the writes before them.
func (a *again) collect(t *calltree.Trace) {
	a.asked, a.groups, a.writes, a.count = a.asked[:0], map[question][]calltree.Node{}, map[target]int32{}, map[question]int32{}
	for i := range t.Spans {
		k := calltree.Node(i)
		if s := &t.Spans[i]; t.Timed(k) && (s.Store != nil || s.Call != nil) && a.entry[i] != k {
			a.asked = append(a.asked, k)
			if s.Args != 0 && asks(t, k) {
				a.count[question{a.entry[i], s.Args, s.Peer, 0}]++
			}
		}
	}
	slices.SortFunc(a.asked, func(x, y calltree.Node) int {
		return cmp.Or(cmp.Compare(t.Spans[x].Start, t.Spans[y].Start), cmp.Compare(x, y))
	})
	for _, k := range a.asked {
		s := &t.Spans[k]
		at := target{a.entry[k], "", s.Peer}
		if s.Store != nil {
			at.system, at.name = s.Store.System, "" // another command may go to another node
		}
		if !reads(s) {
			a.writes[at]++
			continue
		}
		q := question{a.entry[k], s.Args, s.Peer, 0}
		if s.Args == 0 || !asks(t, k) || a.count[q] < leastRepeats {
			continue
		}
		q.writes = a.writes[at]
		a.groups[q] = append(a.groups[q], k)
	}
}

// asks reports whether a span is a read that was answered.
func asks(t *calltree.Trace, n calltree.Node) bool {
	s := &t.Spans[n]
	return s.Outcome == ingest.OK && s.Kind != ingest.ServerSpan && s.Stands <= 1 && waitedFor(t, n) && reads(s)
}

// reads reports whether a call only reads.
func reads(s *ingest.Span) bool {
	if s.Store == nil {
		return s.Call != nil && s.Call.Protocol == ingest.HTTP && (s.Call.Method == "GET" || s.Call.Method == "HEAD")
	}
	d := s.Store
	switch c := commandOf(s); c {
	case readMany, readOne:
		return d.Op != "TOUCH"
	case otherCommand:
	default:
		return false
	}
	switch d.Op {
	case "SELECT":
		q := strings.ToUpper(d.Template)
		return strings.Contains(q, " FROM ") && !strings.Contains(q, "NEXTVAL") && !strings.Contains(q, " FOR UPDATE") && !strings.Contains(q, " FOR SHARE")
	case "FIND", "COUNT", "DISTINCT", "QUERY", "SCAN", "GET", "GETS", "GET_MANY", "GET_MULTI", "GETITEM", "BATCHGETITEM", "SEARCH":
		return true
	}
	return false
}

// sayAgain writes the finding of an operation.
func sayAgain(k key, s *sums) detect.Finding {
	f := s.finding(k)
	f.Numbers = CallNumbers{s.calls, s.parents, millis(s.took)}
	f.Message = fmt.Sprintf("%s asks %s with the same arguments %s times while it serves one request; %s waited %s for the repetitions",
		k.caller(), clip(k.call), span(s.least, s.most), count(s.requests, "request"), ms(s.waited))
	e := evidence{}
	e.add("equal calls for one request", span(s.least, s.most), fmt.Sprintf("below %d", leastRepeats))
	e.add("time waited for repetitions", ms(s.waited), "")
	if s.within > 0 {
		e.add("part of the time in the process", percent(s.waited, s.within), fmt.Sprintf("below %d %%", 100/silentPart))
	}
	if s.atOnce > 0 {
		e.add("where the calls overlap", fmt.Sprintf("%d of %d", s.atOnce, s.parents), "")
	}
	f.Evidence = e
	f.Remedy = "Keep the answer for the length of the request (memoise it, pass it on), or let equal calls that are under way share one answer; where the value rarely changes, cache it for longer."
	return f
}
