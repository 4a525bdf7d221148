package sla

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// raw is the word for measured values: nobody may call those raw of which
// nothing says so.
func (c Case) raw() string {
	if c.Unstated {
		return "reported"
	}
	return "raw"
}

// subject names a value: "raw p99 51.2 ms (nearest rank)".
func (c Case) subject(o Objective, kind string, x value, how string) string {
	if !x.printed {
		how = NotPrinted(how)
	}
	if c.Lost > 0 {
		how = joined(how, fmt.Sprintf("%s without a latency put back", requests(c.Lost)))
		if c.CensoredAt > 0 {
			how += " at " + FormatTime(c.CensoredAt) + " or more"
		}
	}
	s := kind + " " + o.Name() + " "
	switch {
	case !x.Known() || x.Low == 0 && x.High == correct.Infinite:
		s += "of unknown size"
	case x.IsValue():
		s += apart(x.Low, o.Limit)
	case x.High == correct.Infinite:
		s += "of at least " + apart(x.Low, o.Limit)
	case apart(x.Low, o.Limit) == apart(x.High, o.Limit):
		s += apart(x.Low, o.Limit)
	case x.Low == 0:
		s += "of at most " + apart(x.High, o.Limit)
	default:
		s += "between " + apart(x.Low, o.Limit) + " and " + apart(x.High, o.Limit)
	}
	switch {
	case how == "":
		return s
	case strings.Contains(how, "("):
		return s + " [" + how + "]"
	}
	return s + " (" + how + ")"
}

// NotPrinted turns words for a printed value into words for bounds that follow
// from other printed values: "printed by hey, by its own rule" into "from what
// hey printed". Other words stay as they are.
func NotPrinted(how string) string {
	by, ok := strings.CutPrefix(how, "printed by ")
	if !ok {
		return how
	}
	if i := strings.IndexAny(by, ",("); i >= 0 {
		by = strings.TrimSpace(by[:i])
	}
	return "from what " + by + " printed"
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

func requests(n int64) string {
	if n == 1 {
		return "1 request"
	}
	return strconv.FormatInt(n, 10) + " requests"
}

// meets and misses say on which side of the limit a time is.
func (o Objective) meets() string {
	if o.Strict {
		return "below " + o.limit(" ")
	}
	return "at or below " + o.limit(" ")
}

func (o Objective) misses() string {
	if o.Strict {
		return "not below " + o.limit(" ")
	}
	return "above " + o.limit(" ")
}

func (c Case) why(o Objective, v Verdict, rawValue, correctedValue value) string {
	raw := c.subject(o, c.raw(), rawValue, c.RawRule)
	corrected := c.subject(o, "corrected", correctedValue, c.Method)
	noRaw := "the report holds no raw value"
	switch {
	case v.Raw == nil && v.Corrected == nil:
		return "the report holds neither raw nor corrected latencies to judge " + o.Name() + " on"
	case v.Flips:
		return raw + " is " + o.meets() + ", " + corrected + " is not"
	case is(v.Raw, Fail) && is(v.Corrected, Fail):
		if o.Strict {
			return raw + " is " + o.misses() + ", nor is " + corrected
		}
		return raw + " is " + o.misses() + ", and so is " + corrected
	case is(v.Raw, Fail):
		return raw + " is " + o.misses()
	case is(v.Corrected, Fail) && v.Raw == nil:
		return corrected + " is " + o.misses() + "; " + noRaw
	case is(v.Corrected, Fail):
		return corrected + " is " + o.misses() + ", whatever the raw one is"
	case c.ByTool && v.Corrected == nil:
		return "the report gives no corrected " + o.Name() + " although the tool corrects; raw alone is not judged"
	case v.Raw == nil && is(v.Corrected, Pass):
		return corrected + " is " + o.meets() + c.but(v, noRaw)
	case is(v.Raw, Pass) && is(v.Corrected, Pass):
		return raw + " and " + corrected + " are " + o.meets() + c.but(v, "")
	case c.ByTool && is(v.Corrected, Pass):
		return corrected + " is " + o.meets() + c.but(v, "")
	case v.Raw == nil || c.ByTool:
		return c.open(o, "corrected", corrected, correctedValue)
	case v.Raw.Verdict == Inconclusive:
		return c.open(o, c.raw(), raw, rawValue)
	case v.Corrected != nil:
		return raw + " is " + o.meets() + ", but " + corrected + " may be or not"
	case c.Suspect:
		why := orElse(c.Why, "requests were probably omitted")
		return raw + " is " + o.meets() + ", but " + why + ", and nothing is corrected: " +
			orElse(c.Refused, "the plan is not known (--interval, or --rate and --workers)")
	}
	if c.Unstated {
		return raw + " is " + o.meets() + c.but(v, "the report does not say whether it is raw or corrected")
	}
	return raw + " is " + o.meets() + c.but(v, orElse(c.Why, "nothing suggests omitted requests"))
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// but ends the sentence of a value that meets the limit: with the doubt that
// makes it inconclusive, or with what else is to say.
func (c Case) but(v Verdict, otherwise string) string {
	switch {
	case c.Doubt != "":
		return ", but " + c.Doubt
	case v.Verdict != Pass:
		return ", but " + orElse(c.Why, "requests were probably omitted")
	case otherwise != "":
		return "; " + otherwise
	}
	return ""
}

// open says why a value cannot be compared with the limit.
func (c Case) open(o Objective, kind, subject string, x value) string {
	without := c.Lost + c.Bounded
	switch {
	case x.censored:
		return fmt.Sprintf("%s cannot be shown to be %s: %s left no full latency", subject, o.meets(), requests(without))
	case o.Metric != Quantile && !x.Known():
		return fmt.Sprintf("the report does not print %s, so the %s one is not known%s", o.Name(), kind, c.adviceOn(o.Metric))
	case !x.printed && x.Known():
		return fmt.Sprintf("the report does not print %s, and its neighbours do not decide it: %s%s", o.Name(), subject, c.advice(o.Percentile))
	case !x.printed:
		return fmt.Sprintf("the report does not print %s, and nothing bounds the %s one%s", o.Name(), kind, c.advice(o.Percentile))
	}
	return subject + " lies on both sides of " + o.limit(" ")
}

// advice names the option by which a tool prints a percentile. Sources: the
// help of each tool.
func (c Case) advice(p latency.Percentile) string {
	percent := strconv.FormatFloat(p.Percent(), 'f', -1, 64)
	var s string
	switch c.Tool {
	case "hey":
		s = "hey -o csv writes every request"
	case "wrk":
		s = "wrk --latency prints p50, p75, p90 and p99"
		if p != latency.P50 && p != latency.P75 && p != latency.P90 && p != latency.P99 {
			s += ", a done() function in a script the rest: latency:percentile(" + percent + ")"
		}
	case "wrk2":
		s = "wrk2 --latency prints the whole spectrum"
	case "k6":
		s = "k6 --summary-trend-stats 'med,p(" + percent + "),max' prints it"
	case "fortio":
		s = "fortio load -p " + percent + " prints it"
	case "vegeta":
		s = "vegeta encode writes every request"
	default:
		return ""
	}
	return "; " + s
}

// adviceOn names what tells a metric that is no percentile.
func (c Case) adviceOn(m Metric) string {
	switch {
	case c.Tool == "vegeta":
		return "; vegeta encode writes every request"
	case c.Tool == "k6" && m.IsTime():
		return "; k6 --summary-trend-stats 'avg,max' prints it"
	case c.Tool == "" && m == Errors: // a histogram of a program of one's own
		return "; a histogram does not hold failures: a CSV of every request with a column for its status does"
	case c.Tool == "" && m == Rate:
		return "; a histogram does not hold times: a CSV of every request with columns for its start and latency does"
	}
	return ""
}

const noUnit = "the file does not state its unit: give --unit"

func (c Case) whyUnit(o Objective, v Verdict, raw, corrected value) string {
	kind, x, how := c.raw(), raw, c.RawRule
	j := v.Raw
	if j == nil || c.ByTool && v.Corrected != nil {
		kind, x, how, j = "corrected", corrected, c.Method, v.Corrected
	}
	switch {
	case j == nil:
		return c.why(o, v, raw, corrected) + ", and " + noUnit
	case j.Verdict == Pass:
		return c.subject(o, kind, x, how) + " would be " + o.meets() + ", but " + noUnit
	case j.Verdict == Fail:
		return c.subject(o, kind, x, how) + " would " + strings.Replace("be "+o.misses(), "be not", "not be", 1) + ", but " + noUnit
	}
	return c.subject(o, kind, x, how) + " is not decided, and " + noUnit
}

func (c Case) whyCounted(o Objective, v Verdict) string {
	var s string
	switch {
	case math.IsNaN(v.Raw.Amount) && o.Metric == Errors:
		return "the report does not say how many requests there were and how many failed, so raw errors are not known" + c.adviceOn(o.Metric)
	case math.IsNaN(v.Raw.Amount):
		return "the report states no rate of answers, so the raw rate is not known" + c.adviceOn(o.Metric)
	case o.Metric == Errors:
		s = fmt.Sprintf("raw errors %s (%d of %s, counted) are ", c.share(o.Limit), c.Errors, requests(c.Requests))
		s += map[bool]string{true: o.meets(), false: o.misses()}[v.Raw.Verdict == Pass]
	default:
		s = "raw rate " + number4(c.Rate) + "/s (achieved) is " + map[[2]bool]string{
			{true, true}: "above ", {true, false}: "at or above ", {false, true}: "not above ", {false, false}: "below ",
		}[[2]bool{v.Raw.Verdict == Pass, o.Strict}] + o.limit("")
	}
	if v.Raw.Verdict == Pass && c.Doubt != "" {
		s += ", but " + c.Doubt
	}
	return s
}

// share writes the share of errors so that it stays on its side of the limit.
func (c Case) share(limit int64) string {
	percent := 100 * float64(c.Errors) / float64(c.Requests)
	for d := 2; ; d++ {
		s := strconv.FormatFloat(percent, 'f', d, 64)
		f, _ := strconv.ParseFloat(s, 64)
		at := float64(limit) / Millionths
		if side := c.againstShare(limit); d > 12 || (f < at) == (side < 0) && (f > at) == (side > 0) {
			return trim(s) + " %"
		}
	}
}

// number4 writes a number with at most four decimals.
func number4(f float64) string { return trim(strconv.FormatFloat(f, 'f', 4, 64)) }

// trim drops zeros behind the point.
func trim(s string) string { return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") }
