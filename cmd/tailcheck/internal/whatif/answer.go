// Package whatif asks the models of internal/simulate what a change would bring:
// on the numbers of a textbook, or on the times that a file holds. It is where
// models meet files; what it returns is an Answer, which is printed as text or
// JSON.
package whatif

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
	"github.com/tailcheck/tailcheck/internal/words"
)

// Schema names the JSON form of an Answer.
const Schema = "tailcheck-whatif/1"

// Answer is what a model says. Its JSON form is a contract: field order and
// order of rows are fixed, times are milliseconds, unknown is null.
type Answer struct {
	Schema   string   `json:"schema"`
	Model    string   `json:"model"`    // scatter, chain, hedge, load
	Question string   `json:"question"` // what was asked, as a sentence
	Answer   string   `json:"answer"`   // the answer, as a sentence
	Source   *Source  `json:"source"`   // null: times by parameters
	Leaf     *Leaf    `json:"leaf"`     // how long one call takes; null: not asked
	Rows     any      `json:"rows"`     // of the model; see docs/schema
	Swept    *Sweep   `json:"sweep"`    // null: nothing was swept
	Knee     *Knee    `json:"knee"`     // null: none was found, or nothing was swept
	Refused  []string `json:"refused"`  // why the change is not to be made; empty: nothing stands against it
	Advice   []Advice `json:"advice"`   // settings to start from
	RestsOn  RestsOn  `json:"rests_on"`

	table func(*printer) // draws Rows as text
	brief []string       // see Brief

	sweptAt []string // values of a sweep over a chain
}

// Source is the file that times come from.
type Source struct {
	Path     string   `json:"path"`
	Format   string   `json:"format"`
	Op       string   `json:"op"`       // of the calls
	Calls    int64    `json:"calls"`    // whose times are used
	Requests int64    `json:"requests"` // that made them; those of a load report are calls themselves
	Notes    []string `json:"notes"`    // what is to be known of these times
}

// Leaf is how long one call takes.
type Leaf struct {
	Name      string  `json:"name"`
	P50       float64 `json:"p50_ms"`
	P95       float64 `json:"p95_ms"`
	P99       float64 `json:"p99_ms"`
	SlowOver  float64 `json:"slow_over_ms"` // a call is slow that takes longer
	SlowShare float64 `json:"slow_share"`   // of the calls

	only bool // all slow calls take the same, a microsecond more than SlowOver
}

// Sweep is what was swept.
type Sweep struct {
	Over string `json:"over"` // n, k, delay
}

// Knee is where a sweep turns.
type Knee struct {
	At    *float64 `json:"at"`    // n or k
	Delay *float64 `json:"at_ms"` // delay
	Text  string   `json:"text"`
}

// Advice is a setting to start from.
type Advice struct {
	For  string `json:"for"`
	Text string `json:"text"`
}

// RestsOn says what an answer rests on.
type RestsOn struct {
	Draws       int64    `json:"draws"` // of each row; 0: nothing was drawn
	Seed        uint64   `json:"seed"`
	Interval    float64  `json:"interval"` // confidence of low_ms and high_ms
	Assumptions []string `json:"assumptions"`
}

const confidence = 0.95

// Estimate is a percentile with its 95 % interval. Both ends are the value where
// it is exact.
type Estimate struct {
	Value float64 `json:"value_ms"`
	Low   float64 `json:"low_ms"`
	High  float64 `json:"high_ms"`
}

func estimate(s *latency.Summary, p latency.Percentile) Estimate {
	low, high := simulate.Interval(s, p)
	return Estimate{inMs(time.Duration(s.Percentile(p))), inMs(low), inMs(high)}
}

func exactly(d time.Duration) Estimate { return Estimate{inMs(d), inMs(d), inMs(d)} }

// width is how far the interval goes from the value, as a share of it.
func (e Estimate) width() float64 {
	if e.Value <= 0 {
		return 0
	}
	return max(e.High-e.Value, e.Value-e.Low) / e.Value
}

// percentiles that rows of scatter and hedge hold.
var percentiles = []struct {
	name string
	p    latency.Percentile
}{{"p50", latency.P50}, {"p90", latency.P90}, {"p99", latency.P99}, {"p99.9", latency.P999}}

// Waits are the percentiles of what requests waited.
type Waits struct {
	P50  Estimate `json:"p50"`
	P90  Estimate `json:"p90"`
	P99  Estimate `json:"p99"`
	P999 Estimate `json:"p99.9"`
}

func waitsOf(s *latency.Summary) Waits {
	return Waits{estimate(s, latency.P50), estimate(s, latency.P90), estimate(s, latency.P99), estimate(s, latency.P999)}
}

func (w Waits) list() []Estimate { return []Estimate{w.P50, w.P90, w.P99, w.P999} }

// WriteJSON writes an answer as JSON.
func (a *Answer) WriteJSON(w io.Writer) error {
	if a.Refused == nil {
		a.Refused = []string{}
	}
	if a.Advice == nil {
		a.Advice = []Advice{}
	}
	if a.RestsOn.Assumptions == nil {
		a.RestsOn.Assumptions = []string{}
	}
	if a.Source != nil && a.Source.Notes == nil {
		a.Source.Notes = []string{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(a)
}

func inMs(d time.Duration) float64 { return words.Millis(d) }

// clock writes a time in a sentence.
func clock(d time.Duration) string { return sla.FormatTime(int64(d)) }

func clockMs(ms float64) string { return sla.FormatTime(int64(math.Round(ms * 1e6))) }

func counted(n int, one string) string { return words.Count(int64(n), one) }

// round4 rounds a share or a mean to four decimals.
func round4(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func round6(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// mean writes a mean with as many digits as matter.
func mean(v float64) string {
	switch {
	case v == math.Round(v) && math.Abs(v) < 1e15:
		return fmt.Sprintf("%.0f", v)
	case v >= 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Brief is the answer in two lines, for a finding that it is about: how it is, and
// what the ways out would bring.
func (a *Answer) Brief() []string {
	lines := a.brief
	if len(lines) == 0 {
		lines = strings.Split(a.Answer, "\n")
	}
	if len(a.Refused) > 0 {
		lines = []string{a.Answer, a.Refused[0]}
	}
	out := make([]string, 0, 2)
	for _, l := range lines[:min(len(lines), 2)] {
		out = append(out, report.Safe(l))
	}
	return out
}
