package check

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// Bounds of what is shown of an exemplar.
const (
	treeRows   = 24
	treeDepth  = 12   // rows below it are shown where the finding is about them
	treeLooked = 4096 // rows that are looked at
	treeMany   = 4    // siblings above it are many
)

// tree draws an exemplar of a finding; nil: it is not there.
func (j *judge) tree(f *detect.Finding) *report.Tree {
	if len(f.Exemplars) == 0 || j.pass.spans.Len() == 0 {
		return nil
	}
	id, err := parseTraceID(f.Exemplars[0])
	if err != nil {
		return nil
	}
	t, err := j.pass.spans.Trace(id)
	if err != nil || t == nil || len(t.Spans) == 0 {
		return nil
	}
	return draw(t, f.Exemplars[0], f.Message)
}

// row is a row of a drawing with what decides whether it is kept.
type row struct {
	report.TreeRow
	parent int // index of the row above it; -1: none
	took   time.Duration
	named  bool // the finding speaks of it
}

// draw makes a small waterfall of a trace for a finding that says message:
// siblings of one operation are one row. Kept are the rows that the finding
// names, those that stand for many siblings and those that lasted longest, with
// what is above them; of a long way down its ends.
func draw(t *calltree.Trace, id, message string) *report.Tree {
	first, last := extent(t)
	out := &report.Tree{Trace: id, TotalMs: ms(last.Sub(first))}
	rows, all := rowsOf(t, first, message)
	kept := chosen(rows)
	below := map[int][]int{} // kept rows by the nearest kept one above them
	above := func(i int) (parent, skipped int) {
		for parent = rows[i].parent; parent >= 0 && !kept[parent]; parent = rows[parent].parent {
			skipped++
		}
		return parent, skipped
	}
	for i := range rows {
		if kept[i] {
			p, skipped := above(i)
			rows[i].Skipped = skipped
			if rows[i].Depth = 0; p >= 0 {
				rows[i].Depth = rows[p].Depth + 1
			}
			below[p] = append(below[p], i)
		}
	}
	walk := slices.Clone(below[-1])
	slices.Reverse(walk)
	for len(walk) > 0 {
		i := walk[len(walk)-1]
		walk = walk[:len(walk)-1]
		out.Rows = append(out.Rows, rows[i].TreeRow)
		next := below[i]
		slices.Reverse(next)
		walk = append(walk, next...)
	}
	out.Left, out.More = len(rows)-len(out.Rows), !all
	return out
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// extent returns when the first span of a trace started and the last one ended.
func extent(t *calltree.Trace) (first, last ingest.Time) {
	for i := range t.Spans {
		if !t.Timed(calltree.Node(i)) {
			continue
		}
		if s := t.Spans[i].Start; first == 0 || s < first {
			first = s
		}
		last = max(last, t.Spans[i].End)
	}
	return first, last
}

// rowsOf walks a trace from the top. A row stands before those below it. All is
// false where there are more rows than are looked at.
func rowsOf(t *calltree.Trace, first ingest.Time, message string) (rows []row, all bool) {
	type todo struct {
		node   calltree.Node
		depth  int
		parent int
	}
	stack := []todo{{calltree.None, -1, -1}}
	for absent := range t.Orphans() {
		stack = append(stack, todo{absent, -1, -1})
	}
	slices.Reverse(stack)
	for len(stack) > 0 && len(rows) < treeLooked {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		var below []todo
		for _, g := range t.Groups(x.node) {
			r := rowOf(t, &g, first)
			r.parent, r.Depth = x.parent, x.depth+1
			r.named = names(message, g.Op)
			rows = append(rows, r)
			// what is below the slowest of them stands for what is below all
			if slowest := g.Slowest(); t.Span(slowest) != nil {
				below = append(below, todo{slowest, r.Depth, len(rows) - 1})
			}
		}
		// the rows of the children follow each other; what is below them comes after
		slices.Reverse(below)
		stack = append(stack, below...)
	}
	return rows, len(stack) == 0
}

// names reports whether a message says a name as a word, not as a part of one.
func names(message, name string) bool {
	if len(name) < 2 {
		return false
	}
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for from := 0; ; {
		i := strings.Index(message[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(message[:i])
		after, _ := utf8.DecodeRuneInString(message[i+len(name):])
		if !part(before) && !part(after) {
			return true
		}
		from = i + 1
	}
}

func rowOf(t *calltree.Trace, g *calltree.Group, first ingest.Time) row {
	r := row{}
	r.Name, r.Service = g.Op, g.Service
	var from, to ingest.Time
	for _, n := range g.Spans {
		s := t.Span(n)
		many := max(1, s.Stands)
		r.Times += many
		if s.Outcome != ingest.OK || s.Error {
			r.Failed += many
		}
		switch s.Outcome {
		case ingest.Canceled:
			r.Cancelled += many
		case ingest.TimedOut:
			r.TimedOut += many
		}
		if t.Timed(n) {
			if from == 0 || s.Start < from {
				from = s.Start
			}
			to = max(to, s.End)
		}
	}
	if from != 0 {
		r.took, r.FromMs, r.ToMs = to.Sub(from), ms(from.Sub(first)), ms(to.Sub(first))
	}
	return r
}

// chosen returns the rows that are shown.
func chosen(rows []row) map[int]bool {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	rank := func(r *row) int64 {
		switch {
		case r.named:
			return 1 << 62
		case r.Times > treeMany:
			return r.Times
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank(&rows[b]), rank(&rows[a])), cmp.Compare(rows[b].Times, rows[a].Times)*boolInt(rank(&rows[a]) > 0), cmp.Compare(rows[b].took, rows[a].took))
	})
	kept := map[int]bool{}
	for _, i := range order {
		if kept[i] || rank(&rows[i]) == 0 && rows[i].Depth > treeDepth {
			continue
		}
		var need []int
		for k := i; k >= 0 && !kept[k]; k = rows[k].parent {
			need = append(need, k)
		}
		if len(need) > treeDepth { // of a long way down the ends
			need = append(need[:treeDepth-2], need[len(need)-1])
		}
		if len(kept)+len(need) > treeRows {
			continue
		}
		for _, k := range need {
			kept[k] = true
		}
	}
	return kept
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
