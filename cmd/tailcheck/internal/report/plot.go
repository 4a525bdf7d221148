package report

import (
	"math"
	"strings"
)

// Size of the plot of a distribution: with its axis it takes plotRows+3 lines.
const (
	plotRows    = 9
	plotColumns = 72 // at most
	plotLeast   = 24 // fewer show nothing
	plotDecades = 4  // up to p99.99
)

// plotMark is what draws the curves, on terminals that show more than ASCII and
// on others.
var plotMark = map[bool]struct{ raw, corrected, down, along, corner, tick string }{
	false: {"○", "●", "│", "─", "└", "┴"},
	true:  {"o", "#", "|", "-", "+", "+"},
}

// plotTicks are the percentiles below the axis.
var plotTicks = []struct {
	name string
	p    float64
}{{"p0", 0}, {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}}

// plotAt is how far to the right a percentile is, in decades: as in HdrHistogram's
// plots, each further nine takes the same room.
func plotAt(p float64) float64 { return -math.Log10(1 - p) }

// plotPoint is a percentile on the plot.
type plotPoint struct{ x, y float64 }

// curve returns what is known of some figures for sure, by percentile.
func (f *Figures) curve() []plotPoint {
	if f == nil {
		return nil
	}
	var out []plotPoint
	add := func(p float64, v *float64) {
		if sensible(v) && *v >= 0 && (len(out) == 0 || *v >= out[len(out)-1].y) {
			out = append(out, plotPoint{plotAt(p), *v})
		}
	}
	add(0, f.Min)
	add(0.5, f.P50)
	add(0.75, f.P75)
	add(0.9, f.P90)
	add(0.95, f.P95)
	add(0.99, f.P99)
	add(0.999, f.P999)
	add(0.9999, f.P9999)
	return out
}

// plot draws the percentiles of a distribution before and after, as lines between
// the percentiles of the table.
func (t text) plot(d *Distribution) {
	raw, after := d.Measured.curve(), d.Corrected.curve()
	if len(raw) < 3 || len(after) < 3 {
		return
	}
	var all []float64
	top := 0.0
	for _, p := range append(append([]plotPoint(nil), raw...), after...) {
		all = append(all, p.y)
		top = max(top, p.y)
	}
	s := scaleOf(all)
	label := len(s.time(top))
	columns := min(plotColumns, t.width-4-label)
	if columns < plotLeast || top <= 0 {
		return
	}
	m := plotMark[t.plain]
	grid := make([][]string, plotRows)
	for y := range grid {
		grid[y] = make([]string, columns)
		for x := range grid[y] {
			grid[y][x] = " "
		}
	}
	trace(grid, raw, top, m.raw)
	trace(grid, after, top, m.corrected)
	t.gap = true
	t.text(2, 2, m.raw+" "+t.raw(d)+", "+m.corrected+" corrected or both, joined between the percentiles of the table")
	for y, row := range grid {
		name := ""
		switch y {
		case 0:
			name = s.time(top)
		case plotRows / 2:
			name = s.time(top / 2)
		case plotRows - 1:
			name = "0"
		}
		t.line(strings.TrimRight(strings.Repeat(" ", 2+label-len(name))+name+" "+m.down+strings.Join(row, ""), " "))
	}
	axis, names := make([]string, columns), []byte(strings.Repeat(" ", columns))
	for x := range axis {
		axis[x] = m.along
	}
	free := 0
	for _, tick := range plotTicks {
		x := plotColumn(plotAt(tick.p), columns)
		at := min(max(0, x-len(tick.name)/2), columns-len(tick.name))
		axis[x] = m.tick
		if at >= free {
			copy(names[at:], tick.name)
			free = at + len(tick.name) + 1
		}
	}
	lead := strings.Repeat(" ", 3+label)
	t.line(lead + m.corner + strings.Join(axis, ""))
	t.line(strings.TrimRight(lead+" "+strings.TrimRight(string(names), " "), " "))
}

func plotColumn(x float64, columns int) int {
	return min(int(x/plotDecades*float64(columns-1)+0.5), columns-1)
}

// trace draws a curve: in each column the height that it has there.
func trace(grid [][]string, curve []plotPoint, top float64, mark string) {
	columns := len(grid[0])
	k := 0
	for x := plotColumn(curve[0].x, columns); x <= plotColumn(curve[len(curve)-1].x, columns); x++ {
		at := float64(x) / float64(columns-1) * plotDecades
		for k+2 < len(curve) && curve[k+1].x < at {
			k++
		}
		a, b := curve[k], curve[k+1]
		share := min(max((at-a.x)/(b.x-a.x), 0), 1)
		y := a.y + share*(b.y-a.y)
		row := len(grid) - 1 - int(y/top*float64(len(grid)-1)+0.5)
		grid[row][x] = mark
	}
}
