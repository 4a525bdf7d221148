package suite_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

// shapes say what is true of the output of a renderer whatever the input is.
func shapes(t *testing.T) map[string]func(out string) error {
	t.Helper()
	sarif := schemaAt(t, filepath.Join(root, "cmd/tailcheck/internal/report/testdata/sarif-2.1.0-part.schema.json"))
	return map[string]func(string) error{
		"markdown": func(out string) error {
			if len(out) >= 1<<20 || strings.Count(out, "<details>") != strings.Count(out, "</details>") || !strings.HasPrefix(out, "## tailcheck") {
				return errors.New("too long, not balanced, or without a verdict")
			}
			return nil
		},
		"junit": func(out string) error {
			for d := xml.NewDecoder(strings.NewReader(out)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
			}
		},
		"sarif": func(out string) error {
			x, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
			if err != nil {
				return err
			}
			return sarif.Validate(x)
		},
		"csv": func(out string) error {
			_, err := csv.NewReader(strings.NewReader(out)).ReadAll() // as many cells in each row
			return err
		},
		"github": func(out string) error {
			for _, kind := range []string{"error", "warning", "notice"} {
				if strings.Count("\n"+out, "\n::"+kind+" ") > 10 {
					return errors.New("more than ten of a kind")
				}
			}
			return nil
		},
	}
}

func schemaAt(t *testing.T, path string) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// raw returns something in an output that a terminal, a browser or the runner of
// GitHub Actions would obey although an input said it, or "". What is said in a
// page's own script is not an input's.
func raw(name, out string) string {
	for _, r := range out {
		if r != '\n' && (unicode.Is(unicode.C, r) && !(r == '\r' && name == "csv") || r == utf8.RuneError && name != "html") {
			return string(r)
		}
	}
	if name != "html" { // its own tests look closer
		for _, l := range strings.Split(out, "\n") {
			if strings.Contains(l, "##[") || strings.HasPrefix(strings.TrimLeft(l, " "), "::") && name != "github" {
				return l
			}
		}
	}
	switch name {
	case "markdown", "junit":
		for _, bad := range []string{"<script", "<img", "]]>"} {
			if strings.Contains(out, bad) {
				return bad
			}
		}
	case "html":
		if strings.Contains(out, "<script>alert") || strings.Contains(out, "<img src=x") {
			return "a tag of an input"
		}
	}
	return ""
}

// Every renderer has something valid to say about every fixture.
func TestEveryRendererOnEveryFixture(t *testing.T) {
	shape := shapes(t)
	for _, path := range fixtures(t, "") {
		for _, flags := range []check.Flags{{}, {SLA: []string{"p99<500ms", "errors<1%", "GET /: p99<1s"}, Interval: "80ms", Workers: 1, FailOn: "warning"}} {
			o := options(t, flags, path)
			o.Charts = true
			out, err := check.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			everyRenderer(t, shape, path, out)
		}
	}
}

func everyRenderer(t *testing.T, shape map[string]func(string) error, path string, out *check.Outcome) {
	t.Helper()
	for _, r := range suite.Renderers {
		var b bytes.Buffer
		if err := r.Render(&b, out.Result, report.Options{}); err != nil {
			t.Fatalf("%s as %s: %v", path, r.Name, err)
		}
		if b.Len() == 0 || !utf8.Valid(b.Bytes()) {
			t.Errorf("%s as %s: nothing, or no text", path, r.Name)
		}
		if s := raw(r.Name, b.String()); s != "" {
			t.Errorf("%s as %s: %.200q came out raw", path, r.Name, s)
		}
		if f := shape[r.Name]; f != nil {
			if err := f(b.String()); err != nil {
				t.Errorf("%s as %s: %v", path, r.Name, err)
			}
		}
	}
}

// hostileNames are what inputs may call themselves and their operations.
var hostileNames = []string{
	"\x1b[2J\x1b]0;pwned\x07", "\u202egpj.exe\u2066", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "]]>", "::error::x", "\n::add-mask::x", "##[error]x",
	"a\nPASS everything", "=cmd|' /C calc'!A0", "</details></pre>", "[x](javascript:alert(1))", "\xff\xfe\x00", strings.Repeat("漢|`", 5000), "p99<1ms, \"quoted\"", "\u0085\u2028\u200b",
}

// What an input says stays text: as a path, as an operation, as a name in a trace.
func TestHostileNamesStayText(t *testing.T) {
	shape := shapes(t)
	dir := t.TempDir()
	spans, err := os.ReadFile(filepath.Join(root, "fixtures/clean/traces.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range hostileNames {
		var table bytes.Buffer
		w := csv.NewWriter(&table)
		_ = w.Write([]string{"start", "latency", "label"})
		for k := range 300 {
			latency := "10"
			if k == 150 {
				latency = "9000"
			}
			_ = w.Write([]string{fmt.Sprint(10 * k), latency, strings.ReplaceAll(name, "\n", " ")})
		}
		w.Flush()
		file := strings.NewReplacer("/", "", "\x00", "").Replace(name)
		if len(file) > 60 {
			file = file[:60]
		}
		quoted := strings.NewReplacer("\xff", "\ufffd", "\xfe", "\ufffd").Replace(name)
		var text bytes.Buffer
		_ = report.Encode(&text, quoted)
		paths := map[string][]byte{
			filepath.Join(dir, file+"x.csv"):   table.Bytes(),
			filepath.Join(dir, file+"x.jsonl"): bytes.ReplaceAll(spans, []byte(`"name":"`), []byte(`"name":`+strings.TrimSuffix(strings.TrimSpace(text.String()), `"`))),
			filepath.Join(dir, file+"x.txt"):   []byte(name + "\n" + name),
		}
		for path, data := range paths {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Skipf("this file system has no such names: %v", err)
			}
			flags := check.Flags{SLA: []string{"p99<5ms"}, Interval: "10ms", FailOn: "note"}
			if strings.HasSuffix(path, ".csv") {
				flags.Columns = []string{"start=start", "latency=latency", "op=label"}
				flags.Unit = "ms"
			}
			o := options(t, flags, path)
			o.Charts = true
			out, err := check.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(path, ".csv") && len(out.Distributions) == 0 {
				t.Errorf("name %d: nothing was read: %v", i, out.Problems)
			}
			everyRenderer(t, shape, path, out)
		}
	}
}
