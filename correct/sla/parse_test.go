package sla

import (
	"errors"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/internal/latency"
)

func TestParse(t *testing.T) {
	p := func(v latency.Percentile, strict bool, limit int64) Objective {
		return Objective{Percentile: v, Strict: strict, Limit: limit}
	}
	with := func(op string, o Objective) Objective { o.Op = op; return o }
	for _, c := range []struct {
		expr string
		want Objective
		text string // canonical; empty: the same as expr
	}{
		{"p99<500ms", p(latency.P99, true, 500e6), ""},
		{"p99.9<=1s", p(latency.P999, false, 1e9), ""},
		{"  P99.90 <= 1.000 s ", p(latency.P999, false, 1e9), "p99.9<=1s"},
		{"p50<1840.7ms", p(latency.P50, true, 1840_700_000), ""},
		{"p99.999999<1.5s", p(99_999_999, true, 1500e6), "p99.999999<1500ms"},
		{"p0.000001<1ns", p(1, true, 1), ""},
		{"p95≤250us", p(latency.P95, false, 250e3), "p95<=250us"},
		{"p95<0.25ms", p(latency.P95, true, 250e3), "p95<250us"},
		{"p95<1.234567 µs", p(latency.P95, true, 1235), ""}, // refused below: finer than 1 ns
		{"max<5s", Objective{Metric: Max, Strict: true, Limit: 5e9}, ""},
		{"p100<5s", Objective{Metric: Max, Strict: true, Limit: 5e9}, "max<5s"},
		{"mean<=20ms", Objective{Metric: Mean, Limit: 20e6}, ""},
		{"errors<1%", Objective{Metric: Errors, Strict: true, Limit: 1e6}, ""},
		{"errors <= 0 %", Objective{Metric: Errors}, "errors<=0%"},
		{"errors<0.01%", Objective{Metric: Errors, Strict: true, Limit: 1e4}, ""},
		{"rate>=100/s", Objective{Metric: Rate, Limit: 100e6}, ""},
		{"rate > 12.5 /s", Objective{Metric: Rate, Strict: true, Limit: 12.5e6}, "rate>12.5/s"},
		{"rate≥1/s", Objective{Metric: Rate, Limit: 1e6}, "rate>=1/s"},
		{"GET /cart: p99<300ms", with("GET /cart", p(latency.P99, true, 300e6)), ""},
		{"GET /cart:p99<300ms", with("GET /cart", p(latency.P99, true, 300e6)), "GET /cart: p99<300ms"},
		{" svc: GET http://h:80/a<b : p99 < 300ms", with("svc: GET http://h:80/a<b", p(latency.P99, true, 300e6)), "svc: GET http://h:80/a<b: p99<300ms"},
		{"p99<1s: max<2s", with("p99<1s", Objective{Metric: Max, Strict: true, Limit: 2e9}), ""},
		{"a:: p50<1s", with("a:", p(latency.P50, true, 1e9)), ""},
	} {
		if strings.Contains(c.expr, "1.234567") {
			if _, err := Parse(c.expr); err == nil {
				t.Errorf("%s: a limit of parts of a nanosecond is accepted", c.expr)
			}
			continue
		}
		got, err := Parse(c.expr)
		if err != nil || got != c.want {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", c.expr, got, err, c.want)
			continue
		}
		text := c.text
		if text == "" {
			text = c.expr
		}
		if got.String() != text {
			t.Errorf("%q prints as %q, want %q", c.expr, got, text)
		}
	}
}

func TestParseHints(t *testing.T) {
	for _, c := range []struct{ expr, hint string }{
		{"p99<500", "give a unit: p99<500ms"},
		{"GET /a: p99<500", "give a unit: GET /a: p99<500ms"},
		{"GET /a:p99<500", "give a unit: GET /a: p99<500ms"},
		{"p99 = 5ms", "want < or <=: p99<=5ms"},
		{"p99==5ms", "want < or <=: p99<=5ms"},
		{"p99=<5ms", "want < or <=: p99<=5ms"},
		{"p99< =5ms", "write it together: p99<=5ms"},
		{"rate=100/s", "want > or >=: rate>=100/s"},
		{"99<500ms", "write it as p99: p99<500ms"},
		{"99.9<=2s", "write it as p99.9: p99.9<=2s"},
		{"99<500", "write it as p99: p99<500ms"},
		{"99%<500ms", "write it as p99: p99<500ms"},
		{"99th < 500ms", "write it as p99: p99<500ms"},
		{"p(99)<500", "write it as p99: p99<500ms"},
		{"p 99<1s", "write it as p99: p99<1s"},
		{"q0.99<1s", "write it as p99: p99<1s"},
		{"p999<1s", "write it as p99.9: p99.9<1s"},
		{"p9999<1s", "write it as p99.99: p99.99<1s"},
		{"avg<20ms", "write it as mean: mean<20ms"},
		{"median<20ms", "write it as p50: p50<20ms"},
		{"error rate<1%", "write it as errors: errors<1%"},
		{"rps>=100", "write it as rate: rate>=100/s"},
		{"latency<5ms", "want a metric (p50, p99.9, max, mean, errors, rate), a comparison and a limit with its unit: p99<500ms"},
		{"<500ms", "name what is limited: p99<500ms"},
		{"500ms>p99", "name the metric first: p99<500ms"},
		{"500ms >= p99", "name the metric first: p99<=500ms"},
		{"100/s<=rate", "name the metric first: rate>=100/s"},
		{"p99>500ms", "turn the comparison: p99<500ms"},
		{"p99>=500ms", "turn the comparison: p99<=500ms"},
		{"p99≥500ms", "turn the comparison: p99<=500ms"},
		{"errors>1%", "turn the comparison: errors<1%"},
		{"rate<100/s", "turn the comparison: rate>100/s"},
		{"p99", "quote it, or the shell takes < for a redirection: --sla 'p99<500ms'"},
		{"GET /a: errors", "quote it, or the shell takes < for a redirection: --sla 'GET /a: errors<1%'"},
		{"", "want a metric (p50, p99.9, max, mean, errors, rate), a comparison and a limit with its unit: p99<500ms"},
		{"p99<", "want a limit with its unit: p99<500ms"},
		{"p99<fast", "want a limit with its unit: p99<500ms"},
		{"p99<500m", "want ns, us, ms or s: p99<500ms"},
		{"p99<500MS", "want ns, us, ms or s: p99<500ms"},
		{"p99<2 seconds", "want ns, us, ms or s: p99<2s"},
		{"p99<5%", "want ns, us, ms or s: p99<5ms"},
		{"p99<1,5s", "decimals follow a point, and every objective has an --sla of its own: p99<1.5s"},
		{"p99<500ms,p50<100ms", "give every objective an --sla of its own: p99<500ms"},
		{"p99<500ms and max<1s", "give every objective an --sla of its own: p99<500ms"},
		{"p99<0ms", "want a limit above zero: p99<500ms"},
		{"p99<-5ms", "want a limit with its unit: p99<500ms"},
		{"p99<1e3ms", "want ns, us, ms or s: p99<1ms"},
		{"p99<99999999999999999999s", "want a plain decimal number: p99<500ms"},
		{"p0<1s", "want one above 0: p50<1s"},
		{"p99.1234567<1s", "round it: p99.9<1s"},
		{"errors<1", "give a unit: errors<1%"},
		{"errors<0.01", "give the share of failed requests in percent: errors<1%"},
		{"errors<0%", "for no errors at all write: errors<=0%"},
		{"errors<=100%", "want a smaller share: errors<1%"},
		{"rate>=100", "give a unit: rate>=100/s"},
		{"rate>=100rps", "want requests a second: rate>=100/s"},
		{"rate>=0/s", "want a higher rate: rate>=100/s"},
		{": p99<1s", "name it, or leave the colon out: GET /cart: p99<500ms"},
		{"p99<5xyz", "want ns, us, ms or s: p99<5ms"},
	} {
		_, err := Parse(c.expr)
		var e *SyntaxError
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q): %v, want a syntax error", c.expr, err)
			continue
		}
		if e.Hint() != c.hint {
			t.Errorf("Parse(%q): hint %q, want %q", c.expr, e.Hint(), c.hint)
		}
		if !strings.Contains(err.Error(), e.Hint()) || e.Wrong == "" {
			t.Errorf("Parse(%q): %v", c.expr, err)
		}
		if _, err := Parse(e.Example); err != nil {
			t.Errorf("Parse(%q): the example cannot be used: %v", c.expr, err)
		}
	}
}

// Every objective reads back as it prints, and every example can be used.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"p99<500ms", "GET /cart: p99.9<=1s", "errors<1%", "rate>=100/s", "p99<500", "500ms>p99", "p(99)<5", "a:b: max≤2.5us", "p99<1,5s", "99<5", "\u202e: mean<1ns"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, err := Parse(s)
		if err != nil {
			if e := err.(*SyntaxError); !usable(e.Example) || e.Advice == "" || e.Wrong == "" {
				t.Fatalf("%q: %+v", s, e)
			}
			return
		}
		if back, err := Parse(o.String()); err != nil || back != o {
			t.Fatalf("%q is %+v, prints as %q, reads back as %+v, %v", s, o, o, back, err)
		}
	})
}

func TestFormatTime(t *testing.T) {
	for _, c := range []struct {
		ns   int64
		want string
	}{
		{0, "0 ns"}, {350, "350 ns"}, {1500, "1.5 µs"}, {35_230, "35.2 µs"}, {5_214_000, "5.21 ms"}, {51_200_000, "51.2 ms"},
		{1_840_700_000, "1840.7 ms"}, {9_999_990_000, "10000 ms"}, {12_064_600_000, "12.06 s"}, {500_000_000, "500 ms"}, {-51_200_000, "-51.2 ms"},
		{1<<63 - 1, "4611686018.43 s"},
	} {
		if got := FormatTime(c.ns); got != c.want {
			t.Errorf("FormatTime(%d) = %q, want %q", c.ns, got, c.want)
		}
	}
	if got := apart(499_999_999, 500_000_000); got != "499.999999 ms" {
		t.Errorf("apart: %q", got)
	}
	if got := apart(500_040_000, 500_000_000); got != "500.04 ms" {
		t.Errorf("apart: %q", got)
	}
}
