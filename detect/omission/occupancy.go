package omission

import (
	"fmt"
	"math"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// HiddenNumbers are the numbers of a hidden-time finding.
type HiddenNumbers struct {
	Occupancy float64 `json:"occupancy"`   // throughput x mean / workers
	Hidden    float64 `json:"hidden_ms"`   // per request, outside every latency
	Share     float64 `json:"hidden_time"` // share of the workers' time
}

// What a generator itself costs per request: 10 to 50 µs, and connection
// handling in the order of a third of a latency.
const (
	clientCost  = 50e-6 // seconds
	clientShare = 3
)

// HiddenTime finds closed loops whose workers spent time outside every latency.
var HiddenTime = detect.Detector{
	Name: "hidden-time", Severity: detect.Warning, Reads: ingest.Load,
	Doc: `Time passed outside every latency

In a closed loop without pauses each worker waits for answers nearly all the
time: throughput x mean latency is the number of workers (sound runs 0.92 to
1.00 of it). Where much is missing, workers were busy with something that no
latency shows: requests that timed out, connections that starved or had to be
made again, or a generator that could not keep up.

It rests on Little's law: (workers - throughput x mean)/throughput is the time
per request that is in no latency, and it is more than a generator costs (50
µs, and a third of the mean). Little, "A Proof for the Queuing Formula L = λW"
(1961).

Not reported: loops that are paced by a rate or pauses, or may be (neither the
tool nor its command line says that nothing paced it); lost requests that a
limit explains (censored-tail); runs whose number of workers is not known.`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding {
			run := f.run
			u := f.occupancy()
			if run.Loop != ingest.Closed || !f.counted || run.Command == "" && run.Tool != "wrk" || u <= 0 || len(f.parts) != 1 || f.spread.n < fewSamples || f.plan.rate > 0 || run.Interval > 0 || run.Capped || len(f.contradictions()) > 0 {
				return nil
			}
			mean := seconds(f.spread.mean)
			hidden := (f.workers - f.inFlight) / f.rate
			if hidden <= math.Max(clientCost, mean/clientShare) {
				return nil
			}
			// What timed out took its limit, or as much as there was.
			if f.failed.limit > 0 && f.failed.timeouts > 0 {
				if lost := float64(f.failed.timeouts) * seconds(f.failed.limit); lost >= 0.5*hidden*f.rate*f.elapsed {
					return nil
				}
			}
			out := &detect.Finding{
				Confidence: detect.Medium,
				Numbers:    HiddenNumbers{round(u*100) / 100, round(hidden * 1e3), round(100*(1-u)) / 100},
				Message: fmt.Sprintf("%s were waiting for answers only %s of the time: %s per request passed outside every latency (the mean is %s)",
					count(int64(f.workers), "worker"), percent(u), ms(int64(hidden*1e9)), ms(f.spread.mean)),
				Remedy: "See where the time went: requests that timed out, connections that were made again, pauses, or a generator short of processor.",
			}
			e := (*evidence)(&out.Evidence)
			e.add("throughput x mean / workers", short(u), "0.92 to 1.00")
			if f.agg != nil {
				e.at(f.agg.Pos)
			}
			e.add("workers", f.workersWords(), "")
			return out
		})
	},
}
