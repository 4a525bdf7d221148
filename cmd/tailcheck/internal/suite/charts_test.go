package suite_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// charts runs the pipeline as a renderer with charts has it run.
func charts(t *testing.T, o check.Options) *check.Outcome {
	t.Helper()
	o.Charts = true
	out, err := check.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The numbers of these charts are those of fixtures/load/stall-hey/README.md,
// which another program counted.
func TestChartsOfAStall(t *testing.T) {
	out := charts(t, options(t, check.Flags{SLA: []string{"p99<500ms"}, Interval: "80ms"}, filepath.Join(root, "fixtures/load/stall-hey/hey.csv")))
	var spectrum *report.Spectrum
	var line *report.Timeline
	for _, c := range out.Charts {
		if c.Spectrum != nil {
			spectrum = c.Spectrum
		}
		if c.Timeline != nil {
			line = c.Timeline
		}
	}
	if spectrum == nil || line == nil || len(out.Charts) != 2 {
		t.Fatalf("%d charts", len(out.Charts))
	}
	want := map[string]map[float64]float64{
		"raw":       {50: 50.6, 90: 50.7, 95: 50.7, 99: 50.8, 99.75: 2001},
		"corrected": {50: 50.6, 90: 241, 95: 1121, 99: 1841},
	}
	for _, s := range spectrum.Series {
		last := 0.0
		for _, p := range s.Points {
			if v, ok := want[s.Name][p.Percentile]; ok {
				if math.Abs(p.LowMs-v) > 0.05001 || p.HighMs != p.LowMs {
					t.Errorf("%s p%v is %v to %v, want %v", s.Name, p.Percentile, p.LowMs, p.HighMs, v)
				}
				delete(want[s.Name], p.Percentile)
			}
			if p.LowMs < last {
				t.Errorf("%s falls at p%v", s.Name, p.Percentile)
			}
			last = p.LowMs
		}
		if math.Abs(last-2001) > 0.05 {
			t.Errorf("%s ends at %v, not at the maximum", s.Name, last)
		}
		if len(want[s.Name]) > 0 {
			t.Errorf("%s has nothing at %v", s.Name, want[s.Name])
		}
	}
	if l := spectrum.Limits; len(l) != 1 || l[0].Ms != 500 || l[0].Percentile != 99 {
		t.Errorf("limits %v", l)
	}

	if len(line.Series) != 2 {
		t.Fatalf("%d series over time", len(line.Series))
	}
	var sent, unsent, over int64
	for _, b := range line.Series[0].Bins {
		sent += b.Count
	}
	for _, b := range line.Series[1].Bins {
		unsent += b.Count
		if b.MaxMs >= 500 {
			over += b.Count
		}
	}
	if first := line.Series[1].Bins[0].MaxMs; sent != 200 || unsent != 24 || over != 18 || math.Abs(first-1921) > 0.05 { // 19 with the one that was sent
		t.Errorf("%d sent, %d not, of which %d over 500 ms; the first %v ms", sent, unsent, over, first)
	}
	if m := line.Marks; len(m) != 1 || math.Abs(m[0].ToMs-m[0].FromMs-2001) > 1 {
		t.Errorf("marked: %v", m)
	}
}

// Only bounds are known of the corrected percentiles of a text report; the
// spectrum says so, and holds the truth of the other run within 10 %.
func TestChartOfASummary(t *testing.T) {
	out := charts(t, options(t, check.Flags{Interval: "80ms"}, filepath.Join(root, "fixtures/load/stall-hey/hey.txt")))
	if len(out.Charts) != 1 || out.Charts[0].Spectrum == nil || len(out.Charts[0].Spectrum.Series) != 2 {
		t.Fatalf("%+v", out.Charts)
	}
	for _, p := range out.Charts[0].Spectrum.Series[1].Points {
		if truth := map[float64]float64{90: 241, 95: 1121, 99: 1841}[p.Percentile]; truth > 0 && (p.LowMs > 1.1*truth || p.HighMs < 0.9*truth) {
			t.Errorf("p%v between %v and %v", p.Percentile, p.LowMs, p.HighMs)
		}
	}
}

// fixtures/trace/fan-out-69/README.md and retries-3x3x3/README.md.
func TestChartsOfTraces(t *testing.T) {
	out := charts(t, options(t, check.Flags{}, filepath.Join(root, "fixtures/trace/fan-out-69/traces.pb.zst")))
	if len(out.Charts) != 3 {
		t.Fatalf("%d charts", len(out.Charts))
	}
	s := out.Charts[0].Spectrum
	for i, want := range []map[float64]float64{{50: 10.5, 90: 13, 95: 14.1, 99: 61.3}, {50: 62.5}} {
		for _, p := range s.Series[i].Points {
			if v, ok := want[p.Percentile]; ok && math.Abs(p.LowMs-v) > 0.15 {
				t.Errorf("%s p%v is %v, want %v", s.Series[i].Name, p.Percentile, p.LowMs, v)
			}
		}
	}
	if m := s.Marks; len(m) != 2 || math.Abs(m[0].Percentile-99.09) > 0.05 || math.Abs(m[1].Percentile-99.00) > 0.005 {
		t.Errorf("marks %v", m)
	}
	if h := out.Charts[1].Histogram; h == nil || !reflect.DeepEqual(h.Bars, []report.Bar{{From: 69, To: 69, Count: 200}}) {
		t.Errorf("fan-out %+v", h)
	}
	if r := out.Charts[2].Tree; r == nil || r.Requests != 200 || len(r.Rows) != 2 || r.Rows[1].Factor != 69 || r.Rows[1].Most != 69 {
		t.Errorf("tree %+v", r)
	}

	out = charts(t, options(t, check.Flags{}, filepath.Join(root, "fixtures/trace/retries-3x3x3/traces.jsonl")))
	attempts := map[string][]report.Bar{
		"Append": {{From: 1, To: 1, Count: 6}, {From: 2, To: 2}, {From: 3, To: 3, Count: 36}},
		"Charge": {{From: 1, To: 1, Count: 6}, {From: 2, To: 2}, {From: 3, To: 3, Count: 12}},
		"Place":  {{From: 1, To: 1, Count: 6}, {From: 2, To: 2}, {From: 3, To: 3, Count: 4}},
	}
	calls := map[string][3]int64{"Append": {114, 27, 108}, "Charge": {42, 9, 36}, "Place": {18, 3, 12}}
	for _, c := range out.Charts {
		if c.Histogram != nil {
			for name, want := range attempts {
				if strings.HasSuffix(c.Title, name) {
					if !reflect.DeepEqual(c.Histogram.Bars, want) {
						t.Errorf("%s: %v", c.Title, c.Histogram.Bars)
					}
					delete(attempts, name)
				}
			}
		}
		if c.Tree != nil {
			for _, r := range c.Tree.Rows {
				for name, want := range calls {
					if strings.HasSuffix(r.Name, name) {
						if math.Round(r.Calls*10) != float64(want[0]) || r.Most != want[1] || r.Failed != want[2] {
							t.Errorf("%s: %+v, want %v", name, r, want)
						}
						delete(calls, name)
					}
				}
			}
		}
	}
	if len(attempts)+len(calls) > 0 {
		t.Errorf("nothing of %v and %v", attempts, calls)
	}
}

// Charts do not depend on how an input was cut, nor on how many read it.
func TestChartsMerge(t *testing.T) {
	for _, name := range []string{"fixtures/load/stall-hey/hey.csv", "fixtures/load/stall-hey/open.csv", "fixtures/trace/retries-3x3x3/traces.jsonl", "fixtures/trace/hedging-abuse/traces.jsonl.zst"} {
		o := options(t, check.Flags{SLA: []string{"p99<500ms"}, Interval: "80ms"}, filepath.Join(root, name))
		o.Jobs = 1
		want := charts(t, o).Charts
		if len(want) == 0 {
			t.Errorf("%s: no charts", name)
		}
		for _, chunk := range []int{64, 1000, 1 << 20} {
			o.Jobs, o.Chunk, o.Memory = 4, chunk, 1<<16
			if got := charts(t, o).Charts; !reflect.DeepEqual(got, want) {
				t.Errorf("%s in parts of %d: other charts", name, chunk)
			}
		}
	}
}

// A page is below 2 MB, whatever was read.
func TestHTMLOfMuch(t *testing.T) {
	n, ops := 1_000_000, 10_000
	if testing.Short() {
		n, ops = 50_000, 1000
	}
	r, w := io.Pipe()
	go func() {
		var b bytes.Buffer
		b.WriteString("start_ms,latency_ms,op\n")
		for i := range n {
			long := ""
			if i < 40 {
				long = strings.Repeat("<&漢", 20_000)
			}
			fmt.Fprintf(&b, "%d,%d.5,GET /item/%d%s\n", i, i%7+i/1000%100*(i%97/96), i%ops, long)
			if b.Len() > 1<<16 {
				if _, err := w.Write(b.Bytes()); err != nil {
					return
				}
				b.Reset()
			}
		}
		_, err := w.Write(b.Bytes())
		w.CloseWithError(err)
	}()
	o := options(t, check.Flags{SLA: []string{"p99<500ms"}, Interval: "5ms"}, "-")
	o.Stdin = r
	out := charts(t, o)
	if len(out.Distributions) < ops {
		t.Errorf("%d distributions", len(out.Distributions))
	}
	var page bytes.Buffer
	if err := report.HTML.Render(&page, out.Result, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if page.Len() > 2_000_000 || !strings.Contains(page.String(), `id="chart-1"`) {
		t.Errorf("%d bytes", page.Len())
	}
}

// fixtures/log/stall-nginx-closed/README.md says when the stall was by the clock
// of the log, and how many requests there were; nginx logs whole seconds.
func TestChartOfALogWithItsReport(t *testing.T) {
	dir := filepath.Join(root, "fixtures/log/stall-nginx-closed")
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`hey\.csv and access-of-csv\.log.*stall from (\S+) to (\S+)\.\n`).FindSubmatch(readme)
	row := regexp.MustCompile(`(?m)^\| hey\.csv \| as written \| (\d+) \|.* ([0-9.]+) \| \d+ \|$`).FindSubmatch(readme)
	logs, _ := filepath.Glob(filepath.Join(dir, "access-of-csv.log*"))
	if said == nil || row == nil || len(logs) != 1 {
		t.Fatalf("the fixture is another one: %q %q %q", said, row, logs)
	}
	from, err := time.Parse(time.RFC3339Nano, string(said[1]))
	if err != nil {
		t.Fatal(err)
	}
	out := charts(t, options(t, check.Flags{}, logs[0], filepath.Join(dir, "hey.csv")))
	var line *report.Timeline
	for _, c := range out.Charts {
		if c.Timeline != nil && c.Input == 0 {
			line = c.Timeline
		}
	}
	if line == nil || len(line.Series) != 2 {
		t.Fatalf("%+v", out.Charts)
	}
	for _, s := range line.Series {
		var n int64
		longest := 0.0
		for _, b := range s.Bins {
			n += b.Count
			longest = max(longest, b.MaxMs)
		}
		if fmt.Sprint(n) != string(row[1]) || math.Abs(longest-atof(t, row[2])) > 1.5 { // nginx rounds to a millisecond
			t.Errorf("%s: %d requests, the longest %v ms; want %s and %s", s.Name, n, longest, row[1], row[2])
		}
	}
	stall := float64(from.UnixMilli() - line.StartUnixMs)
	if m := line.Marks; len(m) != 1 || math.Abs(m[0].FromMs-stall) > 1000 || math.Abs(m[0].ToMs-m[0].FromMs-2000) > 20 {
		t.Errorf("marked: %v, want 2 s from %v", m, stall)
	}
	if line.WidthMs != 1000 || line.Series[0].Role != report.Other || line.Series[1].Role != report.Measured {
		t.Errorf("bins of %v ms", line.WidthMs)
	}
}

func atof(t *testing.T, b []byte) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
