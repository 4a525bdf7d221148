package policy

import (
	"math"
	"strings"
	"testing"
	"time"
)

const millisecond = time.Millisecond

func chainOf(cost time.Duration, hops ...*Policy) *Chain {
	c := &Chain{Cost: cost}
	for i, p := range hops {
		if p.Timeout == 0 {
			p.Timeout = Forever
		}
		if p.PerTry == 0 {
			p.PerTry = Forever
		}
		c.Hops = append(c.Hops, Hop{Policy: p, Name: string(rune('a' + i)), Calls: 1})
	}
	return c
}

// amplification.md section 5, the chain without deadlines: 3 tries, cost 10, 2 to
// 5 hops with the leaf counted, are 3, 9, 27, 81 calls in 30, 90, 270, 810.
func TestChainTable(t *testing.T) {
	for n, want := range map[int][2]int64{1: {3, 30}, 2: {9, 90}, 3: {27, 270}, 4: {81, 810}} {
		var hops []*Policy
		for range n {
			hops = append(hops, &Policy{Tries: 3})
		}
		r := chainOf(10*millisecond, hops...).Reckon()
		if r.LeafCalls != want[0] || r.Waits != time.Duration(want[1])*millisecond || r.Works != r.Waits || r.Deadline != r.Waits {
			t.Errorf("%d calling hops: %d calls, %v", n, r.LeafCalls, r.Waits)
		}
	}
	// 2 tries double for each hop, 4 quadruple
	for tries, want := range map[int]int64{2: 16, 4: 256} {
		r := chainOf(0, &Policy{Tries: tries}, &Policy{Tries: tries}, &Policy{Tries: tries}, &Policy{Tries: tries}).Reckon()
		if r.LeafCalls != want {
			t.Errorf("%d tries: %d", tries, r.LeafCalls)
		}
	}
}

// amplification.md section 3: three hops of three tries, each failing by itself.
func TestExpected(t *testing.T) {
	r := chainOf(0, &Policy{Tries: 3}, &Policy{Tries: 3}, &Policy{Tries: 3}).Reckon()
	for f, want := range map[float64]float64{0.01: 1.03, 0.1: 1.37, 0.5: 5.36, 1: 27} {
		if got := r.Expected(f); math.Abs(got-want) > 0.005 {
			t.Errorf("at %v: %v, want %v", f, got, want)
		}
	}
	// one hop: 1.01, 1.11, 1.75 (1 + ½ + ¼), 3
	r = chainOf(0, &Policy{Tries: 3}).Reckon()
	for f, want := range map[float64]float64{0.01: 1.0101, 0.1: 1.11, 0.5: 1.75, 1: 3} {
		if got := r.Expected(f); math.Abs(got-want) > 1e-9 {
			t.Errorf("at %v: %v, want %v", f, got, want)
		}
	}
}

// By hand.
func TestTimes(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * millisecond }
	pauses := Backoff{Base: ms(25), Max: ms(250), High: 1}
	for name, c := range map[string]struct {
		chain       *Chain
		waits, work time.Duration
		calls       int64
	}{
		// 3 tries of 300 and pauses of 25 and 50
		"per try": {chainOf(0, &Policy{Tries: 3, PerTry: ms(300), Backoff: pauses}), ms(975), ms(975), 3},
		// a try that hangs takes the whole timeout
		"timeout only": {chainOf(0, &Policy{Tries: 3, Timeout: ms(500), Backoff: pauses}), ms(500), ms(500), 3},
		"nothing":      {chainOf(0, &Policy{Tries: 3}), Forever, Forever, 3},
		// the first gives 200 a try; the last of its two starts at 200, and the second goes on for 900 then
		"callee outlives caller": {chainOf(0, &Policy{Tries: 2, PerTry: ms(200), Timeout: ms(1000)}, &Policy{Tries: 3, PerTry: ms(300)}), ms(400), ms(1100), 6},
		// told the deadline, it stops with its caller
		"deadline passed on": {chainOf(0, &Policy{Tries: 2, PerTry: ms(200), Timeout: ms(1000), PassesOn: true}, &Policy{Tries: 3, PerTry: ms(300)}), ms(400), ms(400), 6},
		// hedges at 0, 50, 100, and each as long as the callee works
		"hedged": {chainOf(ms(20), &Policy{Tries: 3, Hedge: true, Delay: ms(50)}), ms(120), ms(120), 3},
		// pauses of at least 80, 160, 320 by gRPC's jitter: the third retry does not fit into 500
		"pauses that do not fit": {chainOf(0, &Policy{Tries: 4, Timeout: ms(500), Backoff: Backoff{Base: ms(100), Max: ms(1000), Low: 0.8, High: 1.2}}), ms(500), ms(500), 3},
	} {
		r := c.chain.Reckon()
		if r.Waits != c.waits || r.Works != c.work || r.LeafCalls != c.calls {
			t.Errorf("%s: waits %v, works %v, %d calls; want %v, %v, %d", name, r.Waits, r.Works, r.LeafCalls, c.waits, c.work, c.calls)
		}
	}
	// numbers without bounds stay within theirs
	var hops []*Policy
	for range MaxHops {
		hops = append(hops, &Policy{Tries: maxTries, PerTry: time.Hour, Backoff: Backoff{Base: time.Hour, Max: Forever - 1, High: 1.2, Multiplier: 1e8}})
	}
	if r := chainOf(time.Hour, hops...).Reckon(); r.LeafCalls != MostCalls || r.Waits != Forever {
		t.Errorf("%d calls, %v", r.LeafCalls, r.Waits)
	}
}

func TestFindings(t *testing.T) {
	yes, no := true, false
	d := func(n int) time.Duration { return time.Duration(n) * millisecond }
	for name, c := range map[string]struct {
		hops     []Hop
		deadline time.Duration
		want     string // rule/severity/confidence: part of the message; joined by lines
	}{
		"quiet":        {hops: []Hop{{Policy: &Policy{Tries: 1, Timeout: d(1000)}}, {Policy: &Policy{Tries: 2, PerTry: d(300), Timeout: d(700), RetryOn: []string{"unavailable"}}}}},
		"one hop only": {hops: []Hop{{Policy: &Policy{Tries: 9, PerTry: d(10), Timeout: d(1000)}}}},
		"multiplied": {hops: []Hop{{Policy: &Policy{Tries: 2, PerTry: d(400), Timeout: d(1000)}}, {Policy: &Policy{Tries: 2, PerTry: d(100), Timeout: d(300), Budget: "b"}}},
			want: "retry-multiplication/error/medium: 2 × 2 = 4 tries at the bottom"},
		"three are below four": {hops: []Hop{{Policy: &Policy{Tries: 3, PerTry: d(300), Timeout: d(1000)}}, {Policy: &Policy{Tries: 1, Timeout: d(200)}}}},
		"equal": {hops: []Hop{{Policy: &Policy{Tries: 1, Timeout: d(500)}}, {Policy: &Policy{Tries: 1, Timeout: d(500)}}},
			want: "deadline-not-propagated/warning/high: equal timeouts: the entry gives a 500 ms"},
		"longer, and nobody is told": {hops: []Hop{{Policy: &Policy{Tries: 1, Timeout: d(500)}}, {Policy: &Policy{Tries: 3, PerTry: d(300), Timeout: d(2000)}}},
			want: "orphaned-work/error/medium: for up to 400 ms after the entry has given up at 500 ms\n" +
				"deadline-not-propagated/warning/high: may take 900 ms (3 × 300 ms); of its 3 tries 2 can begin before that"},
		"told": {hops: []Hop{{Policy: &Policy{Tries: 1, Timeout: d(500), PassesOn: true}}, {Policy: &Policy{Tries: 3, PerTry: d(300), Timeout: d(2000)}}}},
		"default": {hops: []Hop{{Policy: &Policy{Tries: 1, Timeout: d(500)}}, {Policy: &Policy{Tries: 1, Timeout: d(15000), Default: true}}},
			want: "orphaned-work/error/medium: for up to 14.5 s\ndeadline-not-propagated/warning/high: may take 15 s (the default timeout of 15 s)"},
		"no timeout": {hops: []Hop{{Policy: &Policy{Tries: 1, System: "grpc"}}}, deadline: d(1000),
			want: "orphaned-work/error/medium: without an end\ndeadline-not-propagated/warning/medium: no timeout, neither for all tries nor for one; the program may"},
		"deadline": {hops: []Hop{{Policy: &Policy{Tries: 1, Timeout: d(2000)}}}, deadline: d(1000),
			want: "orphaned-work/error/medium: for up to 1 s\ndeadline-not-propagated/warning/high: whoever calls the entry waits 1 s, but the call of a may take 2 s (its timeout)"},
		"hedges of hedges": {hops: []Hop{{Policy: &Policy{Tries: 2, Hedge: true, Delay: d(10), Timeout: d(500), PassesOn: true}}, {Policy: &Policy{Tries: 2, Hedge: true, Timeout: d(100)}}},
			want: "retry-multiplication/error/high: 2 × 2\nhedge-overload/error/high: hedged without a delay\nhedge-overload/error/high: hedging at 2 levels"},
		"hedged order": {hops: []Hop{{Policy: &Policy{System: "grpc", Names: []string{"shop.Orders/PlaceOrder"}, Tries: 2, Hedge: true, Delay: d(10), Timeout: d(500)}}},
			want: "hedge-overload/error/low: carried out 2 times, and PlaceOrder sounds like a write"},
		"hedged order, said to be safe": {hops: []Hop{{Safe: &yes, Policy: &Policy{System: "grpc", Names: []string{"shop.Orders/PlaceOrder"}, Tries: 2, Hedge: true, Delay: d(10), Timeout: d(500)}}}},
		"retried POST": {hops: []Hop{{Policy: &Policy{System: "envoy", Methods: []string{"POST"}, Tries: 2, RetryOn: []string{"connect-failure", "5xx"}, Timeout: d(500)}}},
			want: "retry-multiplication/warning/high: tried again on 5xx, when the callee may have done the work already, and its route takes POST"},
		"retried GET":       {hops: []Hop{{Policy: &Policy{System: "envoy", Methods: []string{"GET"}, Tries: 2, RetryOn: []string{"5xx"}, Timeout: d(500)}}}},
		"retried before it": {hops: []Hop{{Policy: &Policy{System: "envoy", Methods: []string{"POST"}, Tries: 2, RetryOn: []string{"connect-failure", "503"}, Timeout: d(500)}}}},
		"any method": {hops: []Hop{{Policy: &Policy{System: "istio", Tries: 2, RetryOn: []string{"reset"}, Timeout: d(500)}}},
			want: "retry-multiplication/warning/low: any method, POST too"},
		"not idempotent, by hand": {hops: []Hop{{Safe: &no, Policy: &Policy{System: "chain", Tries: 2, Timeout: d(500)}}},
			want: "retry-multiplication/warning/high: the chain file says"},
	} {
		chain := &Chain{Deadline: c.deadline}
		for i, h := range c.hops {
			one := chainOf(0, h.Policy).Hops[0]
			h.Policy, h.Calls, h.Name = one.Policy, 1, string(rune('a'+i))
			chain.Hops = append(chain.Hops, h)
		}
		found := chain.Reckon().Findings()
		var want []string
		if c.want != "" {
			want = strings.Split(c.want, "\n")
		}
		ok := len(found) == len(want)
		for i := 0; ok && i < len(want); i++ {
			head, part, _ := strings.Cut(want[i], ": ")
			f := found[i]
			ok = head == f.Rule+"/"+f.Severity+"/"+f.Confidence && strings.Contains(f.Message, part) && f.Remedy != "" && len(f.Hops) > 0
		}
		if !ok {
			var got []string
			for _, f := range found {
				got = append(got, f.Rule+"/"+f.Severity+"/"+f.Confidence+": "+f.Message)
			}
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), c.want)
		}
	}
}

func TestChainFile(t *testing.T) {
	files := map[string]string{"d/e.yaml": envoyRoutes, "d/g.json": `{"methodConfig": [{"name": [{"service": "p"}], "timeout": "1s"}]}`,
		"d/chain.yaml": "deadline: 1s\ncost: 5ms\nhops:\n- {file: e.yaml, use: b1, calls: 2, idempotent: false}\n- {name: prices, file: g.json, passes-deadline: true}\n- {name: db, tries: 2, per-try: 10ms, backoff: 1ms}\n"}
	c, read, err := ReadChain("d/chain.yaml", from(files))
	if err != nil || len(c.Hops) != 3 || len(read) != 2 || c.Deadline != time.Second || c.Cost != 5*millisecond {
		t.Fatalf("%+v %v", c, err)
	}
	if h := c.Hops[0]; h.Policy.Tries != 5 || h.Calls != 2 || *h.Safe || h.Name != "b1" {
		t.Errorf("%+v", h)
	}
	if h := c.Hops[1]; !h.Policy.PassesOn || h.Name != "prices" || read[1].Policies[0].PassesOn {
		t.Errorf("%+v", h)
	}
	// 5 tries twice, 1, 2
	if r := c.Reckon(); r.LeafCalls != 20 || c.Hops[2].Policy.Backoff.pauses(2, true) != millisecond {
		t.Errorf("%d calls", r.LeafCalls)
	}
	for text, want := range map[string]string{
		"hops: []":                                     "want a list of 1 to 64",
		"deadline: 1s":                                 "want a list of 1 to 64",
		"hops: [{file: nope.yaml}]":                    "d/nope.yaml: file does not exist",
		"hops: [{file: e.yaml, use: zzz}]":             `c:1:28: use: d/e.yaml has no "zzz": it has a, b, b1, b2, c, d, shop route 1`,
		"hops: [{file: e.yaml, tries: 3}]":             `c:1:23: "tries" means nothing here: want name, file`,
		"hops: [{tries: 3}]":                           "a hop without a file needs a name",
		"hops: [{name: a, tries: x}]":                  `c:1:25: tries: want a whole number`,
		"hops: [{name: a, timeout: 5}]":                `timeout: want a time like 250ms or 1.5s, got "5"`,
		"hop: 1\nhops: [{name: a}]":                    `c:1:1: "hop" means nothing here`,
		"hops: [a]":                                    "want a mapping",
		"a: 1\n---\nb: 1":                              "want one document, got 2",
		"hops: [{name: a, calls: 0}]":                  "calls: want a whole number from 1",
		"hops: [{name: a, idempotent: perhaps}]":       "want true or false",
		"hops:" + strings.Repeat("\n- {name: a}", 100): "want a list of 1 to 64",
	} {
		files["d/c"] = text
		_, _, err := ReadChain("d/c", from(files))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want … %s …", text, err, want)
		}
	}
}

func TestSay(t *testing.T) {
	for d, want := range map[time.Duration]string{Forever: "no end", 300 * millisecond: "300 ms", 1500 * millisecond: "1.5 s", 0: "0 ms", 250 * time.Microsecond: "0.25 ms", time.Hour: "60 min", 10 * time.Second: "10 s", 90 * time.Second: "90 s", 100 * millisecond: "100 ms"} {
		if got := say(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
