// Package tracetest is what the tests of trace formats have in common: the files
// of the corpus, what is counted in them, and the ways in which an input can be
// bad.
package tracetest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// corpus is the collection of public and recorded files beside the repository,
// seen from the folder of a format.
const corpus = "../../../../shared/corpus"

// Corpus returns a file of the corpus. Where there is none the test is skipped.
func Corpus(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name))
	if err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	return data
}

// Counts are what the corpus states of a file. Repeated are rows that use the id
// of an earlier row of their trace; orphans have a parent that is not in the
// file; errors are spans whose own status is error.
type Counts struct{ Spans, Traces, Roots, Orphans, Repeated, Errors int }

// Count counts rows as they are read: nothing is joined.
func Count(spans []ingest.Span) (c Counts) {
	type id struct {
		trace ingest.TraceID
		span  ingest.SpanID
	}
	seen, traces := map[id]bool{}, map[ingest.TraceID]bool{}
	for _, s := range spans {
		c.Spans++
		traces[s.Trace] = true
		if seen[id{s.Trace, s.ID}] {
			c.Repeated++
		}
		seen[id{s.Trace, s.ID}] = true
		if s.Error {
			c.Errors++
		}
	}
	c.Traces = len(traces)
	for _, s := range spans {
		if s.Parent == (ingest.SpanID{}) {
			c.Roots++
		} else if !seen[id{s.Trace, s.Parent}] {
			c.Orphans++
		}
	}
	return c
}

// Starts returns how many spans start after their parent's end and before its
// start, by times as recorded. Of several rows with the parent's id the last
// counts, and an end that is not known is the start, as in the script that the
// corpus was counted with.
func Starts(spans []ingest.Span) (afterEnd, beforeStart int) {
	type id struct {
		trace ingest.TraceID
		span  ingest.SpanID
	}
	rows := map[id]ingest.Span{}
	for _, s := range spans {
		rows[id{s.Trace, s.ID}] = s
	}
	for _, s := range spans {
		p := rows[id{s.Trace, s.Parent}]
		if p.Start == 0 || s.Start == 0 {
			continue
		}
		if s.Start > max(p.Start, p.End) {
			afterEnd++
		}
		if s.Start < p.Start {
			beforeStart++
		}
	}
	return afterEnd, beforeStart
}

// Services returns the distinct services, sorted.
func Services(spans []ingest.Span) []string {
	var out []string
	for _, s := range spans {
		out = append(out, s.Service)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Roots returns how many roots there are of each "service operation".
func Roots(spans []ingest.Span) map[string]int {
	out := map[string]int{}
	for _, s := range spans {
		if s.Parent == (ingest.SpanID{}) {
			out[s.Service+" "+s.Op]++
		}
	}
	return out
}

// Siblings returns the size of the largest group of spans of one service and
// operation under one parent, counted as rows, and the group's
// "service operation".
func Siblings(spans []ingest.Span) (n int, name string) {
	type group struct {
		trace       ingest.TraceID
		parent      ingest.SpanID
		service, op string
	}
	groups := map[group]int{}
	for _, s := range spans {
		if s.Parent == (ingest.SpanID{}) {
			continue
		}
		g := group{s.Trace, s.Parent, s.Service, s.Op}
		groups[g]++
		if k := s.Service + " " + s.Op; groups[g] > n || groups[g] == n && k < name {
			n, name = groups[g], k
		}
	}
	return n, name
}

// Read reads data as a format and returns copies of its spans, its problems and
// the error that ended it. It holds the reader to its contract.
func Read(t testing.TB, f *ingest.Format, data []byte, options ingest.Options) (spans []ingest.Span, problems []string, failed error) {
	t.Helper()
	in := ingest.Input{Index: 3, Offset: 7, Head: data[:min(len(data), ingest.HeadSize)], Options: options}
	last := ingest.Pos{Input: 3, Offset: 7}
	for r, err := range f.Read(bytes.NewReader(data), in) {
		if failed != nil {
			t.Fatalf("%s: yields after an error", f.Name)
		}
		if err != nil {
			if failed = err; r != nil {
				t.Fatalf("%s: a record beside an error", f.Name)
			}
			continue
		}
		if p := r.Where(); p.Compare(last) < 0 || p.Offset > 7+int64(len(data)) {
			t.Fatalf("%s: position %v after %v in %d bytes", f.Name, p, last, len(data))
		}
		last = r.Where()
		switch r := r.(type) {
		case *ingest.Span:
			if r.Trace == (ingest.TraceID{}) {
				t.Fatalf("%s: a span without a trace", f.Name)
			}
			if r.Start < 0 || r.End < 0 || r.Stands < 1 {
				t.Fatalf("%s: %+v", f.Name, r)
			}
			spans = append(spans, *r)
		case *ingest.Problem:
			problems = append(problems, r.Err.Error())
		default:
			t.Fatalf("%s: yields a %T", f.Name, r)
		}
	}
	return spans, problems, failed
}

// Spans reads data as a format, without problems and without an error.
func Spans(t testing.TB, f *ingest.Format, data []byte) []ingest.Span {
	t.Helper()
	spans, problems, err := Read(t, f, data, ingest.Options{})
	if err != nil || len(problems) > 0 {
		t.Errorf("%s: problems %q, error %v", f.Name, problems, err)
	}
	return spans
}

// Bad reads data cut off at many places, and with bytes changed, and holds the
// reader to its contract. More bytes never give fewer spans, and what is left of a
// cut, if it is recognised, never gives nothing at all.
func Bad(t testing.TB, f *ingest.Format, data []byte) {
	t.Helper()
	step := max(1, len(data)/400)
	previous := 0
	for n := 0; n <= len(data); n += step {
		spans, problems, err := Read(t, f, data[:n], ingest.Options{})
		if len(spans) < previous {
			t.Errorf("%s: %d spans in the first %d bytes, %d in fewer", f.Name, len(spans), n, previous)
		}
		if len(spans) == 0 && len(problems) == 0 && err == nil && len(data)/4 < n && n < len(data) && f.Sniff(data[:min(n, ingest.HeadSize)]) {
			t.Errorf("%s: the first %d bytes are claimed and hold neither a span nor a problem", f.Name, n)
		}
		previous = len(spans)
	}
	for i, c := range []byte{'"', '{', '}', '[', ']', '\\', 0, 0xff, ',', '\n', '9'} {
		bad := bytes.Clone(data)
		for at := 97 * i % max(len(bad), 1); at < len(bad); at += 1 + len(bad)/37 {
			bad[at] = c
		}
		Read(t, f, bad, ingest.Options{})
	}
}

// Hostile are texts that formats of JSON must survive: nested without end, with
// numbers out of every range, keys twice, bytes that are no UTF-8.
func Hostile() []string {
	deep := strings.Repeat(`{"data":[`, 30_000)
	return []string{
		"", "{", "[", "{}", "[]", "null", "{\"", "[[[[", "]", "}", "\x00", "\xff\xfe{", "{\"a\":}", "[,]", "{,}", "{\"a\" 1}",
		deep, strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 50_000), strings.Repeat("[{}", 1000),
		`{"data":` + strings.Repeat("9", 1<<16) + `}`,
		strings.Repeat("{\"tags\":[\n", 20_000),
		strings.Repeat("\n{\"", 20_000),
	}
}
