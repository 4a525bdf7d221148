package policy

import (
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

// mostAttempts is what gRPC clients make of a larger maxAttempts, unless the
// program itself raises the limit (gRFC A6, "Limits on Retries and Hedges").
const mostAttempts = 5

// grpc reads a gRPC service config: service_config.proto of grpc-proto and gRFC
// A6 (client retries) in its state of 2024-08-23. maxAttempts holds the first
// attempt; the deadline spans all attempts; the pause before the n-th retry is
// min(initialBackoff·multiplier^(n-1), maxBackoff), give or take a fifth. The
// timeout is a default: a program's own deadline holds if it is shorter. Clients
// refuse the whole config where a required field is missing, so that it is an
// error here.
func (f *File) grpc(t *tree, n *yamltext.Node) {
	budget := t.throttle(t.get(n, "retry_throttling"))
	for _, m := range t.list(t.get(n, "method_config")) {
		t.folded = nil
		p := &Policy{Place: t.at(m), System: "grpc", Tries: 1, Timeout: Forever, PerTry: Forever, Budget: budget}
		for _, x := range t.list(t.get(m, "name")) {
			service, method := t.text(t.get(x, "service")), t.text(t.get(x, "method"))
			switch {
			case service == "" && method == "":
				p.Names = append(p.Names, "any method")
			case service == "":
				t.fail(x, "name: a method needs a service")
			case method == "":
				p.Names = append(p.Names, service)
			default:
				p.Names = append(p.Names, service+"/"+method)
			}
		}
		if len(p.Names) == 0 {
			continue // gRPC skips it, too
		}
		if d, ok := t.duration(t.get(m, "timeout"), "timeout", false); ok {
			p.Timeout = d
		}
		retry, hedge := t.get(m, "retry_policy"), t.get(m, "hedging_policy")
		switch {
		case retry != nil && hedge != nil:
			t.fail(hedge, "retryPolicy and hedgingPolicy of one method: gRPC takes one of them")
		case retry != nil:
			t.grpcRetry(retry, p)
		case hedge != nil:
			t.grpcHedge(hedge, p)
		}
		if k := t.folded; k != nil {
			p.note(t.at(k), "%s is not the name's own case: clients in Go take it, others do not", yamltext.Shown(k))
		}
		if !f.add(t, p) {
			return
		}
	}
}

func (t *tree) attempts(n *yamltext.Node, p *Policy) {
	a := t.get(n, "max_attempts")
	if a == nil {
		t.fail(n, "maxAttempts is missing")
		return
	}
	p.Tries = t.whole(a, "maxAttempts", 2, maxTries, 1)
	if p.Tries > mostAttempts {
		p.note(t.at(a), "maxAttempts %d is treated as %d, unless the client raises its limit", p.Tries, mostAttempts)
		p.Stated, p.Tries = p.Tries, mostAttempts
	}
}

func (t *tree) grpcRetry(n *yamltext.Node, p *Policy) {
	t.attempts(n, p)
	p.Backoff.Low, p.Backoff.High = 0.8, 1.2
	for _, x := range []struct {
		name, shown string
		put         func(*yamltext.Node, string)
	}{
		{"initial_backoff", "initialBackoff", func(v *yamltext.Node, s string) { p.Backoff.Base, _ = t.duration(v, s, false) }},
		{"max_backoff", "maxBackoff", func(v *yamltext.Node, s string) { p.Backoff.Max, _ = t.duration(v, s, false) }},
		{"backoff_multiplier", "backoffMultiplier", func(v *yamltext.Node, s string) { p.Backoff.Multiplier = t.number(v, s) }},
	} {
		v := t.get(n, x.name)
		if v == nil {
			t.fail(n, "%s is missing", x.shown)
			continue
		}
		x.put(v, x.shown)
	}
	codes := t.get(n, "retryable_status_codes")
	p.RetryOn = t.codes(codes)
	if codes == nil || len(p.RetryOn) == 0 {
		t.fail(n, "retryableStatusCodes is missing or empty")
	}
}

func (t *tree) grpcHedge(n *yamltext.Node, p *Policy) {
	t.attempts(n, p)
	p.Hedge = true
	p.Delay, _ = t.duration(t.get(n, "hedging_delay"), "hedgingDelay", false)
	p.RetryOn = t.codes(t.get(n, "non_fatal_status_codes"))
	p.note(t.at(n), "clients in Go and on gRPC's C core (C++, Python, Ruby) do not hedge, by gRFC A6")
}

// codes reads gRPC status codes, by number or by name in any case.
func (t *tree) codes(n *yamltext.Node) []string {
	var out []string
	for _, c := range t.list(n) {
		name := strings.ToLower(t.text(c))
		if i, err := strconv.Atoi(strings.TrimSuffix(name, ".0")); err == nil && i >= 0 && i < len(grpcCodes) {
			name = grpcCodes[i]
		}
		known := false
		for _, k := range grpcCodes {
			known = known || k == name
		}
		if !known {
			t.fail(c, "%s is no gRPC status code", yamltext.Shown(c))
			continue
		}
		out = append(out, name)
	}
	return out
}

// grpcCodes are the status codes by number (google.rpc.Code).
var grpcCodes = []string{"ok", "cancelled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists", "permission_denied",
	"resource_exhausted", "failed_precondition", "aborted", "out_of_range", "unimplemented", "internal", "unavailable", "data_loss", "unauthenticated"}

// throttle reads retryThrottling: a failure takes one token, a success gives
// tokenRatio, and there is no retry and no hedge at half of maxTokens or fewer.
func (t *tree) throttle(n *yamltext.Node) string {
	if n == nil {
		return ""
	}
	tokens, ratio := t.get(n, "max_tokens"), t.get(n, "token_ratio")
	if tokens == nil || ratio == nil {
		t.fail(n, "retryThrottling needs maxTokens and tokenRatio")
		return ""
	}
	most := t.number(tokens, "maxTokens")
	if most > 1000 {
		t.fail(tokens, "maxTokens: want at most 1000, got %s", yamltext.Shown(tokens))
	}
	r := t.number(ratio, "tokenRatio")
	return "throttled: no retries after about " + strconv.FormatFloat(most/2, 'f', -1, 64) + " failures more than " + strconv.FormatFloat(r, 'f', -1, 64) + " times the successes"
}
