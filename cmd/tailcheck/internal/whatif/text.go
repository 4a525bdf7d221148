package whatif

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// printer is an answer on its way to a sheet.
type printer struct{ *report.Sheet }

// WriteText writes an answer for people: what was asked and the answer, then the
// table, then what it rests on.
func (a *Answer) WriteText(w io.Writer, o report.Options) error {
	p := &printer{report.NewSheet(o)}
	p.Head("What if", a.Question)
	for _, line := range strings.Split(a.Answer, "\n") {
		p.Text(line)
	}
	for _, r := range a.Refused {
		p.Head("Refused:", r)
	}
	if a.table != nil {
		p.Section()
		a.table(p)
	}
	if a.Knee != nil {
		p.Section()
		p.Head("Knee:", a.Knee.Text)
	}
	for _, x := range a.Advice {
		p.Section()
		p.Head("To start from,", x.For+":")
		p.Lines(x.Text)
	}
	p.Section()
	p.Head("Rests on", "")
	for _, x := range a.restsOn() {
		p.Item(x)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// restsOn lists what an answer rests on.
func (a *Answer) restsOn() (out []string) {
	if s := a.Source; s != nil {
		path := report.Safe(s.Path)
		if path == "-" {
			path = "standard input"
		}
		text := fmt.Sprintf("%s, %s", path, s.Format)
		if s.Op != "" {
			text += ": " + s.Op
		}
		text += ", " + several(s.Calls, "call")
		if s.Requests != s.Calls && s.Requests > 0 {
			text += " of " + several(s.Requests, "request")
		}
		out = append(out, text)
		out = append(out, s.Notes...)
	}
	if l := a.Leaf; l != nil {
		out = append(out, fmt.Sprintf("one call: %s; p50 %s, p95 %s, p99 %s; slow: %s, %s of the calls",
			l.Name, clockMs(l.P50), clockMs(l.P95), clockMs(l.P99), l.slow(), report.Share(l.SlowShare)))
	}
	switch {
	case a.RestsOn.Draws == 0:
	case a.Model == "chain" && a.Source != nil:
		out = append(out, fmt.Sprintf("%s as recorded, each made once for each row, seed %d", several(a.RestsOn.Draws, "request"), a.RestsOn.Seed))
	default:
		out = append(out, fmt.Sprintf("%s draws for each row, seed %d%s", report.Whole(a.RestsOn.Draws), a.RestsOn.Seed, a.precision()))
	}
	return append(out, a.RestsOn.Assumptions...)
}

// several writes a number of things with groups of thousands.
func several(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return report.Whole(n) + " " + one + "s"
}

// slow says when a call is slow.
func (l *Leaf) slow() string {
	if l.only {
		return clockMs(l.SlowOver)
	}
	return "over " + clockMs(l.SlowOver)
}

// precision says how exact the rows are: the widest interval of each percentile.
func (a *Answer) precision() string {
	widest := make([]float64, len(percentiles))
	add := func(list ...Estimate) {
		for i, e := range list {
			widest[i] = max(widest[i], e.width())
		}
	}
	switch rows := a.Rows.(type) {
	case []ScatterRow:
		for _, r := range rows {
			if !r.Observed {
				add(r.Waits.list()...)
			}
		}
	case []HedgeRow:
		for _, r := range rows {
			add(r.P50, Estimate{}, r.P99, r.P999)
		}
	case []ChainRow:
		leaf, elapsed := 0.0, 0.0
		for _, r := range rows {
			leaf, elapsed = max(leaf, r.LeafErr), max(elapsed, r.ElapsedEr)
		}
		return fmt.Sprintf("; standard errors, the largest of the rows: %s leaf calls, %s", report.Number(leaf), clockOr0(elapsed))
	default:
		return ""
	}
	var parts []string
	for i, x := range percentiles {
		if a.Model == "hedge" && x.p == latency.P90 {
			continue
		}
		if widest[i] > 1 { // it jumps there from one value to another
			parts = append(parts, x.name+" not settled in one row")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s ±%s", x.name, report.Share(math.Ceil(1e4*widest[i])/1e4)))
	}
	return "; 95 % intervals, the widest of the rows: " + strings.Join(parts, ", ") + " (each one in --output json)"
}

// bar draws two lengths of a scale on top of each other, both as shares of the
// width.
func bar(first, second float64, width int) string {
	cells := func(v float64) int { return min(max(int(math.Round(v*float64(width))), 0), width) }
	a, b := cells(first), cells(second)
	return strings.Repeat("█", a) + strings.Repeat("▒", max(0, b-a))
}
