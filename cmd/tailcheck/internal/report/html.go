package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
	"sync"
)

// HTML writes one page for a browser.
var HTML = Renderer{
	Name: "html",
	Doc: `One HTML page, for people

The verdict in a sentence, the objectives and percentiles before and after, what
was found with its evidence, and charts: percentile spectra, latency over time,
fan-outs, call trees. It is one file that needs no network, in light and dark, on
a screen, a phone or paper. Its size is below 2 MB whatever was read; the JSON
has everything.`,
	Charts: true,
	Render: func(w io.Writer, r *Result, o Options) error {
		var b bytes.Buffer
		for share := 1; ; share *= 4 {
			b.Reset()
			if err := writeHTML(&b, r, o, sharesOf(share)); err != nil {
				return err
			}
			if b.Len() <= maxHTML || share > 1<<10 {
				break
			}
		}
		_, err := w.Write(b.Bytes())
		return err
	},
}

// maxHTML is the most bytes of a page. What is shown is cut down until it fits.
const maxHTML = 2_000_000

// bounds of what a page shows.
type htmlBounds struct {
	objectives, rows, findings, evidence, inputs, problems, charts, points int
	words                                                                  int // columns of a sentence
	name                                                                   int // columns of a name
}

// sharesOf are the bounds divided by a number: pages of ordinary inputs are far
// below maxHTML, those of hostile ones are shortened.
func sharesOf(n int) htmlBounds {
	of := func(x, least int) int { return max(x/n, least) }
	return htmlBounds{objectives: of(200, 4), rows: of(200, 4), findings: of(100, 2), evidence: of(24, 2), inputs: of(100, 2), problems: of(100, 2),
		charts: of(40, 0), points: of(600, 20), words: of(4000, 100), name: of(160, 30)}
}

//go:embed html/page.html.tmpl html/report.css html/report.js html/uPlot.iife.min.js html/uPlot.min.css html/uPlot.LICENSE
var htmlFiles embed.FS

// htmlParts is what all pages share, worked out once.
type htmlParts struct {
	page       *template.Template
	style      template.CSS
	script     template.JS
	policy     string // Content-Security-Policy
	withoutAny string // the same for a page without plots, which needs no script
}

var htmlOnce = sync.OnceValue(func() htmlParts {
	file := func(name string) string {
		b, err := htmlFiles.ReadFile("html/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		return strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
	}
	style := file("uPlot.min.css") + "\n" + file("report.css")
	// the licence asks to stand in every copy
	script := "/*\n" + file("uPlot.LICENSE") + "\n*/\n" + file("uPlot.iife.min.js") + "\n" + file("report.js")
	allow := func(kind, text string) string {
		sum := sha256.Sum256([]byte(text))
		return "; " + kind + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:"
	return htmlParts{
		page:       template.Must(template.New("page").Parse(file("page.html.tmpl"))),
		style:      template.CSS(style),
		script:     template.JS(script),
		policy:     nothing + allow("script-src", script) + allow("style-src", style),
		withoutAny: nothing + allow("style-src", style),
	}
})

// writeHTML writes the page. Its structure comes from page.html.tmpl, which
// escapes what it is given; all text of inputs has passed through Safe.
func writeHTML(w io.Writer, r *Result, o Options, b htmlBounds) error {
	parts := htmlOnce()
	h := html{text: text{r: r, dir: commonDir(r.Inputs), top: o.Top}, b: b}
	p := h.view()
	p.Style, p.Script, p.Policy = parts.style, parts.script, parts.policy
	if !p.Plots {
		p.Script, p.Policy = "", parts.withoutAny
	}
	return parts.page.Execute(w, p)
}
