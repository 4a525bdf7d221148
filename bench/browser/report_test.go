package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var reports = []struct {
	name   string
	charts int // at least so many on a canvas
	args   []string
}{
	{"load", 2, []string{"--sla", "p99<500ms", "--interval", "80ms", "fixtures/load/stall-hey/hey.csv"}},
	{"summary", 1, []string{"--sla", "p99<500ms", "--interval", "80ms", "fixtures/load/stall-hey/hey.txt"}},
	{"open", 2, []string{"--sla", "p99<500ms", "fixtures/load/stall-hey/open.csv"}},
	{"fan-out", 2, []string{"fixtures/trace/fan-out-69/traces.pb.zst"}},
	{"retries", 1, []string{"fixtures/trace/retries-3x3x3/traces.jsonl"}},
	{"by-hand", 3, nil},
	{"log", 4, []string{"--sla", "p99<100ms", "fixtures/log/stall-nginx-closed/access-of-csv.log*", "fixtures/log/stall-nginx-closed/hey.csv"}},
	{"sweep", 2, []string{"whatif", "scatter", "--model", "classic", "--sweep", "delay"}},
	{"several", 3, []string{"--sla", "p99<500ms", "fixtures/load/stall-hey", "fixtures/load/ab/stall.csv"}},
}

// charted is a page whose charts were made by hand, one of each kind: a server's
// log and a load report over each other among them.
func charted(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "charted.html")
	cmd := exec.Command("go", "test", "./cmd/tailcheck/internal/report", "-count=1", "-run", "^TestChartedPage$")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CHARTED_PAGE="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// pageOf renders a report, or the one made by hand.
func pageOf(t *testing.T, args []string) string {
	t.Helper()
	if args == nil {
		return charted(t)
	}
	return report(t, args...)
}

// blank reports how many charts have nothing drawn on them.
const blank = `Array.from(document.querySelectorAll(".plot")).filter(p => {
	const canvas = p.querySelector("canvas");
	if (!canvas || !canvas.width) return true;
	const data = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
	return new Set(data).size < 8;
}).length`

// wide names what is wider than the page.
const wide = `(() => {
	const all = document.documentElement;
	if (all.scrollWidth <= all.clientWidth) return "";
	return all.scrollWidth + ": " + Array.from(document.querySelectorAll("body *")).filter(e => e.getBoundingClientRect().right > all.clientWidth + 1 && !e.closest(".wide"))
		.slice(0, 5).map(e => e.tagName + "." + e.className + " " + e.textContent.slice(0, 40)).join("; ");
})()`

func TestReports(t *testing.T) {
	browser := browse(t)
	for _, r := range reports {
		t.Run(r.name, func(t *testing.T) {
			w := open(t, browser, pageOf(t, r.args))
			w.quiet()
			if n := ask[int](w, `document.querySelectorAll(".plot").length`); n < r.charts {
				t.Errorf("%d charts, want %d", n, r.charts)
			}
			for _, look := range []struct {
				name        string
				width       int64
				phone, dark bool
			}{{"desktop-light", 1200, false, false}, {"desktop-dark", 1200, false, true}, {"phone-light", 360, true, false}, {"phone-dark", 360, true, true}} {
				w.look(look.width, 800, look.phone, look.dark)
				if n := ask[int](w, blank); n > 0 {
					t.Errorf("%s: %d charts are blank", look.name, n)
				}
				if s := ask[string](w, wide); s != "" {
					t.Errorf("%s: the page scrolls sideways: %s", look.name, s)
				}
				paper := ask[string](w, `getComputedStyle(document.body).backgroundColor`)
				if bright := paper == "rgb(255, 255, 255)"; bright == look.dark {
					t.Errorf("%s: the paper is %s", look.name, paper)
				}
				w.picture(r.name + "-" + look.name)
			}
			w.quiet()
		})
	}
}

// The pointer shows the numbers of the table behind a chart; so do arrow keys.
func TestNumbersUnderThePointer(t *testing.T) {
	browser := browse(t)
	for _, r := range reports[:8] {
		t.Run(r.name, func(t *testing.T) {
			w := open(t, browser, pageOf(t, r.args))
			for i := range ask[int](w, `document.querySelectorAll(".plot").length`) {
				plot := fmt.Sprintf(`document.querySelectorAll(".plot")[%d]`, i)
				ask[bool](w, plot+`.scrollIntoView({block: "center", behavior: "instant"}) === undefined`)
				at := ask[[]float64](w, fmt.Sprintf(`(() => { const r = %s.querySelector(".u-over").getBoundingClientRect(); return [r.left + r.width * 0.6, r.top + r.height / 2]; })()`, plot))
				w.run(chromedp.MouseEvent("mouseMoved", at[0]-3, at[1]), chromedp.MouseEvent("mouseMoved", at[0], at[1]))
				time.Sleep(100 * time.Millisecond)
				tip := ask[string](w, plot+`.querySelector(".tip:not([hidden])")?.innerText ?? ""`)
				if !regexp.MustCompile(`\d`).MatchString(tip) {
					t.Errorf("chart %d: the pointer shows %q", i+1, tip)
				}
				for _, line := range strings.Split(tip, "\n")[1:] {
					_, value, ok := strings.Cut(line, ": ")
					if !ok {
						continue // between paragraphs
					}
					if value = strings.TrimSpace(value[strings.LastIndex(value, ": ")+1:]); !ask[bool](w, fmt.Sprintf(`Array.from(document.querySelectorAll("#%s-table td")).some(x => x.textContent.trim() === %q)`, ask[string](w, plot+".id"), value)) {
						t.Errorf("chart %d: %q is not in its table", i+1, value)
					}
				}
				w.run(chromedp.MouseEvent("mouseMoved", 1, 1))
				ask[bool](w, plot+`.focus() === undefined`)
				w.run(chromedp.KeyEvent(kb.End))
				last := ask[string](w, plot+`.querySelector(".tip:not([hidden])")?.innerText ?? ""`)
				w.run(chromedp.KeyEvent(kb.ArrowLeft))
				before := ask[string](w, plot+`.querySelector(".tip:not([hidden])")?.innerText ?? ""`)
				one := ask[int](w, fmt.Sprintf(`document.querySelectorAll("#%s-table tbody tr").length`, ask[string](w, plot+".id"))) == 1
				if last == "" || before == "" || last == before && !one {
					t.Errorf("chart %d: arrow keys show %q, then %q", i+1, last, before)
				}
			}
			w.quiet()
		})
	}
}

// The keyboard reaches everything, in the order of the page, and shows where it is.
func TestKeyboard(t *testing.T) {
	w := open(t, browse(t), report(t, reports[0].args...))
	want := ask[[]string](w, `Array.from(document.querySelectorAll("a[href], summary, input, [tabindex='0']")).filter(e => !e.parentElement.closest("details:not([open])") || e.tagName === "SUMMARY").map(e => e.tagName + " " + (e.id || e.textContent.trim()).slice(0, 30))`)
	var got []string
	for range want {
		w.run(chromedp.KeyEvent(kb.Tab))
		got = append(got, ask[string](w, `(e => e.tagName + " " + (e.id || e.textContent.trim()).slice(0, 30))(document.activeElement)`))
		if s := ask[string](w, `getComputedStyle(document.activeElement).outlineStyle`); s == "none" {
			t.Errorf("%s: the focus cannot be seen", got[len(got)-1])
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("order of focus:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got[0] != "A Skip to the verdict" {
		t.Errorf("the first is %s", got[0])
	}
	if s := ask[string](w, `(() => {
		const wrong = [];
		if (document.querySelectorAll("main").length !== 1 || document.querySelectorAll("h1").length !== 1) wrong.push("landmarks");
		let level = 0;
		for (const h of document.querySelectorAll("h1, h2, h3, h4")) { const l = +h.tagName[1]; if (l > level + 1) wrong.push("heading " + h.textContent); level = l; }
		for (const t of document.querySelectorAll("table")) if (!t.caption && !t.getAttribute("aria-labelledby")) wrong.push("a table without a caption");
		for (const h of document.querySelectorAll("th")) if (!h.scope) wrong.push("a header without a scope");
		return wrong.join("; ");
	})()`); s != "" {
		t.Error(s)
	}
	w.quiet()
}

// On paper everything but long tables is open, and in dark mode paper stays white.
func TestPaper(t *testing.T) {
	w := open(t, browse(t), report(t, reports[0].args...))
	w.look(1200, 800, false, true)
	if s := ask[string](w, `(() => { dispatchEvent(new Event("beforeprint")); return getComputedStyle(document.body).backgroundColor + " " + document.querySelectorAll("details:not([open]):not(.long)").length; })()`); s != "rgb(255, 255, 255) 0" {
		t.Errorf("before printing: %s", s)
	}
	if s := ask[int](w, `(() => { dispatchEvent(new Event("afterprint")); return document.querySelectorAll("details[open]").length; })()`); s != 0 {
		t.Errorf("after printing %d stay open", s)
	}
	pdf := do(w, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperSize{Width: 8.27, Height: 11.69})))
	if len(pdf) < 10_000 {
		t.Errorf("a PDF of %d bytes", len(pdf))
	}
	if dir := os.Getenv("SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "paper.pdf"), pdf, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.quiet()
}
