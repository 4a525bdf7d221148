package retries

import (
	"fmt"
	"math"

	"github.com/tailcheck/tailcheck/detect"
)

const (
	// hedgeShare is the share of hedged calls above which hedging is a load of
	// its own: a delay at the p95 hedges 5 % of the calls by definition (Dean and
	// Barroso, "The Tail at Scale", 2013).
	hedgeShare = 0.05

	minHedged = 5  // hedged calls from which on a share is one
	minNested = 5  // hedged calls below hedged calls, and
	nestedOf  = 4  // one in so many of the hop's: two levels that hedge few calls meet by chance
	minUnsafe = 3  // hedged writes
	manySure  = 20 // hedged calls from which on a delay below the median is certain
	minTook   = 20 // answered calls from which on their median is known
)

func (x *hedges) Merge(other detect.Tally) {
	x.calls.merge(&other.(*hedges).calls, (*hedgeSum).add)
}

func (e *hedgeSum) add(o *hedgeSum) {
	e.plain = plus(e.plain, o.plain)
	e.sure.add(&o.sure)
	e.maybe.add(&o.maybe)
	e.took.merge(&o.took)
	e.marked += o.marked
	e.losers += o.losers
	e.ranOn += o.ranOn
	e.nested += o.nested
	e.unsafe += o.unsafe
	if e.method == "" || o.method != "" && o.method < e.method {
		e.method = o.method
	}
	e.wasted = plus(e.wasted, o.wasted)
	e.traces += o.traces
	e.partial += o.partial
	e.examples.merge(&o.examples)
	e.inputs.merge(&o.inputs)
	if o.has && (!e.has || o.pos.Compare(e.pos) < 0) {
		e.pos, e.has = o.pos, true
	}
}

func (x *hedges) Findings() []detect.Finding {
	var out []detect.Finding
	for _, h := range x.calls.sorted() {
		if f := x.calls.m[h].finding(h); f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// all returns the hedged calls: pairs that both succeeded are some if the calls
// of the operation that were sent more than once mostly had losers. Else they
// are calls of their own.
func (e *hedgeSum) all() (h hedged, calls int64) {
	h = e.sure
	calls = plus(e.plain, e.sure.calls)
	if e.sure.calls >= e.maybe.calls {
		h = hedged{}
		h.add(&e.sure)
		h.add(&e.maybe)
		return h, plus(calls, e.maybe.calls)
	}
	return h, plus(calls, e.maybe.attempts)
}

func (e *hedgeSum) finding(name hop) *detect.Finding {
	if e.sure.calls == 0 {
		return nil
	}
	h, calls := e.all()
	delay, median, p95 := h.delay.percentile(50), e.took.percentile(50), e.took.percentile(95)
	knownDelay, knownTook := h.delay.n > 0, e.took.n >= minTook
	n := float64(h.calls)
	tooMany := h.calls >= minHedged && n-2*math.Sqrt(n) > hedgeShare*float64(calls)
	early := knownDelay && knownTook && h.delay.n >= minHedged && delay < median
	nested, unsafe := e.nested >= minNested && times(e.nested, nestedOf) >= e.sure.calls, e.unsafe >= minUnsafe
	if !tooMany && !nested && !unsafe {
		return nil
	}
	numbers := HedgeNumbers{HedgeShare: share(h.calls, calls), LoadFactor: round2(1 + float64(h.attempts-h.calls)/float64(calls))}
	if knownDelay {
		v := millis(delay)
		numbers.DelayMs = &v
	}
	if e.took.n > 0 {
		v := millis(median)
		numbers.LeafP50Ms = &v
	}
	out := &detect.Finding{Op: name.String(), Inputs: e.inputs.list, Exemplars: e.examples.ids(), Impact: e.wasted, Numbers: numbers, Confidence: detect.Medium}
	if e.marked > 0 || early && e.sure.calls >= manySure {
		out.Confidence = detect.High
	}
	out.Message = fmt.Sprintf("%s sends %d of %d calls of %s more than once (%s), %s times the load", name.who(), h.calls, calls, name.call(), percent(h.calls, calls), factor(numbers.LoadFactor))
	switch {
	case early:
		out.Message += fmt.Sprintf(": it waits %s for the first answer, less than the %s that half of them take", ms(delay), ms(median))
	case nested:
		out.Message += fmt.Sprintf(": %d of them below calls that were sent more than once themselves", e.nested)
	case unsafe && !tooMany:
		out.Message += fmt.Sprintf(", %d of them writes (%s) that are not safe to repeat", e.unsafe, e.method)
	}
	e.evidence((*evidence)(&out.Evidence), &h, calls, nested)
	out.Remedy = "Send a second call only after about the p95 of the first"
	if knownTook {
		out.Remedy += fmt.Sprintf(" (%s here)", ms(p95))
	}
	out.Remedy += ", allow it for a few calls in a hundred and for no more, at one level only and for calls that are safe to repeat, and cancel the loser. Where answers are slow because the replicas are overloaded, switch hedging off: it adds to the cause."
	return out
}

// share is a part of a whole to four decimals.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return math.Round(1e4*float64(part)/float64(whole)) / 1e4
}

func (e *hedgeSum) evidence(v *evidence, h *hedged, calls int64, nested bool) {
	least := ""
	if e.partial > 0 {
		least = "at least "
	}
	v.add("calls sent more than once", fmt.Sprintf("%s%d of %d, %s", least, h.calls, calls, percent(h.calls, calls)), "1 to 5 %")
	v.at(e.pos)
	if h.delay.n > 0 && e.took.n > 0 {
		v.add("delay of the second (median)", ms(h.delay.percentile(50)), fmt.Sprintf("near the p95 of the call, %s (its p50 is %s)", ms(e.took.percentile(95)), ms(e.took.percentile(50))))
	}
	if e.losers > 0 {
		v.add("losers, of these the server went on", fmt.Sprintf("%d, %d", e.losers, e.ranOn), "none goes on")
		v.add("time of losers", ms(e.wasted), "")
	}
	if nested {
		v.add("hedged below a hedged call", fmt.Sprint(e.nested), "0")
	}
	if e.unsafe > 0 {
		v.add("writes that are not safe to repeat ("+e.method+")", fmt.Sprint(e.unsafe), "0")
	}
	rests := "shape: overlapping siblings, one succeeded and the others ended with it"
	if e.marked > 0 {
		rests = "shape, and attributes that number attempts"
	}
	v.add("rests on", rests, "")
}
