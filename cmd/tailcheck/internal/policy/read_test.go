package policy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// from opens files of a map.
func from(files map[string]string) func(string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		text, ok := files[path]
		if !ok {
			return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

func read(t *testing.T, text string) *File {
	t.Helper()
	f, err := Read("f", from(map[string]string{"f": text}))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const grpcRetry = `"retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": [14, "aborted"]}`

func TestGRPC(t *testing.T) {
	f := read(t, `{"methodConfig": [
  {"name": [{"service": "a.B"}, {"service": "a.C", "method": "D"}], "timeout": "1.5s", `+grpcRetry+`},
  {"name": [{}], "hedgingPolicy": {"maxAttempts": 9, "hedgingDelay": "0.05s"}},
  {"timeout": "1s"}],
 "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}}`)
	if len(f.Policies) != 2 { // one without names is skipped
		t.Fatalf("%d policies", len(f.Policies))
	}
	p := f.Policies[0]
	if p.Tries != 4 || p.Timeout != 1500*time.Millisecond || strings.Join(p.Names, " ") != "a.B a.C/D" || strings.Join(p.RetryOn, " ") != "unavailable aborted" || p.String() != "f:2:3" {
		t.Errorf("%+v", p)
	}
	// by hand: 100, 200, 400 ms, give or take a fifth
	if low, high := p.Backoff.pauses(4, false), p.Backoff.pauses(4, true); low != 560*time.Millisecond || high != 840*time.Millisecond {
		t.Errorf("pauses %v to %v", low, high)
	}
	if !strings.Contains(p.Budget, "after about 5 failures") {
		t.Error(p.Budget)
	}
	// gRFC A6: more than 5 is 5
	p = f.Policies[1]
	if !p.Hedge || p.Tries != 5 || p.Stated != 9 || p.Delay != 50*time.Millisecond || p.Names[0] != "any method" || p.Timeout != Forever || len(p.Notes) != 2 {
		t.Errorf("%+v", p)
	}
	// the case of grpc-go's own example
	if f := read(t, `{"methodConfig": [{"name": [{"service": "x"}], "retryPolicy": {"MaxAttempts": 4, "InitialBackoff": ".01s", "MaxBackoff": ".01s", "BackoffMultiplier": 1.0, "RetryableStatusCodes": ["UNAVAILABLE"]}}]}`); f.Policies[0].Tries != 4 || len(f.Policies[0].Notes) != 1 {
		t.Errorf("%+v", f.Policies[0])
	}
	// the choices that DNS names
	if f := read(t, `[{"percentage": 10, "serviceConfig": {"methodConfig": [{"name": [{"service": "x"}], "timeout": "1s"}]}}]`); len(f.Policies) != 1 || f.Policies[0].Names[0] != "x" {
		t.Errorf("%+v", f)
	}
}

const envoyRoutes = `
virtual_hosts:
- name: shop
  retry_policy: {retry_on: reset}
  routes:
  - match: {prefix: /a}
    route: {cluster: a}
  - match: {prefix: /b, headers: [{name: ":method", exact_match: post}]}
    name: b
    route:
      weighted_clusters: {clusters: [{name: b1}, {name: b2}]}
      timeout: 0s
      retry_policy:
        retry_on: 5xx, Reset
        num_retries: 4
        per_try_timeout: 0.25s
        retry_back_off: {base_interval: 0.1s, max_interval: 0.3s}
      hedge_policy: {hedge_on_per_try_timeout: true}
  - match: {prefix: /c}
    route: {cluster: c, timeout: 1s, retry_policy: {retry_on: 5xx, per_try_timeout: 1s}}
  - match: {prefix: /d}
    route: {cluster: d, retry_policy: {num_retries: 3}}
  - match: {prefix: /e}
    redirect: {path_redirect: /a}
`

func TestEnvoy(t *testing.T) {
	f := read(t, envoyRoutes)
	if len(f.Policies) != 4 {
		t.Fatalf("%d policies", len(f.Policies))
	}
	a, b, c, d := f.Policies[0], f.Policies[1], f.Policies[2], f.Policies[3]
	// the virtual host's policy; num_retries 1 and timeout 15s by default
	if a.Tries != 2 || a.Timeout != 15*time.Second || !a.Default || a.PerTry != Forever || a.RetryOn[0] != "reset" {
		t.Errorf("%+v", a)
	}
	if b.Tries != 5 || b.Timeout != Forever || b.PerTry != 250*time.Millisecond || !b.Hedge || b.Methods[0] != "POST" || strings.Join(b.Names, " ") != "b b1 b2 shop route 2" {
		t.Errorf("%+v", b)
	}
	// by hand: up to 100, 200, 300, 300 ms; at least nothing
	if low, high := b.Backoff.pauses(5, false), b.Backoff.pauses(5, true); low != 0 || high != 900*time.Millisecond {
		t.Errorf("pauses %v to %v", low, high)
	}
	// a per_try_timeout that is not below the timeout is ignored
	if c.PerTry != Forever || len(c.Notes) != 2 || !strings.Contains(c.Notes[0].Text, "ignored") {
		t.Errorf("%+v", c)
	}
	// nothing is tried again without retry_on
	if d.Tries != 1 || len(d.Notes) != 1 {
		t.Errorf("%+v", d)
	}
	// JSON, camel case, inside of something larger, with clusters beside it
	f = read(t, `{"configs": [{"dynamic_route_configs": [{"route_config": {"virtualHosts": [{"name": "x", "routes": [{"route": {"cluster": "k", "timeout": {"seconds": 2}, "retryPolicy": {"retryOn": "5xx", "numRetries": "2", "perTryTimeout": "0.5s"}}}]}]}}]},
	 {"dynamic_active_clusters": [{"cluster": {"name": "k", "circuitBreakers": {"thresholds": [{"priority": "HIGH", "maxRetries": 9}, {"retryBudget": {"budgetPercent": {"value": 25}}}]}}}]}]}`)
	if p := f.Policies[0]; p.Tries != 3 || p.Timeout != 2*time.Second || p.PerTry != 500*time.Millisecond || !strings.Contains(p.Budget, "25 % of the active requests may be retries, at least 3") {
		t.Errorf("%+v", p)
	}
	// one filter chain for two listeners, by an alias, is there once
	f = read(t, "a: {filters: &f [{route_config: {virtual_hosts: [{name: v, routes: [{route: {cluster: a}}]}]}}]}\nb: {filters: *f}\n")
	if len(f.Policies) != 1 {
		t.Errorf("%d policies", len(f.Policies))
	}
	// anchors and merges
	f = read(t, "x: &r {retry_on: 5xx, num_retries: 3}\nvirtual_hosts:\n- name: v\n  routes:\n  - route: {cluster: a, retry_policy: *r}\n  - route: {cluster: b, retry_policy: {<<: *r, num_retries: 1}}\n")
	if f.Policies[0].Tries != 4 || f.Policies[1].Tries != 2 || f.Policies[1].RetryOn[0] != "5xx" {
		t.Errorf("%+v %+v", f.Policies[0], f.Policies[1])
	}
}

const istioDocs = `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: web}
spec:
  hosts: [web.example.com]
  http:
  - name: read
    match: [{uri: {prefix: /}, method: {exact: GET}}]
    route: [{destination: {host: cart}}]
    timeout: 1.5s
    retries: {attempts: 0}
  - route: [{destination: {host: cart}}]
    retries: {attempts: 3, perTryTimeout: 200ms, retryOn: "5xx,503", backoff: 50ms}
  - redirect: {uri: /x}
---
apiVersion: networking.istio.io/v1beta1
kind: VirtualService
metadata: {name: cart}
spec:
  hosts: [cart]
  http: [{route: [{destination: {host: prices.shop.svc.cluster.local}}]}]
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: prices}
spec: {host: prices, trafficPolicy: {connectionPool: {http: {maxRetries: 7}}}}
---
apiVersion: v1
kind: Service
metadata: {name: x}
`

func TestIstio(t *testing.T) {
	f := read(t, istioDocs)
	if len(f.Policies) != 3 || f.Ignored != 1 {
		t.Fatalf("%d policies, %d ignored", len(f.Policies), f.Ignored)
	}
	if p := f.Policies[0]; p.Tries != 1 || p.Timeout != 1500*time.Millisecond || p.Methods[0] != "GET" || p.String() != "f:8:5" {
		t.Errorf("%+v", p)
	}
	if p := f.Policies[1]; p.Tries != 4 || p.PerTry != 200*time.Millisecond || p.Timeout != Forever || p.Backoff.Base != 50*time.Millisecond || p.Methods != nil {
		t.Errorf("%+v", p)
	}
	// HTTPRetry: two retries by default, and no timeout
	if p := f.Policies[2]; p.Tries != 3 || p.Timeout != Forever || !p.Default || p.Budget != "at most 7 retries at one time" {
		t.Errorf("%+v", p)
	}
	// each VirtualService is a hop; of two routes the one with more tries
	c, err := FromFiles([]*File{f})
	if err != nil || len(c.Hops) != 2 || c.Hops[0].Policy != f.Policies[1] || c.Hops[0].Others != 1 {
		t.Errorf("%+v %v", c, err)
	}
	// kubectl get -o yaml
	if f := read(t, "apiVersion: v1\nkind: List\nitems:\n- apiVersion: networking.istio.io/v1\n  kind: VirtualService\n  metadata: {name: a}\n  spec: {http: [{route: [{destination: {host: b}}]}]}\n"); len(f.Policies) != 1 {
		t.Errorf("%+v", f)
	}
}

func TestRefused(t *testing.T) {
	bomb := "n0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" // ten times ten times …
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("n%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	for text, want := range map[string]string{
		"":                       "f: is empty",
		"a: [":                   "f:1: not YAML",
		"a: b: c":                "f: not YAML",
		"x: 1":                   "no retry or timeout settings",
		`{"a": 1,}`:              "f:1:",
		"{\n \"a\": tru}":        "f:2:",
		`{"methodConfig": [`:     "ends too early",
		`{"methodConfig": []} x`: "f:1:22: something follows",
		`{"methodConfig": 7}`:    "f:1:18: want a list",
		`{"methodConfig": [{"name": [{"service": "x"}], "timeout": "500ms"}]}`:                                                   `f:1:59: timeout: want decimal seconds with an s, like "0.25s", got "500ms"`,
		`{"methodConfig": [{"name": [{"method": "x"}]}]}`:                                                                        "a method needs a service",
		`{"methodConfig": [{"name": [{"service": "x"}], "retryPolicy": {"maxAttempts": 1}}]}`:                                    "maxAttempts: want a whole number from 2",
		`{"methodConfig": [{"name": [{"service": "x"}], "retryPolicy": {"maxAttempts": 2}}]}`:                                    "initialBackoff is missing",
		`{"methodConfig": [{"name": [{"service": "x"}], "hedgingPolicy": {"maxAttempts": 2}, ` + grpcRetry + `}]}`:               "gRPC takes one of them",
		`{"methodConfig": [{"name": [{"service": "x"}], ` + strings.Replace(grpcRetry, "aborted", "nope", 1) + `}]}`:             `"nope" is no gRPC status code`,
		`{"methodConfig": [{"name": [{"service": "x"}]}], "retryThrottling": {"maxTokens": 2000, "tokenRatio": 1}}`:              "at most 1000",
		"virtual_hosts:\n- name: x\n  routes:\n  - route:\n      timeout: 250ms\n":                                               `f:5:16: timeout: want decimal seconds`,
		"virtual_hosts:\n- name: x\n  routes:\n  - route:\n      retry_policy: {retry_on: 5xx, num_retries: -1}\n":               "f:5:50: num_retries: want",
		"apiVersion: networking.istio.io/v1\nkind: VirtualService\nspec: {http: [{route: [], timeout: soon}]}\n":                 "f:3:36: timeout: want a time like 250ms",
		"apiVersion: networking.istio.io/v1\nkind: VirtualService\nspec: {http: [{route: [], retries: {attempts: 99999999}}]}\n": "attempts: want",
		strings.Repeat("[", 200) + strings.Repeat("]", 200):                                                                      "nested more than 100 deep",
		strings.Repeat(`[{"a":`, 200) + "1":                                                                                      "nested more than 100 deep",
		bomb:                                                                                                                     "aliases counted as often as they are used",
		"a: &a [*a]":                                                                                                             "f:1",
		"a: &a\n  b: *a\n":                                                                                                       "f",
		`{"a": [` + strings.Repeat("1,", 1<<19) + "1]}":                                                                          "no retry or timeout settings", // one line: places are found in one pass
		strings.Repeat("a", 5<<20):                                                                                               "too long for settings",
		"virtual_hosts: &v\n- routes:\n  - route: {cluster: *v}\n":                                                               "want a text",
	} {
		start := time.Now()
		_, err := Read("f", from(map[string]string{"f": text}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want … %s …", text, err, want)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%.60q took %v", text, d)
		}
	}
	if _, err := Read("none", from(nil)); err == nil || err.Error() != "none: file does not exist" {
		t.Errorf("%v", err)
	}
}

// Whatever is read: no panic, and an end; what is taken can be reckoned.
func FuzzRead(f *testing.F) {
	for _, s := range []string{envoyRoutes, istioDocs, `{"methodConfig": [{"name": [{"service": "x"}], ` + grpcRetry + `}]}`, "a: &a [*a]", "<<: {a: 1}", "{\"a\": \"\\ud800\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		open := from(map[string]string{"f": string(text), "chain": string(text)})
		file, err := Read("f", open)
		if (file == nil) == (err == nil) {
			t.Fatal(file, err)
		}
		if _, _, err := ReadChain("chain", open); err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("an error without a place: %v", err)
			}
		}
		if file == nil {
			return
		}
		if c, err := FromFiles([]*File{file}); err == nil {
			if r := NewReport(c, nil); r.Worst.LeafCalls < 1 {
				t.Fatalf("%+v", r.Worst)
			}
		}
	})
}
