package omission

import (
	"fmt"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Censored says why the percentiles that a tool corrected itself may still hide
// a stall: requests timed out, left no latency, and are, put back at the limit,
// far fewer than the requests that a stall of that length would have met. Empty:
// nothing speaks for it. Timeouts that nothing but themselves shows (fewer than
// one in a thousandth of the run) do not.
func Censored(t *detect.Table, input int) string {
	for _, l := range loads(t) {
		if l.in.Index != input {
			continue
		}
		for _, f := range l.parts {
			x, t := &f.failed, &f.tail
			if x.putBack == 0 || t.expected < leastMissing || t.omegaTop < unseen || float64(t.max)/1e9 < touches*f.elapsed {
				continue
			}
			return fmt.Sprintf("put back at the limit of %s, %s above %s where arrivals at the mean rate would have put about %s: the generator waited, and its correction does not know of it",
				ms(x.limit), are(t.seenHigh), ms(t.max/2), short(t.expected))
		}
	}
	return ""
}

// Unstated says why figures that do not say whether they were corrected (an
// .hgrm, an .hlog) may hide a stall: the largest is further above the others
// than their number explains. Were they corrected, it would stand in a tail that
// leads up to it. Empty: nothing speaks for it.
func Unstated(t *detect.Table, input int) string {
	for _, l := range loads(t) {
		if l.in.Index != input {
			continue
		}
		for _, f := range l.parts {
			x := &f.tail
			if f.treated != ingest.TreatmentUnknown || f.spread.source == samples || x.n < fewSamples || x.gap == 0 || x.gap < x.ordinary {
				continue
			}
			return fmt.Sprintf("it does not say whether it was corrected, and its maximum of %s is %s times its %v, where up to %s is ordinary for %d samples",
				ms(x.max), short(x.gap), x.baseAt, short(x.ordinary), x.n)
		}
	}
	return ""
}

func are(n int64) string {
	if n == 1 {
		return "1 request is"
	}
	return fmt.Sprintf("%d requests are", n)
}
