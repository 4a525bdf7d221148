package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// evils are names that want to be more than text.
var evils = []string{
	`</script><script>window.pwned=1;alert(1)</script>`,
	`"><img src=x onerror="window.pwned=1">`,
	`javascript:window.pwned=1`,
	`<a href="javascript:window.pwned=1">click</a>`,
	"\x1b[2J\x1b]0;pwned\x07\u009b31m",
	"\u202egnp.exe\u202c\u2066x\u2069\u200b\ufeff\u2028\u2029",
	`<!--<script>`, `]]>`, `{{.}}${window.pwned=1}`, `&lt;b&gt;`,
	"' style='position:fixed' x='",
	`<style>*{display:none}</style><svg onload=window.pwned=1>`,
}

// Names in a load report, in traces and of files stay text.
func TestHostileNames(t *testing.T) {
	browser := browse(t)
	dir := t.TempDir()
	var csv strings.Builder
	csv.WriteString("due_ms,start_ms,latency_ms,op\n")
	for i := range 600 {
		fmt.Fprintf(&csv, "%d,%d,%d,%s\n", i*10, i*10, 5+i%7, `"`+strings.ReplaceAll(evils[i%len(evils)], `"`, `""`)+`"`)
	}
	load := filepath.Join(dir, "<script>window.pwned=1<"+"\u202e.csv")
	write(t, load, csv.String())
	traces := filepath.Join(dir, `"><img src=x onerror=window.pwned=1>.jsonl`)
	write(t, traces, spans(t))
	for _, c := range []struct {
		name string
		args []string
		want string // a selector of something that must be there
	}{
		{"load", []string{"--sla", "p99<8ms", load}, ".plot"},
		{"traces", []string{traces}, ".calls"},
		{"both", []string{load, traces}, ".calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := report(t, c.args...)
			w := open(t, browser, path)
			w.look(360, 800, true, false)
			w.quiet()
			if ask[bool](w, `typeof window.pwned !== "undefined"`) {
				t.Error("a name ran")
			}
			if n := ask[int](w, `document.scripts.length`); n > 2 {
				t.Errorf("%d scripts", n)
			}
			if n := ask[int](w, `document.querySelectorAll("img, iframe, a[href^='javascript'], [onerror], [onload], [onclick], [style]:not(.plot *, .plot)").length`); n > 0 {
				t.Errorf("%d elements that no report has", n)
			}
			if n := ask[int](w, `Array.from(document.documentElement.textContent).filter(c => /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/u.test(c)).length`); n > 0 {
				t.Errorf("%d characters that cannot be seen", n)
			}
			if !ask[bool](w, `document.body.innerText.includes("<img src=x onerror=")`) {
				t.Error("the name is not shown")
			}
			if !ask[bool](w, fmt.Sprintf(`document.querySelector(%q) !== null`, c.want)) {
				t.Errorf("%s is not there", c.want)
			}
			if s := ask[string](w, wide); s != "" {
				t.Errorf("the page scrolls sideways: %s", s)
			}
			if n := ask[int](w, blank); n > 0 {
				t.Errorf("%d charts are blank", n)
			}
			w.picture("hostile-" + c.name)
		})
	}
}

// spans are traces of OTLP: a root that makes a dozen calls, each with a name of evils.
func spans(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for n := range 30 {
		id := fmt.Sprintf("%032x", n+1)
		span := func(k int, parent, name string, from, to int) map[string]any {
			return map[string]any{"traceId": id, "spanId": fmt.Sprintf("%016x", k), "parentSpanId": parent, "name": name, "kind": 3,
				"startTimeUnixNano": fmt.Sprint(1_700_000_000_000_000_000 + int64(from)*1_000_000), "endTimeUnixNano": fmt.Sprint(1_700_000_000_000_000_000 + int64(to)*1_000_000),
				"status": map[string]any{"code": 2 * (k % 5 / 4)}}
		}
		list := []any{span(1, "", evils[0], 0, 110)}
		for k := range 24 {
			list = append(list, span(k+2, fmt.Sprintf("%016x", 1), evils[k%len(evils)], 1, 10+(n*k*37)%97))
		}
		line, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
			"resource":   map[string]any{"attributes": []any{map[string]any{"key": "service.name", "value": map[string]any{"stringValue": evils[n%len(evils)]}}}},
			"scopeSpans": []any{map[string]any{"spans": list}}}}})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Skip(err) // a file system without such names
	}
}
