package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// percentileName writes a percentile as precisely as what is left to 100 % has
// digits: that is what counts.
func percentileName(percent float64, digits int) string {
	return "p" + strconv.FormatFloat(round(100-round(100-percent, digits), 9), 'f', -1, 64)
}

// percentileX is where a percentile stands on the axis.
func percentileX(percent float64) float64 { return -math.Log10(1 - min(percent, 100-1e-9)/100) }

func (h *html) spectrum(x *htmlChart, d *chartData, s *Spectrum) bool {
	d.Kind = "spectrum"
	x.Label = "Percentile spectrum"
	var at []float64
	low, high := math.Inf(1), 0.0
	for i := range s.Series {
		points := s.Series[i].Points
		if len(points) > h.b.points {
			thin := make([]SpectrumPoint, 0, h.b.points)
			for k := range h.b.points {
				thin = append(thin, points[k*(len(points)-1)/(h.b.points-1)])
			}
			points = thin
			s = cloneSpectrum(s)
			s.Series[i].Points = points
		}
		for _, p := range points {
			at = append(at, p.Percentile)
			if p.LowMs > 0 {
				low = min(low, p.LowMs)
			}
			if !math.IsInf(p.HighMs, 0) {
				high = max(high, p.HighMs)
			}
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if len(at) == 0 {
		return false
	}
	for _, a := range at {
		d.X = append(d.X, number(percentileX(a)))
	}
	d.Log = high > 30*low
	x.Head = []string{"percentile"}
	x.Rows = make([][]string, len(at))
	for i, a := range at {
		x.Rows[i] = []string{percentileName(a, 3)}
	}
	for i := range s.Series {
		ser := &s.Series[i]
		out := seriesData{Name: h.name(ser.Name), Role: ser.Role.String(), Low: make([]*number, len(at)), Dots: len(ser.Points) <= 12}
		bounded := slices.ContainsFunc(ser.Points, func(p SpectrumPoint) bool { return p.LowMs != p.HighMs })
		if bounded {
			out.High = make([]*number, len(at))
		}
		for k := range x.Rows {
			x.Rows[k] = append(x.Rows[k], "–")
		}
		for _, p := range ser.Points {
			k, _ := slices.BinarySearch(at, p.Percentile)
			out.Low[k] = pointer(p.LowMs)
			if bounded {
				out.High[k] = pointer(p.HighMs)
			}
			cell := millis(p.LowMs)
			switch {
			case p.LowMs == p.HighMs:
			case math.IsInf(p.HighMs, 0):
				cell = "≥ " + cell
			case p.LowMs == 0:
				cell = "≤ " + millis(p.HighMs)
			default:
				cell += " – " + millis(p.HighMs)
			}
			x.Rows[k][i+1] = cell
		}
		d.Series = append(d.Series, out)
		x.Head = append(x.Head, out.Name)
		x.Legend = append(x.Legend, htmlKey{ser.Role.String(), out.Name})
	}
	h.limits(x, d, s.Limits)
	for _, m := range s.Marks {
		d.Marks = append(d.Marks, markData{Name: h.name(m.Name), From: number(percentileX(m.Percentile))})
		x.Marks = append(x.Marks, h.name(m.Name)+" at "+percentileName(m.Percentile, 2))
	}
	return true
}

func cloneSpectrum(s *Spectrum) *Spectrum {
	c := *s
	c.Series = slices.Clone(s.Series)
	return &c
}

func (h *html) limits(x *htmlChart, d *chartData, limits []Limit) {
	for _, l := range limits {
		out := limitData{Name: h.name(l.Name), Y: number(l.Ms)}
		if l.Percentile > 0 {
			out.X = pointer(percentileX(l.Percentile))
		}
		d.Limits = append(d.Limits, out)
		x.Legend = append(x.Legend, htmlKey{"limit", out.Name})
	}
}

func (h *html) timeline(x *htmlChart, d *chartData, t *Timeline) bool {
	d.Kind = "timeline"
	x.Label = "Latency over time"
	d.Start, d.Width = t.StartUnixMs, number(t.WidthMs/1000)
	var at []float64
	for i := range t.Series {
		for _, b := range t.Series[i].Bins {
			at = append(at, b.AtMs)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if len(at) == 0 {
		return false
	}
	if most := 2 * h.b.points; len(at) > most { // more than can be told apart
		width := (at[len(at)-1] - at[0]) / float64(most/2)
		return h.timeline(x, d, t.wider(max(width, t.WidthMs), at[0]))
	}
	x.Head = []string{"from"}
	for _, a := range at {
		d.X = append(d.X, number(a/1000))
		x.Rows = append(x.Rows, []string{t.moment(a)})
	}
	for _, s := range t.Series {
		out := seriesData{Name: h.name(s.Name), Role: s.Role.String(), Low: make([]*number, len(at)), Count: make([]*number, len(at))}
		for k := range x.Rows {
			x.Rows[k] = append(x.Rows[k], "–", "–")
		}
		n := len(x.Head)
		for _, b := range s.Bins {
			k, _ := slices.BinarySearch(at, b.AtMs)
			if b.MaxMs >= 0 {
				out.Low[k] = pointer(b.MaxMs)
				x.Rows[k][n] = millis(b.MaxMs)
			}
			if b.Count >= 0 {
				out.Count[k] = pointer(float64(b.Count))
				x.Rows[k][n+1] = count(b.Count)
			}
		}
		d.Series = append(d.Series, out)
		x.Head = append(x.Head, out.Name+": slowest", out.Name+": requests")
		x.Legend = append(x.Legend, htmlKey{s.Role.String(), out.Name})
	}
	for i, m := range t.Marks {
		if i == 40 {
			x.Marks = append(x.Marks, fmt.Sprintf("and %d more", len(t.Marks)-i))
			break
		}
		d.Marks = append(d.Marks, markData{Name: h.name(m.Name), From: number(m.FromMs / 1000), To: pointer(m.ToMs / 1000)})
		x.Marks = append(x.Marks, fmt.Sprintf("%s from %s on, for %s", sentenceStart(h.name(m.Name)), t.moment(m.FromMs), millis(m.ToMs-m.FromMs)))
	}
	if len(t.Marks) > 0 {
		x.Legend = append(x.Legend, htmlKey{"interval", "marked below"})
	}
	h.limits(x, d, t.Limits)
	return true
}

// startWords begin a sentence and are no names.
var startWords = []string{"the", "a", "an", "all", "each", "every", "half", "most", "no", "nobody", "nothing", "requests", "with"}

// sentenceOf makes a sentence of what a finding says. It may begin with the name
// of a service, a tool or a percentile, which a capital would change: only words
// that are none get one.
func sentenceOf(s string) string {
	if s == "" {
		return ""
	}
	if first, _, _ := strings.Cut(s, " "); slices.Contains(startWords, first) {
		s = sentenceStart(s)
	}
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "…") {
		s += "."
	}
	return s
}

// sentenceStart makes the first letter a capital.
func sentenceStart(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// moment writes a time of a timeline: the time of day where it is known.
func (t *Timeline) moment(ms float64) string {
	if t.StartUnixMs != 0 {
		return clock(t.StartUnixMs + int64(math.Floor(ms)))
	}
	return millis(ms)
}

// clock writes a moment as the time of day.
func clock(unixMs int64) string { return time.UnixMilli(unixMs).UTC().Format("15:04:05.000") + " UTC" }

// wider returns the timeline in wider bins.
func (t *Timeline) wider(width, from float64) *Timeline {
	out := *t
	out.WidthMs, out.Series = width, nil
	for _, s := range t.Series {
		w := TimeSeries{Name: s.Name, Role: s.Role}
		for _, b := range s.Bins {
			at := from + width*math.Floor((b.AtMs-from)/width)
			n := len(w.Bins)
			if n == 0 || w.Bins[n-1].AtMs != at {
				b.AtMs = at
				w.Bins = append(w.Bins, b)
				continue
			}
			last := &w.Bins[n-1]
			last.MaxMs = max(last.MaxMs, b.MaxMs)
			if b.Count < 0 || last.Count < 0 {
				last.Count = -1
			} else {
				last.Count += b.Count
			}
		}
		out.Series = append(out.Series, w)
	}
	return &out
}

func (h *html) histogram(x *htmlChart, d *chartData, g *Histogram) bool {
	d.Kind = "histogram"
	x.Label = "Histogram"
	if len(g.Bars) == 0 {
		return false
	}
	bars := g.Bars
	if len(bars) > h.b.points {
		bars = bars[:h.b.points]
		x.MoreRows = more(len(g.Bars)-len(bars), "bar")
	}
	out := seriesData{Name: h.name(g.Of), Role: Measured.String(), Low: []*number{}}
	x.Head = []string{h.name(g.Each), out.Name}
	for i, b := range bars {
		name := count(b.From)
		if b.To > b.From {
			name += " – " + count(b.To)
		}
		d.X = append(d.X, number(float64(i)))
		d.Names = append(d.Names, name)
		out.Low = append(out.Low, pointer(float64(b.Count)))
		x.Rows = append(x.Rows, []string{name, count(b.Count)})
	}
	d.Series = append(d.Series, out)
	return true
}

func (h *html) callTree(x *htmlChart, t *CallTree) {
	x.Tree = t
	rows := t.Rows
	if len(rows) > h.b.rows {
		rows = rows[:h.b.rows]
	}
	for _, r := range rows {
		c := htmlCall{Depth: min(max(r.Depth, 0), maxDepthHTML), Service: h.name(r.Service), Name: h.name(r.Name), Calls: plain(r.Calls), Most: count(r.Most), Factor: "–", Failed: "–", MeanMs: "–",
			Multiplies: r.Factor >= 2, Bad: r.Failed > 0}
		if r.Factor > 0 {
			c.Factor = "×" + plain(r.Factor)
		}
		if r.Failed > 0 {
			c.Failed = count(r.Failed)
		}
		if r.MeanMs >= 0 {
			c.MeanMs = millis(r.MeanMs)
		}
		x.Calls = append(x.Calls, c)
	}
	if left := t.Left + len(t.Rows) - len(rows); left > 0 {
		x.MoreRows = "And " + counted(int64(left), "further operation") + "."
	}
}
