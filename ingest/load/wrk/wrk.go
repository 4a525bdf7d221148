// Package wrk reads the report of wrk.
package wrk

import (
	"bytes"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
)

// Format reads the report of wrk.
var Format = ingest.Format{
	Name: "wrk",
	Doc: `The report of wrk

wrk (github.com/wg/wrk) keeps a number of connections busy: each sends the next
request when it has its answer. The report is what it prints on standard output,
with or without --latency; lines that a Lua script prints after it are ignored.

To produce one:

    wrk -t2 -c20 -d30s --latency http://127.0.0.1:8080/ > wrk.txt

Keep the command line above the report (in a CI log it stands there anyway): it
tells the timeout, and wrk2 from wrk where a report of wrk2 is too short to show
the difference.

Since version 4.0 wrk adds, before it prints, the samples that it thinks it
missed, at the mean interval of its own run: mean, deviation and percentiles are
corrected figures already, by a guess, and are never corrected again here; the
maximum is as measured. Older versions treat them otherwise, and the report does
not show the version. Answers slower than the timeout (2s unless --timeout says
otherwise) are in no figure but the count "timeout", and requests that are never
answered are not even there: "0 requests" with no error is what a server that
hangs looks like.
`,
	Yields:   ingest.Load,
	Anchors:  []string{ingest.WrkAnchor},
	Commands: []string{"wrk", "wrk2"},
	Sniff: func(head []byte) bool {
		report, scheduled := ingest.SniffWrk(head)
		return report && !scheduled
	},
	Near:  near,
	Split: ingest.SplitNever,
	Read:  read,
}

func near(head []byte) string {
	begun := false
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		switch {
		case bytes.HasPrefix(bytes.TrimPrefix(line, []byte("wrk: ")), []byte("unable to connect to ")):
			return "wrk could not connect and measured nothing: this is its error message, not a report"
		case begun && bytes.Contains(line, []byte(" threads and ")) && bytes.HasSuffix(line, []byte(" connections")):
			return "the report stops before its first figure: wrk was killed, or failed, before it printed any"
		}
		begun = bytes.HasPrefix(line, []byte("Running ")) && bytes.Contains(line, []byte(" test @ "))
	}
	return ""
}

func read(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		var rep ingest.WrkReport
		rep.Reset(in.Pos(0))
		lines := ingest.NewLines(r)
		for lines.Next() {
			rep.Line(bytes.TrimSpace(lines.Bytes()), in.Pos(lines.Offset()))
		}
		finish(&rep, in, in.Pos(lines.Offset()))
		rep.Yield(yield, lines.Err())
	}
}

func finish(rep *ingest.WrkReport, in ingest.Input, end ingest.Pos) {
	run, a := &rep.Run, &rep.Latency
	plan := rep.Plan(in)
	if !rep.Totals {
		rep.Run.Cut = true
		rep.Problem(end, "the report ends before its totals")
	}
	a.Quantiles = rep.Rows
	if plan.Scheduled {
		rep.Scheduled(plan)
		a.Count = run.Requests // nothing was calibrated, so nothing was reset
	} else {
		run.Tool, run.Loop = "wrk", ingest.Closed
		run.Lost, run.Timeouts = rep.Socket+rep.Timeouts, rep.Timeouts
		run.Errors = run.Lost + rep.Status
		run.Treated = ingest.Filled
		if rep.Totals && run.Requests < int64(run.Workers) {
			run.Treated = ingest.Raw // "complete / cfg.connections > 0" guards stats_correct
		}
		if run.Timeout = plan.Timeout; run.Timeout == 0 && a.Max <= ingest.WrkTimeout {
			run.Timeout = ingest.WrkTimeout
		}
		a.Treated, a.Rule = run.Treated, ingest.RuleWrk
		// An answer after the timeout is a request that ended, without a sample.
		a.Count = max(run.Requests-rep.Timeouts, 0)
	}
	rep.Add(run)
	if rep.Totals && a.Count == 0 { // "0.00us" stands for no sample
		return
	}
	if len(a.Quantiles) > 0 || a.Mean >= 0 || a.Max >= 0 {
		rep.Add(a)
	}
}
