package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

// red says of each renderer how its output shows that the gate is not green.
var red = map[string]func(out string) bool{
	"text": func(out string) bool { return strings.HasPrefix(out, "FAIL") || strings.HasPrefix(out, "INCONCLUSIVE") },
	"json": verdictIs(func(x map[string]any) string { return x["verdict"].(string) }),
	"markdown": func(out string) bool {
		return strings.HasPrefix(out, "## tailcheck: FAIL") || strings.HasPrefix(out, "## tailcheck: INCONCLUSIVE")
	},
	"github": func(out string) bool { return strings.Contains("\n"+out, "\n::error ") },
	"junit":  func(out string) bool { return strings.Contains(out, "<error ") || strings.Contains(out, "<failure ") },
	"sarif":  func(out string) bool { return strings.Contains(out, `"level": "error",`) },
	"csv": func(out string) bool {
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || rows[1][0] != "verdict" {
			return false
		}
		for i, column := range rows[0] {
			if column == "verdict" {
				return rows[1][i] == "fail" || rows[1][i] == "inconclusive"
			}
		}
		return false
	},
	"html": func(out string) bool {
		return strings.Contains(out, "<title>Fail") || strings.Contains(out, "<title>Inconclusive")
	},
}

func verdictIs(of func(map[string]any) string) func(string) bool {
	return func(out string) bool {
		var x map[string]any
		return json.Unmarshal([]byte(out), &x) == nil && (of(x) == "fail" || of(x) == "inconclusive")
	}
}

// The golden rule of the gate, in every form of output: what is broken, empty or
// half written, and what a report does not hold, is never green.
func TestGateInEveryRenderer(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	read := func(path string) []byte {
		data, err := os.ReadFile("../../fixtures/" + path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	traces, text := read("clean/traces.jsonl"), read("clean/hey.txt")
	inputs := append(reports(t, "broken/*.*"), "no-such-file", dir+"/none",
		file("empty.csv", nil), file("blank.txt", []byte("\n\n")), file("zeros.bin", make([]byte, 4096)), file("words.txt", []byte("all is well\n")),
		file("half.txt", text[:len(text)/2]), file("half.jsonl", traces[:len(traces)/2]), file("end.jsonl", traces[:len(traces)-100]))
	type line struct {
		args []string
		want int // 0: any but 0
	}
	var lines []line
	for _, in := range inputs {
		if strings.HasSuffix(in, "README.md") {
			continue
		}
		lines = append(lines, line{[]string{in}, 0}, line{[]string{"--sla", "p99<500ms", in}, 0}, line{[]string{"--sla", "p99<500ms", "../../fixtures/clean/hey.csv", in}, 0})
	}
	// a metric that the report does not hold
	lines = append(lines,
		line{[]string{"--sla", "p99.9<80ms", "../../fixtures/load/stall-wrk/no-latency.txt"}, exitInconclusive},
		line{[]string{"--sla", "rate>=1/s", "--unit", "ms", "../../fixtures/load/hdr/go.hgrm"}, exitInconclusive},
		line{[]string{"--sla", "GET /nothing: p99<1s", "../../fixtures/clean/hey.csv"}, exitInconclusive})
	for _, r := range suite.Renderers {
		shows := red[r.Name]
		if shows == nil {
			t.Errorf("%s: nothing says how it shows that the gate is not green", r.Name)
			continue
		}
		for _, l := range lines {
			var out, errs bytes.Buffer
			args := append([]string{"tailcheck", "check", "--output", r.Name}, l.args...)
			got := run(args, strings.NewReader(""), &out, &errs)
			if (got == 0 || l.want != 0 && got != l.want) && !mayPass(l.args) {
				t.Errorf("%s: exit code %d\n%s", args, got, errs.String())
			}
			if got != 0 && !shows(out.String()) {
				t.Errorf("%s: exit code %d, and it does not show:\n%.600s", args, got, out.String())
			}
		}
	}
}

// mayPass are inputs that are whole as far as anybody can know when no objective
// is given: a CSV that ends behind a row, and a report that says that requests
// timed out.
func mayPass(args []string) bool {
	if len(args) > 1 {
		return false
	}
	name := filepath.Base(args[0])
	return name == "hey-cut.csv" || name == "hey-timeouts.csv"
}

// What could be had by another option of the tool is said.
func TestMissingMetricsNameTheOption(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--sla p99.9<80ms ../../fixtures/load/stall-wrk/no-latency.txt", "latency:percentile(99.9)"},
		{"--sla p99<80ms ../../fixtures/load/stall-wrk/no-latency.txt", "wrk --latency prints p50, p75, p90 and p99"},
		{"--sla p97<51ms ../../fixtures/load/stall-hey/hey.txt", "hey -o csv writes every request"},
		{"--sla errors<1% ../../fixtures/load/stall-hey/hey.csv", "the text report of the tool counts them"},
		{"--unit ms --sla errors<1% ../../fixtures/load/hdr/go.hgrm", "a column for its status"},
		{"--unit ms --sla rate>=1/s ../../fixtures/load/hdr/go.hgrm", "columns for its start and latency"},
	} {
		out, _, code := said(t, append([]string{"check"}, strings.Fields(c.args)...)...)
		if code != exitInconclusive || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d, without %q:\n%s", c.args, code, c.want, out)
		}
	}
}
