// Package hgrm reads the percentile spectra that HdrHistogram libraries write.
package hgrm

import (
	"bytes"
	"io"
	"iter"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Format reads .hgrm files.
var Format = ingest.Format{
	Name: "hgrm",
	Doc: `A percentile spectrum of an HdrHistogram (.hgrm)

The table of value, percentile, total count and 1/(1-percentile) that HdrHistogram
libraries write and their plotter reads: Java, C, Go, Python, the CSV flavour, and
the hdrplot report of vegeta.

To produce one:

    vegeta report -type=hdrplot results.bin > latency.hgrm

or, in a program, outputPercentileDistribution (Java, Python),
hdr_percentiles_print (C), PercentilesPrint (Go); from a log of intervals,
HistogramLogProcessor -i latency.hlog -o latency.

Except for vegeta's the file does not say its unit: values are read as
milliseconds unless --unit says otherwise. It does not say either what was timed,
at which rate, or whether the figures were corrected already. Values are the
highest of their histogram bucket, so they err upwards by up to a thousandth at
the usual three digits.
`,
	Yields: ingest.Load,
	Sniff:  sniff,
	Near: func(head []byte) string {
		if l, ok := ingest.SniffWrk(head); l && ok {
			return ""
		}
		if bytes.Contains(head, []byte("1/(1-Percentile)")) {
			return "a percentile spectrum stands in the text, but not at its start: cut the table out, from its header on"
		}
		return ""
	},
	Split: ingest.SplitNever,
	Read:  read,
}

// DefaultUnit is that of values whose file states none: the one that the
// libraries' examples and wrk2 scale to.
const DefaultUnit = time.Millisecond

// proof is how many rows make a table that has no header.
const proof = 3

// sniff claims a spectrum that starts the input, below comments at most, with
// its header or, cut, with its rows. One with the totals of a wrk2 report below
// it is the end of such a report.
func sniff(head []byte) bool {
	var s ingest.Spectrum
	s.Reset(DefaultUnit)
	header := false
	for rest := head; len(rest) > 0; {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' && s.Rows == 0 {
			continue
		}
		ok, err := s.Line(line, 0)
		if !ok || err != nil {
			break
		}
		header = header || s.Rows == 0
		if s.Rows == proof {
			break
		}
	}
	if !header && s.Rows < proof {
		return false
	}
	report, _ := ingest.SniffWrk(head)
	return !report
}

func read(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		var pending ingest.Pending
		var s ingest.Spectrum
		unit := in.Options.Unit
		if unit == 0 {
			unit = DefaultUnit
		}
		s.Reset(unit)
		run := ingest.Run{Pos: in.Pos(0)}
		a := new(ingest.Aggregate)
		a.Reset()
		a.Pos = run.Pos
		lines := ingest.NewLines(r)
		for lines.Next() {
			line := bytes.TrimSpace(lines.Bytes())
			at := in.Pos(lines.Offset())
			had := s.Rows
			ok, err := s.Line(line, at.Offset)
			switch {
			case err != nil:
				pending.Problem(at, "%w", err)
			case !ok && len(line) > 0 && line[0] != '#':
				pending.Problem(at, "no row of a percentile spectrum: %.60q", line)
			case had == 0 && s.Rows == 1:
				a.Pos = at
			}
		}
		a.Rule = rule(&s)
		if s.Stated {
			// hdrplot: timed from the send by whatever loop was asked for.
			run.Tool, run.Treated, a.Treated = "vegeta", ingest.Raw, ingest.Raw
		} else if in.Options.Unit == 0 {
			run.UnitAssumed = DefaultUnit
		}
		pending.Add(&run)
		if err := s.Check(); err != nil {
			pending.Problem(a.Pos, "%w", err)
		}
		s.Fill(a)
		a.Quantiles = s.Quantiles
		if a.Count > 0 || len(a.Quantiles) > 0 && a.Max > 0 {
			pending.Add(a)
		}
		pending.Yield(yield, lines.Err())
	}
}

// rule names how the rows were picked. Java's iterator and its rule for single
// percentiles agree; the others round single percentiles but not their rows.
func rule(s *ingest.Spectrum) ingest.QuantileRule {
	switch {
	case s.Stated:
		return ingest.RuleDigest
	case s.Digits > 6 && !s.Python:
		return ingest.RuleHdrJava
	}
	return ingest.NearestRank
}
