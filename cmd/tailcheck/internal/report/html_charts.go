package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"
)

// htmlChart is a chart with the table of its numbers, which is what the chart
// shows under the pointer, too. The rows of the table are the points of the x
// axis, in order.
type htmlChart struct {
	ID, Title, Note string
	Kind            string // spectrum, timeline, histogram, tree
	Label           string // what it is, for those who do not see it
	Legend          []htmlKey
	Marks           []string
	Head            []string
	Rows            [][]string
	Tree            *CallTree // instead of all that
	MoreRows        string
	Calls           []htmlCall
}

type htmlKey struct{ Class, Name string }

type htmlCall struct {
	Depth                               int
	Service, Name                       string
	Calls, Most, Factor, Failed, MeanMs string
	Multiplies, Bad                     bool
}

// chartData is what report.js is given for one chart. Times are milliseconds.
type chartData struct {
	ID     string       `json:"id"`
	Kind   string       `json:"kind"` // spectrum, timeline, histogram
	X      []number     `json:"x"`    // log10(1/(1-q)); seconds; places
	Names  []string     `json:"names,omitempty"`
	Series []seriesData `json:"series"`
	Limits []limitData  `json:"limits,omitempty"`
	Marks  []markData   `json:"marks,omitempty"`
	Start  int64        `json:"start,omitempty"` // of a timeline, Unix milliseconds
	Width  number       `json:"width,omitempty"` // of a bin, seconds
	Log    bool         `json:"log"`             // better seen on a logarithmic axis
}

type seriesData struct {
	Name  string    `json:"name"`
	Role  string    `json:"role"`
	Low   []*number `json:"y"`
	High  []*number `json:"high,omitempty"`
	Count []*number `json:"count,omitempty"`
	Dots  bool      `json:"dots,omitempty"` // the points are all that is known
}

type limitData struct {
	Name string  `json:"name"`
	Y    number  `json:"y"`
	X    *number `json:"x,omitempty"`
}

type markData struct {
	Name string  `json:"name"`
	From number  `json:"from"`
	To   *number `json:"to,omitempty"`
}

// number is written with six digits; what is no number as null.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(json.RawMessage(strconv.FormatFloat(round(f, 6), 'f', -1, 64)))
}

// round keeps a number of digits.
func round(f float64, digits int) float64 {
	if f == 0 || math.Abs(f) < 1e-12 || math.Abs(f) > 1e15 {
		return math.Trunc(min(max(f, -1e15), 1e15))
	}
	unit := math.Pow10(digits - 1 - int(math.Floor(math.Log10(math.Abs(f)))))
	return math.Round(f*unit) / unit
}

func pointer(f float64) *number {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	n := number(f)
	return &n
}

func (h *html) charts(p *htmlPage) {
	data := []chartData{}
	for i := range h.r.Charts {
		if i == h.b.charts {
			p.MoreCharts = fmt.Sprintf("%s left out here, to keep the page small.", counted(int64(len(h.r.Charts)-i), "chart"))
			break
		}
		c := &h.r.Charts[i]
		x := htmlChart{ID: fmt.Sprintf("chart-%d", i+1), Title: h.name(c.Title), Note: h.say(c.Note)}
		if where := h.where(c.Input, c.Op); where != "" {
			x.Title += " · " + h.name(where)
		}
		d := chartData{ID: x.ID, X: []number{}, Series: []seriesData{}}
		ok := false
		switch {
		case c.Spectrum != nil:
			ok = h.spectrum(&x, &d, c.Spectrum)
		case c.Timeline != nil:
			ok = h.timeline(&x, &d, c.Timeline)
		case c.Histogram != nil:
			ok = h.histogram(&x, &d, c.Histogram)
		case c.Tree != nil:
			if x.Kind = "tree"; len(c.Tree.Rows) > 0 {
				h.callTree(&x, c.Tree)
				p.Charts = append(p.Charts, x)
			}
		}
		if ok {
			x.Kind = d.Kind
			p.Charts = append(p.Charts, x)
			data = append(data, d)
		}
	}
	raw, err := json.Marshal(data) // <, >, & and line separators become escapes
	if err != nil {
		raw = []byte("[]")
	}
	p.Data, p.Plots = template.JS(raw), len(data) > 0
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
	var all []float64
	for _, a := range at {
		d.X = append(d.X, number(percentileX(a)))
	}
	d.Log = high > 30*low
	x.Head = []string{"percentile"}
	x.Rows = make([][]string, len(at))
	for i, a := range at {
		x.Rows[i] = []string{"p" + strconv.FormatFloat(round(a, 9), 'f', -1, 64)}
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
			all = append(all, p.LowMs)
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
		rest := round(100-m.Percentile, 2) // what is left to 100 % is what counts
		x.Marks = append(x.Marks, h.name(m.Name)+" at p"+strconv.FormatFloat(round(100-rest, 9), 'f', -1, 64))
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
