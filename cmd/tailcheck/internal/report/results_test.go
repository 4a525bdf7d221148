package report

import (
	"math"

	"github.com/tailcheck/tailcheck/detect"
)

// Results made by hand, with the figures of the lab's recorded runs where those
// say them; each is printed in every form and compared with testdata.

func p[T any](v T) *T { return &v }

// labInput is hey-c1.csv of the lab: 200 requests, number 150 held for 2 s.
func labInput() Input {
	return Input{Path: "hey-c1.csv", Format: "hey-csv", Kind: "load", Tool: "hey", Records: Records{Runs: 1, Samples: 200},
		Run: &Run{Loop: "closed", Treatment: "raw", Workers: p(1), WorkersFrom: p("report"), IntervalMs: p(80.0), IntervalFrom: p("--interval"),
			ElapsedMs: p(12064.6), Requests: p(int64(200)), Errors: p(int64(0)), Timeouts: p(int64(0))}}
}

func labMeasured() *Figures {
	return &Figures{Count: p(int64(200)), Min: p(50.4), Mean: p(60.3), P50: p(50.6), P75: p(50.6), P90: p(50.7), P95: p(50.7), P99: p(51.2), P999: p(2000.7), P9999: p(2000.7), Max: p(2000.7),
		Rule: "nearest rank", Resolution: "samples"}
}

func labCorrected() *Figures {
	return &Figures{Count: p(int64(224)), Min: p(50.4), Mean: p(161.1), P50: p(50.6), P75: p(50.7), P90: p(240.7), P95: p(1120.7), P99: p(1840.7), P999: p(2000.7), P9999: p(2000.7), Max: p(2000.7),
		Rule: "nearest rank", Resolution: "samples"}
}

func labCorrection() *Correction {
	return &Correction{Method: "fill", IntervalMs: p(80.0), IntervalFrom: p("--interval"), Added: p(int64(24)), AddedShare: p(24.0 / 224), Confidence: p("medium"),
		Assumes: p("every stall held all requests that were due meanwhile"), Band: &Band{Half: p(1920.7), Double: p(1680.7)}, RandomWait: []Wait{{500, 0.1244}}}
}

func omission() Finding {
	return Finding{Rule: "coordinated-omission", Severity: "warning", Level: detect.Warning, Confidence: "high", Inputs: []int{0},
		Message: "the slowest request took 39 times the p99, and 100 requests a minute would have met it: the stall was seen by 1 request instead of 16",
		Evidence: []Evidence{
			{What: "max / p99", Got: "39", Want: p("1.2"), At: p("hey-c1.csv:151")},
			{What: "requests above half the maximum", Got: "1", Want: p("16")},
			{What: "omitted mass", Got: "0.94"},
		},
		Numbers: struct {
			MaxOverP99 float64 `json:"max_over_p99"`
			Expected   float64 `json:"expected_above_half_max"`
			Seen       int64   `json:"seen_above_half_max"`
			Missing    *int64  `json:"missing_requests"`
		}{39.0762, 16.58, 1, p(int64(24))},
		Remedy: "measure again with an open loop:\n$ vegeta attack -rate=25/2s -duration=16s -targets=targets.txt | vegeta encode > vegeta.json"}
}

// rules are some detectors as the suite would list them, hostile not among them.
func rules() []Rule {
	return []Rule{
		{Name: "coordinated-omission", Severity: detect.Warning, Doc: "The load generator stopped sending while it waited\n\nA generator that waits for an answer before it sends the next request sends\nnothing while the server stalls.\n\nWhat it rests on: the largest latency beside the p99 (max > 10 x p99)."},
		{Name: "stall-missed-by-load-test", Severity: detect.Error, Fails: true, Doc: "The server stood still and no load report shows it\n\nA server's log shows a time in which nothing was answered."},
		{Name: "concurrency-inversion", Severity: detect.Warning, Doc: "More concurrency, less latency\n\nTwo runs against one target contradict each other."},
		{Name: "censored-tail", Severity: detect.Warning, Doc: "Requests that took longest are missing from the percentiles\n\nThey timed out."},
		{Name: "no-data", Severity: detect.Warning, Doc: "Nothing was measured\n\nEvery request failed."},
		{Name: "already-corrected", Severity: detect.Note, Doc: "The tool has corrected the figures already\n\nThey are left alone."},
	}
}

func flips() *Result {
	why := "raw p99 51.2 ms (nearest rank) is below 500 ms, corrected p99 1840.7 ms (fill at 80 ms from --interval) is not"
	return &Result{Schema: Schema, Rules: rules(), Verdict: "fail", Command: "check", Why: "p99<500ms: " + why,
		Inputs:        []Input{labInput()},
		Distributions: []Distribution{{Vantage: "client", Measured: labMeasured(), Corrected: labCorrected(), Correction: labCorrection()}},
		Objectives: []Objective{
			{Objective: "p99<500ms", Raw: &Judged{Value: p(51.2), Verdict: "pass"}, Corrected: &Judged{Value: p(1840.7), Verdict: "fail"}, Verdict: "fail", Flips: true, FlipInterval: p(666.9), Why: why},
			{Objective: "errors<1%", Raw: &Judged{Amount: p(0.0), Verdict: "pass"}, Verdict: "pass", Why: "raw errors 0 % (0 of 200 requests, counted) are below 1 %"},
		},
		Findings: []Finding{omission()}}
}

func pass() *Result {
	r := &Result{Schema: Schema, Rules: rules(), Verdict: "pass", Command: "check", Why: "no objective was given; no finding fails the gate",
		Inputs: []Input{labInput()}, Distributions: []Distribution{{Vantage: "client", Measured: labMeasured()}}}
	r.Inputs[0].Run.IntervalMs, r.Inputs[0].Run.IntervalFrom = nil, nil
	r.Distributions[0].Measured.P999, r.Distributions[0].Measured.P9999, r.Distributions[0].Measured.Max = p(52.9), p(52.9), p(52.9)
	r.Distributions[0].Measured.Mean = p(50.62)
	return r
}

// correctLab is what correct prints of the lab run.
func correctLab() *Result {
	r := flips()
	r.Command = "correct"
	r.Findings = nil
	r.Distributions[0].Measured.Printed = []Printed{{"p99", 51.4, "hey's own rule (one rank above nearest rank)"}, {"p90", 50.8, "hey's own rule (one rank above nearest rank)"}}
	return r
}

// bounds is a text report with a plan: only bounds are known after correction.
func bounds() *Result {
	why := "raw p99 51.2 ms (printed by hey) is below 500 ms, corrected p99 between 1680.7 ms and 1930.1 ms (bounds of a fill at 80 ms from --interval) is not"
	in := labInput()
	in.Path, in.Format, in.Records = "ci.log", "hey", Records{Runs: 1, Aggregates: 1}
	in.Line = p(int64(214))
	in.Run.Command = p("hey -n 200 -c 1 -q 12.5 http://127.0.0.1:8080/")
	return &Result{Schema: Schema, Rules: rules(), Verdict: "fail", Command: "check", Why: "p99<500ms: " + why,
		Inputs: []Input{in},
		Distributions: []Distribution{{Vantage: "client",
			Measured: &Figures{Count: p(int64(200)), Min: p(50.4), Mean: p(60.3), P50: p(50.6), P75: p(50.6), P90: p(50.7), P95: p(50.7), P99: p(51.2), Max: p(2000.7), Rule: "printed by hey, by its own rule", Resolution: "printed",
				Bounds: []Bound{{"p99.9", p(51.2), p(2000.7)}, {"p99.99", p(51.2), nil}}},
			Corrected: &Figures{Count: nil, P50: p(50.6), Max: p(2000.7), Rule: "nearest rank", Resolution: "bounds",
				Bounds: []Bound{{"p75", p(50.6), p(51.2)}, {"p90", p(160.7), p(320.7)}, {"p99", p(1680.7), p(1930.1)}}},
			Correction: &Correction{Method: "bounds", IntervalMs: p(80.0), IntervalFrom: p("--interval"), Assumes: p("every stall held all requests that were due meanwhile")}}},
		Objectives: []Objective{{Objective: "p99<500ms", Raw: &Judged{Value: p(51.2), Verdict: "pass"}, Corrected: &Judged{Low: p(1680.7), High: p(1930.1), Verdict: "fail"}, Verdict: "fail", Flips: true, Why: why}},
		Problems:   []Problem{{Path: "ci.log", Line: p(int64(230)), Message: "a percentile row without a value"}}}
}

// censored is wrk-c1.txt of the lab: the stall is in no percentile.
func censored() *Result {
	why := "corrected p99 51.3 ms (filled by wrk itself) is below 500 ms, but a timed-out request stands for 24 never sent"
	return &Result{Schema: Schema, Rules: rules(), Verdict: "inconclusive", Command: "check", Why: "p99<500ms: " + why,
		Inputs: []Input{{Path: "wrk-c1.txt", Format: "wrk", Kind: "load", Tool: "wrk", Records: Records{Runs: 1, Aggregates: 1},
			Run: &Run{Loop: "closed", Treatment: "filled", Workers: p(1), WorkersFrom: p("report"), ElapsedMs: p(12010.0), Achieved: p(16.57), Requests: p(int64(200)), Errors: p(int64(1)), Timeouts: p(int64(1))}}},
		Distributions: []Distribution{{Vantage: "client",
			Corrected:  &Figures{Count: p(int64(199)), Mean: p(50.69), P50: p(50.66), P75: p(50.75), P90: p(50.86), P99: p(51.31), Max: p(51.44), Rule: "printed by wrk, by its own rule", Resolution: "printed"},
			Correction: &Correction{Method: "by-tool", Assumes: p("the tool's own correction is right")}}},
		Objectives: []Objective{{Objective: "p99<500ms", Corrected: &Judged{Value: p(51.31), Verdict: "pass"}, Verdict: "inconclusive", Why: why}},
		Findings: []Finding{
			{Rule: "censored-tail", Severity: "warning", Level: detect.Warning, Confidence: "high", Inputs: []int{0}, Message: "1 request timed out at 2 s and is in no percentile: the tail is a lower bound",
				Evidence: []Evidence{{What: "timeouts", Got: "1", Want: p("0"), At: p("wrk-c1.txt:12")}}, Remedy: "raise the limit (wrk --timeout 60s), or re-measure open loop:\n$ wrk2 -t1 -c1 -d60s -R12.5 --latency http://127.0.0.1:8080/"},
			{Rule: "already-corrected", Severity: "note", Level: detect.Note, Confidence: "high", Inputs: []int{0}, Message: "wrk fills omitted requests before it prints, at its own average pace; nothing is filled again"},
		},
		Next: []string{"re-measure with an open loop before the release"}}
}

// wrk2Both is a run of wrk2 --u_latency: both blocks are printed.
func wrk2Both() *Result {
	return &Result{Schema: Schema, Rules: rules(), Verdict: "pass", Command: "check", Why: "p99<2s: corrected p99 1264 ms (timed from the schedule by wrk2) is below 2 s",
		Inputs: []Input{{Path: "u_latency.txt", Format: "wrk2", Kind: "load", Tool: "wrk2", Records: Records{Runs: 1, Aggregates: 2},
			Run: &Run{Loop: "scheduled", Treatment: "from-schedule", Workers: p(100), WorkersFrom: p("report"), Rate: p(2000.0), RateFrom: p("command line at u_latency.txt:1"), IntervalMs: p(50.0), IntervalFrom: p("workers / rate"),
				ElapsedMs: p(30000.0), Achieved: p(1979.42), Requests: p(int64(59394)), Errors: p(int64(0)), Timeouts: p(int64(0)), Command: p("wrk2 -t2 -c100 -d30s -R2000 --u_latency http://127.0.0.1:8080/index.html")}}},
		Distributions: []Distribution{{Vantage: "client",
			Measured:   &Figures{Count: p(int64(39500)), Mean: p(5.93), P50: p(2.79), P75: p(3.68), P90: p(4.42), P99: p(6.31), P999: p(1413.12), P9999: p(1414.14), Max: p(1414.14), Rule: "printed by wrk2 (HdrHistogram (C, Go))", Resolution: "spectrum"},
			Corrected:  &Figures{Count: p(int64(39500)), Mean: p(42.5), P50: p(2.79), P75: p(3.68), P90: p(6.7), P99: p(1264.0), P999: p(1403.0), P9999: p(1413.1), Max: p(1413.1), Rule: "printed by wrk2 (HdrHistogram (C, Go))", Resolution: "spectrum"},
			Correction: &Correction{Method: "by-tool", Assumes: p("the tool's own correction is right")}}},
		Objectives: []Objective{{Objective: "p99<2s", Raw: &Judged{Value: p(6.31), Verdict: "pass"}, Corrected: &Judged{Value: p(1264.0), Verdict: "pass"}, Verdict: "pass", Why: "corrected p99 1264 ms (timed from the schedule by wrk2) is below 2 s", From: p("tailcheck.yaml:4")}},
		Settings: []Setting{{Name: "objective", Value: "p99.9<1s", From: "tailcheck.yaml:5", Overruled: p("--sla")}, {Name: "fail-on", Value: "warning", From: "tailcheck.yaml:21"},
			{Name: "skip", Value: "cold-start", Files: "load/*.txt", Reason: p("the warm-up is known: OPS-112"), Until: p("2026-12-31"), From: "tailcheck.yaml:17"}},
		Findings: []Finding{{Rule: "already-corrected", Severity: "note", Level: detect.Note, Confidence: "high", Inputs: []int{0}, Message: "the Recorded block is timed from the schedule and is left as it is; the Uncorrected block is raw",
			Evidence: []Evidence{{What: "heading", Got: "Latency Distribution (HdrHistogram - Recorded Latency)", At: p("u_latency.txt:7")}, {What: "heading", Got: "Latency Distribution (HdrHistogram - Uncorrected Latency)", At: p("u_latency.txt:131")}}}}}
}

// many is a directory of runs and one run of several operations.
func many() *Result {
	r := &Result{Schema: Schema, Rules: rules(), Verdict: "fail", Command: "check", Why: "2 of 7 objectives fail; the first is GET /checkout: p99<300ms of runs/jmeter.jtl",
		Skipped: []string{"runs/README.md: no format claims it; the nearest is hey: no Summary section"}}
	for i, c := range []struct {
		path string
		p99  float64
	}{{"runs/c1.csv", 51.2}, {"runs/c10.csv", 112.45}, {"runs/c100.csv", 1380.5}} {
		in := labInput()
		in.Path = c.path
		in.Run.Workers = p([]int{1, 10, 100}[i])
		r.Inputs = append(r.Inputs, in)
		f := labMeasured()
		f.P99 = p(c.p99)
		d := Distribution{Input: i, Vantage: "client", Measured: f}
		if i == 1 {
			d.Corrected, d.Correction = labCorrected(), labCorrection()
		}
		if i == 2 {
			d.Correction = &Correction{Method: "none", Refused: p("saturated-run: the rate achieved is 83 % of the plan")}
		}
		r.Distributions = append(r.Distributions, d)
		r.Objectives = append(r.Objectives, Objective{Objective: "p99<500ms", Input: i, Raw: &Judged{Value: p(c.p99), Verdict: []string{"pass", "pass", "fail"}[i]}, Verdict: []string{"pass", "pass", "fail"}[i], Why: "raw p99 against 500 ms"})
	}
	r.Inputs = append(r.Inputs, Input{Path: "runs/jmeter.jtl", Format: "jmeter", Kind: "load", Tool: "jmeter", Records: Records{Samples: 81234},
		Run: &Run{Loop: "closed", Treatment: "raw", Requests: p(int64(81234)), Errors: p(int64(12))}})
	for i, op := range []string{"GET /cart", "GET /checkout", "POST /orders/{id}/items/{item}/reservations"} {
		f := labMeasured()
		f.P50, f.P99 = p(0.412), p([]float64{240, 312.5, 9.75}[i])
		f.Count = p(int64(20000 + 1234*i))
		r.Distributions = append(r.Distributions, Distribution{Input: 3, Op: op, Vantage: "client", Measured: f})
		v := []string{"pass", "fail", "pass"}[i]
		r.Objectives = append(r.Objectives, Objective{Objective: op + ": p99<300ms", Input: 3, Op: op, Raw: &Judged{Value: f.P99, Verdict: v}, Verdict: v, Why: "raw p99 against 300 ms"})
	}
	r.Objectives = append(r.Objectives, Objective{Objective: "GET /missing: p99<300ms", Input: -1, Op: "GET /missing", Verdict: "inconclusive", Why: `no input has an operation named "GET /missing"`})
	r.Findings = []Finding{
		{Rule: "stall-missed-by-load-test", Severity: "error", Level: detect.Error, Confidence: "medium", Inputs: []int{0, 1, 2, 3}, ImpactMs: p(1840.0), Message: "the server stood still for 1.9 s and no load report shows it"},
		{Rule: "concurrency-inversion", Severity: "warning", Level: detect.Warning, Confidence: "medium", Inputs: []int{0, 1}, Op: "GET /cart", Message: "p99 falls while concurrency rises on the same target",
			Evidence:  []Evidence{{What: "p99 at 1 worker, raw, by nearest rank over the samples", Got: "51.2 ms", At: p("runs/c1.csv:151")}, {What: "p99 at 10 workers, raw, by nearest rank over the samples", Got: "112.45 ms", Want: p("more than 51.2 ms")}},
			Exemplars: []string{"4bf92f3577b34da6a3ce929d0e0e4736", "00000000000000000000000000000001", "00000000000000000000000000000002", "00000000000000000000000000000003"}, Remedy: "compare runs of one loop model only"},
	}
	return r
}

// logs is what a server's log and a trace export say; nobody corrects those.
func logs() *Result {
	r := &Result{Schema: Schema, Rules: rules(), Verdict: "fail", Command: "check", Why: "stall-missed-by-load-test: the server stood still for 1.9 s and the load report shows a p99 of 51.2 ms",
		Inputs: []Input{
			{Path: "access.log", Format: "nginx", Kind: "log", Records: Records{Samples: 4810, Problems: 3}, Log: &Log{Lines: 4813, Requests: 4810, Unread: 3, Unit: p("s"), UnitFrom: p("key"), Stamp: p("end"), Zone: p("+02:00"), ClockStarts: p("request"),
				From: p("2026-11-29T10:00:00.25+02:00"), To: p("2026-11-29T10:04:00.5+02:00"), Censored: 2, Retried: 1, Tries: 4811}},
			{Path: "spans.json", Format: "otlp-json", Kind: "trace", Tool: "otelcol", Records: Records{Spans: 12345, Traces: 180}, Trace: &Trace{Spans: 12345, Traces: 180, Roots: 178, Orphans: 1, RepeatedIDs: 2, Errors: 7, StandsFor: 12400}},
		},
		Distributions: []Distribution{
			{Op: "GET /cart", Vantage: "server", Measured: labMeasured()},
			{Op: "GET /cart", Vantage: "proxy", Measured: &Figures{P99: p(0.0421), Max: p(0.9), Rule: "nearest rank", Resolution: "histogram"}},
		},
		Findings: []Finding{{Rule: "stall-missed-by-load-test", Severity: "error", Level: detect.Error, Confidence: "high", Inputs: []int{0}, ImpactMs: p(1900.0), Message: "the server stood still for 1.9 s and the load report shows a p99 of 51.2 ms",
			Numbers: struct {
				Duration float64  `json:"duration_ms"`
				Due      int64    `json:"due"`
				Report   *float64 `json:"report_p99_ms"`
				WouldBe  float64  `json:"would_be_p99_ms"`
			}{1900, 24, p(51.2), 1840.7}, Exemplars: []string{"4bf92f3577b34da6a3ce929d0e0e4736"}}}}
	return r
}

// nothing is a run whose inputs held nothing.
func nothing() *Result {
	return &Result{Schema: Schema, Rules: rules(), Verdict: "inconclusive", Command: "check", Why: "refused.txt holds no latency: nothing was measured",
		Inputs:     []Input{{Path: "refused.txt", Format: "hey", Kind: "load", Tool: "hey", Records: Records{Runs: 1, Problems: 1}, Run: &Run{Loop: "closed", Treatment: "raw", Requests: p(int64(200)), Errors: p(int64(200)), Timeouts: p(int64(0))}}},
		Objectives: []Objective{{Objective: "p99<500ms", Verdict: "inconclusive", Why: "the report holds neither raw nor corrected latencies to judge p99 on"}},
		Findings:   []Finding{{Rule: "no-data", Severity: "warning", Level: detect.Warning, Confidence: "high", Inputs: []int{0}, Message: "all 200 requests failed before an answer", Evidence: []Evidence{{What: "errors", Got: "200", Want: p("0"), At: p("refused.txt:9")}}}},
		Problems:   []Problem{{Path: "refused.txt", Message: "Average: NaN secs"}}}
}

const evil = "\x1b[2J\x1b]0;pwned\x07 GET /\u202etxt.exe\u2066\r\nPASS everything is fine\t\x00\x9b31m\xff\u0085 <script>alert(1)</script> |`'\" \U000e0041\u200bZ\u0301\u0301\u0301\u0301\u0301\u0301\u0301"

// hostile has input text that wants to be a terminal's master in every place.
func hostile() *Result {
	nan, inf := math.NaN(), math.Inf(1)
	r := flips()
	r.Why = evil
	in := &r.Inputs[0]
	in.Path, in.Tool, in.Format = evil, evil, "hey-csv"
	in.Run.WorkersFrom, in.Run.IntervalFrom, in.Run.Command, in.Run.Rate, in.Run.ElapsedMs = p(evil), p(evil), p(evil), &inf, &nan
	d := &r.Distributions[0]
	d.Op = evil
	d.Measured.P50, d.Measured.Mean, d.Measured.Max = &nan, &inf, p(-1e300)
	d.Measured.Rule = evil
	d.Measured.Printed = []Printed{{evil, inf, evil}}
	d.Measured.Bounds = []Bound{{"p50", &inf, &nan}}
	d.Correction.IntervalFrom, d.Correction.Assumes, d.Correction.AddedShare = p(evil), p(evil), &nan
	d.Correction.RandomWait = []Wait{{nan, inf}}
	for i := range r.Objectives {
		r.Objectives[i].Objective, r.Objectives[i].Op, r.Objectives[i].Why = evil+": p99<1s", evil, evil
		r.Objectives[i].FlipInterval, r.Objectives[i].From = &nan, p(evil)
	}
	r.Findings = []Finding{{Rule: evil, Severity: "warning", Confidence: "low", Inputs: []int{0, 7, -1}, Op: evil, Message: evil, ImpactMs: &nan,
		Evidence: []Evidence{{evil, evil, p(evil), p(evil)}}, Exemplars: []string{evil}, Remedy: evil + "\n$ " + evil,
		Numbers: map[string]any{"b": nan, "a": []any{1e300, 1e-300, math.Copysign(0, -1), evil}}}}
	r.Problems = []Problem{{Path: evil, Line: p(int64(-1)), Message: evil}}
	r.Skipped, r.Next = []string{evil}, []string{evil}
	r.Settings = []Setting{{evil, evil, evil, p(evil), p(evil), evil, p(evil)}, {evil, evil, evil, p(evil), p(evil), evil, nil}}
	return r
}

type named struct {
	name string
	make func() *Result
}

var results = []named{
	{"pass", pass}, {"flips", flips}, {"correct", correctLab}, {"bounds", bounds}, {"censored", censored},
	{"wrk2", wrk2Both}, {"many", many}, {"nothing", nothing}, {"logs", logs}, {"hostile", hostile},
}
