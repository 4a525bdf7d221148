package detecttest

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

func TestParse(t *testing.T) {
	records, err := Parse(`
run tool=hey loop=closed treated=raw workers=4 from=-c interval=80ms elapsed=12s command="hey -c 4"  # a comment
sample start=1s latency=5ms x3 every=10ms grow=1ms worker=2 status=503 outcome=failed op="GET /a b"
input 1
aggregate n=10 mean=2ms p50=1ms p99.9=3ms max=3ms unit=1us complete
bucket low=1ms high=2ms n=10
problem "torn line"
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 6 {
		t.Fatalf("%d records", len(records))
	}
	run := records[0].(*ingest.Run)
	if run.Tool != "hey" || run.Loop != ingest.Closed || run.Workers != 4 || run.WorkersFrom != "-c" || run.Interval != 80*time.Millisecond || run.IntervalFrom != "-c" || run.Command != "hey -c 4" || run.Counted {
		t.Errorf("%+v", run)
	}
	s := records[3].(*ingest.Sample)
	if s.Start != ingest.Relative(1020*time.Millisecond) || s.Latency != 7*time.Millisecond || s.Op != "GET /a b" || s.Outcome != ingest.Failed || s.Worker != 2 || s.Vantage != ingest.Client {
		t.Errorf("%+v", s)
	}
	a := records[4].(*ingest.Aggregate)
	if a.Input != 1 || a.Count != 10 || a.Min != -1 || a.Max != 3*time.Millisecond || len(a.Quantiles) != 2 || a.Quantiles[1].Percentile != 99.9 || !a.Complete || a.Buckets[0].Count != 10 {
		t.Errorf("%+v", a)
	}
	seen := map[ingest.Pos]bool{}
	for _, r := range records {
		if seen[r.Where()] {
			t.Errorf("two records at %v", r.Where())
		}
		seen[r.Where()] = true
	}
	for _, bad := range []string{"run loop=round", "sample latency=fast", "sample latency=5ms colour=red", "bucket n=1", "what", `run command="x`, "input", "problem"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q was understood", bad)
		}
	}
}

// A detector that counts samples, to try the harness on.
type counter struct{ n int64 }

func (c *counter) Add(ingest.Record)    { c.n++ }
func (c *counter) Merge(o detect.Tally) { c.n += o.(*counter).n }
func (c *counter) Findings() []detect.Finding {
	return []detect.Finding{{Confidence: detect.Medium, Inputs: []int{0}, Message: "samples were counted", Numbers: struct {
		N int64 `json:"n"`
	}{c.n}}}
}

var counting = detect.Detector{Name: "counting", Reads: ingest.KindSample, New: func() detect.Tally { return &counter{} }}

func TestCompareBothWays(t *testing.T) {
	records, err := Parse("run\nsample latency=1ms x5")
	if err != nil {
		t.Fatal(err)
	}
	found := Fold([]detect.Detector{counting}, [][]ingest.Record{records[:3], records[3:]})
	for wanted, problems := range map[string]string{
		"counting medium":                        "",
		"counting medium n=5":                    "",
		`counting medium "were counted" input=0`: "",
		"counting high":                          "missing surplus",
		"counting medium n=6":                    "missing surplus",
		"counting medium m=5":                    "missing surplus",
		"counting medium input=1":                "missing surplus",
		"counting medium op=x":                   "missing surplus",
		`counting medium "were lost"`:            "missing surplus",
		"nothing":                                "surplus",
		"counting medium\ncounting medium":       "missing",
	} {
		wants, err := parseWants(wanted)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range compare(found, wants) {
			kind, _, _ := strings.Cut(p, ":")
			got = append(got, kind)
		}
		if strings.Join(got, " ") != problems {
			t.Errorf("%q: %q, want %q", wanted, got, problems)
		}
	}
	for _, bad := range []string{"counting", "counting sure", "counting medium n", `counting medium input=x`} {
		if _, err := parseWants(bad); err == nil {
			t.Errorf("%q was understood", bad)
		}
	}
}
