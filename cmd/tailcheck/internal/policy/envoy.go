package policy

import (
	"fmt"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

// What Envoy does where nothing is said (route_components.proto and
// circuit_breaker.proto of Envoy's v3 API).
const (
	envoyTimeout   = 15 * time.Second      // RouteAction.timeout; it spans all retries
	envoyRetries   = 1                     // RetryPolicy.num_retries: two tries
	envoyBackoff   = 25 * time.Millisecond // retry_back_off.base_interval; the maximum is ten times that
	envoyMost      = 3                     // circuit breaker's max_retries at one time, by cluster
	envoyBudget    = 20.0                  // retry_budget.budget_percent
	envoyBudgetMin = 3                     // retry_budget.min_retry_concurrency
)

// envoy looks for route configurations and clusters anywhere in a document: in a
// bootstrap file, a dynamic resource or a dump.
//
// A route's retry_policy takes the place of its virtual host's, whole. Without
// retry_on nothing is tried again. A per_try_timeout that is not below the
// route's timeout is ignored (router.cc, FilterUtility::finalTimeout). Without
// one, a try that hangs takes all of the time, and is not tried again. The pause
// before the n-th retry is anywhere between nothing and base·2^(n-1), at most the
// maximum (backoff_strategy.cc; Envoy's documentation says base·(2^n - 1), which
// the code does not do).
func (f *File) envoy(t *tree, n *yamltext.Node) {
	f.walk(t, n, 0)
	if t.visits > maxVisits {
		t.fail(n, "more than %d settings, aliases counted as often as they are used", maxVisits)
	}
}

func (f *File) walk(t *tree, n *yamltext.Node, depth int) {
	n = real(n)
	if n == nil || n.Kind == yamltext.Scalar {
		return
	}
	if t.visits++; t.visits > maxVisits {
		return
	}
	if depth > maxDepth {
		t.fail(n, "nested more than %d deep", maxDepth)
		t.visits = maxVisits
		return
	}
	if n.Kind == yamltext.Sequence {
		for _, x := range n.Content {
			f.walk(t, x, depth+1)
		}
		return
	}
	if hosts := t.get(n, "virtual_hosts"); hosts != nil && hosts.Kind == yamltext.Sequence {
		for _, h := range t.list(hosts) {
			f.virtualHost(t, h)
		}
	}
	if b := t.get(n, "circuit_breakers"); b != nil {
		f.breakers(t, t.text(t.get(n, "name")), b)
	}
	for i := 1; i < len(n.Content); i += 2 {
		if name := n.Content[i-1].Value; name == "virtual_hosts" || name == "virtualHosts" || name == "circuit_breakers" || name == "circuitBreakers" {
			continue
		}
		f.walk(t, n.Content[i], depth+1)
	}
}

func (f *File) virtualHost(t *tree, n *yamltext.Node) {
	host := t.text(t.get(n, "name"))
	for i, r := range t.list(t.get(n, "routes")) {
		if t.visits++; t.visits > maxVisits {
			return
		}
		action := t.get(r, "route")
		if action == nil {
			continue // a redirect or an answer of Envoy's own
		}
		p := &Policy{Place: t.at(action), System: "envoy", Tries: 1, Timeout: envoyTimeout, PerTry: Forever, Default: true}
		p.Hosts = t.clusters(action)
		if name := t.text(t.get(r, "name")); name != "" {
			p.Names = append(p.Names, name)
		}
		p.Names = append(p.Names, p.Hosts...)
		p.Names = append(p.Names, fmt.Sprintf("%s route %d", host, i+1))
		t.methods(t.get(r, "match"), p)
		if d, ok := t.duration(t.get(action, "timeout"), "timeout", false); ok {
			p.Default, p.Timeout = false, orForever(d)
		}
		t.stream(t.get(action, "max_stream_duration"), p)
		retry := t.get(action, "retry_policy")
		if retry == nil {
			retry = t.get(n, "retry_policy")
		}
		hedge := t.get(action, "hedge_policy")
		if hedge == nil {
			hedge = t.get(n, "hedge_policy")
		}
		if retry != nil {
			t.envoyRetry(retry, hedge, p)
		}
		if !f.add(t, p) {
			return
		}
	}
}

// orForever returns Forever for 0, which switches a timeout off.
func orForever(d time.Duration) time.Duration {
	if d == 0 {
		return Forever
	}
	return d
}

// clusters returns where a route leads.
func (t *tree) clusters(action *yamltext.Node) (out []string) {
	if c := t.text(t.get(action, "cluster")); c != "" {
		out = append(out, c)
	}
	for _, w := range t.list(t.get(t.get(action, "weighted_clusters"), "clusters")) {
		if c := t.text(t.get(w, "name")); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// methods reads which HTTP methods a route takes: a header match on :method.
func (t *tree) methods(match *yamltext.Node, p *Policy) {
	if t.get(match, "grpc") != nil {
		p.Methods = []string{"gRPC"}
	}
	for _, h := range t.list(t.get(match, "headers")) {
		if t.text(t.get(h, "name")) != ":method" || t.flag(t.get(h, "invert_match"), "invert_match") {
			continue
		}
		exact := t.get(h, "exact_match")
		if exact == nil {
			exact = t.get(t.get(h, "string_match"), "exact")
		}
		if m := t.text(exact); m != "" {
			p.Methods = append(p.Methods, strings.ToUpper(m))
		}
	}
}

func (t *tree) stream(n *yamltext.Node, p *Policy) {
	if d, ok := t.duration(t.get(n, "max_stream_duration"), "max_stream_duration", false); ok && d > 0 && d < p.Timeout {
		p.Timeout, p.Default = d, false
	}
	if g := t.get(n, "grpc_timeout_header_max"); g != nil {
		p.note(t.at(g), "where the request has a grpc-timeout, that is kept, too")
	}
}

func (t *tree) envoyRetry(n, hedge *yamltext.Node, p *Policy) {
	on := t.get(n, "retry_on")
	p.RetryOn = conditions(t.text(on))
	retries := t.whole(t.get(n, "num_retries"), "num_retries", 0, maxTries-1, envoyRetries)
	if len(p.RetryOn) == 0 {
		p.note(t.at(n), "without retry_on nothing is tried again, unless a request asks for it (x-envoy-retry-on)")
		return
	}
	for _, c := range t.list(t.get(n, "retriable_status_codes")) {
		p.RetryOn = append(p.RetryOn, t.text(c))
	}
	p.Tries = 1 + retries
	b := t.get(n, "retry_back_off")
	p.Backoff = Backoff{Base: envoyBackoff, High: 1}
	if d, ok := t.duration(t.get(b, "base_interval"), "base_interval", false); ok && d > 0 {
		p.Backoff.Base = d
	}
	p.Backoff.Max = times(10, p.Backoff.Base)
	if d, ok := t.duration(t.get(b, "max_interval"), "max_interval", false); ok && d > 0 {
		if d < p.Backoff.Base {
			t.fail(t.get(b, "max_interval"), "max_interval is below base_interval")
		}
		p.Backoff.Max = d
	}
	each := t.get(n, "per_try_timeout")
	if d, ok := t.duration(each, "per_try_timeout", false); ok && d > 0 {
		p.perTry(t.at(each), "per_try_timeout", d)
	}
	if t.flag(t.get(hedge, "hedge_on_per_try_timeout"), "hedge_on_per_try_timeout") && p.PerTry < Forever {
		p.Hedge, p.Delay = true, p.PerTry
	}
	p.hangs(t.at(n), "per_try_timeout")
}

// perTry takes a limit of one try, unless Envoy ignores it.
func (p *Policy) perTry(at Place, name string, d time.Duration) {
	if d >= p.Timeout {
		p.note(at, "%s of %s is ignored: it is not below the timeout of %s", name, say(d), say(p.Timeout))
		return
	}
	p.PerTry = d
}

// hangs notes retries that do not help against a try that hangs.
func (p *Policy) hangs(at Place, name string) {
	if p.Tries > 1 && p.PerTry == Forever && p.Timeout < Forever {
		p.note(at, "without a %s, a try that hangs takes the whole timeout and is not tried again", name)
	}
}

func conditions(text string) []string {
	var out []string
	for c := range strings.SplitSeq(text, ",") {
		if c = strings.ToLower(strings.TrimSpace(c)); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// breakers reads what limits retries of a cluster: the thresholds of the default
// priority.
func (f *File) breakers(t *tree, cluster string, n *yamltext.Node) {
	for _, x := range t.list(t.get(n, "thresholds")) {
		if p := t.text(t.get(x, "priority")); p != "" && p != "DEFAULT" {
			continue
		}
		l := &Limit{Place: t.at(x), Host: cluster}
		if b := t.get(x, "retry_budget"); b != nil {
			percent, least := envoyBudget, t.whole(t.get(b, "min_retry_concurrency"), "min_retry_concurrency", 0, 1<<31, envoyBudgetMin)
			if v := t.get(t.get(b, "budget_percent"), "value"); v != nil {
				percent = t.number(v, "budget_percent")
			}
			l.Text = budgetText(percent, least)
		} else {
			l.Text = fmt.Sprintf("at most %d retries at one time", t.whole(t.get(x, "max_retries"), "max_retries", 0, 1<<32, envoyMost))
		}
		f.limit(l)
		return
	}
}

func budgetText(percent float64, least int) string {
	return fmt.Sprintf("budget: %g %% of the active requests may be retries, at least %d", percent, least)
}
