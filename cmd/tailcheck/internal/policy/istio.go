package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

// What Istio does where a VirtualService says nothing (virtual_service.proto,
// HTTPRetry, and pilot's route/retry: defaultPolicy): two retries, so three
// tries, and no timeout. Its retries are Envoy's, with Envoy's pauses and with
// Envoy's rule on perTryTimeout.
const (
	istioRetries = 2
	istioBackoff = 25 * time.Millisecond
)

var istioRetryOn = []string{"connect-failure", "refused-stream", "unavailable", "cancelled", "503"}

// istio reads a VirtualService or a DestinationRule.
func (f *File) istio(t *tree, n *yamltext.Node) {
	spec := t.get(n, "spec")
	name := t.text(t.get(t.get(n, "metadata"), "name"))
	switch t.text(t.get(n, "kind")) {
	case "VirtualService":
		f.virtualService(t, name, spec)
	case "DestinationRule":
		f.destinationRule(t, spec)
	default:
		f.Ignored++
	}
}

func (f *File) virtualService(t *tree, service string, spec *yamltext.Node) {
	var hosts []string
	for _, h := range t.list(t.get(spec, "hosts")) {
		hosts = append(hosts, t.text(h))
	}
	for i, r := range t.list(t.get(spec, "http")) {
		if t.get(r, "route") == nil {
			continue // a redirect, an answer, or a delegate
		}
		p := &Policy{Place: t.at(r), System: "istio", Tries: 1, Timeout: Forever, PerTry: Forever, Default: true}
		if name := t.text(t.get(r, "name")); name != "" {
			p.Names = append(p.Names, name)
		}
		for _, d := range t.list(t.get(r, "route")) {
			if h := t.text(t.get(t.get(d, "destination"), "host")); h != "" && !slices.Contains(p.Hosts, h) {
				p.Hosts = append(p.Hosts, h)
			}
		}
		p.Names = append(p.Names, p.Hosts...)
		p.Names = append(append(p.Names, hosts...), fmt.Sprintf("%s route %d", service, i+1), service)
		any := len(t.list(t.get(r, "match"))) == 0
		for _, m := range t.list(t.get(r, "match")) {
			if v := t.text(t.get(t.get(m, "method"), "exact")); v != "" {
				p.Methods = append(p.Methods, strings.ToUpper(v))
			} else {
				any = true
			}
		}
		if any {
			p.Methods = nil
		}
		if d, ok := t.duration(t.get(r, "timeout"), "timeout", true); ok {
			p.Default, p.Timeout = false, orForever(d)
		}
		t.istioRetry(r, p)
		if !f.add(t, p) {
			return
		}
	}
}

func (t *tree) istioRetry(r *yamltext.Node, p *Policy) {
	n := t.get(r, "retries")
	retries := istioRetries
	p.RetryOn = istioRetryOn
	p.Backoff = Backoff{Base: istioBackoff, High: 1}
	if n == nil {
		p.note(t.at(r), "no retries are set: Istio tries twice more by default; attempts: 0 switches that off")
	} else {
		retries = t.whole(t.get(n, "attempts"), "attempts", 0, maxTries-1, 0)
		if on := conditions(t.text(t.get(n, "retry_on"))); len(on) > 0 {
			p.RetryOn = on
		}
		if d, ok := t.duration(t.get(n, "backoff"), "backoff", true); ok && d > 0 {
			p.Backoff.Base = d
		}
		each := t.get(n, "per_try_timeout")
		if d, ok := t.duration(each, "perTryTimeout", true); ok && d > 0 && retries > 0 {
			p.perTry(t.at(each), "perTryTimeout", d)
		}
	}
	p.Backoff.Max = times(10, p.Backoff.Base)
	p.Tries = 1 + retries
	if n != nil {
		p.hangs(t.at(n), "perTryTimeout")
	}
}

func (f *File) destinationRule(t *tree, spec *yamltext.Node) {
	policy := t.get(spec, "traffic_policy")
	l := &Limit{Place: t.at(spec), Host: t.text(t.get(spec, "host"))}
	if b := t.get(policy, "retry_budget"); b != nil {
		percent, least := envoyBudget, t.whole(t.get(b, "min_retry_concurrency"), "minRetryConcurrency", 0, 1<<31, envoyBudgetMin)
		if v := t.get(b, "percent"); v != nil {
			percent = t.number(v, "percent")
		}
		l.Place, l.Text = t.at(b), budgetText(percent, least)
	} else if m := t.get(t.get(t.get(policy, "connection_pool"), "http"), "max_retries"); m != nil {
		l.Place, l.Text = t.at(m), fmt.Sprintf("at most %d retries at one time", t.whole(m, "maxRetries", 0, 1<<31, 0))
	}
	f.limit(l)
}
