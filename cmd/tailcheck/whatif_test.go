package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Bad input gives a clear usage error and exit code 2, soon, and a reader of the
// command line is told what to type instead.
func TestWhatIfMisuse(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty, header := file("empty", ""), file("header.csv", "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n")
	spanless, words := file("spans.json", `{"resourceSpans":[]}`), file("words.txt", "nothing of interest\n")
	hey := "../../fixtures/load/stall-hey/hey.csv"
	traces := "../../fixtures/trace/fan-out-8/traces.jsonl.zst"
	for _, c := range []struct{ args, want string }{
		{"", "no model given"},
		{"scater", "is no model"},
		{"scatter --n 0", "--n 0: want a number above 0"},
		{"scatter --n -5", "--n -5: want a number above 0"},
		{"scatter --n 99999999999", "--n 99999999999: want a number from 1 to 1000000"},
		{"scatter --n 99999999999999999999", "value out of range"},
		{"scatter --n 10 --k 11", "1 to 10 answers"},
		{"scatter --k 0", "--k 0: want a number above 0"},
		{"scatter --after -5ms", "--after"},
		{"scatter --after 5", "want a time of 0 or more"},
		{"scatter --after 99h", "up to a day"},
		{"scatter --deadline 0s", "want a time above 0"},
		{"scatter --fast NaN", "want a time above 0"},
		{"scatter --slow NaN", "want a share"},
		{"scatter --slow 100%", "want a share"},
		{"scatter --slow -1%", "want a share"},
		{"scatter --slow inf", "want a share"},
		{"scatter --slow-time 1ms", "below --fast"},
		{"scatter --model normal", "unknown"},
		{"scatter --model lognormal --sigma NaN", "--sigma NaN"},
		{"scatter --model pareto --alpha 0", "--alpha 0"},
		{"scatter --model pareto --alpha NaN", "--alpha NaN"},
		{"scatter --sigma 2", "is of the model lognormal"},
		{"scatter --draws 0", "--draws 0"},
		{"scatter --draws 1000000000000", "--draws 1000000000000"},
		{"scatter --sweep x=1", "want n, k or delay"},
		{"scatter --sweep n=0", "is no number"},
		{"scatter --sweep n=1,two", "is no number"},
		{"scatter --sweep k=200", "1 to 100 answers"},
		{"scatter --sweep delay=-1ms", "is no delay"},
		{"scatter --policy any", "unknown"},
		{"scatter --sweep n --policy all --policy tied", "takes one --policy"},
		{"scatter --sweep delay --policy all", "takes no --policy"},
		{"scatter --output html", "unknown"},
		{"scatter --seed -1", "seed"},
		{"scatter " + hey, "takes no file"},
		{"scatter --op x", "there is none"},
		{"scatter --from=", "--from is empty"},
		{"scatter --from no-such-file", "no-such-file"},
		{"scatter --from " + empty, "empty"},
		{"scatter --from " + header, "holds no latencies"},
		{"scatter --from " + words, "words.txt"},
		{"scatter --from " + spanless, "no calls whose time is known"},
		{"scatter --from " + traces + " --op nope", `no calls of an operation named "nope"`},
		{"scatter --from " + hey + " --fast 5ms", "times come from one of them"},
		{"scatter --from ../../fixtures/load/stall-hey/hey.txt", "percentiles only"},
		{"scatter --from ../../fixtures/load/wrapped/two-heys.log", "holds"},
		{"chain --hops 1", "--hops 1"},
		{"chain --hops 99", "--hops 99"},
		{"chain --hops 12 --tries 10", "are not simulated"},
		{"chain --tries 0", "--tries 0"},
		{"chain --tries 3,x", "--tries"},
		{"chain --tries 3,3,3 --hops 3", "2 calling hops"},
		{"chain --cost -1ms", "--cost"},
		{"chain --fails -1", "--fails"},
		{"chain --fails 2 --failing 5%", "by one of them"},
		{"chain --failing 2", "want a share"},
		{"chain --policy pass", "there is no deadline"},
		{"chain --policy all", "unknown"},
		{"chain --factor NaN", "--factor NaN"},
		{"chain --steps 0", "--steps 0"},
		{"chain --sweep hops", "want hops, tries or budget"},
		{"chain --sweep hops=1", "--sweep hops=1"},
		{"chain --from " + traces + " --hops 3", "it is measured"},
		{"chain --from " + hey, "read from traces"},
		{"chain --from " + spanless, "no calls whose time is known"},
		{"hedge", "no file given"},
		{"hedge --from " + empty, "empty"},
		{"hedge --from " + traces + " --cap 0", "want a share"},
		{"hedge --from " + traces + " --n 0", "--n 0"},
		{"hedge --from " + traces + " --after x", "--after"},
		{"load", "no rate is known"},
		{"load --rate 0/s", "--rate"},
		{"load --rate NaN", "--rate"},
		{"load --interval -1s", "--interval"},
		{"load --interval 80ms --requests 0", "--requests 0"},
		{"load --interval 80ms --requests 99999999", "--requests 99999999"},
		{"load --interval 80ms --stall x", "--stall"},
		{"load --interval 80ms --stall 300=2s", "there are 200 requests"},
		{"load --interval 80ms --servers -1", "--servers -1"},
		{"load --from " + hey + " --interval 80ms --service 5ms", "times come from one of them"},
		{"load --from " + hey, "no rate is known"},
	} {
		var out, errs bytes.Buffer
		got := run(append([]string{"tailcheck", "whatif"}, strings.Fields(c.args)...), strings.NewReader(""), &out, &errs)
		if got != exitUnusable || !strings.Contains(errs.String(), c.want) || out.Len() > 0 {
			t.Errorf("tailcheck whatif %s: exit code %d, want 2 and %q\n%s%s", c.args, got, c.want, out.String(), errs.String())
		}
	}
}

// Flags stand where people put them, and the answer goes where it is sent.
func TestWhatIfFlags(t *testing.T) {
	text, _, code := said(t, "whatif", "scatter", "--model", "classic", "--sweep=n=1,5,20,100")
	if code != 0 || !strings.Contains(text, "22.62 %") || !strings.Contains(text, "99.41 %") {
		t.Errorf("%d: %s", code, text)
	}
	path := filepath.Join(t.TempDir(), "answer.json")
	if _, errs, code := said(t, "whatif", "chain", "--output", "json", "-o", path, "--hops", "3"); code != 0 {
		t.Fatal(errs)
	}
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), `"schema": "tailcheck-whatif/1"`) {
		t.Errorf("%v: %s", err, b)
	}
	for _, args := range [][]string{{"help", "whatif"}, {"whatif", "--help"}, {"whatif", "scatter", "--help"}, {"whatif", "hedge", "-h"}} {
		if text, errs, code := said(t, args...); code != 0 || !strings.Contains(text, "Examples:") {
			t.Errorf("%v: exit code %d\n%s%s", args, code, text, errs)
		}
	}
}
