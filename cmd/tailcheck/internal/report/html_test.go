package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	unescape "html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// sharedParts are the elements that all pages share.
var sharedParts = regexp.MustCompile(`(?s)<(style|script)>(.*?)</(?:style|script)>`)

// core is a page without them: the policy has to allow their hashes.
func core(t *testing.T, page string) string {
	t.Helper()
	policy := unescape.UnescapeString(regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	page = sharedParts.ReplaceAllStringFunc(page, func(s string) string {
		m := sharedParts.FindStringSubmatch(s)
		sum := sha256.Sum256([]byte(m[2]))
		if allowed := m[1] + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, allowed) {
			t.Errorf("the policy %q does not allow %s", policy, allowed)
		}
		return "<" + m[1] + ">…</" + m[1] + ">"
	})
	if strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("a policy of %q", policy)
	}
	return regexp.MustCompile(`sha256-[A-Za-z0-9+/=&#;]+`).ReplaceAllString(page, "sha256-…")
}

func TestHTMLGolden(t *testing.T) {
	for _, c := range results {
		golden(t, c.name+".html", core(t, render(t, HTML, c.make(), Options{})))
	}
	golden(t, "charts.html", core(t, render(t, HTML, charted(), Options{})))
}

// charted is a Result with one chart of each kind, made by hand. The timeline is
// a server's log and a load report over each other: the log shows a stall of two
// seconds that one request of the report met.
func charted() *Result {
	r := flips()
	curve := func(points ...float64) (out []SpectrumPoint) {
		for i := 0; i < len(points); i += 3 {
			out = append(out, SpectrumPoint{points[i], points[i+1], points[i+2]})
		}
		return out
	}
	t := &Timeline{StartUnixMs: 1796032800250, WidthMs: 1000,
		Marks:  []Interval{{"the server answered nobody", 7500, 9500}},
		Limits: []Limit{{Name: "p99<500ms", Ms: 500}},
		Series: []TimeSeries{{Name: "the server's log", Role: Other}, {Name: "the load report", Role: Measured}}}
	for i := range 12 {
		longest := []float64{50.6, 51.2, 50.4}[i%3]
		log := Bin{AtMs: 1000 * float64(i), Count: 40, MaxMs: longest + 3}
		load := Bin{AtMs: 1000 * float64(i), Count: 20, MaxMs: longest}
		switch i {
		case 7:
			log.MaxMs, load.MaxMs = 2000.7, 2000.7
		case 8:
			log.Count, log.MaxMs = -1, 1400.5
			load.Count, load.MaxMs = 0, -1
		}
		t.Series[0].Bins, t.Series[1].Bins = append(t.Series[0].Bins, log), append(t.Series[1].Bins, load)
	}
	r.Charts = []Chart{
		{Title: "Latency by percentile", Note: "Made by hand.", Spectrum: &Spectrum{
			Series: []SpectrumSeries{
				{"raw", Measured, curve(0, 50.4, 50.4, 50, 50.6, 50.6, 90, 50.7, 50.7, 99, 51.2, 51.2, 99.75, 2000.7, 2000.7)},
				{"corrected", Corrected, curve(0, 50.4, 50.4, 50, 50.6, 51.2, 90, 160.7, 320.7, 99, 1680.7, math.Inf(1))}},
			Limits: []Limit{{"p99<500ms", 500, 99}}, Marks: []Mark{{"met by the median request", 99.3}}}},
		{Title: "Latency over time", Input: -1, Note: "The log and the report over each other.", Timeline: t},
		{Title: "Attempts: checkout payments/Charge", Input: -1, Histogram: &Histogram{"tries of one call", "calls", []Bar{{1, 1, 96}, {2, 2, 0}, {3, 3, 12}, {4, 7, 1}}}},
		{Title: "Calls of storefront: POST /checkout", Input: -1, Tree: &CallTree{Requests: 10, Left: 2, Rows: []CallRow{
			{0, "storefront", "POST /checkout", 1, 1, 0, 4, 87.4},
			{1, "checkout", "Place", 1.8, 3, 1.8, 12, 47.5},
			{2, "payments", "Charge", 4.2, 9, 2.3333333, 36, -1}}}},
		{Title: "What requests wait", Input: -1, Sweep: &Sweep{Over: "delay", At: []string{"5 ms", "19 ms", "never"}, Of: "wait", Knee: 2,
			Series: []SweepSeries{{"p50", Measured, []float64{22, 36, 200}}, {"p99", Corrected, []float64{22.5, 36.7, math.NaN()}}},
			Beside: []SweepColumn{{"calls sent", []string{"200", "105", "100"}}}}},
	}
	return r
}

// Whatever stands in an input, the page shows it as text.
func TestHTMLIsSafe(t *testing.T) {
	r := hostile()
	c := charted()
	for i := range c.Charts {
		x := &c.Charts[i]
		x.Title, x.Op, x.Note = evil, evil, evil
		switch {
		case x.Spectrum != nil:
			x.Spectrum.Series[0].Name, x.Spectrum.Limits[0].Name, x.Spectrum.Marks[0].Name = evil, evil, evil
			x.Spectrum.Series[0].Points[1] = SpectrumPoint{50, math.NaN(), math.Inf(1)}
			x.Spectrum.Marks[0].Percentile, x.Spectrum.Limits[0].Ms = math.NaN(), math.Inf(-1)
		case x.Timeline != nil:
			x.Timeline.Series[0].Name, x.Timeline.Marks[0].Name = evil, evil
			x.Timeline.Series[0].Bins[3].MaxMs, x.Timeline.Marks[0].ToMs, x.Timeline.StartUnixMs = math.Inf(1), math.NaN(), math.MaxInt64/2
		case x.Histogram != nil:
			x.Histogram.Each, x.Histogram.Of = evil, evil
			x.Histogram.Bars[0] = Bar{math.MinInt64, math.MaxInt64, -1}
		case x.Sweep != nil:
			x.Sweep.Over, x.Sweep.At[0], x.Sweep.Of, x.Sweep.Series[0].Name, x.Sweep.Beside[0] = evil, evil, evil, evil, SweepColumn{evil, []string{evil}}
			x.Sweep.Series[0].Values, x.Sweep.Knee = []float64{math.Inf(1)}, 1<<30
		case x.Tree != nil:
			x.Tree.Rows[0] = CallRow{-5, evil, evil, math.NaN(), -1, math.Inf(1), -1, math.NaN()}
			x.Tree.Rows[1].Depth = 1 << 30
		}
	}
	r.Charts = c.Charts
	r.Findings[0].Tree = &Tree{Trace: evil, TotalMs: math.NaN(), Rows: []TreeRow{{Depth: 99, Name: evil, Service: evil, Times: 3, Failed: 2, FromMs: math.Inf(-1), ToMs: math.NaN()}, {Depth: -1, Times: 1, Failed: 1, Cancelled: 1}}}
	page := render(t, HTML, r, Options{})
	body := core(t, page)
	if !utf8.ValidString(page) {
		t.Error("not UTF-8")
	}
	for i, l := range strings.Split(body, "\n") {
		if Safe(l) != l {
			t.Errorf("line %d is not safe: %q", i+1, l)
		}
	}
	if n := strings.Count(body, "<script"); n != 2 { // data and code
		t.Errorf("%d scripts", n)
	}
	for _, no := range []string{"<script>alert", "style=", "onerror=", " onclick", "<img", "http-equiv=\"refresh\"", "ZgotmplZ"} {
		if strings.Contains(body, no) {
			t.Errorf("the page has %s", no)
		}
	}
	data := regexp.MustCompile(`(?s)id="charts-data">(.*?)</script>`).FindStringSubmatch(page)[1]
	var v []chartDataIn
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		t.Errorf("%v in %s", err, data)
	}
	for _, c := range v {
		for _, s := range c.Series {
			if len(s.Y) != len(c.X) {
				t.Errorf("%s: %d values over %d places", c.ID, len(s.Y), len(c.X))
			}
		}
	}
}

type chartDataIn struct {
	ID     string
	X      []*float64
	Series []struct{ Y []*float64 }
}

// Every chart has a table with a row for each of its places.
func TestHTMLTablesBehindCharts(t *testing.T) {
	page := render(t, HTML, charted(), Options{})
	data := regexp.MustCompile(`(?s)id="charts-data">(.*?)</script>`).FindStringSubmatch(page)[1]
	var v []chartDataIn
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		t.Fatal(err)
	}
	if len(v) != 4 {
		t.Fatalf("%d charts are plotted, want 4", len(v))
	}
	for _, c := range v {
		table := regexp.MustCompile(`(?s)id="` + c.ID + `-table">.*?<tbody>(.*?)</tbody>`).FindStringSubmatch(page)
		if table == nil {
			t.Errorf("%s has no table", c.ID)
			continue
		}
		if n := strings.Count(table[1], "<tr>"); n != len(c.X) {
			t.Errorf("%s: %d rows for %d places", c.ID, n, len(c.X))
		}
	}
	for _, want := range []string{"≥ 1681 ms", "161 ms – 321 ms", "10:00:07.250 UTC", "The server answered nobody from 10:00:07.750 UTC on, for 2000 ms"} {
		if !strings.Contains(strings.ReplaceAll(page, "160.7 ms – 320.7 ms", "161 ms – 321 ms"), want) && !strings.Contains(strings.ReplaceAll(page, "1680.7", "1681"), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// A page is below 2 MB whatever was read.
func TestHTMLIsSmall(t *testing.T) {
	huge := strings.Repeat("<\"&'漢\u202e\x1b", 100_000/12)
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprint(i, huge[:len(huge)/(1+i%50)], i))
	}
	name := func(i int) string { return names[i] }
	r := flips()
	r.Inputs, r.Distributions, r.Objectives, r.Findings = nil, nil, nil, nil
	for i := range 200 {
		in := labInput()
		in.Path, in.Run.Command = name(i), &huge
		r.Inputs = append(r.Inputs, in)
		r.Problems = append(r.Problems, Problem{Path: huge, Message: name(i)})
		r.Skipped = append(r.Skipped, name(i))
	}
	for i := range 10_000 {
		op := name(i % 50)
		r.Distributions = append(r.Distributions, Distribution{Input: i % 200, Op: op, Measured: labMeasured(), Corrected: labCorrected(), Correction: labCorrection()})
		r.Objectives = append(r.Objectives, Objective{Objective: op + ": p99<1s", Input: i % 200, Op: op, Raw: &Judged{Value: p(51.2), Verdict: "pass"}, Corrected: &Judged{Value: p(1840.7), Verdict: "fail"}, Verdict: "fail", Why: op})
	}
	for i := range 1000 {
		f := Finding{Rule: "n-plus-one", Severity: "warning", Confidence: "high", Inputs: []int{i % 200}, Op: name(i), Message: huge, Remedy: huge + "\n$ " + huge, Exemplars: []string{huge}}
		for range 50 {
			f.Evidence = append(f.Evidence, Evidence{huge, huge, &huge, &huge})
		}
		f.Tree = &Tree{Trace: huge, TotalMs: 1}
		for range 50 {
			f.Tree.Rows = append(f.Tree.Rows, TreeRow{Name: huge, Service: huge, Times: 1, ToMs: 1})
		}
		r.Findings = append(r.Findings, f)
	}
	for i := range 200 {
		s := &Spectrum{}
		for range 3 {
			x := SpectrumSeries{Name: huge}
			for k := range 5000 {
				x.Points = append(x.Points, SpectrumPoint{float64(k) / 50, float64(k), float64(k)})
			}
			s.Series = append(s.Series, x)
		}
		t := &Timeline{WidthMs: 1, Series: []TimeSeries{{Name: huge}, {Name: huge}}}
		for k := range 50_000 {
			t.Series[k%2].Bins = append(t.Series[k%2].Bins, Bin{float64(k), int64(k), float64(k)})
		}
		tree := &CallTree{}
		for range 1000 {
			tree.Rows = append(tree.Rows, CallRow{Name: huge, Service: huge})
		}
		r.Charts = append(r.Charts, []Chart{{Title: name(i), Note: huge, Spectrum: s}, {Title: name(i), Timeline: t}, {Title: name(i), Tree: tree}}[i%3])
	}
	if n := len(render(t, HTML, r, Options{})); n > 2_000_000 {
		t.Errorf("%d bytes", n)
	}
}

// A page says what the text says, in the order of its sections.
func TestHTMLSays(t *testing.T) {
	page := render(t, HTML, charted(), Options{})
	at := 0
	for _, want := range []string{"<title>Fail: p99&lt;500ms is missed", "51.2 ms", "1840.7 ms", `id="objectives"`, "the verdict flips", "666.9 ms is the largest interval", `id="percentiles"`, "fill at 80 ms from --interval; 24 samples added (10.7 %); confidence medium",
		`id="findings"`, "coordinated-omission", "hey-c1.csv:151", "vegeta attack", `id="charts"`, `id="inputs"`, "hey-c1.csv", `id="numbers"`, "every stall held all requests"} {
		i := strings.Index(page[at:], want)
		if i < 0 {
			t.Errorf("%q is not there, or stands too early", want)
			continue
		}
		at += i
	}
	for name, want := range map[string]string{"pass": "Nothing that was found fails this run", "nothing": "proves nothing about p99&lt;500ms", "wrk2": "p99&lt;2s is met: it is 1264 ms (corrected)", "logs": "The server stood still for 1.9 s"} {
		for _, c := range results {
			if c.name == name && !strings.Contains(render(t, HTML, c.make(), Options{}), want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}

// What is embedded of others is what its note says.
func TestVendored(t *testing.T) {
	note, err := os.ReadFile(filepath.Join("html", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"uPlot.iife.min.js", "uPlot.min.css"} {
		b, err := htmlFiles.ReadFile("html/" + name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		want := fmt.Sprintf("`%s`: %s bytes, SHA-256 `%s`", name, count(int64(len(b))), fmt.Sprintf("%x", sum))
		if len(b) < 10_000 {
			want = fmt.Sprintf("`%s`: %d,%03d bytes, SHA-256 `%s`", name, len(b)/1000, len(b)%1000, fmt.Sprintf("%x", sum))
		}
		if !strings.Contains(string(note), want) {
			t.Errorf("the note does not say %s", want)
		}
	}
	for _, s := range []string{string(htmlOnce().script), string(htmlOnce().style)} {
		if strings.Contains(s, "</script") || strings.Contains(s, "</style") || strings.Contains(s, "<!--") {
			t.Error("an embedded file would end its element")
		}
	}
	if !strings.Contains(string(htmlOnce().script), "Permission is hereby granted") {
		t.Error("the licence of uPlot is not in the page")
	}
}

func BenchmarkHTML(b *testing.B) {
	r := charted()
	for b.Loop() {
		render(b, HTML, r, Options{})
	}
}

// The charts made by hand are looked at in a browser: bench/browser names a file.
func TestChartedPage(t *testing.T) {
	path := os.Getenv("CHARTED_PAGE")
	if path == "" {
		t.Skip("CHARTED_PAGE names no file")
	}
	if err := os.WriteFile(path, []byte(render(t, HTML, charted(), Options{})), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A capital begins a sentence where that changes no name.
func TestSentenceOf(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"the server stood still":      "The server stood still.",
		"nothing was answered…":       "Nothing was answered…",
		"edge and orders try again":   "edge and orders try again.", // services
		"wrk filled in samples.":      "wrk filled in samples.",
		"p99 falls":                   "p99 falls.",
		"theatre sends 60 of 60 more": "theatre sends 60 of 60 more.",
	} {
		if got := sentenceOf(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
