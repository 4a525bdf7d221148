package omission

import (
	"fmt"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// IsolatedSlowness finds slow requests that held up nobody else.
var IsolatedSlowness = detect.Detector{
	Name: "isolated-slowness", Severity: detect.Note, Reads: ingest.Load,
	Doc: `Some requests were slow while others went on

The slowest requests look like a stall in the percentiles, but other requests
were sent and answered while they waited: only these were slow. Filling in
samples for them would invent a loss that nobody met (of two servers that look
the same to one connection, one gives an open-loop p99 of 53 ms where the fill
says 1841 ms).

It rests on the time axis: while each of them waited, others were sent and
answered at a quarter of the mean rate or more. Of a run too long to keep all of
it, that the slowest requests end at different times. From a plain report it is
said with medium confidence where fewer requests than half of the workers were
slow: a stall of everything catches every worker.

Not reported: one worker, of which this cannot be known; slow requests that n
explains, unless a plan is known by which samples would be filled in for them.`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding {
			// Of an ordinary tail it is worth a word where a fill was asked for.
			asked := f.verdict.kind == others && f.plan.fillLow >= leastMissing
			if f.verdict.kind != isolated && !asked {
				return nil
			}
			t := &f.tail
			out := &detect.Finding{
				Confidence: f.verdict.confidence,
				Remedy:     "Do not fill in samples for them; look at what these requests have in common.",
			}
			e := (*evidence)(&out.Evidence)
			slowest := ms(t.max)
			if t.baseAt != 0 {
				slowest += " where " + t.baseWords()
				e.add(fmt.Sprintf("max / %v", t.baseAt), t.gapWords(), "")
			} else {
				e.add("max", ms(t.max), "")
			}
			if t.has {
				e.at(t.at)
			}
			if f.verdict.proof == byAxis {
				out.Message = fmt.Sprintf("%s of %d took up to %s (raw), while others were sent and answered: only these were slow", count(int64(len(t.slow)), "request"), t.n, slowest)
				if t.slow[0].Start != 0 {
					e.add("sent and answered while the slowest waited", short(f.axis.passed(t.slow[0])), fmt.Sprintf("0 in a stall of everything, %s at the mean rate", short(f.rate*t.slow[0].Latency.Seconds())))
				}
				return out
			}
			if f.verdict.proof == byEnds {
				out.Message = fmt.Sprintf("%s of %d took up to %s (raw) and ended at different times: this was no stall of everything", count(int64(len(t.slow)), "request"), t.n, slowest)
				return out
			}
			out.Message = fmt.Sprintf("%s of %d took more than %s, up to %s (raw): fewer than half of the %s workers, so this was no stall of everything", span(t.seenLow, t.seenHigh), t.n, ms(t.max/2), ms(t.max), short(f.workers))
			e.add("requests above half of the maximum", span(t.seenLow, t.seenHigh), fmt.Sprintf("about %s in a stall of everything (%s)", short(f.workers), f.workersFrom))
			return out
		})
	},
}

// ColdStart finds runs whose first requests were slow.
var ColdStart = detect.Detector{
	Name: "cold-start", Severity: detect.Note, Reads: ingest.Load,
	Doc: `The first requests were slow

The slowest requests are the first ones of the workers: connections and TLS
handshakes, empty caches, code that is not compiled yet. They say something
about starting and nothing about stalls later, and in a short run they are the
whole tail.

It rests on the time axis: at least half of the first requests (one for each
worker) took more than twice as long as any later one.

Not reported: reports without send times, of which it cannot be known; runs of
fewer than four requests a worker.`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding {
			t := &f.tail
			if t.wave == 0 {
				return nil
			}
			out := &detect.Finding{
				Confidence: detect.Medium,
				Message:    fmt.Sprintf("%d of the first %s took up to %s, no later one more than %s (raw): the run includes its warm-up", t.wave, count(int64(f.axis.wave), "request"), ms(t.waveMax), ms(t.max)),
				Remedy:     "Warm up first and leave the warm-up out of the report, or judge it as an objective of its own.",
			}
			if f.counted {
				out.Confidence = detect.High
			}
			e := (*evidence)(&out.Evidence)
			e.add("slowest of the first requests", ms(t.waveMax), "at most "+ms(2*t.max))
			if len(f.in.Slowest) > 0 && f.inWave(f.in.Slowest[0].Start) {
				e.at(f.in.Slowest[0].Pos)
			}
			e.add("workers", f.workersWords(), "")
			return out
		})
	},
}

// connection is what the slow requests spent on setting up connections.
type connection struct {
	found bool
	what  string // SYN, DNS; empty: by the samples' own timing
	rungs []string
	slow  int
	sure  detect.Confidence
}

// Waits of a client that sets up a connection. A lost SYN is sent again after 1,
// 3, 7, 15 s (RFC 6298: the first timeout is 1 s, and doubles), a lost DNS query
// after 5, 10, 15 s (resolv.conf(5): timeout 5 s).
var ladders = []struct {
	what  string
	rungs []time.Duration
}{
	{"SYN", []time.Duration{1 * time.Second, 3 * time.Second, 7 * time.Second, 15 * time.Second, 31 * time.Second}},
	{"DNS", []time.Duration{5 * time.Second, 10 * time.Second, 15 * time.Second, 20 * time.Second}},
}

// Share of the slow requests that must fit, and of a request's time that must
// have gone into the connection.
const (
	fitting    = 0.9
	connecting = 0.8
)

func (f *facts) findConnecting() {
	t := &f.tail
	if f.spread.source != samples || len(t.slow) == 0 || t.gap < t.ordinary {
		return
	}
	stated := 0
	for _, s := range t.slow {
		if float64(s.Connect) >= connecting*float64(s.Latency) {
			stated++
		}
	}
	if float64(stated) >= fitting*float64(len(t.slow)) {
		f.connect = connection{found: true, slow: stated, sure: detect.High}
	}
	// The ladder: the slow ones stand on steps, each the wait and one ordinary
	// request behind it.
	median, _ := f.spread.at(latency.P50)
	slack := 2*time.Duration(median) + 50*time.Millisecond
	var slow []detect.Slow
	for _, s := range f.in.Slowest {
		if s.Latency < 9*ladders[0].rungs[0]/10 || int64(s.Latency) < leastGap*median {
			break
		}
		if t.wave == 0 || !f.inWave(s.Start) {
			slow = append(slow, s)
		}
	}
	if len(slow) < 3 || len(slow) == detect.MaxSlowest {
		return
	}
	for _, l := range ladders {
		hits := make([]int, len(l.rungs))
		fit := 0
		for _, s := range slow {
			for i, r := range l.rungs {
				if s.Latency >= r-r/100 && s.Latency <= r+r/20+slack {
					hits[i]++
					fit++
					break
				}
			}
		}
		var rungs []string
		for i, n := range hits {
			if n > 0 {
				rungs = append(rungs, fmt.Sprintf("%d at %v", n, l.rungs[i]))
			}
		}
		if float64(fit) < fitting*float64(len(slow)) || len(rungs) < 2 && !f.connect.found {
			continue
		}
		sure := detect.Medium
		if f.connect.found {
			sure = detect.High
		}
		f.connect = connection{true, l.what, rungs, fit, sure}
		return
	}
}

// ConnectTail finds tails that are connection set-up.
var ConnectTail = detect.Detector{
	Name: "connect-tail", Severity: detect.Note, Reads: ingest.Load,
	Doc: `The tail is connection set-up

The slowest requests waited for a connection and not for the server's work:
lost SYN packets are sent again after 1, 3, 7 s, lost DNS queries after 5, 10,
15 s, and their requests stand in clusters just above these times. A full
accept queue or a lossy network shows this way.

It rests on the connection time of the samples where the report has it (at
least 80 % of each slow request), else on clusters at two or more of the steps
of one ladder that hold 90 % of the requests of a second and more (RFC 6298
section 2; resolv.conf(5), timeout).

Not reported: one cluster alone without connection times, which may be anything
that takes a round time; percentiles without samples; the first requests of the
workers (cold-start).`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding {
			c, t := &f.connect, &f.tail
			if !c.found {
				return nil
			}
			out := &detect.Finding{
				Confidence: c.sure,
				Remedy:     "Look at the accept queue (somaxconn, backlog), at lost packets and at the resolver; reuse connections.",
			}
			e := (*evidence)(&out.Evidence)
			switch c.what {
			case "":
				out.Message = fmt.Sprintf("the %s above %s (up to %s, raw) spent their time on setting up a connection", count(int64(c.slow), "request"), ms(t.max/2), ms(t.max))
			default:
				out.Message = fmt.Sprintf("the slow requests stand at the steps of lost %s packets (%s), up to %s (raw): they waited for a connection", c.what, strings.Join(c.rungs, ", "), ms(t.max))
			}
			s := t.slow[0]
			if s.Connect > 0 {
				e.add("slowest request, and its connection set-up", ms(int64(s.Latency))+", "+ms(int64(s.Connect)), "")
			} else {
				e.add("slowest request", ms(int64(s.Latency)), "")
			}
			e.at(s.Pos)
			return out
		})
	},
}
