package report

import "strings"

// Sheet lays out what a command has to say that is no Result, as text reports
// are laid out: the same lines, tables and numbers.
type Sheet struct{ p *page }

// NewSheet returns an empty sheet.
func NewSheet(o Options) *Sheet { return &Sheet{newPage(o)} }

// Section puts a blank line above what follows, if anything stands above it.
func (s *Sheet) Section() { s.p.section() }

// Text writes running text.
func (s *Sheet) Text(text string) { s.p.text(0, 0, text) }

// Item writes one point of a list.
func (s *Sheet) Item(text string) { s.p.text(0, 2, "- "+text) }

// Head writes running text behind a head that stands out.
func (s *Sheet) Head(head, text string) { s.p.para(0, head, bold, 2, text) }

// Command writes a command to be copied.
func (s *Sheet) Command(command string) { s.p.para(2, "", "", 4, "$ "+command) }

// Lines writes lines as they are, but for characters that must not be shown.
func (s *Sheet) Lines(text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		s.p.line(strings.TrimRight(Safe(l), " "))
	}
}

// Table draws rows under a header. The first column is aligned left, as are
// those of left, the others right. Where it does not fit the page, the columns
// of drop are left out one after the other; where none of that helps, each row
// becomes a paragraph.
func (s *Sheet) Table(header []string, rows [][]string, left, drop []int) {
	t := table{header: header, rows: rows, left: left}
	tables := []table{t}
	gone := map[int]bool{}
	for _, d := range drop {
		at := d
		for g := range gone {
			if g < d {
				at--
			}
		}
		t = t.without(at)
		gone[d] = true
		tables = append(tables, t)
	}
	if s.p.table(0, tables...) {
		return
	}
	for _, r := range rows {
		parts := r[:1:1]
		for c := 1; c < len(r); c++ {
			if r[c] != "" {
				parts = append(parts, header[c]+" "+r[c])
			}
		}
		s.Text(strings.Join(parts, " "))
	}
}

// String returns the sheet.
func (s *Sheet) String() string { return s.p.String() }

// Times returns the unit that all times of one table share, and what writes one
// of them without it. All are in milliseconds.
func Times(all []float64) (unit string, write func(ms float64) string) {
	s := scaleOf(all)
	return s.name, s.number
}

// Share writes a share of one with three digits: "22.6 %".
func Share(share float64) string { return percent(share) }

// Whole writes a whole number with narrow groups of thousands.
func Whole(n int64) string { return count(n) }

// Number writes a number with a few digits that matter.
func Number(f float64) string { return plain(f) }
