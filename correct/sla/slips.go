package sla

import (
	"fmt"
	"strings"

	"github.com/tailcheck/tailcheck/internal/latency"
)

const wantAll = "want a metric (p50, p99.9, max, mean, errors, rate), a comparison and a limit with its unit"

// noSign explains an objective without a comparison.
func (p parser) noSign(rest string) (Objective, error) {
	if p.quiet {
		return p.fail("", "", "")
	}
	if m, ok := guessMetric(rest); ok || isMetric(rest) {
		if !ok {
			m = strings.ToLower(rest)
		}
		// An unquoted < is a redirection, so the shell hands over the metric alone.
		o, err := p.fail("no comparison and no limit", "quote it, or the shell takes < for a redirection", p.fit(example(m)))
		err.(*SyntaxError).Quote = true
		return o, err
	}
	if rest == "" {
		return p.fail("empty", wantAll, "p99<500ms")
	}
	return p.fail("no comparison", wantAll, "p99<500ms")
}

// several explains more than one comparison in one objective.
func (p parser) several(left, sign, right string, at int) (Objective, error) {
	if p.quiet {
		return p.fail("", "", "")
	}
	first := right[:at]
	if end := strings.IndexAny(first, ",;&|"); end >= 0 {
		first = first[:end]
	} else if end := strings.Index(first, " and "); end >= 0 {
		first = first[:end]
	}
	one := left + sign + strings.TrimSpace(first)
	return p.fail("more than one comparison", "give every objective an --sla of its own", p.fit(one))
}

// bound returns sign and right where they would parse behind p99, else other.
func (p parser) bound(sign, right, other string) string {
	if !p.quiet && usable("p99"+sign+right) {
		return sign + right
	}
	return other
}

// badMetric explains an unknown metric.
func (p parser) badMetric(left, sign, right string) (Objective, error) {
	if p.quiet {
		return p.fail("", "", "")
	}
	if left == "" {
		return p.fail("no metric before "+sign, "name what is limited", "p99"+p.bound(sign, right, "<500ms"))
	}
	m, ok := guessMetric(left)
	if r, fromRight := guessMetric(right); isMetric(right) || fromRight && !ok {
		if !fromRight {
			r = strings.ToLower(right)
		}
		turned := strings.Map(func(r rune) rune {
			switch r {
			case '<':
				return '>'
			case '>':
				return '<'
			}
			return r
		}, sign)
		return p.fail("the limit stands before the metric", "name the metric first", p.fit(r+turned+left, r+turned+left+"ms", example(r)))
	}
	if !ok {
		return p.fail(fmt.Sprintf("%q is not a metric", left), wantAll, "p99<500ms")
	}
	return p.fail(fmt.Sprintf("%q is not a metric", left), "write it as "+m, p.fit(m+sign+right, m+sign+right+"ms", example(m)))
}

// guessMetric returns the metric that was meant by a likely slip.
func guessMetric(s string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	switch s {
	case "avg", "average", "mean latency":
		return "mean", true
	case "median", "med":
		return "p50", true
	case "maximum", "worst", "slowest":
		return "max", true
	case "error", "errors%", "error rate", "error_rate", "errorrate", "err", "failures", "failed", "http_req_failed":
		return "errors", true
	case "throughput", "rps", "qps", "req/s", "rate/s", "requests/s":
		return "rate", true
	}
	n := strings.Trim(s, "pq()% ") // p(99), 99%, p 99, q0.99
	n = strings.TrimSuffix(strings.TrimSuffix(n, "th"), "st")
	v, fine, ok := number(n, Millionths)
	if !ok || !fine || n == "" {
		return "", false
	}
	switch {
	case strings.HasPrefix(n, "0.") && v < Millionths && v > 0: // a quantile: 0.99
		return latency.Percentile(v * 100).String(), true
	case v > 100*Millionths && !strings.Contains(n, "."): // p999 for p99.9
		n = n[:2] + "." + n[2:]
		if w, fine, ok := number(n, Millionths); ok && fine && w > 0 {
			return latency.Percentile(w).String(), true
		}
		return "", false
	case v > 0 && v < 100*Millionths:
		return latency.Percentile(v).String(), true
	case v == 100*Millionths:
		return "max", true
	}
	return "", false
}

// example returns a usual objective on a metric.
func example(metric string) string {
	switch metric {
	case "errors":
		return "errors<1%"
	case "rate":
		return "rate>=100/s"
	case "p100":
		return "max<500ms"
	}
	return metric + "<500ms"
}

// fit returns the first of some expressions that Parse accepts.
func (p parser) fit(exprs ...string) string {
	if p.quiet {
		return ""
	}
	for _, e := range exprs {
		if usable(e) {
			return e
		}
	}
	return "p99<500ms"
}
