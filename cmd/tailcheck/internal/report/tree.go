package report

import (
	"fmt"
	"strings"
)

// Columns of a drawn trace: the bars, and the times behind them.
const (
	barColumns  = 24
	timeColumns = 10
	leastNames  = 20
)

// tree draws a trace: one row for all siblings of an operation, indented below
// their parent, and beside it from when to when they lasted.
func (t text) tree(tree *Tree) {
	if tree == nil || len(tree.Rows) == 0 {
		return
	}
	bars := barColumns
	names := t.width - 4 - bars - timeColumns
	if names < leastNames {
		bars, names = 0, t.width-4-timeColumns // at least 6: minWidth
	}
	names = min(names, 60)
	drawing := fmt.Sprint(tree.Trace, tree.Rows) // another finding may show other rows of a trace
	if t.drawn[drawing] {
		t.text(2, 2, fmt.Sprintf("trace %s: drawn above", tree.Trace))
		return
	}
	t.drawn[drawing] = true
	t.text(2, 2, fmt.Sprintf("trace %s, %s:", tree.Trace, millis(tree.TotalMs)))
	service := map[int]string{} // of the row above at each depth
	for _, r := range tree.Rows {
		name := Safe(r.Name)
		if r.Times > 1 {
			name += fmt.Sprintf(" x%d", r.Times)
		}
		if r.Service != service[r.Depth-1] || r.Depth == 0 {
			name = Safe(r.Service) + ": " + name
			if r.Service == "" {
				name = Safe(r.Name)
			}
		}
		service[r.Depth] = r.Service
		how := "failed"
		switch r.Failed {
		case r.Cancelled:
			how = "cancelled" // by its caller: the loser of a hedge has not failed
		case r.TimedOut:
			how = "timed out"
		}
		switch {
		case r.Failed == 0:
		case r.Times == 1:
			name += " (" + how + ")"
		default:
			name += fmt.Sprintf(" (%d %s)", r.Failed, how)
		}
		if r.Skipped > 0 {
			name = "… " + name
		}
		label := fit(strings.Repeat(" ", min(2*r.Depth, names/2))+name, names)
		line := "    " + label + strings.Repeat(" ", max(0, names-displayWidth(label)))
		if bars > 0 {
			line += " " + bar(r.FromMs, r.ToMs, tree.TotalMs, bars-1)
		}
		line += fmt.Sprintf("%*s", timeColumns, millis(max(0, r.ToMs-r.FromMs)))
		t.line(strings.TrimRight(line, " "))
	}
	switch {
	case tree.More:
		t.text(4, 2, fmt.Sprintf("and more than %s", counted(int64(tree.Left), "further row")))
	case tree.Left > 0:
		t.text(4, 2, fmt.Sprintf("and %s", counted(int64(tree.Left), "further row")))
	}
}

// bar draws from when to when something lasted, of all columns.
func bar(from, to, total float64, all int) string {
	if total <= 0 {
		return strings.Repeat(" ", all)
	}
	at := func(x float64) int { return min(max(int(x/total*float64(all)+0.5), 0), all) }
	a, b := at(from), at(to)
	if b <= a {
		a = min(a, all-1)
		b = a + 1
	}
	return strings.Repeat(" ", a) + strings.Repeat("█", b-a) + strings.Repeat(" ", all-b)
}
