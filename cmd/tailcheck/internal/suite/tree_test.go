package suite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// spansAt writes spans of one trace as OTLP JSON: id, parent, name, attributes
// and times in ms after a start, each.
type spansAt struct{ strings.Builder }

func (b *spansAt) add(id, parent int, name, statement string, from, to int) {
	if b.Len() > 0 {
		b.WriteByte(',')
	}
	attributes := ""
	if statement != "" {
		attributes = fmt.Sprintf(`,"attributes":[{"key":"db.system","value":{"stringValue":"redis"}},{"key":"db.statement","value":{"stringValue":%q}},{"key":"server.address","value":{"stringValue":"r%d"}}]`, statement, id%3)
	}
	fmt.Fprintf(b, `{"traceId":"%032x","spanId":"%016x","parentSpanId":"%016x","name":%q,"kind":3,"startTimeUnixNano":"17000000%05d000000","endTimeUnixNano":"17000000%05d000000"%s}`,
		7, id, parent, name, from, to, attributes)
}

func (b *spansAt) judged(t *testing.T) *check.Outcome {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traces.json")
	all := `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[` + strings.ReplaceAll(b.String(), `"parentSpanId":"0000000000000000",`, "") + `]}]}]}`
	if err := os.WriteFile(path, []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
	return judged(t, check.Flags{}, path)
}

// What a finding is about is in the drawing, however deep it is and whatever
// else the trace holds, and the drawing stays small.
func TestDrawingShowsTheFinding(t *testing.T) {
	for name, c := range map[string]struct{ deep, beside int }{
		"shallow":             {2, 0},
		"deep":                {60, 0},
		"very deep":           {3000, 0},
		"beside many others":  {3, 3000},
		"deep beside several": {30, 200},
	} {
		t.Run(name, func(t *testing.T) {
			var b spansAt
			b.add(1, 0, "GET /page", "", 10000, 20000)
			id := 1
			for range c.deep {
				id++
				b.add(id, id-1, fmt.Sprintf("layer %d", id), "", 10000, 20000)
			}
			for i := range 48 {
				b.add(100000+i, id, "mget", fmt.Sprintf("mget user:%d", i), 19900, 19910+i)
			}
			for i := range c.beside {
				b.add(200000+i, 1, fmt.Sprintf("other %d", i), "", 10000, 19000)
			}
			found := false
			for _, f := range b.judged(t).Findings {
				if f.Rule != "mget-storm" {
					continue
				}
				found = true
				if f.Tree == nil || len(f.Tree.Rows) > 24 {
					t.Fatalf("tree %+v", f.Tree)
				}
				var storm *report.TreeRow
				for i, r := range f.Tree.Rows {
					if r.Depth > 24 || i == 0 && r.Name != "GET /page" {
						t.Errorf("row %+v", r)
					}
					if r.Name == "mget" && r.Times == 48 {
						storm = &f.Tree.Rows[i]
					}
				}
				if storm == nil {
					t.Errorf("the storm is not shown: %+v", f.Tree.Rows)
				}
			}
			if !found {
				t.Error("no storm found")
			}
		})
	}
}

// Widths and depths of real and hostile exports are drawn without delay.
func TestLargeTraces(t *testing.T) {
	for name, c := range map[string]struct {
		parent func(id int) int
		said   string // by low-visibility
	}{
		"chain":  {func(id int) int { return id - 1 }, ""},
		"wide":   {func(id int) int { return min(id-1, 1) }, ""},
		"loop":   {func(id int) int { return id%20000 + 1 }, ", 1 loop of parents: "},
		"selves": {func(id int) int { return id }, ", 20000 loops of parents: "},
	} {
		t.Run(name, func(t *testing.T) {
			var b spansAt
			for id := 1; id <= 20000; id++ {
				b.add(id, c.parent(id), fmt.Sprintf("op %d", id), "", 10000, 20000)
			}
			out := b.judged(t)
			if len(out.Inputs) != 1 || out.Inputs[0].Trace.Spans != 20000 {
				t.Errorf("%+v", out.Inputs)
			}
			said := ""
			for _, f := range out.Findings {
				if f.Rule == "low-visibility" {
					said = f.Message
				}
				if f.Tree != nil && len(f.Tree.Rows) > 24 {
					t.Errorf("%s: %d rows", f.Rule, len(f.Tree.Rows))
				}
			}
			if c.said == "" && said != "" || !strings.Contains(said, c.said) {
				t.Errorf("%q, want %q", said, c.said)
			}
		})
	}
}
