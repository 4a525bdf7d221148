package lab

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

//go:embed load-test-rules.md.tmpl
var rulesText string

var rules = template.Must(template.New(RulesFile).Funcs(template.FuncMap{"row": row}).Parse(rulesText))

// Figures are what the table of the page of rules shows of one distribution.
// Times are in nanoseconds.
type Figures struct {
	Count, Over        int64 // requests, and those at or over the limit
	P50, P90, P99, Max int64
	Limit              time.Duration
}

// Figures returns the figures of a summary against the lab's limit.
func (l Lab) Figures(s *latency.Summary) Figures {
	return Figures{
		Count: s.Count(), Over: s.Above(int64(l.Limit()) - 1),
		P50: s.Percentile(latency.P50), P90: s.Percentile(latency.P90), P99: s.Percentile(latency.P99), Max: s.Max(),
		Limit: l.Limit(),
	}
}

// row writes figures as cells of a Markdown table, times in milliseconds.
func row(f Figures) string {
	cells := []string{strconv.FormatInt(f.Count, 10), strconv.FormatInt(f.Over, 10)}
	for _, v := range []int64{f.P50, f.P90, f.P99, f.Max} {
		cells = append(cells, fmt.Sprintf("%.1f ms", float64(v)/1e6))
	}
	if f.P99 < int64(f.Limit) {
		cells = append(cells, "pass")
	} else {
		cells = append(cells, "**fail**")
	}
	return strings.Join(cells, " | ")
}

// WriteRules writes the rules for designing the next load test, with the
// numbers of this lab: those of the closed and of the open run, and those of
// the corrected closed run; nil leaves that out.
func (l Lab) WriteRules(w io.Writer, closed, open []Row, filled *Figures) error {
	return rules.Execute(w, struct {
		Requests, Held, Due, Beyond, InFlight int
		Scale                                 int
		Fast, Isolated                        bool
		Service, Stall, Interval              time.Duration
		Limit, Planned                        time.Duration
		Behaviour, Rate                       string
		ClosedFile, OpenFile                  string
		Closed, Open                          Figures
		Filled                                *Figures
	}{
		Requests: Requests, Held: Held,
		Due:      int((l.Stall() - 1) / l.Interval()), // due after the held one and before its end
		Beyond:   Requests - int(latency.P99.Rank(Requests)),
		InFlight: int((l.Stall() + l.Interval() - 1) / l.Interval()),
		Scale:    l.Scale, Fast: l.Scale > 1,
		Isolated: l.Server == Isolated,
		Service:  l.Service(), Stall: l.Stall(), Interval: l.Interval(), Limit: l.Limit(),
		Planned:    Requests * l.Interval(),
		Behaviour:  l.Server.Behaviour(),
		Rate:       strconv.FormatFloat(l.Rate(), 'g', 6, 64),
		ClosedFile: ClosedFile, OpenFile: OpenFile,
		Closed: l.Figures(ResponseTimes(closed)),
		Open:   l.Figures(ResponseTimes(open)),
		Filled: filled,
	})
}

// Filled sums up a closed run as HdrHistogram's fill at the lab's interval does:
// each sample v joined by v-i, v-2i, … down to i.
func (l Lab) Filled(rows []Row) *latency.Summary {
	var s latency.Summary
	for _, r := range rows {
		s.Record(int64(r.End - r.Start))
		for v := r.End - r.Start - l.Interval(); v >= l.Interval(); v -= l.Interval() {
			s.Record(int64(v))
		}
	}
	return &s
}
