package whatif

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/detect"
)

// A server's log is a source of latencies: the answer says by which clock, and
// what they are not.
func TestLogsAsSource(t *testing.T) {
	scatter := func(m *Measured) (*Answer, error) {
		return Scatter(ScatterAsk{From: m, Deadline: -1, After: -1, SlowOver: -1, Draws: 1000})
	}
	hedge := func(m *Measured) (*Answer, error) { return Hedge(HedgeAsk{From: m, Draws: 1000}) }
	load := func(m *Measured) (*Answer, error) {
		return Load(LoadAsk{From: m, SlowOver: -1, Plan: check.Plan{Rate: 50}, Seed: 1})
	}
	for _, c := range []struct {
		path string
		ask  func(*Measured) (*Answer, error)
		want []string
	}{
		{"stall-nginx-open/access.log", scatter, []string{"a server's own times; its clock starts when: first byte of the request read"}},
		{"gc-java/app.log", scatter, []string{"its clock starts when: a worker took it"}},
		{"stall-nginx-open/access.log", hedge, []string{"not the times at which they came", "a log does not say whether"}},
		{"retries-nginx/access.log", hedge, []string{"overload (retry-multiplication)", "31 % of the requests fail"}},
		{"stall-nginx-open/access.log", load, []string{"their order is drawn, seed 1", "by the server's clock", "a plan of 50 requests a second"}},
	} {
		a, err := c.ask(read(t, fixtures+"log/"+c.path))
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		var b bytes.Buffer
		if err := a.WriteText(&b, report.Options{}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", c.path, want, text)
			}
		}
	}
	if _, err := Load(LoadAsk{From: read(t, fixtures+"log/stall-nginx-open/access.log"), SlowOver: -1}); err == nil || !strings.Contains(err.Error(), "--rate") {
		t.Errorf("without a rate: %v", err)
	}
}

// What must not be made twice is refused for a log, too, by the methods that its
// requests begin with.
func TestMethodsOfLogs(t *testing.T) {
	var m methods
	for op, n := range map[string]int64{"GET /a": 60, "POST /b": 30, "PATCH /c": 10, "POST": 5, "a job": 7} {
		m.add(&detect.Row{Op: op, Traffic: detect.Traffic{Requests: n, Failed: n / 10}})
	}
	if m.unsafe != 45 || m.method != "PATCH" || m.requests != 112 || m.failed != 10 {
		t.Errorf("%+v", m)
	}
}
