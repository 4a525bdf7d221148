package hey

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// maxResults is how many results hey keeps (requester/report.go, maxRes, since
// 2017-12). The rest is in Total and Requests/sec only.
const maxResults = 1_000_000

// maxRows is how many rows of one section are kept. hey prints eleven at most;
// more is no report of hey, and memory stays bounded.
const maxRows = 1000

// part is a section of the report.
type part uint8

const (
	outside part = iota
	summary
	histogram
	percentiles
	details // timings of connections and transfers: nothing of them is used
	statuses
	failures
)

// titles of the sections. Boom and hey up to v0.1.0 print "Detailed Report:".
var titles = map[string]part{
	anchorSummary:                          summary,
	anchorHistogram:                        histogram,
	"Latency distribution:":                percentiles,
	"Details (average, fastest, slowest):": details,
	"Detailed Report:":                     details,
	"Status code distribution:":            statuses,
	"Error distribution:":                  failures,
}

// report is what was read so far.
type report struct {
	in       ingest.Input
	part     part
	started  bool
	seen     [failures + 1]bool // sections whose title was read
	rows     [failures + 1]int
	run      ingest.Run
	agg      ingest.Aggregate
	aggAt    int64 // offset of the aggregate's line; -1: none yet
	ok       int64 // answers counted by status
	inBars   int64 // answers counted by the histogram
	noted    int64 // N of "Distributions are for first N results"; 0: no note
	last     time.Duration
	problems []ingest.Problem
	pending  *ingest.Problem // a line between rows, a problem only if more rows follow
	second   bool
}

func readText(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		rep := report{in: in, aggAt: -1}
		rep.run = ingest.Run{Tool: "hey", Loop: ingest.Closed, Treated: ingest.Raw}
		rep.agg.Reset()
		lines := ingest.NewLines(r)
		for !rep.second && lines.Next() {
			rep.line(lines.Bytes(), lines.Offset())
		}
		err := lines.Err()
		if err == nil && !rep.started {
			err = errors.New("no report of hey: neither a line `Summary:` nor `Response time histogram:`")
		}
		if rep.started && !rep.yield(yield) {
			return
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// yield yields the run, the aggregate and the problems by position.
func (rep *report) yield(yield func(ingest.Record, error) bool) bool {
	rep.finish()
	if !yield(&rep.run, nil) {
		return false
	}
	done := false
	for i := range rep.problems {
		p := &rep.problems[i]
		if !done && p.Compare(rep.agg.Pos) >= 0 {
			done = true
			if !yield(&rep.agg, nil) {
				return false
			}
		}
		if !yield(p, nil) {
			return false
		}
	}
	return done || yield(&rep.agg, nil)
}

// line reads one line.
func (rep *report) line(line []byte, at int64) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		// Texts of errors are arbitrary, so only a blank line tells where they end.
		if rep.part == failures && rep.rows[failures] > 0 {
			rep.part = outside
		}
		return
	}
	if p, isTitle := titles[string(line)]; isTitle && (rep.started || p == summary || p == histogram) {
		rep.title(p, at)
		return
	}
	if !rep.started {
		return
	}
	if n, isNote := note(line); isNote {
		rep.noted = n
		return
	}
	switch rep.part {
	case summary:
		rep.summaryRow(line, at)
	case histogram:
		rep.bar(line, at)
	case percentiles:
		rep.percentile(line, at)
	case statuses:
		rep.status(line, at)
	case failures:
		rep.failure(line, at)
	}
}

func (rep *report) title(p part, at int64) {
	if rep.seen[p] || p == summary && rep.started {
		rep.second = true
		if !rep.in.Section || p == summary || p == histogram {
			rep.problem(at, errors.New("a second report of hey begins here: it is not read"))
		}
		return
	}
	if !rep.started {
		rep.started = true
		rep.run.Pos = rep.in.Pos(at)
	}
	rep.between()
	rep.seen[p], rep.part = true, p
}

// note reads the line of hey's heads of 2017-12 to 2018-03.
func note(line []byte) (int64, bool) {
	_, rest, found := bytes.Cut(line, []byte("Distributions are for first "))
	if !found || !bytes.HasPrefix(line, []byte("Note:")) {
		return 0, false
	}
	num, _, _ := bytes.Cut(rest, []byte(" "))
	return whole(num)
}

// row notes that a row was read.
func (rep *report) row(at int64) {
	rep.between()
	rep.rows[rep.part]++
	if rep.aggAt < 0 && rep.part != failures {
		rep.aggAt = at
	}
}

// between makes a problem of a stray line that turned out to lie inside the report.
func (rep *report) between() {
	if p := rep.pending; p != nil {
		rep.pending = nil
		rep.problem(p.Offset-rep.in.Offset, p.Err)
	}
}

// room reports whether another row of the section is kept.
func (rep *report) room(at int64) bool {
	if rep.rows[rep.part] < maxRows {
		return true
	}
	if rep.rows[rep.part] == maxRows {
		rep.rows[rep.part]++
		rep.problem(at, fmt.Errorf("more than %d rows: the rest is not read", maxRows))
	}
	return false
}

// stray handles a line in a section that is none of its rows. One that looks
// like a row is a problem; anything else only if rows follow it, or where the
// report should have the file for itself.
func (rep *report) stray(line []byte, at int64, likeRow bool) {
	if !likeRow && rep.pending != nil {
		return // a long log may follow the report
	}
	err := fmt.Errorf("not a row of the section: %q", excerpt(line))
	if likeRow {
		rep.problem(at, err)
		return
	}
	rep.pending = &ingest.Problem{Pos: rep.in.Pos(at), Err: err}
}

// problem keeps a problem. They are yielded behind the run, whose position
// comes first, so their number is bounded.
func (rep *report) problem(at int64, err error) {
	switch {
	case len(rep.problems) < maxRows:
		rep.problems = append(rep.problems, ingest.Problem{Pos: rep.in.Pos(at), Err: err})
	case len(rep.problems) == maxRows:
		rep.problems = append(rep.problems, ingest.Problem{Pos: rep.in.Pos(at), Err: errors.New("too many unreadable lines: the rest is not listed")})
	}
}
