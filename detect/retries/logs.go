package retries

import (
	"fmt"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/internal/words"
)

// Of tries in a proxy's log: the budget of Finagle and Linkerd, and so many of
// them that it is no chance.
const (
	logBudget  = 0.2
	minRepeats = 20
	minRetried = 20
)

// over reports whether tries that repeat the one before pass the budget.
func over(t *detect.Traffic) bool {
	return t.Repeats >= minRepeats && t.Retried >= minRetried && float64(t.Repeats) > logBudget*float64(t.Tries-t.Repeats)
}

// judgeLogs finds proxies that try again more often than a service can bear.
func judgeLogs(t *detect.Table) (out []detect.Finding) {
	for _, in := range t.Inputs() {
		var whole, worst detect.Traffic
		var when int64
		for _, row := range in.Rows() {
			whole.Add(&row.Traffic)
		}
		if whole.Repeats < minRepeats {
			continue
		}
		for _, w := range in.Whole() {
			if over(&w.Traffic) && (worst.Tries == 0 || w.Repeats*(worst.Tries-worst.Repeats) > worst.Repeats*(w.Tries-w.Repeats)) {
				worst, when = w.Traffic, w.Number
			}
		}
		if all := over(&whole); all || worst.Tries > 0 {
			out = append(out, logFinding(in, &whole, &worst, when, all))
		}
	}
	return out
}

func logFinding(in *detect.Input, whole, worst *detect.Traffic, when int64, all bool) detect.Finding {
	mean := func(t *detect.Traffic) float64 { return float64(t.Tries) / float64(t.Proxied) }
	most := int64(0)
	for _, row := range in.Rows() {
		most = max(most, row.MostTries)
	}
	f := detect.Finding{Confidence: detect.High, Inputs: []int{in.Index}, Impact: whole.Wasted,
		Numbers: RetryNumbers{Hops: []int64{most}, Product: most, LeafCallsMax: most, LeafCalls: float64(int64(100*mean(whole)+0.5)) / 100, WastedMs: words.Millis(whole.Wasted)},
		Remedy:  "a retry budget (20 % of the requests), fewer tries (nginx: proxy_next_upstream_tries and proxy_next_upstream_timeout), retries at one layer only; a deadline that all tries share"}
	over := whole
	if !all {
		f.Confidence, over = detect.Medium, worst
	}
	f.Remedy += chainOf(over, most)
	f.Message = fmt.Sprintf("the proxy tried %d times for %d requests, %.2f each: %s were tried again", whole.Tries, whole.Proxied, mean(whole), words.Count(whole.Retried, "request"))
	e := []detect.Evidence{{What: "tries that repeat the one before", Got: fmt.Sprint(whole.Repeats), Want: fmt.Sprintf("up to %s of the other %d", words.Percent(logBudget), whole.Tries-whole.Repeats)}}
	if worst.Tries > 0 && in.Window > 0 {
		from := time.Unix(0, when*int64(in.Window)).UTC().Format("2006-01-02 15:04:05 UTC")
		e = append(e, detect.Evidence{What: "worst time", Got: fmt.Sprintf("%d tries for %d requests, %.2f each, in the %s from %s on", worst.Tries, worst.Proxied, mean(worst), in.Window, from)})
	}
	if whole.Wasted > 0 {
		e = append(e, detect.Evidence{What: "time of tries that were repeated", Got: words.Ms(whole.Wasted)})
	}
	for _, row := range in.Rows() {
		if row.MostTries == most && row.Repeats > 0 {
			e = append(e, detect.Evidence{What: "most tries of one request", Got: fmt.Sprintf("%d, of %s", most, row.Op), At: row.MostAt, Has: true})
			break
		}
	}
	f.Evidence = e
	return f
}
