// Package hey reads what rakyll/hey prints: its text report (and that of boom,
// as it was called until 2016) and its CSV.
//
// The rules behind the constants of this package were read in hey's source,
// requester/print.go, report.go and requester.go of v0.1.0 (2017-05), the heads
// of 2017-12 and 2018-03, v0.1.1 to v0.1.4 and the head of 2021-03.
package hey

import (
	"bytes"
	"strings"

	"github.com/tailcheck/tailcheck/ingest"
)

// Format is hey's text report.
var Format = ingest.Format{
	Name: "hey",
	Doc: `The report of hey

What hey (github.com/rakyll/hey) prints when a run is over: totals, a histogram,
seven percentiles, status codes and errors. All versions are read, and so are
those of boom (its name until 2016), builds that print "10%% in", and copies that
lost their indentation or their tabs.

To produce one:

    hey -n 200 -c 4 -q 10 http://127.0.0.1:8080/ > hey.txt

Keep the command line above the report: it is the only place that names the
workers (-c) and the rate of one worker (-q); else say them with --workers and
--rate. Of -n, hey sends a multiple of -c, rounded down.

hey is a closed loop: while the server stalls it sends nothing, and the requests
that were due meanwhile are in no percentile. Those that failed or timed out are
in none either, only in the count of errors; so are all behind the first million,
and then the average is wrong and is not used. Times have four decimals, 0.1 ms,
and percentiles are one rank above the nearest rank; "0% in 0.0000 secs" stands
for one that so few requests do not have.
`,
	Yields:   ingest.KindRun | ingest.KindAggregate | ingest.KindProblem,
	Anchors:  []string{anchorSummary, anchorHistogram},
	Commands: []string{"hey", "boom"},
	Sniff:    func(head []byte) bool { ok, _ := recognise(head); return ok },
	Near:     near,
	Split:    ingest.SplitNever,
	Read:     readText,
}

// The texts that start a report. Boom's may be cited from the histogram on.
const (
	anchorSummary   = "Summary:"
	anchorHistogram = "Response time histogram:"
)

// recognise reports whether head starts with a report of hey, and else how it
// differs from one, or "" where it is nothing like it.
func recognise(head []byte) (ok bool, why string) {
	line, rest := nextLine(head)
	switch string(line) {
	case anchorSummary:
		return recogniseSummary(rest)
	case anchorHistogram:
		return recogniseHistogram(rest)
	}
	return false, ""
}

// recogniseSummary looks at the rows behind "Summary:". Several tools print
// rows of the same names; hey's first is "Total", and its times end in "secs".
func recogniseSummary(b []byte) (ok bool, why string) {
	row, b := nextLine(b)
	name, value, _ := bytes.Cut(row, []byte(":"))
	switch string(name) {
	case "Total":
	case "Success rate":
		return false, "the first row behind `Summary:` is `Success rate:`, as oha prints it"
	case "Count":
		return false, "the first row behind `Summary:` is `Count:`, as ghz prints it"
	default:
		return false, "the first row behind `Summary:` is not `Total:`"
	}
	if bytes.HasSuffix(row, []byte("secs.")) {
		return false, "its times end in `secs.`, as etcd's benchmark prints them"
	}
	if !bytes.HasSuffix(value, []byte("secs")) {
		return false, "the total is not in `secs`"
	}
	if _, _, numeric := seconds(value); !numeric {
		return false, "the total is not a number of seconds"
	}
	rows := 1
	for {
		row, rest := nextLine(b)
		name, _, found := bytes.Cut(row, []byte(":"))
		if !found {
			break
		}
		switch string(name) {
		case "Slowest", "Fastest", "Average":
			if bytes.HasSuffix(row, []byte("secs.")) {
				return false, "its times end in `secs.`, as etcd's benchmark prints them"
			}
			if bytes.HasSuffix(row, []byte("secs")) {
				rows++
			}
		case "Requests/sec":
			rows++
		case "Stddev", "Size/sec":
			return false, "hey prints no row `" + string(name) + ":`"
		default:
			rest = nil // the summary is over
		}
		if rest == nil {
			break
		}
		b = rest
	}
	if rows < 2 {
		return false, "behind `Total:` comes none of `Slowest:`, `Fastest:`, `Average:`, `Requests/sec:`"
	}
	return true, ""
}

// recogniseHistogram looks at the rows behind "Response time histogram:" where
// a report was cited from there on. hey's marks have three decimals and are
// seconds; the same rows of ghz are milliseconds, which only its next section
// tells, and oha's next section has another name.
func recogniseHistogram(b []byte) (ok bool, why string) {
	rows := 0
	last := int64(-1)
	for {
		row, rest := nextLine(b)
		mark, _, parsed := histogramRow(row)
		if !parsed {
			break
		}
		if mark.unit != oneMillisecond {
			return false, "the histogram's marks have not three decimals"
		}
		if int64(mark.value) < last {
			return false, "the histogram's marks do not rise"
		}
		last = int64(mark.value)
		b = rest
		rows++
	}
	if rows < 2 {
		return false, "no rows `0.001 [1] |` behind `Response time histogram:`"
	}
	title, rest := nextLine(b)
	switch {
	case bytes.HasPrefix(title, []byte("Response time distribution")):
		return false, "`Response time distribution:` follows the histogram, as oha prints it"
	case string(title) == "Latency distribution:":
		row, _ := nextLine(rest)
		if len(row) > 0 && !bytes.HasSuffix(row, []byte("secs")) && bytes.Contains(row, []byte(" in ")) {
			return false, "its percentiles are not in `secs`"
		}
	}
	return true, ""
}

// near tells how an input misses being a report of hey.
func near(head []byte) string {
	for len(head) > 0 {
		line, _, _ := bytes.Cut(head, []byte("\n"))
		switch string(bytes.TrimSpace(line)) {
		case anchorSummary, anchorHistogram:
			_, why := recognise(head)
			return why
		}
		head = head[min(len(head), len(line)+1):]
	}
	return ""
}

// nextLine returns the next line of b that is not blank, without blanks around
// it, and what follows it.
func nextLine(b []byte) (line, rest []byte) {
	for len(b) > 0 {
		line, rest, _ = bytes.Cut(b, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, rest
		}
		b = rest
	}
	return nil, nil
}

// excerpt returns the start of a line for a message.
func excerpt(line []byte) string {
	const most = 60
	s := strings.ToValidUTF8(string(line[:min(len(line), most)]), "\uFFFD")
	if len(line) > most {
		s += "…"
	}
	return s
}
