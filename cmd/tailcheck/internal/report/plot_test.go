package report

import (
	"strings"
	"testing"
)

// Where a percentile stands on the axis: each further nine takes the same room.
func TestPlotAxis(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{{0, 0}, {0.9, 1}, {0.99, 2}, {0.999, 3}, {0.9999, 4}} {
		if got := plotAt(c.p); got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("p%g at %g, want %g", 100*c.p, got, c.want)
		}
	}
}

// The plot takes at most 15 lines, fits, and needs no more than ASCII where that
// is all there is. The curve of the corrected figures is never below the other.
func TestPlot(t *testing.T) {
	for _, width := range []int{0, 30, 40, 60, 80, 120, 300} {
		for _, plain := range []bool{false, true} {
			r := correctLab()
			r.Findings, r.Objectives = nil, nil
			with := render(t, Text, r, Options{Width: width, Plain: plain})
			m := plotMark[plain]
			plot := strings.Count(with, m.corner+m.tick)
			if width >= 40 && plot != 1 || width == 30 && plot != 0 {
				t.Errorf("at %d: %d plots", width, plot)
			}
			lines := 0
			for _, l := range strings.Split(with, "\n") {
				if strings.Contains(l, m.down) {
					lines++
					a, b := strings.Index(l, m.raw), strings.Index(l, m.corrected)
					if a >= 0 && b >= 0 && a < b {
						t.Errorf("at %d: raw is above corrected in %q", width, l)
					}
					if plain && strings.IndexFunc(l, func(r rune) bool { return r > 126 }) >= 0 {
						t.Errorf("not ASCII: %q", l)
					}
				}
			}
			if lines != 0 && lines != plotRows {
				t.Errorf("at %d: %d rows", width, lines)
			}
		}
	}
	r := correctLab()
	r.Distributions[0].Corrected = nil
	if s := render(t, Text, r, Options{}); strings.Contains(s, "└") {
		t.Errorf("a plot of one curve:\n%s", s)
	}
	r = correctLab()
	*r.Distributions[0].Corrected.P99 = 0 // figures that fall are no distribution
	render(t, Text, r, Options{})
}
