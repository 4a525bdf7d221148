package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// --report html shows sweeps, with the numbers that text has; what has no sweep is
// refused.
func TestSweepPages(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		want []string
	}{
		{"scatter --model classic --sweep delay=5ms,19ms,50ms", []string{"<td>22 ms</td>", "<td>36 ms</td>", "<td>67 ms</td>", "<td>105</td>", "knee at 19 ms"}},
		{"scatter --model classic --sweep n=1,5,20,100", []string{"22.62 %", "99.41 %"}},
		{"scatter --model classic --sweep k=50,90,99,100", []string{"<td>15 ms</td>", "knee at 90"}},
		{"chain --sweep hops=2,3,4,5", []string{"<td>81</td>", "<td>810 ms</td>"}},
		{"chain --sweep budget=20ms,50ms --fails 4", []string{"pass", "<td>5</td>"}},
		{"chain --sweep tries=1,2 --retry-budget 20% --draws 1000", []string{"up to 20 % retries"}},
		{"hedge --from ../../fixtures/trace/fan-out-69/traces.pb.zst --draws 1000", []string{"15.4 ms", "search.v1.Shard/Query"}},
		{"hedge --from ../../fixtures/trace/hedging-healthy/traces.jsonl.zst", []string{"Refused: hedged already"}},
	} {
		path := filepath.Join(dir, "page.html")
		args := append([]string{"whatif"}, strings.Fields(c.args)...)
		if _, errs, code := said(t, append(args, "--report", "html="+path)...); code != 0 {
			t.Errorf("%s: %s", c.args, errs)
			continue
		}
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(page), want) {
				t.Errorf("%s: no %s", c.args, want)
			}
		}
	}
	for args, want := range map[string]string{
		"scatter --report html=" + dir + "/x.html":                       "--sweep n",
		"chain --report html=" + dir + "/x.html":                         "--sweep hops",
		"load --report html=" + dir + "/x.html":                          "load sweeps nothing",
		"scatter --sweep n --report svg=x":                               "shown as html",
		"scatter --sweep n --report html":                                "want html=FILE",
		"scatter --sweep n -o " + dir + "/x --report html=" + dir + "/x": "two reports to one file",
	} {
		out, errs, code := said(t, append([]string{"whatif"}, strings.Fields(args)...)...)
		if code != exitUnusable || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%s: exit code %d, %s %s", args, code, out, errs)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "x*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
