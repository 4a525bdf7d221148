package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Finding is one thing that the chain is found to do. Rules are those of the
// trace detectors: what is seen here in settings is what they see happen.
type Finding struct {
	Rule       string
	Severity   string // error, warning, note
	Confidence string // high, medium, low
	Message    string
	Hops       []int // from 0
	At         []Place
	Remedy     string
}

// leastProduct is from which product of tries retries multiply, as the trace
// detector has it: at least two hops, and four calls.
const leastProduct = 4

// Findings returns what there is to say, gravest first.
func (r *Reckoned) Findings() []Finding {
	var out []Finding
	for _, find := range []func() []Finding{r.multiplication, r.hedging, r.orphaned, r.unsafe, r.deadlines} {
		out = append(out, find()...)
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return rank(a.Severity) - rank(b.Severity) })
	return out
}

func rank(severity string) int { return slices.Index([]string{"error", "warning", "note"}, severity) }

func (f Finding) on(r *Reckoned, hops ...int) Finding {
	f.Hops = hops
	for _, i := range hops {
		if at := r.Hops[i].Policy.Place; !slices.Contains(f.At, at) {
			f.At = append(f.At, at)
		}
	}
	return f
}

// caller names who makes the call of a hop.
func (r *Reckoned) caller(i int) string {
	if i == 0 {
		return "the entry"
	}
	return r.Hops[i-1].Name
}

func (r *Reckoned) multiplication() []Finding {
	var hops, without []int
	var tries, names []string
	product := int64(1)
	for i, h := range r.Hops {
		n := h.Policy.reachable()
		if n < 2 {
			continue
		}
		product = multiply(product, int64(n))
		hops = append(hops, i)
		tries = append(tries, fmt.Sprint(n))
		if h.Policy.Budget == "" {
			without = append(without, i)
			names = append(names, "the call of "+h.Name)
		}
	}
	if len(hops) < 2 || product < leastProduct {
		return nil
	}
	budget := "; each has a limit on retries over all requests, which holds this down when many fail"
	if len(without) > 0 {
		budget = "; nothing in the files limits the retries of " + list(names) + " over all requests"
	}
	how := "medium"
	if len(without) == len(hops) {
		how = "high"
	}
	last := r.Hops[len(r.Hops)-1].Name
	return []Finding{Finding{Rule: "retry-multiplication", Severity: "error", Confidence: how,
		Message: fmt.Sprintf("%d of %d hops try again, and the tries multiply: %s = %d tries at the bottom, and %s of %s for one request%s",
			len(hops), len(r.Hops), strings.Join(tries, " × "), product, count(r.LeafCalls, "call"), last, budget),
		Remedy: fmt.Sprintf("Let one hop try again, the one that can tell whether it helps (mostly the last, of %s), and give it a retry budget of 20 %%; switch the others off.", last),
	}.on(r, hops...)}
}

func (r *Reckoned) hedging() []Finding {
	var out []Finding
	var hops []int
	var names []string
	for i, h := range r.Hops {
		p := h.Policy
		if !p.Hedge || p.Tries < 2 {
			continue
		}
		hops = append(hops, i)
		names = append(names, h.Name)
		if p.Delay == 0 {
			out = append(out, Finding{Rule: "hedge-overload", Severity: "error", Confidence: "high",
				Message: fmt.Sprintf("the call of %s is hedged without a delay: all %d tries are sent at once, for every request", h.Name, p.Tries),
				Remedy:  "Set the delay near the callee's p95: then about 5 % of the calls are hedged. Cancel the loser.",
			}.on(r, i))
		}
		if why, how := r.harm(i); why != "" {
			out = append(out, Finding{Rule: "hedge-overload", Severity: "error", Confidence: how,
				Message: fmt.Sprintf("the call of %s is hedged, so that it may be carried out %d times, and %s", h.Name, p.Tries, why),
				Remedy:  "Hedge only what can be done twice without harm; else carry an idempotency key that the callee looks at.",
			}.on(r, i))
		}
	}
	if len(hops) > 1 {
		out = append(out, Finding{Rule: "hedge-overload", Severity: "error", Confidence: "high",
			Message: fmt.Sprintf("hedging at %d levels: the calls of %s are hedged, and copies are copied again", len(hops), list(names)),
			Remedy:  "Hedge at one level, the one just above the service whose slowness is to be hidden.",
		}.on(r, hops...))
	}
	return out
}

// harm says why trying the call of a hop twice may do harm, and how sure that is;
// "" where nothing speaks for it.
func (r *Reckoned) harm(i int) (why, confidence string) {
	h := r.Hops[i]
	if h.Safe != nil {
		if *h.Safe {
			return "", ""
		}
		return "the chain file says that twice is not the same as once", "high"
	}
	var unsafe []string
	for _, m := range h.Policy.Methods {
		if m == "POST" || m == "PATCH" { // RFC 9110, 9.2.2: not idempotent
			unsafe = append(unsafe, m)
		}
	}
	if len(unsafe) > 0 {
		return "its route takes " + list(unsafe), "high"
	}
	if h.Policy.System == "grpc" {
		for _, n := range h.Policy.Names {
			_, method, _ := strings.Cut(n, "/")
			if verb := verbOf(method); writes[verb] {
				return fmt.Sprintf("%s sounds like a write", method), "low"
			}
		}
	}
	return "", ""
}

// writes are first words of method names that mostly stand for what is done anew
// each time.
var writes = map[string]bool{"Create": true, "Add": true, "Insert": true, "Append": true, "Charge": true, "Pay": true, "Place": true, "Submit": true, "Send": true, "Book": true, "Order": true,
	"Transfer": true, "Publish": true, "Increment": true, "Reserve": true, "Refund": true, "Withdraw": true, "Post": true}

func verbOf(method string) string {
	for i, c := range method {
		if i > 0 && c >= 'A' && c <= 'Z' {
			return method[:i]
		}
	}
	return method
}

// after are conditions under which the callee may have done the work already:
// conditions of Envoy's router filter (x-envoy-retry-on, x-envoy-retry-grpc-on) and
// status codes, HTTP's and gRPC's. Refused and failed connections are not among
// them, nor 503, 429, unavailable and resource-exhausted, which mostly are answers
// of who did nothing.
var after = map[string]bool{"5xx": true, "gateway-error": true, "reset": true, "retriable-4xx": true, "internal": true, "deadline-exceeded": true, "deadline_exceeded": true,
	"unknown": true, "data_loss": true, "500": true, "502": true, "504": true, "408": true}

func (r *Reckoned) unsafe() []Finding {
	var out []Finding
	for i, h := range r.Hops {
		p := h.Policy
		if p.Tries < 2 || p.Hedge {
			continue
		}
		var on []string
		for _, c := range p.RetryOn {
			if after[c] {
				on = append(on, c)
			}
		}
		why, how := r.harm(i)
		if why == "" && h.Safe == nil && p.Methods == nil && (p.System == "envoy" || p.System == "istio") && len(on) > 0 {
			why, how = "its route takes any method, POST too", "low"
		}
		if why == "" || len(on) == 0 && p.System != "chain" {
			continue
		}
		when := ""
		if len(on) > 0 {
			when = " on " + list(on) + ", when the callee may have done the work already"
		}
		out = append(out, Finding{Rule: "retry-multiplication", Severity: "warning", Confidence: how,
			Message: fmt.Sprintf("the call of %s is tried again%s, and %s", h.Name, when, why),
			Remedy:  "Retry what is not idempotent only where it cannot have been carried out (connect-failure, refused-stream), or with an idempotency key; give GET a route of its own.",
		}.on(r, i))
	}
	return out
}

func (r *Reckoned) orphaned() []Finding {
	if r.Deadline == Forever || r.Works <= r.Deadline {
		return nil
	}
	var hops []int
	for i, h := range r.Hops {
		if !h.Policy.PassesOn && h.Works > r.Deadline {
			hops = append(hops, i)
		}
	}
	long := "up to " + say(r.Works-r.Deadline)
	if r.Works == Forever {
		long = "without an end"
	}
	return []Finding{Finding{Rule: "orphaned-work", Severity: "error", Confidence: "medium",
		Message: fmt.Sprintf("work can go on for %s after the entry has given up at %s: no setting says that services below stop when their caller does", long, say(r.Deadline)),
		Remedy:  "Pass the deadline and the cancellation on with each call (gRPC does where the handler's context is used for its calls), and look before each further step whether somebody still waits. Where that is so already, say passes-deadline: true in a chain file.",
	}.on(r, hops...)}
}

func (r *Reckoned) deadlines() []Finding {
	var out []Finding
	add := func(i int, how, message string) {
		out = append(out, Finding{Rule: "deadline-not-propagated", Severity: "warning", Confidence: how, Message: message,
			Remedy: "Give each hop less time than its caller leaves it for one try, all tries and pauses counted, and pass the rest of the deadline on with the call.",
		}.on(r, i))
	}
	for i, h := range r.Hops {
		p := h.Policy
		gives, who := r.Deadline, "whoever calls the entry waits "
		if i > 0 {
			c := r.Hops[i-1]
			gives, who = c.Gives, r.caller(i-1)+" gives "+c.Name+" "
			if i == 1 {
				who = "the entry gives " + c.Name + " "
			}
		}
		switch wants := times(int64(h.Calls), h.Waits); {
		case p.Timeout == Forever && h.Waits == Forever:
			extra := ""
			if p.System == "grpc" {
				extra = "; the program may set a deadline of its own"
			}
			add(i, confidenceOf(p.System == "grpc"), fmt.Sprintf("the call of %s has no timeout, neither for all tries nor for one%s", h.Name, extra))
		case gives == Forever || i == 0 && !r.Given || i > 0 && r.Hops[i-1].Policy.PassesOn || wants < gives:
		case wants == gives && h.Calls == 1:
			add(i, "high", fmt.Sprintf("equal timeouts: %s%s, and the call of %s may take just as long, so that who gives up first is chance", who, say(gives), h.Name))
		default:
			fits := ""
			if p.Tries > 1 && h.Try < Forever && h.Try > 0 {
				if n := int64((gives + h.Try - 1) / h.Try); n < int64(p.Tries) {
					fits = fmt.Sprintf("; of its %d tries %d can begin before that", p.Tries, n)
				}
			}
			add(i, "high", fmt.Sprintf("%s%s, but the call of %s may take %s (%s)%s: the caller gives up, perhaps tries again, and the callee works on",
				who, say(gives), h.Name, say(wants), h.made(), fits))
		}
	}
	return out
}

func confidenceOf(doubt bool) string {
	if doubt {
		return "medium"
	}
	return "high"
}

// made says what a hop's longest time is made of.
func (h *ReckonedHop) made() string {
	p := h.Policy
	s := ""
	if h.Calls > 1 {
		s = fmt.Sprintf("%d calls, each ", h.Calls)
	}
	if h.Waits == p.Timeout {
		if p.Default {
			return s + "the default timeout of " + say(p.Timeout)
		}
		return s + "its timeout"
	}
	return s + fmt.Sprint(p.reachable()) + " × " + say(h.Try) + pausesText(p)
}

func pausesText(p *Policy) string {
	if d := p.Backoff.pauses(p.reachable(), true); d > 0 && !p.Hedge {
		return " and " + say(d.Round(100*time.Microsecond)) + " of pauses"
	}
	return ""
}
