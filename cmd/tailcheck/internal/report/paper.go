package report

import "strings"

// Paper is a page for reports that are no Result: it lays out text in lines of
// the terminal's width. Everything that it is given passes through Safe.
type Paper struct{ p *page }

// NewPaper returns an empty page.
func NewPaper(o Options) *Paper { return &Paper{newPage(o)} }

// Section puts a blank line above what follows, if anything stands above it.
func (p *Paper) Section() { p.p.section() }

// Text writes a paragraph; its lines after the first are indented by hang more
// columns.
func (p *Paper) Text(indent, hang int, text string) { p.p.text(indent, hang, text) }

// Severe writes a paragraph under a severity ("error", "warning", "note").
func (p *Paper) Severe(severity, text string) {
	p.p.para(0, severity, severityColour(severity), 2, text)
}

// Advice writes what to do. A line that begins with "$ " is a command.
func (p *Paper) Advice(indent int, text string) { p.p.advice(indent, "→", text) }

// Table draws rows under a header. Columns are aligned right but for the first
// and those of left; where the page is too narrow, cells of the column flex are
// shortened, and where that does not help each row becomes a line of text. What
// left names behind the last column means nothing.
func (p *Paper) Table(indent int, header []string, rows [][]string, flex int, left ...int) {
	for len(left) > 0 && left[len(left)-1] >= len(header) {
		left = left[:len(left)-1]
	}
	t := table{header: header, left: left, rows: rows}
	if p.p.table(indent, t) {
		return
	}
	widest, all := 0, 0
	for _, r := range rows {
		widest = max(widest, displayWidth(Safe(r[flex])))
	}
	for _, l := range t.lines() {
		all = max(all, displayWidth(l))
	}
	if room := widest - (indent + all - p.p.width); room >= 8 {
		short := table{header: header, left: left}
		for _, r := range rows {
			r = append([]string{}, r...)
			r[flex] = fit(Safe(r[flex]), room)
			short.rows = append(short.rows, r)
		}
		if p.p.table(indent, short) {
			return
		}
	}
	for _, r := range rows {
		var parts []string
		for i, c := range r {
			if c != "" {
				parts = append(parts, strings.TrimSpace(header[i]+" "+c))
			}
		}
		p.p.text(indent, 2, strings.Join(parts, ", "))
	}
}

func (p *Paper) String() string { return p.p.String() }
