package config

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// maxDrafted is how many files a draft has entries of: patterns are for more.
const maxDrafted = 30

// Draft writes a file of settings for what was read: a limit where something was
// measured, the rest as comments to be filled in.
func Draft(r *report.Result) string {
	d := &draft{r: r, files: filesOf(r)}
	d.line("# What tailcheck asks of the reports of this project. Flags beat what stands here.")
	d.line("# Of several entries that say something else about one file the last one counts.")
	d.line("version: %d", Version)
	d.objectives()
	d.plans()
	d.reading()
	d.b.WriteString(rest)
	return d.b.String()
}

const rest = `
# Detectors that are not wanted, and why. After the day of until they run again.
skip:
  # - detector: cold-start
  #   reason: the first minute warms the caches, TICKET-1
  #   until: 2026-12-31
  #   files: load/*.csv

# Findings of this severity or above fail: error, warning, note, never.
# fail-on: error
# What an objective that cannot be judged gives: fail (exit code 3) or pass.
# inconclusive: fail
# Any part that cannot be read makes the input unusable.
# strict: false

# Further reports that check writes.
reports:
  # junit: tailcheck.xml
  # markdown: tailcheck.md
`

type draft struct {
	b     strings.Builder
	r     *report.Result
	files []drafted
}

// drafted is one file; several reports may stand in it.
type drafted struct {
	name   string // as settings have it, ready to be written
	shown  string // in comments
	inputs []int
}

func (d *draft) line(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

// filesOf returns the files that can be named in settings, which are UTF-8.
func filesOf(r *report.Result) (out []drafted) {
	at := map[string]int{}
	for i := range r.Inputs {
		name := r.Inputs[i].Path
		if name == "-" || !utf8.ValidString(name) {
			continue
		}
		k, ok := at[name]
		if !ok {
			if len(out) == maxDrafted {
				continue
			}
			k = len(out)
			at[name] = k
			out = append(out, drafted{name: Quote(Literal(path.Clean(filepath.ToSlash(name)))), shown: comment(name)})
		}
		out[k].inputs = append(out[k].inputs, i)
	}
	return out
}

// comment writes text of an input so that it can stand in a comment.
func comment(s string) string {
	s = report.Safe(s)
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return s
}

func (d *draft) objectives() {
	d.line("\n# What is judged. The limits are what was measured, rounded up: put in what users need.")
	d.line("objectives:")
	n := 0
	for _, f := range d.files {
		of := d.distributions(f)
		worst := -1.0
		var slowest *report.Distribution
		for _, x := range of {
			if v := believed(x); v != nil && *v > worst {
				worst, slowest = *v, x
			}
		}
		mark := ""
		switch {
		case len(of) == 0 && !d.counted(f):
			continue
		case slowest == nil:
			d.line("  # %s holds no p99", f.shown)
			mark, worst = "# ", 300
		default:
			kind := "as measured"
			if slowest.Corrected != nil && slowest.Corrected.P99 != nil {
				kind = "corrected"
			}
			d.line("  # %s: p99 is %s %s", f.shown, sla.FormatTime(int64(worst*1e6)), kind)
			if rule := d.suspected(f); rule != "" && kind != "corrected" {
				d.line("  # and cannot be believed (%s): say below how the load was planned", rule)
				mark = "# "
			}
		}
		d.line("  %s- {sla: %s, files: %s}", mark, above(worst), f.name)
		if slowest != nil && slowest.Op != "" && utf8.ValidString(slowest.Op) && len(slowest.Op) < 200 {
			d.line("  # - {sla: %s, op: %s, files: %s}", above(worst), Quote(slowest.Op), f.name)
		}
		if share, ok := d.errors(f); ok {
			d.line("  - {sla: errors<%v%%, files: %s}", share, f.name)
		} else {
			d.line("  # - {sla: errors<1%%, files: %s}", f.name)
		}
		n++
	}
	if n == 0 {
		d.line("  # - p99<500ms\n  # - 'GET /cart: p99<300ms'\n  # - {sla: errors<1%%, files: load/*.csv}")
	}
	if more := len(d.r.Inputs) - len(d.files); len(d.files) == maxDrafted && more > 0 {
		d.line("  # There are more files: patterns cover many, like files: load/**/*.csv")
	}
}

func (d *draft) distributions(f drafted) (out []*report.Distribution) {
	for i := range d.r.Distributions {
		if x := &d.r.Distributions[i]; slices.Contains(f.inputs, x.Input) {
			out = append(out, x)
		}
	}
	return out
}

// believed is the p99 of a distribution, in milliseconds: corrected where it can
// be; nil: not known.
func believed(x *report.Distribution) *float64 {
	for _, f := range []*report.Figures{x.Corrected, x.Measured} {
		if f != nil && f.P99 != nil && *f.P99 > 0 && *f.P99 < 1e12 {
			return f.P99
		}
	}
	return nil
}

// suspected returns the finding that forbids to believe a raw p99, or "".
func (d *draft) suspected(f drafted) string {
	for i := range d.r.Findings {
		x := &d.r.Findings[i]
		switch x.Rule {
		case "coordinated-omission", "censored-tail", "inconsistent-report", "saturated-run":
			if x.Confidence != "low" && slices.ContainsFunc(x.Inputs, func(in int) bool { return slices.Contains(f.inputs, in) }) {
				return x.Rule
			}
		}
	}
	return ""
}

// round returns the next of 1, 2, 5, 10, … above v.
func round(v float64) float64 {
	for e := math.Pow(10, math.Floor(math.Log10(v))); ; e *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if m*e > v {
				return m * e
			}
		}
	}
}

// above is an objective that a p99 of so many milliseconds meets with some room.
func above(ms float64) string {
	ns := max(round(1.1*ms)*1e6, 1000)
	return sla.Objective{Percentile: latency.P99, Strict: true, Limit: int64(math.Round(ns))}.String()
}

func (d *draft) counted(f drafted) bool {
	_, ok := d.errors(f)
	return ok
}

// Probe is the objective that a Result must have been judged on, for a draft to
// say of which inputs it is known how many requests failed.
const Probe = "errors<99%"

// errors suggests a limit of failed requests in percent, where it is known how
// many there were, and they are few.
func (d *draft) errors(f drafted) (share float64, ok bool) {
	for i := range d.r.Objectives {
		switch o := &d.r.Objectives[i]; {
		case o.Objective != Probe || !slices.Contains(f.inputs, o.Input):
		case o.Verdict != sla.Pass || o.Raw == nil || o.Raw.Amount == nil || *o.Raw.Amount > 10:
			return 0, false
		default:
			share, ok = max(share, *o.Raw.Amount), true
		}
	}
	return max(round(1.1*share+1e-9), 1), ok
}

func (d *draft) plans() {
	d.line("\n# How the load was planned, where a report does not say it: two of rate (of all\n# workers together), workers and interval (between two requests of one worker).")
	d.line("plans:")
	n := 0
	for _, f := range d.files {
		if slices.ContainsFunc(d.distributions(f), func(x *report.Distribution) bool { return x.Corrected != nil }) {
			continue // the report says when each request was due
		}
		for _, i := range f.inputs {
			run := d.r.Inputs[i].Run
			if run == nil || run.Loop == "open" || run.Treatment == "corrected" || run.Treatment == "from-schedule" || run.IntervalMs != nil {
				continue
			}
			// R and N are to be filled in, and refused where they are not: numbers here
			// would be taken for what was found, and correct by a plan that nobody had.
			known, workers := "it does not say how the load was planned", "N"
			if run.Workers != nil {
				known, workers = fmt.Sprintf("it says %d workers and no rate", *run.Workers), fmt.Sprint(*run.Workers)
			}
			d.line("  # %s: %s\n  # - {files: %s, rate: R/s, workers: %s}", f.shown, known, f.name, workers)
			n++
			break
		}
	}
	if n == 0 {
		d.line("  # - {files: load/*.csv, rate: 12.5/s, workers: 10}")
	}
}

func (d *draft) reading() {
	d.line("\n# How files are written that do not say it: format, log-format, unit, tz, columns.")
	d.line("reading:")
	n := 0
	for _, f := range d.files {
		for _, i := range f.inputs {
			in := &d.r.Inputs[i]
			var unit *string
			if in.Run != nil {
				unit = in.Run.Unit
			}
			if in.Log != nil && in.Log.Assumed != nil {
				unit = in.Log.Assumed
			}
			if unit != nil {
				d.line("  # %s states no unit\n  # - {files: %s, unit: %s}", f.shown, f.name, *unit)
				n++
				break
			}
		}
	}
	if n == 0 {
		d.line("  # - {files: access.log*, tz: Europe/Berlin}")
	}
}
