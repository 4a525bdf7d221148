package sla

import (
	"math"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// fake is a distribution of which only some figures are known.
type fake struct {
	n         int64
	at        map[latency.Percentile]correct.Range
	mean, max correct.Range
}

func (f fake) Count() int64       { return f.n }
func (f fake) Min() correct.Range { return correct.Unknown }
func (f fake) Mean() correct.Range {
	if f.mean == (correct.Range{}) {
		return correct.Unknown
	}
	return f.mean
}
func (f fake) Max() correct.Range {
	if f.max == (correct.Range{}) {
		return correct.Unknown
	}
	return f.max
}

// Percentile returns what is known at p, else what its neighbours allow.
func (f fake) Percentile(p latency.Percentile) correct.Range {
	if r, ok := f.at[p]; ok {
		return r
	}
	x := correct.Range{Low: 0, High: f.Max().High}
	for q, r := range f.at {
		if q <= p {
			x.Low = max(x.Low, r.Low)
		} else {
			x.High = min(x.High, r.High)
		}
	}
	return x
}

const ms = 1_000_000

func exactly(v float64) correct.Range { return correct.Exactly(int64(v * ms)) }
func between(low, high float64) correct.Range {
	return correct.Range{Low: int64(low * ms), High: int64(high * ms)}
}
func atLeast(low float64) correct.Range {
	return correct.Range{Low: int64(low * ms), High: correct.Infinite}
}
func p99(r correct.Range) fake {
	return fake{n: 10000, at: map[latency.Percentile]correct.Range{latency.P99: r}}
}

func objective(t *testing.T, expr string) Objective {
	t.Helper()
	o, err := Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A value, a bound, and each side of the limit, raw alone and without suspicion.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		expr string
		r    correct.Range
		want string
	}{
		{"p99<500ms", exactly(51.2), Pass},
		{"p99<500ms", exactly(499.999999), Pass},
		{"p99<500ms", exactly(500), Fail},
		{"p99<=500ms", exactly(500), Pass},
		{"p99<=500ms", exactly(500.000001), Fail},
		{"p99<1840.7ms", exactly(1840.7), Fail},
		{"p99<=1840.7ms", exactly(1840.7), Pass},
		{"p99<500ms", between(100, 499.999999), Pass},
		{"p99<500ms", between(100, 500), Inconclusive},
		{"p99<=500ms", between(100, 500), Pass},
		{"p99<500ms", between(500, 900), Fail},
		{"p99<=500ms", between(500, 900), Inconclusive},
		{"p99<=500ms", between(500.000001, 900), Fail},
		{"p99<500ms", between(499.999999, 500.000001), Inconclusive},
		{"p99<500ms", atLeast(100), Inconclusive},
		{"p99<500ms", atLeast(500), Fail},
		{"p99<=500ms", atLeast(500), Inconclusive}, // a bound, not a request given up at it
		{"p99<=500ms", atLeast(501), Fail},
		{"p99<500ms", correct.Unknown, Inconclusive},
	} {
		v := Judge(objective(t, c.expr), Case{Raw: p99(c.r), RawRule: "nearest rank"})
		if v.Verdict != c.want || v.Raw.Verdict != c.want || v.Corrected != nil || v.Flips {
			t.Errorf("%s of %v: %s, want %s (%s)", c.expr, c.r, v.Verdict, c.want, v.Why)
		}
		if !strings.Contains(v.Why, "raw") && !strings.Contains(v.Why, "nearest rank") {
			t.Errorf("%s of %v: %q does not say what was judged", c.expr, c.r, v.Why)
		}
	}
}

// Every pair of a raw and a corrected answer, with each of what the run may be.
func TestVerdict(t *testing.T) {
	pass, fail, open := exactly(51.2), exactly(1840.7), between(300, 900)
	none := correct.Range{Low: -1}
	for _, c := range []struct {
		name           string
		raw, corrected correct.Range
		suspect, tool  bool
		doubt          string
		want           string
		flips          bool
	}{
		{name: "raw pass", raw: pass, corrected: none, want: Pass},
		{name: "raw fail", raw: fail, corrected: none, want: Fail},
		{name: "raw open", raw: open, corrected: none, want: Inconclusive},
		{name: "nothing", raw: none, corrected: none, want: Inconclusive},
		{name: "suspect raw pass", raw: pass, corrected: none, suspect: true, want: Inconclusive},
		{name: "suspect raw fail", raw: fail, corrected: none, suspect: true, want: Fail},
		{name: "suspect raw open", raw: open, corrected: none, suspect: true, want: Inconclusive},
		{name: "pass pass", raw: pass, corrected: pass, suspect: true, want: Pass},
		{name: "pass fail", raw: pass, corrected: fail, suspect: true, want: Fail, flips: true},
		{name: "pass open", raw: pass, corrected: open, suspect: true, want: Inconclusive},
		{name: "fail pass", raw: fail, corrected: pass, suspect: true, want: Fail},
		{name: "fail fail", raw: fail, corrected: fail, suspect: true, want: Fail},
		{name: "fail open", raw: fail, corrected: open, suspect: true, want: Fail},
		{name: "open pass", raw: open, corrected: pass, suspect: true, want: Inconclusive},
		{name: "open fail", raw: open, corrected: fail, suspect: true, want: Fail},
		{name: "open open", raw: open, corrected: open, suspect: true, want: Inconclusive},
		{name: "pass fail, not suspect", raw: pass, corrected: fail, want: Fail, flips: true}, // exact due times
		{name: "pass pass, not suspect", raw: pass, corrected: pass, want: Pass},
		{name: "pass open, not suspect", raw: pass, corrected: open, want: Inconclusive},
		{name: "corrected only", raw: none, corrected: pass, want: Pass},
		{name: "tool pass", raw: none, corrected: pass, tool: true, want: Pass},
		{name: "tool fail", raw: none, corrected: fail, tool: true, want: Fail},
		{name: "tool open", raw: none, corrected: open, tool: true, want: Inconclusive},
		{name: "tool pass, suspect", raw: none, corrected: pass, tool: true, suspect: true, want: Inconclusive},
		{name: "tool fail, suspect", raw: none, corrected: fail, tool: true, suspect: true, want: Fail},
		{name: "tool, both blocks", raw: pass, corrected: fail, tool: true, want: Fail, flips: true},
		{name: "tool, both blocks pass", raw: pass, corrected: pass, tool: true, want: Pass},
		{name: "tool, raw block open", raw: open, corrected: pass, tool: true, want: Pass},
		{name: "tool, no corrected value", raw: pass, corrected: none, tool: true, want: Inconclusive},
		{name: "doubted pass", raw: pass, corrected: none, doubt: "the rate was not reached", want: Inconclusive},
		{name: "doubted fail", raw: fail, corrected: none, doubt: "the rate was not reached", want: Fail},
		{name: "doubted flip", raw: pass, corrected: fail, doubt: "the rate was not reached", want: Fail, flips: true},
		{name: "doubted pass pass", raw: pass, corrected: pass, doubt: "the rate was not reached", want: Inconclusive},
		{name: "doubted tool pass", raw: none, corrected: pass, tool: true, doubt: "the rate was not reached", want: Inconclusive},
	} {
		k := Case{RawRule: "nearest rank", Method: "fill at 80 ms from --interval", Suspect: c.suspect, ByTool: c.tool, Doubt: c.doubt, Why: "max / p99 is 39"}
		if c.raw != none {
			k.Raw = p99(c.raw)
		}
		if c.corrected != none {
			k.Corrected = p99(c.corrected)
		}
		o := objective(t, "p99<500ms")
		v := Judge(o, k)
		if v.Verdict != c.want || v.Flips != c.flips || (v.Raw == nil) != (k.Raw == nil) || (v.Corrected == nil) != (k.Corrected == nil) {
			t.Errorf("%s: %s flips %v, want %s %v (%s)", c.name, v.Verdict, v.Flips, c.want, c.flips, v.Why)
		}
		if !strings.Contains(v.Why, "raw") && !strings.Contains(v.Why, "corrected") {
			t.Errorf("%s: %q says neither raw nor corrected", c.name, v.Why)
		}
		if c.doubt != "" && c.want == Inconclusive && !strings.Contains(v.Why, c.doubt) {
			t.Errorf("%s: %q does not say the doubt", c.name, v.Why)
		}
		// Times in a unit that nobody stated decide nothing.
		k.UnitAssumed = true
		u := Judge(o, k)
		if u.Verdict != Inconclusive || u.Flips || !strings.Contains(u.Why, "the file does not state its unit: give --unit") ||
			u.Raw != nil && u.Raw.Verdict != Inconclusive || u.Corrected != nil && u.Corrected.Verdict != Inconclusive {
			t.Errorf("%s, unit assumed: %s (%s)", c.name, u.Verdict, u.Why)
		}
	}
}

func TestMaxAndMean(t *testing.T) {
	f := fake{n: 100, mean: exactly(20), max: exactly(900)}
	for _, c := range []struct {
		expr string
		c    Case
		want string
	}{
		{"max<1s", Case{Raw: f}, Pass},
		{"max<900ms", Case{Raw: f}, Fail},
		{"max<=900ms", Case{Raw: f}, Pass},
		{"mean<=20ms", Case{Raw: f}, Pass},
		{"mean<20ms", Case{Raw: f}, Fail},
		{"max<1s", Case{Raw: fake{n: 100}}, Inconclusive},
		{"mean<1s", Case{Raw: fake{n: 100}}, Inconclusive},
		{"max<1s", Case{Raw: f, Lost: 1}, Inconclusive},
		{"max<900ms", Case{Raw: f, Lost: 1}, Fail},
		{"max<1s", Case{Raw: f, Lost: 1, CensoredAt: 2e9}, Fail},
		{"max<=2s", Case{Raw: f, Lost: 1, CensoredAt: 2e9}, Fail}, // given up at 2 s: longer than 2 s
		{"max<3s", Case{Raw: f, Lost: 1, CensoredAt: 2e9}, Inconclusive},
		{"max<=900ms", Case{Raw: f, Bounded: 1}, Fail},
		{"max<1s", Case{Raw: f, Bounded: 1}, Inconclusive},
		// 100 of 20 ms and 1 of 2 s or more: at least 39.6 ms
		{"mean<39ms", Case{Raw: f, Lost: 1, CensoredAt: 2e9}, Fail},
		{"mean<40ms", Case{Raw: f, Lost: 1, CensoredAt: 2e9}, Inconclusive},
		{"mean<19ms", Case{Raw: f, Lost: 1}, Fail}, // 100 of 20 ms and one of any length: at least 19.8
		{"mean<20ms", Case{Raw: f, Lost: 1}, Inconclusive},
	} {
		if v := Judge(objective(t, c.expr), c.c); v.Verdict != c.want {
			t.Errorf("%s: %s, want %s (%s)", c.expr, v.Verdict, c.want, v.Why)
		}
	}
}

func TestErrorsAndRate(t *testing.T) {
	for _, c := range []struct {
		expr string
		c    Case
		want string
		say  string
	}{
		{"errors<1%", Case{Counted: true, Requests: 200, Errors: 1}, Pass, "raw errors 0.5 % (1 of 200 requests, counted) are below 1 %"},
		{"errors<1%", Case{Counted: true, Requests: 200, Errors: 2}, Fail, "raw errors 1 % (2 of 200 requests, counted) are not below 1 %"},
		{"errors<=1%", Case{Counted: true, Requests: 200, Errors: 2}, Pass, "raw errors 1 % (2 of 200 requests, counted) are at or below 1 %"},
		{"errors<=1%", Case{Counted: true, Requests: 200, Errors: 3}, Fail, "raw errors 1.5 % (3 of 200 requests, counted) are above 1 %"},
		{"errors<=0%", Case{Counted: true, Requests: 200}, Pass, ""},
		{"errors<=0%", Case{Counted: true, Requests: 1_000_000_000, Errors: 1}, Fail, "raw errors 0.0000001 % (1 of 1000000000 requests, counted) are above 0 %"},
		{"errors<1%", Case{Counted: true, Requests: 1e18, Errors: 1e16}, Fail, ""},
		{"errors<1%", Case{Counted: true, Requests: 1e18, Errors: 1e16 - 1}, Pass, ""},
		{"errors<1%", Case{Counted: true, Requests: 200, Errors: 300}, Fail, ""},
		{"errors<1%", Case{Counted: true}, Inconclusive, "not known"},
		{"errors<1%", Case{Requests: 200}, Inconclusive, "not known"},
		{"errors<1%", Case{Counted: true, Requests: 200, Errors: -1}, Inconclusive, ""},
		{"errors<1%", Case{Counted: true, Requests: 200, Doubt: "the counts do not add up"}, Inconclusive, "the counts do not add up"},
		{"errors<1%", Case{Counted: true, Requests: 200, Errors: 9, Doubt: "the counts do not add up"}, Fail, ""},
		{"errors<1%", Case{Counted: true, Requests: 200, Suspect: true, UnitAssumed: true, ByTool: true}, Pass, ""},
		{"rate>=100/s", Case{Rate: 100}, Pass, "raw rate 100/s (achieved) is at or above 100/s"},
		{"rate>100/s", Case{Rate: 100}, Fail, "raw rate 100/s (achieved) is not above 100/s"},
		{"rate>=100/s", Case{Rate: 99.99}, Fail, "raw rate 99.99/s (achieved) is below 100/s"},
		{"rate>12.5/s", Case{Rate: 12.6}, Pass, "raw rate 12.6/s (achieved) is above 12.5/s"},
		{"rate>=100/s", Case{}, Inconclusive, "not known"},
		{"rate>=100/s", Case{Rate: math.NaN()}, Inconclusive, "not known"},
		{"rate>=100/s", Case{Rate: math.Inf(1)}, Inconclusive, ""},
		{"rate>=100/s", Case{Rate: -5}, Inconclusive, ""},
		{"rate>=100/s", Case{Rate: 200, Doubt: "the rate was not reached"}, Inconclusive, "the rate was not reached"},
	} {
		v := Judge(objective(t, c.expr), c.c)
		if v.Verdict != c.want || v.Corrected != nil || v.Flips || !strings.Contains(v.Why, c.say) || !strings.Contains(v.Why, "raw") {
			t.Errorf("%s of %+v: %s (%s), want %s (%s)", c.expr, c.c, v.Verdict, v.Why, c.want, c.say)
		}
	}
}

// rounded prints percentiles so coarsely that each is a range.
type rounded struct{ fake }

func (r rounded) IsPrinted(p latency.Percentile) bool { _, ok := r.at[p]; return ok }

func TestPrintedWithinARange(t *testing.T) {
	v := Judge(objective(t, "p99<51.2ms"), Case{Raw: rounded{p99(between(51.1, 51.3))}, RawRule: "printed by ab"})
	if want := "raw p99 between 51.1 ms and 51.3 ms (printed by ab) lies on both sides of 51.2 ms"; v.Verdict != Inconclusive || v.Why != want {
		t.Errorf("%s: %q, want %q", v.Verdict, v.Why, want)
	}
}

func TestFlipIntervalIsPassedOn(t *testing.T) {
	v := Judge(objective(t, "p99<500ms"), Case{Raw: p99(exactly(51.2)), Suspect: true, FlipInterval: 666_900_000})
	if v.Verdict != Inconclusive || v.FlipInterval != 666_900_000 {
		t.Errorf("%+v", v)
	}
	if v := Judge(objective(t, "errors<1%"), Case{FlipInterval: 5}); v.FlipInterval != 0 {
		t.Errorf("errors: %+v", v)
	}
}

func TestWhy(t *testing.T) {
	hey := fake{n: 200, max: exactly(2000.7), at: map[latency.Percentile]correct.Range{latency.P50: exactly(50.6), latency.P99: exactly(51.2)}}
	for _, c := range []struct {
		expr string
		c    Case
		want string
	}{
		{"p99<500ms", Case{Raw: hey, RawRule: "nearest rank"}, "raw p99 51.2 ms (nearest rank) is below 500 ms; nothing suggests omitted requests"},
		{"p99<500ms", Case{Raw: hey, RawRule: "nearest rank", Corrected: p99(exactly(1840.7)), Method: "fill at 80 ms from --interval"},
			"raw p99 51.2 ms (nearest rank) is below 500 ms, corrected p99 1840.7 ms (fill at 80 ms from --interval) is not"},
		{"p99<=2s", Case{Raw: hey, RawRule: "nearest rank", Corrected: p99(exactly(1840.7)), Method: "fill at 80 ms from --interval"},
			"raw p99 51.2 ms (nearest rank) and corrected p99 1840.7 ms (fill at 80 ms from --interval) are at or below 2 s"},
		{"p99<500ms", Case{Raw: hey, RawRule: "printed by hey", Corrected: p99(between(1680.7, 2000.7)), Method: "bounds at 80 ms from --interval"},
			"raw p99 51.2 ms (printed by hey) is below 500 ms, corrected p99 between 1680.7 ms and 2000.7 ms (bounds at 80 ms from --interval) is not"},
		{"p99<500ms", Case{Raw: hey, RawRule: "printed by hey", Corrected: p99(between(300, 900)), Method: "bounds at 80 ms from --interval"},
			"raw p99 51.2 ms (printed by hey) is below 500 ms, but corrected p99 between 300 ms and 900 ms (bounds at 80 ms from --interval) may be or not"},
		{"p99<500ms", Case{Raw: hey, RawRule: "nearest rank", Suspect: true, Why: "max / p99 is 39 where 1.2 is usual", Refused: "the plan is not known"},
			"raw p99 51.2 ms (nearest rank) is below 500 ms, but max / p99 is 39 where 1.2 is usual, and nothing is corrected: the plan is not known"},
		{"p99.9<500ms", Case{Raw: hey, RawRule: "printed by hey", Tool: "hey"},
			"the report does not print p99.9, and its neighbours do not decide it: raw p99.9 between 51.2 ms and 2000.7 ms (from what hey printed); hey -o csv writes every request"},
		{"p99.9<500ms", Case{Raw: fake{n: 9}, Tool: "wrk"},
			"the report does not print p99.9, and nothing bounds the raw one; wrk --latency prints p50, p75, p90 and p99, a done() function in a script the rest: latency:percentile(99.9)"},
		{"p90<500ms", Case{Raw: fake{n: 9}, Tool: "k6"}, "the report does not print p90, and nothing bounds the raw one; k6 --summary-trend-stats 'med,p(90),max' prints it"},
		{"p99.9<3s", Case{Raw: hey, RawRule: "printed by hey"}, "raw p99.9 between 51.2 ms and 2000.7 ms (from what hey printed) is below 3 s; nothing suggests omitted requests"},
		{"max<500ms", Case{Raw: hey, RawRule: "printed by hey"}, "raw max 2000.7 ms (printed by hey) is not below 500 ms"},
		{"p99<51ms", Case{Raw: hey, RawRule: "printed by hey", Corrected: hey, Method: "fill at 80 ms from report"},
			"raw p99 51.2 ms (printed by hey) is not below 51 ms, nor is corrected p99 51.2 ms (fill at 80 ms from report)"},
		{"p99<500ms", Case{Corrected: hey, Method: "filled by wrk", ByTool: true}, "corrected p99 51.2 ms (filled by wrk) is below 500 ms; the report holds no raw value"},
		{"p99<500ms", Case{Corrected: hey, Method: "filled by wrk", ByTool: true, Suspect: true, Why: "a timed-out request stands for 24 never sent"},
			"corrected p99 51.2 ms (filled by wrk) is below 500 ms, but a timed-out request stands for 24 never sent"},
		{"p99<500ms", Case{Raw: hey, RawRule: "nearest rank", Lost: 99, CensoredAt: 20e9},
			"raw p99 of at least 20 s (nearest rank, 99 requests without a latency put back at 20 s or more) is not below 500 ms"},
		{"p99<30s", Case{Raw: hey, RawRule: "nearest rank", Lost: 99, CensoredAt: 20e9},
			"raw p99 of at least 20 s (nearest rank, 99 requests without a latency put back at 20 s or more) cannot be shown to be below 30 s: 99 requests left no full latency"},
		{"p99<500ms", Case{Raw: hey, RawRule: "nearest rank", UnitAssumed: true}, "raw p99 51.2 ms (nearest rank) would be below 500 ms, but the file does not state its unit: give --unit"},
		{"p99<500ms", Case{Raw: hey, RawRule: "nearest rank", UnitAssumed: true, Unstated: true}, "reported p99 51.2 ms (nearest rank) would be below 500 ms, but the file does not state its unit: give --unit"},
		{"p99<50ms", Case{Raw: hey, RawRule: "nearest rank", UnitAssumed: true}, "raw p99 51.2 ms (nearest rank) would not be below 50 ms, but the file does not state its unit: give --unit"},
		{"p99<=50ms", Case{Raw: hey, RawRule: "nearest rank", UnitAssumed: true}, "raw p99 51.2 ms (nearest rank) would be above 50 ms, but the file does not state its unit: give --unit"},
		{"p99<500ms", Case{Raw: hey, RawRule: "nearest rank", Unstated: true}, "reported p99 51.2 ms (nearest rank) is below 500 ms; the report does not say whether it is raw or corrected"},
		{"p99<50ms", Case{Raw: hey, RawRule: "nearest rank", Unstated: true}, "reported p99 51.2 ms (nearest rank) is not below 50 ms"},
		{"p99<500ms", Case{Raw: hey, RawRule: "printed by wrk2", Corrected: hey, Method: "timed from the schedule by wrk2", ByTool: true},
			"raw p99 51.2 ms (printed by wrk2) and corrected p99 51.2 ms (timed from the schedule by wrk2) are below 500 ms"},
		{"p99<500ms", Case{Raw: fake{n: 9}, Corrected: hey, Method: "timed from the schedule by wrk2", ByTool: true}, "corrected p99 51.2 ms (timed from the schedule by wrk2) is below 500 ms"},
		{"p99<500ms", Case{Corrected: p99(between(0, 235.5)), Method: "filled by wrk", ByTool: true}, "corrected p99 of at most 235.5 ms (filled by wrk) is below 500 ms; the report holds no raw value"},
		{"errors<1%", Case{Tool: "wrk"}, "the report does not say how many requests there were and how many failed, so raw errors are not known"},
		{"errors<1%", Case{}, "the report does not say how many requests there were and how many failed, so raw errors are not known; a histogram does not hold failures: a CSV of every request with a column for its status does"},
		{"rate>=1/s", Case{}, "the report states no rate of answers, so the raw rate is not known; a histogram does not hold times: a CSV of every request with columns for its start and latency does"},
		{"rate>=1/s", Case{Tool: "vegeta"}, "the report states no rate of answers, so the raw rate is not known; vegeta encode writes every request"},
		{"mean<1s", Case{Raw: fake{n: 9}, Tool: "k6"}, "the report does not print mean, so the raw one is not known; k6 --summary-trend-stats 'avg,max' prints it"},
		{"p99<500ms", Case{}, "the report holds neither raw nor corrected latencies to judge p99 on"},
	} {
		if v := Judge(objective(t, c.expr), c.c); v.Why != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.expr, v.Why, c.want)
		}
	}
}
