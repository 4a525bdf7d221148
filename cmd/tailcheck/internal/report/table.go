package report

import (
	"bytes"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// This file is the only one that knows the table library.

// table is rows under a header. Cells are input text as it is; the first column
// is aligned left, the others right, unless left says otherwise.
type table struct {
	header []string
	rows   [][]string
	left   []int // further columns aligned left
}

// lines draws the table without borders, blanks at line ends removed.
func (t table) lines() []string {
	align := make([]tw.Align, len(t.header))
	for i := range align {
		align[i] = tw.AlignRight
	}
	align[0] = tw.AlignLeft
	for _, i := range t.left {
		align[i] = tw.AlignLeft
	}
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{PerColumn: align},
		Padding:    tw.CellPadding{Global: tw.Padding{Right: "  ", Overwrite: true}},
	}
	var b bytes.Buffer
	w := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbolCustom("plain").WithRow("─").WithCenter("─").WithHeaderMid("─"),
			Settings: tw.Settings{
				Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On, ShowFooterLine: tw.Off},
				Separators: tw.Separators{ShowHeader: tw.Off, BetweenRows: tw.Off, BetweenColumns: tw.Off},
			},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: cells, Row: cells, Behavior: tw.Behavior{TrimSpace: tw.Off}}),
		tablewriter.WithEastAsian(tw.Off), // the same bytes in every locale
	)
	w.Header(safe(t.header))
	for _, r := range t.rows {
		if w.Append(safe(r)) != nil {
			return nil
		}
	}
	if w.Render() != nil {
		return nil
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	widest := 0
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
		if i != 1 { // the rule under the header spans the padding too
			widest = max(widest, displayWidth(lines[i]))
		}
	}
	if len(lines) > 1 {
		lines[1] = strings.Repeat("─", widest)
	}
	return lines
}

func safe(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = Safe(c)
	}
	return out
}

// without returns the table without column i.
func (t table) without(i int) table {
	drop := func(r []string) []string { return append(append([]string{}, r[:i]...), r[i+1:]...) }
	u := table{header: drop(t.header)}
	for _, r := range t.rows {
		u.rows = append(u.rows, drop(r))
	}
	for _, l := range t.left {
		switch {
		case l < i:
			u.left = append(u.left, l)
		case l > i:
			u.left = append(u.left, l-1)
		}
	}
	return u
}

// table draws the first of some tables that fits the page, and reports whether
// one did.
func (p *page) table(indent int, ts ...table) bool {
	for _, t := range ts {
		lines := t.lines()
		widest := 0
		for _, l := range lines {
			widest = max(widest, displayWidth(l))
		}
		if len(lines) == 0 || indent+widest > p.width {
			continue
		}
		for _, l := range lines {
			p.line(strings.TrimRight(strings.Repeat(" ", indent)+l, " "))
		}
		return true
	}
	return false
}

// displayWidth returns the columns that text takes on a terminal. Characters of
// ambiguous width count as one, whatever the locale is.
func displayWidth(s string) int { return twwidth.WidthWithOptions(s, twwidth.Options{}) }
