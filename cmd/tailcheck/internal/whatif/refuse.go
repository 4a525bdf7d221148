package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/words"
)

// Signs of overload, this project's own.
const (
	failingCalls = 0.05 // share of calls that fail
	queueRank    = 0.6  // rank correlation of calls a second and their median, over
	queueBuckets = 8    // so many parts of the file at least,
	queueGrowth  = 1.5  // and the median in the busiest quarter over that in the others
)

// refusals are the reasons not to hedge: more load where load is the cause, calls
// that must not be made twice, and hedges of hedges.
func (x *hedge) refusals() []string {
	var out []string
	for _, rule := range []string{"saturated-run", "rate-not-reached", "queueing", "retry-multiplication"} {
		for _, f := range x.From.findings {
			if f.Detector == rule {
				out = append(out, fmt.Sprintf("overload (%s): %s. Second calls would add to what makes the first ones slow.", rule, f.Message))
				break
			}
		}
	}
	fan := x.From.fan
	if fan != nil {
		var failed, all int64
		for _, r := range fan.requests {
			for _, c := range r.calls {
				all++
				if c.outcome == ingest.Failed || c.outcome == ingest.TimedOut {
					failed++
				}
			}
		}
		if all > 0 && float64(failed) >= failingCalls*float64(all) {
			out = append(out, fmt.Sprintf("overload: %s of the calls fail. Mend that first; second calls would add to it.", words.Part(failed, all)))
		}
	} else if run := x.From.run; run != nil && run.Counted && run.Requests > 0 && float64(run.Errors) >= failingCalls*float64(run.Requests) {
		out = append(out, fmt.Sprintf("overload: %s of the requests fail. Mend that first; second calls would add to it.", words.Part(run.Errors, run.Requests)))
	}
	if m := &x.From.methods; m.requests > 0 && float64(m.failed) >= failingCalls*float64(m.requests) {
		out = append(out, fmt.Sprintf("overload: %s of the requests fail. Mend that first; second calls would add to it.", words.Part(m.failed, m.requests)))
	}
	if m := &x.From.methods; m.unsafe > 0 && !x.Idempotent {
		out = append(out, fmt.Sprintf("not idempotent: %s of the requests are %s, which must not be made twice unless the server sees to it (an idempotency key). --idempotent says that it does; --op looks at one operation.", words.Part(m.unsafe, m.requests), m.method))
	}
	if why := x.queueing(); why != "" {
		out = append(out, why)
	}
	if fan == nil {
		return out
	}
	if fan.unsafe > 0 && !x.Idempotent {
		out = append(out, fmt.Sprintf("not idempotent: %s of the calls are %s, which must not be made twice unless the callee sees to it (an idempotency key). --idempotent says that it does.", words.Part(fan.unsafe, fan.unsafe+fan.safe), fan.method))
	}
	if fan.hedged > 0 {
		out = append(out, fmt.Sprintf("hedged already: %s of %s requests send a call more than once, %s after the first (median). What the losers would have taken is not in the file.",
			report.Whole(fan.hedged), report.Whole(int64(len(fan.requests))), clock(time.Duration(fan.delays.Percentile(latency.P50)))))
	}
	for _, o := range x.From.hedgedElsewhere {
		out = append(out, fmt.Sprintf("hedged at another level already: %s. Hedges of hedges multiply; one level is enough.", report.Safe(o)))
	}
	return out
}

// queueing reports whether calls are slower when there are more of them: then
// they wait for each other, and more calls make it worse.
func (x *hedge) queueing() string {
	var by []bucket
	for _, b := range x.by {
		if b.rate > 0 {
			by = append(by, b)
		}
	}
	if len(by) < queueBuckets {
		return ""
	}
	rate, took := make([]float64, len(by)), make([]float64, len(by))
	for i, b := range by {
		rate[i], took[i] = b.rate, float64(b.p50)
	}
	rank := correlation(rate, took)
	slices.SortFunc(by, func(a, b bucket) int { return cmp.Compare(a.rate, b.rate) })
	medianOf := func(list []bucket) time.Duration {
		m := make([]time.Duration, len(list))
		for i, b := range list {
			m[i] = b.p50
		}
		slices.Sort(m)
		return m[len(m)/2]
	}
	calm, busy := medianOf(by[:len(by)-len(by)/4]), medianOf(by[len(by)-len(by)/4:])
	if rank < queueRank || float64(busy) < queueGrowth*float64(calm) {
		return ""
	}
	return fmt.Sprintf("overload: calls queue. Their median is %s where calls come fastest and %s else, and follows their rate through the file (rank correlation %s). Second calls would make the queue longer.",
		clock(busy), clock(calm), strconv.FormatFloat(rank, 'f', 2, 64))
}

// correlation is Spearman's, ties by the mean of their ranks.
func correlation(x, y []float64) float64 {
	ranks := func(v []float64) []float64 {
		order := make([]int, len(v))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
		out := make([]float64, len(v))
		for i := 0; i < len(order); {
			j := i
			for j < len(order) && v[order[j]] == v[order[i]] {
				j++
			}
			for k := i; k < j; k++ {
				out[order[k]] = float64(i+j-1) / 2
			}
			i = j
		}
		return out
	}
	a, b := ranks(x), ranks(y)
	mid := float64(len(a)-1) / 2
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - mid) * (b[i] - mid)
		aa += (a[i] - mid) * (a[i] - mid)
		bb += (b[i] - mid) * (b[i] - mid)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// notOfName reports a character that names of procedures do not have.
func notOfName(r rune) bool {
	return r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// advice are settings to start from.
func (x *hedge) advice(after time.Duration) []Advice {
	service, method := "your.package.Service", "Method"
	if fan := x.From.fan; fan != nil {
		op := strings.TrimPrefix(fan.key.op, "Attempt.")
		if s, m, ok := strings.Cut(op, "/"); ok && s != "" && m != "" && !strings.ContainsFunc(s+m, notOfName) {
			service, method = s, m
		}
	}
	seconds := strconv.FormatFloat(after.Seconds(), 'f', -1, 64) + "s"
	cap := strconv.FormatFloat(100*x.Cap, 'f', -1, 64)
	return []Advice{
		{"a gRPC service config (hedging: Java, .NET, Node; Go and C++ read it and do not hedge). It has no cap on second calls; its throttling stops them when too many calls fail", fmt.Sprintf(`{
  "methodConfig": [{
    "name": [{"service": %q, "method": %q}],
    "hedgingPolicy": {
      "maxAttempts": 2,
      "hedgingDelay": %q,
      "nonFatalStatusCodes": ["UNAVAILABLE"]
    }
  }],
  "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}
}`, service, method, seconds)},
		{"Envoy, route and cluster (a second try when the first is late, which goes on; the budget is the cap)", fmt.Sprintf(`route:
  hedge_policy:
    hedge_on_per_try_timeout: true
  retry_policy:
    retry_on: "reset,connect-failure,refused-stream"
    num_retries: 1
    per_try_timeout: %s
    retry_host_predicate:
    - name: envoy.retry_host_predicates.previous_hosts
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate
    host_selection_retry_max_attempts: 3
cluster:
  circuit_breakers:
    thresholds:
    - retry_budget:
        budget_percent: {value: %s}
        min_retry_concurrency: 3`, seconds, cap)},
	}
}
