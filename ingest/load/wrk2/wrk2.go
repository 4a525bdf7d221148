// Package wrk2 reads the report of wrk2.
package wrk2

import (
	"bytes"
	"io"
	"iter"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Format reads the report of wrk2.
var Format = ingest.Format{
	Name: "wrk2",
	Doc: `The report of wrk2

wrk2 (github.com/giltene/wrk2) sends at a constant rate over a number of
connections and times every answer from the moment at which its request was due.
The report is what it prints on standard output; the percentile spectrum of
--latency, or what is left of it in a cut log, and the second, uncorrected one of
--u_latency are read too, as are those of the fork in DeathStarBench.

To produce one:

    wrk2 -t2 -c100 -d60s -R2000 --u_latency http://127.0.0.1:8080/ > wrk2.txt

The program is often called wrk, like the tool that it descends from. Keep the
command line above the report: nothing else says the rate, and a run under 10 s
without --latency looks like one of wrk.

"Recorded Latency" is timed from the schedule: it holds what coordinated omission
hides, and is never corrected again. "Uncorrected Latency" is timed from the send.
The first 10 s are calibration and in no histogram, so the total count of the
spectrum is below the number of requests. The count "timeout" is not one of
requests: every 2 s it adds the connections whose last request is older than the
timeout, the same ones again and idle ones too. It is read as at most one lost
request of each connection, and as none where a connection sends that seldom. A
slow answer is recorded when it comes. In a log that is cut above the headings a
spectrum is taken for the recorded one.
`,
	Yields:   ingest.Load,
	Anchors:  []string{ingest.WrkAnchor, "Latency Distribution (HdrHistogram - ", "Detailed Percentile spectrum:"},
	Commands: []string{"wrk2", "wrk"},
	Sniff: func(head []byte) bool {
		_, scheduled := ingest.SniffWrk(head)
		return scheduled
	},
	Split: ingest.SplitNever,
	Read:  read,
}

// block is one of the two distributions.
type block struct {
	agg      ingest.Aggregate
	spectrum ingest.Spectrum
	named    bool // its heading was read
	at       ingest.Pos
}

func read(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		rd := reader{in: in}
		rd.rep.Reset(in.Pos(0))
		rd.open(in.Pos(0))
		lines := ingest.NewLines(r)
		for lines.Next() {
			rd.line(bytes.TrimSpace(lines.Bytes()), in.Pos(lines.Offset()))
		}
		rd.finish(in.Pos(lines.Offset()))
		rd.rep.Yield(yield, lines.Err())
	}
}

type reader struct {
	in         ingest.Input
	rep        ingest.WrkReport
	blocks     []*block
	calibrated bool // the histograms were reset after the first 10 s
}

func (rd *reader) open(at ingest.Pos) *block {
	b := &block{at: at}
	b.agg.Reset()
	b.agg.Treated = ingest.FromSchedule
	b.spectrum.Reset(time.Millisecond)
	rd.blocks = append(rd.blocks, b)
	return b
}

func (rd *reader) line(line []byte, at ingest.Pos) {
	b := rd.blocks[len(rd.blocks)-1]
	if !rd.rep.Done {
		if bytes.HasPrefix(line, []byte("Thread calibration:")) {
			rd.calibrated = true
			return
		}
		if bytes.Contains(line, []byte("(HdrHistogram - ")) {
			if b.named || b.spectrum.Rows > 0 {
				b.agg.Quantiles = rd.rep.Rows
				if len(rd.blocks) == maxBlocks {
					rd.rep.Problem(at, "a third latency distribution is not read")
					rd.rep.Done = true
					return
				}
				b = rd.open(at)
			}
			b.named, b.at = true, at
			if bytes.Contains(line, []byte("Uncorrected")) {
				b.agg.Treated = ingest.Raw
			}
		} else if ok, err := b.spectrum.Line(line, at.Offset); ok {
			if err != nil {
				rd.rep.Problem(at, "%w", err)
			}
			return
		}
	}
	rd.rep.Line(line, at)
}

// maxBlocks is how many distributions a report has: recorded and uncorrected.
const maxBlocks = 2

func (rd *reader) finish(end ingest.Pos) {
	rep := &rd.rep
	rep.Scheduled(rep.Plan(rd.in))
	if !rep.Totals {
		rep.Run.Cut = true
		rep.Problem(end, "the report ends before its totals")
	}
	rep.Add(&rep.Run)
	rd.blocks[len(rd.blocks)-1].agg.Quantiles = rep.Rows
	for i, b := range rd.blocks {
		a := &b.agg
		a.Pos, a.Rule = b.at, ingest.RuleHdrC
		s := &b.spectrum
		if a.Treated != ingest.Raw && i == 0 && (b.named || s.Rows == 0) {
			// Thread Stats are those of the recorded latency.
			if t := &rep.Latency; t.Mean >= 0 || t.Max >= 0 {
				a.Mean, a.Stddev, a.Max, a.Unit = t.Mean, t.Stddev, t.Max, t.Unit
				if !b.named {
					a.Pos = t.Pos
				}
			}
			if rep.Header && !rd.calibrated {
				a.Count = rep.Run.Requests
			}
		}
		if s.Rows > 0 {
			if err := s.Check(); err != nil {
				rep.Problem(b.at, "%w", err)
			}
		}
		if s.Rows > 0 || s.Mean >= 0 || s.Max >= 0 {
			s.Fill(a)
		}
		if len(a.Quantiles) == 0 && s.Rows > 0 {
			a.Quantiles, a.Rule = s.Quantiles, ingest.NearestRank
		}
		if a.Count == 0 && a.Max <= 0 { // zeros stand for no sample; so does nothing at all
			if len(a.Quantiles) == 0 || a.Max == 0 {
				continue
			}
		}
		rep.Add(a)
	}
}
