package config

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
	"github.com/tailcheck/tailcheck/correct/sla"
)

// objective reads an expression, or a mapping with one.
func (t *reader) objective(n *yamltext.Node) {
	n = resolve(n)
	at, expr, op := n, "", ""
	x := Objective{Line: n.Line}
	if n.Kind == yamltext.Mapping {
		if t.colon(n) {
			return
		}
		entries, ok := t.mapping(n, "an objective", []string{"sla", "op", "files"})
		at = nil
		for _, e := range entries {
			switch e.name {
			case "sla":
				at = e.value
			case "op":
				var fine bool
				op, fine = t.text(e.value, e.name)
				ok = ok && fine
			case "files":
				x.Files = t.files(e.value)
			}
		}
		if !ok {
			return
		}
		if at == nil {
			t.fail(n, "an objective without sla: want sla: p99<500ms")
			return
		}
	}
	expr, ok := t.text(at, "an objective")
	if !ok {
		return
	}
	o, err := sla.Parse(expr)
	if err == nil && op != "" {
		if o.Op != "" {
			t.fail(at, "objective %s names an operation, and op does: one is enough", yamltext.Shown(at))
			return
		}
		op = strings.TrimSpace(op)
		o.Op = op
		if back, err := sla.Parse(o.String()); err != nil || back != o {
			t.fail(at, "op %q cannot be told from an objective", op)
			return
		}
	}
	if e := (*sla.SyntaxError)(nil); errors.As(err, &e) {
		t.fail(at, "objective %s: %s; %s", yamltext.Shown(at), e.Wrong, strings.ReplaceAll(e.Advice+": "+e.Example, "\n", " "))
		return
	} else if err != nil {
		t.fail(at, "objective %s: %v", yamltext.Shown(at), err)
		return
	}
	x.Objective = o
	t.file.Objectives = append(t.file.Objectives, x)
}

// colon reports an expression with an operation, which without quotes is a
// mapping in YAML.
func (t *reader) colon(n *yamltext.Node) bool {
	if len(n.Content) != 2 || n.Content[0].Kind != yamltext.Scalar || n.Content[1].Kind != yamltext.Scalar {
		return false
	}
	expr := n.Content[0].Value + ": " + n.Content[1].Value
	if _, err := sla.Parse(expr); err != nil || n.Content[0].Value == "sla" {
		return false
	}
	t.fail(n, "objective %q: the colon makes a mapping of it; put it in quotes", expr)
	return true
}

func (t *reader) plan(n *yamltext.Node) {
	n = resolve(n)
	x := Plan{Line: n.Line}
	entries, ok := t.mapping(n, "a plan", []string{"files", "rate", "workers", "interval"})
	for _, e := range entries {
		switch e.name {
		case "files":
			x.Files = t.files(e.value)
		case "rate":
			x.Rate = t.rate(e.value)
		case "workers":
			v, err := strconv.Atoi(e.value.Value)
			if e.value.Kind != yamltext.Scalar || e.value.Tag != "!!int" || err != nil || v < 1 || !allowed(check.Flags{Workers: v}) {
				t.fail(e.value, "workers: want the number of connections, a whole number like 10, got %s", kindOf(e.value))
				continue
			}
			x.Workers = v
		case "interval":
			s, fine := t.text(e.value, e.name)
			if !fine {
				continue
			}
			opt, err := check.Flags{Interval: s}.Options(nil, nil)
			if err != nil {
				t.fail(e.value, "interval: want the planned time between requests of one worker, with its unit, from 1us to 24h, like 80ms, got %s", kindOf(e.value))
			}
			x.Interval = opt.Plan.Interval
		}
	}
	switch {
	case !ok:
		return
	case x.Rate == 0 && x.Workers == 0 && x.Interval == 0 && !t.among(entries, "rate", "workers", "interval"):
		t.fail(n, "a plan that says nothing: want rate, workers or interval")
	case x.Rate > 0 && x.Interval > 0 && x.Workers > 0:
		if want := float64(x.Workers) / x.Rate; math.Abs(want-x.Interval.Seconds()) > 0.01*x.Interval.Seconds() {
			t.fail(n, "a plan that contradicts itself: %d workers at %v/s are an interval of %v, and not of %v", x.Workers, x.Rate, time.Duration(want*1e9).Round(time.Microsecond), x.Interval)
		}
	}
	t.file.Plans = append(t.file.Plans, x)
}

// allowed reports whether a command line might say so.
func allowed(f check.Flags) bool {
	_, err := f.Options(nil, nil)
	return err == nil
}

func (t *reader) among(entries []entry, names ...string) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return slices.Contains(names, e.name) })
}

// rate reads requests a second: 12.5/s, or the number alone.
func (t *reader) rate(n *yamltext.Node) float64 {
	if n.Kind == yamltext.Scalar && n.Value != "" && (n.Tag == "!!str" || n.Tag == "!!int" || n.Tag == "!!float") {
		if opt, err := (check.Flags{Rate: n.Value}).Options(nil, nil); err == nil {
			return opt.Plan.Rate
		}
	}
	t.fail(n, "rate: want requests of all workers together a time, like 12.5/s, got %s", kindOf(n))
	return 0
}

func (t *reader) reading(n *yamltext.Node) {
	n = resolve(n)
	x := Reading{Line: n.Line}
	entries, ok := t.mapping(n, "reading", []string{"files", "format", "log-format", "unit", "tz", "columns"})
	var logFormat *yamltext.Node
	for _, e := range entries {
		switch e.name {
		case "files":
			x.Files = t.files(e.value)
		case "format":
			x.Format, _ = t.oneOf(e.value, e.name, t.known.formats())
		case "log-format":
			var fine bool
			x.LogFormat, fine = t.text(e.value, e.name)
			ok = ok && fine
			logFormat = e.value
		case "unit":
			s, fine := t.oneOf(e.value, e.name, []string{"ns", "us", "ms", "s"})
			if fine {
				opt, _ := check.Flags{Unit: s}.Options(nil, nil)
				x.Unit = opt.Reading.Unit
			}
		case "tz":
			s, fine := t.text(e.value, e.name)
			if !fine {
				continue
			}
			opt, err := check.Flags{Zone: s}.Options(nil, nil)
			if err != nil {
				t.fail(e.value, "tz: want the zone of stamps that have none, like Europe/Berlin, UTC or +02:00, got %s", kindOf(e.value))
			}
			x.Zone = opt.Reading.Zone
		case "columns":
			x.Columns = t.columns(e.value)
		}
	}
	switch {
	case !ok || len(t.errs) > 0:
		return
	case !t.among(entries, "format", "log-format", "unit", "tz", "columns"):
		t.fail(n, "reading that says nothing: want format, log-format, unit, tz or columns")
		return
	case x.Columns != nil && x.Format == "":
		x.Format = "csv" // whose columns are named is a plain CSV
	}
	if logFormat != nil {
		opt, err := check.Flags{LogFormat: x.LogFormat, Format: x.Format}.Options(t.known.Formats, nil)
		if err != nil {
			text, hint, _ := strings.Cut(err.Error(), "\nhint: ")
			t.fail(logFormat, "%s; %s", strings.TrimPrefix(text, "--"), strings.ReplaceAll(hint, "--format ", "format: "))
			return
		}
		x.Speaks = opt.Speaks
	}
	t.file.Readings = append(t.file.Readings, x)
}

func (t *reader) columns(n *yamltext.Node) map[string]string {
	entries, ok := t.mapping(n, "columns", check.Roles)
	if ok && len(entries) == 0 {
		t.fail(n, "columns: none are named; there are %s", strings.Join(check.Roles, ", "))
	}
	out := map[string]string{}
	for _, e := range entries {
		if s, fine := t.text(e.value, e.name); fine {
			out[e.name] = s
		}
	}
	return out
}

var day = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

func (t *reader) skip(n *yamltext.Node) {
	n = resolve(n)
	x := Skip{Line: n.Line}
	entries, ok := t.mapping(n, "a skip", []string{"detector", "reason", "until", "files"})
	for _, e := range entries {
		switch e.name {
		case "detector":
			x.Detector, _ = t.oneOf(e.value, e.name, t.known.detectors())
		case "reason":
			x.Reason, _ = t.text(e.value, e.name)
		case "until":
			s, fine := t.text(e.value, e.name)
			if _, err := time.Parse(time.DateOnly, s); fine && (err != nil || !day.MatchString(s)) {
				t.fail(e.value, "until: want a day like 2026-12-31, got %s", kindOf(e.value))
			}
			x.Until = s
		case "files":
			x.Files = t.files(e.value)
		}
	}
	for _, name := range []string{"detector", "reason"} {
		if ok && !t.among(entries, name) {
			t.fail(n, "a skip without %s: want %s", name, map[string]string{"detector": "the name of a detector", "reason": "why, for who reads it in a year"}[name])
		}
	}
	t.file.Skips = append(t.file.Skips, x)
}
