package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

func render(t testing.TB, r Renderer, x *Result, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Render(&b, x, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it); got:\n%s", name, got)
	}
}

func TestGolden(t *testing.T) {
	for _, c := range results {
		golden(t, c.name+".json", render(t, JSON, c.make(), Options{}))
		golden(t, c.name+".txt", render(t, Text, c.make(), Options{}))
		golden(t, c.name+".40.txt", render(t, Text, c.make(), Options{Width: 40}))
		for _, r := range machines {
			golden(t, c.name+"."+r.ext, render(t, r.Renderer, c.make(), Options{}))
		}
	}
	golden(t, "flips.200.txt", render(t, Text, flips(), Options{Width: 200}))
	golden(t, "flips.color.txt", render(t, Text, flips(), Options{Color: true}))
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Text fits every width, and says nothing that a terminal would obey but its
// own colours.
func TestTextIsSafeAndFits(t *testing.T) {
	all := append(slices.Clone(results), named{"commands", func() *Result { return withText(strings.Repeat("::error::x##[error]", 9)) }})
	for _, c := range all {
		for _, width := range []int{0, 20, 21, 30, 40, 41, 60, 79, 80, 100, 120, 200, 1000} {
			for _, color := range []bool{false, true} {
				s := render(t, Text, c.make(), Options{Width: width, Color: color})
				if color {
					s = sgr.ReplaceAllString(s, "")
				}
				limit := width
				if limit == 0 {
					limit = 80
				}
				for i, l := range strings.Split(s, "\n") {
					if n := displayWidth(l); n > limit {
						t.Errorf("%s at %d: line %d has %d columns: %q", c.name, width, i+1, n, l)
					}
					if strings.TrimRight(l, " ") != l {
						t.Errorf("%s at %d: line %d ends in blanks", c.name, width, i+1)
					}
					if Safe(l) != l {
						t.Errorf("%s at %d: line %d is not safe: %q", c.name, width, i+1, l)
					}
					if _, _, _, ok := runnerCommand(l); ok {
						t.Errorf("%s at %d: line %d is a command: %q", c.name, width, i+1, l)
					}
					if strings.HasPrefix(l, "PASS everything") {
						t.Errorf("%s at %d: an input wrote a verdict", c.name, width)
					}
				}
				if strings.Contains(s, "\n\n\n") || strings.HasPrefix(s, "\n") || !strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\n\n") {
					t.Errorf("%s at %d: blank lines are not as they should be:\n%s", c.name, width, s)
				}
			}
		}
	}
}

// Nothing that the contract wants said beside numbers is missing, at any width.
func TestTextSaysWhatNumbersAre(t *testing.T) {
	for _, c := range []struct {
		name string
		make func() *Result
		want []string
	}{
		{"flips", flips, []string{"FAIL p99<500ms", "raw 51.2 ms", "nearest rank of samples", "corrected 1840.7 ms", "fill at 80 ms from --interval", "the verdict flips", "24 samples added", "10.7 %", "confidence medium", "1920.7 ms at half", "1680.7 ms at double",
			"666.9 ms", "random moment", "coordinated-omission", "hey-c1.csv:151", "vegeta attack"}},
		{"correct", correctLab, []string{"raw, hey's own rule", "51.4 ms", "flip point", "666.9 ms is the largest interval at which p99<500ms fails"}},
		{"bounds", bounds, []string{"ci.log:214", "printed by hey", "1680.7", "1930.1 ms", "bounds of a fill at 80 ms from --interval", "hey -n 200 -c 1 -q 12.5", "1 problem", "ci.log:230"}},
		{"censored", censored, []string{"INCONCLUSIVE", "filled by wrk", "1 timeout", "timed-out request stands for 24", "wrk-c1.txt:12"}},
		{"wrk2", wrk2Both, []string{"timed from the schedule by wrk2", "command line at u_latency.txt:1"}},
		{"pass", pass, []string{"PASS", "No objective was given", "raw p99 51.2 ms (nearest rank of samples)"}},
		{"many", many, []string{"runs/c100.csv: hey-csv", "saturated-run", "and 1 more", "4bf92f3577b34da6a3ce929d0e0e4736", "1 file skipped"}},
		{"nothing", nothing, []string{"INCONCLUSIVE", "nothing was measured", "1 problem"}},
	} {
		for _, width := range []int{40, 80, 200} {
			s := strings.Join(strings.Fields(render(t, Text, c.make(), Options{Width: width})), " ")
			for _, w := range c.want {
				if !strings.Contains(s, w) && !strings.Contains(strings.ReplaceAll(s, " ", ""), strings.ReplaceAll(w, " ", "")) {
					t.Errorf("%s at %d does not say %q", c.name, width, w)
				}
			}
		}
	}
}

func TestTextOrder(t *testing.T) {
	order := func(name, s string, parts ...string) {
		at := 0
		for _, x := range parts {
			i := strings.Index(s[at:], x)
			if i < 0 {
				t.Errorf("%s: %q does not come after what should stand before it", name, x)
				return
			}
			at += i
		}
	}
	order("check", render(t, Text, flips(), Options{}), "FAIL", "fail p99<500ms", "p99.9", "warning coordinated-omission", "→")
	order("correct", render(t, Text, correctLab(), Options{}), "FAIL", "fail p99<500ms", "p99.9")
	order("many", render(t, Text, many(), Options{}), "FAIL", "fail p99<500ms in c100.csv", "inconclusive GET /missing", "pass p99<500ms in c1.csv", "p99 corrected", "error stall-missed", "skipped")
}

// The encoder writes what encoding/json writes, where that is allowed.
func TestJSONAgainstEncodingJSON(t *testing.T) {
	for _, c := range results {
		if c.name == "hostile" {
			continue
		}
		r := c.make()
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
		// no list is [] and not null; numbers are rounded
		want := regexp.MustCompile(`("(?:distributions|objectives|findings|problems|settings|printed|bounds|random_arrival|exemplars|evidence|inputs|windows)": )null`).ReplaceAllString(b.String(), "$1[]")
		want = regexp.MustCompile(`\d+\.\d{5,}`).ReplaceAllStringFunc(want, func(s string) string {
			var f float64
			fmt.Sscan(s, &f)
			return strings.TrimRight(fmt.Sprintf("%.4f", f), "0")
		})
		if got := render(t, JSON, r, Options{}); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
	}
}

func TestJSONIsSafe(t *testing.T) {
	s := render(t, JSON, hostile(), Options{})
	if !json.Valid([]byte(s)) || !utf8.ValidString(s) {
		t.Fatalf("not JSON:\n%s", s)
	}
	for i, r := range s {
		if r != '\n' && !visible(r) {
			t.Errorf("byte %d is not safe: %q", i, r)
		}
	}
	if regexp.MustCompile(`: -?\d[\d.]*[eE]`).MatchString(s) || !strings.Contains(s, "<script>") {
		t.Errorf("numbers with exponents, or HTML escaped:\n%s", s)
	}
	var back Result
	if err := json.Unmarshal([]byte(s), &back); err != nil {
		t.Fatal(err)
	}
	if want := strings.ToValidUTF8(evil, "\ufffd"); back.Findings[0].Message != want {
		t.Errorf("text does not survive:\n got %q\nwant %q", back.Findings[0].Message, want)
	}
}

func TestSafe(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"GET /cart?x=1", "GET /cart?x=1"}, {"日本語 café naïve – ≤ µ", "日本語 café naïve – ≤ µ"},
		{"a\x1b[31mb", `a\x1b[31mb`}, {"a\nb\tc\r", `a\x0ab\x09c\x0d`}, {"\x00\x7f", `\x00\x7f`},
		{"\u202eabc\u2066\u200f\u061c", `\u202eabc\u2066\u200f\u061c`}, {"\u0085\u009b", `\u0085\u009b`},
		{"a\u00a0b\u2028c", `a\u00a0b\u2028c`}, {"\xff\xc0", `\xff\xc0`}, {"\ufffd", "\ufffd"},
		{"\u200b\u200d\ufeff\u00ad", `\u200b\u200d\ufeff\u00ad`}, {"\U000e0041", `\U000e0041`}, {"\u3164\u115f", `\u3164\u115f`}, {"\ue000", `\ue000`},
		{"a##[error]b###[x] # [y]", `a\x23#[error]b#\x23#[x] # [y]`},
		{"e\u0301", "e\u0301"}, {"\u0301x", `\u0301x`}, {"Z\u0301\u0301\u0301\u0301\u0301", "Z\u0301\u0301\u0301\u0301" + `\u0301`},
	} {
		if got := Safe(c.in); got != c.want {
			t.Errorf("Safe(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(evil, uint8(40))
	f.Add("GET /cart", uint8(80))
	f.Fuzz(func(t *testing.T, s string, width uint8) {
		if x := Safe(s); Safe(x) != x || !utf8.ValidString(x) {
			t.Fatalf("Safe(%q) = %q is not safe", s, x)
		}
		r := flips()
		r.Why, r.Inputs[0].Path, r.Distributions[0].Op, r.Findings[0].Message, r.Findings[0].Remedy = s, s, s, s, "$ "+s
		r.Findings[0].Evidence[0].What = s
		w := int(width)
		for i, l := range strings.Split(render(t, Text, r, Options{Width: w}), "\n") {
			if limit := max(w, minWidth); displayWidth(l) > limit && w > 0 || Safe(l) != l {
				t.Fatalf("at %d line %d: %q", w, i+1, l)
			}
		}
		if j := render(t, JSON, r, Options{}); !json.Valid([]byte(j)) {
			t.Fatalf("not JSON: %s", j)
		}
	})
}

func BenchmarkText(b *testing.B) {
	r := many()
	for b.Loop() {
		render(b, Text, r, Options{Width: 80})
	}
}

func BenchmarkJSON(b *testing.B) {
	r := many()
	for b.Loop() {
		render(b, JSON, r, Options{})
	}
}
