// Package sla holds objectives ("p99<500ms") and the verdicts on them: what a
// load report proves about a limit before and after correction, and what it
// leaves open. Every question has three answers, and a doubt is never a pass.
package sla

import (
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// The three answers to an objective.
const (
	Pass         = "pass"
	Fail         = "fail"
	Inconclusive = "inconclusive"
)

// Metric is what an objective limits.
type Metric uint8

// Metrics. Quantile, Max and Mean are times; Errors is the share of requests
// that failed; Rate is requests a second.
const (
	Quantile Metric = iota
	Max
	Mean
	Errors
	Rate
)

// IsTime reports whether the metric is a latency.
func (m Metric) IsTime() bool { return m <= Mean }

// Millionths is the scale of limits that are not times: one percent, or one
// request a second, is a million.
const Millionths = 1_000_000

// Objective is a limit on one metric. Times and Errors must stay below it, Rate
// above it. Objectives are comparable with ==.
type Objective struct {
	Op         string // operation; empty: whatever the report holds
	Metric     Metric
	Percentile latency.Percentile // of Quantile; else 0
	Strict     bool               // the limit itself misses: < and >; false: <= and >=

	// Limit is in nanoseconds for a time, in millionths of a percent for
	// Errors, in millionths of a request a second for Rate.
	Limit int64
}

// String returns the objective in its canonical form, which Parse reads back:
// "GET /cart: p99<300ms".
func (o Objective) String() string {
	s := o.Name() + o.sign() + o.limit("")
	if o.Op != "" {
		return o.Op + ": " + s
	}
	return s
}

// Name returns the name of what is limited: "p99.9", "max", "mean", "errors",
// "rate".
func (o Objective) Name() string {
	if o.Metric == Quantile {
		return o.Percentile.String()
	}
	return [...]string{"", "max", "mean", "errors", "rate"}[o.Metric]
}

func (o Objective) sign() string {
	s := "<"
	if o.Metric == Rate {
		s = ">"
	}
	if !o.Strict {
		s += "="
	}
	return s
}

// limit returns the limit, exactly, with gap between number and unit.
func (o Objective) limit(gap string) string {
	switch {
	case o.Metric == Errors:
		return decimal(o.Limit, Millionths) + gap + "%"
	case o.Metric == Rate:
		return decimal(o.Limit, Millionths) + "/s"
	case o.Limit%1e9 == 0:
		return decimal(o.Limit, 1e9) + gap + "s"
	case o.Limit >= 1e6:
		return decimal(o.Limit, 1e6) + gap + "ms"
	case o.Limit >= 1e3 && gap != "":
		return decimal(o.Limit, 1e3) + gap + "µs"
	case o.Limit >= 1e3:
		return decimal(o.Limit, 1e3) + "us"
	}
	return decimal(o.Limit, 1) + gap + "ns"
}

// decimal writes v/scale exactly; scale is a power of ten, v is not negative.
func decimal(v, scale int64) string {
	s := strconv.FormatInt(v/scale, 10)
	rest := v % scale
	if rest == 0 {
		return s
	}
	frac := strconv.FormatInt(scale+rest, 10)[1:]
	return s + "." + strings.TrimRight(frac, "0")
}

// FormatTime writes a duration in nanoseconds as people read it: "350 ns",
// "35.2 µs", "5.21 ms", "1840.7 ms", and "12.06 s" from ten seconds on.
func FormatTime(ns int64) string {
	s, _ := formatTime(ns, 0)
	return s
}

// formatTime is FormatTime with more decimals; it also returns the duration
// that the text says.
func formatTime(ns int64, more int) (string, int64) {
	if ns < 0 {
		s, v := formatTime(-max(ns, -(1<<62)), more)
		return "-" + s, -v
	}
	unit, name, decimals := int64(1), " ns", 0
	switch {
	case ns >= 10e9:
		unit, name, decimals = 1e9, " s", 2
	case ns >= 10e6:
		unit, name, decimals = 1e6, " ms", 1
	case ns >= 1e6:
		unit, name, decimals = 1e6, " ms", 2
	case ns >= 10e3:
		unit, name, decimals = 1e3, " µs", 1
	case ns >= 1e3:
		unit, name, decimals = 1e3, " µs", 2
	}
	step := unit
	for range decimals + more {
		step = max(1, step/10)
	}
	v := min(ns, 1<<62)
	v = (v + step/2) / step * step
	return decimal(v, unit) + name, v
}

// apart writes a duration with as many decimals as it takes to stay on its
// side of a limit: 499.9999 ms must not read "500 ms" beside "below 500 ms".
func apart(ns, limit int64) string {
	for more := 0; ; more++ {
		s, v := formatTime(ns, more)
		if more > 9 || (v < limit) == (ns < limit) && (v > limit) == (ns > limit) {
			return s
		}
	}
}
