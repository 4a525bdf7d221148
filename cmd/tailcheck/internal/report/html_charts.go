package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"strconv"
)

// htmlChart is a chart with the table of its numbers, which is what the chart
// shows under the pointer, too. The rows of the table are the points of the x
// axis, in order.
type htmlChart struct {
	ID, Title, Note string
	Kind            string // spectrum, timeline, histogram, tree, sweep
	Label           string // what it is, for those who do not see it
	Legend          []htmlKey
	Marks           []string
	Head            []string
	Rows            [][]string
	Tree            *CallTree // instead of all that
	MoreRows        string
	Long            bool // too many rows to be printed on paper
	Calls           []htmlCall
}

// longTable is from how many rows on a table behind a chart stays folded on
// paper: it would take pages.
const longTable = 80

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
	Kind   string       `json:"kind"` // spectrum, timeline, histogram, sweep
	X      []number     `json:"x"`    // log10(1/(1-q)); seconds; places
	Names  []string     `json:"names,omitempty"`
	Series []seriesData `json:"series"`
	Limits []limitData  `json:"limits,omitempty"`
	Marks  []markData   `json:"marks,omitempty"`
	Start  int64        `json:"start,omitempty"` // of a timeline, Unix milliseconds
	Width  number       `json:"width,omitempty"` // of a bin, seconds
	Of     string       `json:"of,omitempty"`    // what a sweep shows
	Plain  bool         `json:"plain,omitempty"` // a sweep of numbers that are no times
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
		case c.Sweep != nil:
			ok = h.sweep(&x, &d, c.Sweep)
		case c.Tree != nil:
			if x.Kind = "tree"; len(c.Tree.Rows) > 0 {
				h.callTree(&x, c.Tree)
				p.Charts = append(p.Charts, x)
			}
		}
		if ok {
			x.Kind, x.Long = d.Kind, len(x.Rows) > longTable
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
