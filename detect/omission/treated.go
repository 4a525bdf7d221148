package omission

import (
	"fmt"
	"strings"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// AlreadyCorrectedNumbers are the numbers of an already-corrected finding.
type AlreadyCorrectedNumbers struct {
	Treatment string   `json:"treatment"` // filled, from-schedule; unknown where only the occupancy tells
	Occupancy *float64 `json:"occupancy"` // throughput x mean / workers; null: not known
}

// AlreadyCorrected finds figures that the tool itself has corrected.
var AlreadyCorrected = detect.Detector{
	Name: "already-corrected", Severity: detect.Note, Reads: ingest.Load,
	Doc: `The figures are corrected already

The tool made up for omitted requests before it printed: wrk since 4.0 fills in
samples at its own average interval, wrk2's "Recorded" block, pgbench -R and
YCSB's "Intended" rows are timed from the moment at which each request was due.
Correcting such figures again counts the same loss twice, so tailcheck never
does; it judges them as corrected ones.

It rests on tool and heading (wg/wrk src/wrk.c calls stats_correct with the
run's average interval before it prints, always, since commit ef6a836 of 2015;
giltene/wrk2 README), or on the numbers: by Little's law throughput x mean
cannot be above the number of connections, so an occupancy above 1.2 means that
samples were added (a healthy wrk run shows 0.75 to 1.0, one with a stall
43.5); or on more latencies than requests.

Not reported: a raw block beside a corrected one is named, not judged. wrk
before 4.0 prints the same text and overfills; its text does not say so.`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding { return f.alreadyCorrected() })
	},
}

func (f *facts) alreadyCorrected() *detect.Finding {
	if !f.usable() && !(f.corrected() && f.measured()) {
		return nil
	}
	out := &detect.Finding{Confidence: detect.High, Remedy: "Do not correct them again; judge them as they are, and say beside them that they are corrected."}
	e := (*evidence)(&out.Evidence)
	numbers := AlreadyCorrectedNumbers{Treatment: f.treated.String()}
	u := f.occupancy()
	if u > 0 {
		v := round(u)
		numbers.Occupancy = &v
	}
	switch {
	case f.corrected():
		var corrected, raw int
		how := f.treated
		for _, b := range f.blocks {
			switch {
			case b.treated.Corrected():
				how = b.treated
				if corrected++; b.agg != nil {
					e.add("block", b.treated.String(), "")
					e.at(b.agg.Pos)
				}
			case b.treated == ingest.Raw:
				if raw++; b.agg != nil {
					e.add("block", "raw", "")
					e.at(b.agg.Pos)
				}
			}
		}
		numbers.Treatment = how.String()
		if len(*e) == 0 {
			e.add("treatment", how.String(), "")
			e.at(f.run.Pos)
		}
		tool := f.run.Tool
		if tool == "" {
			tool = "the tool"
		}
		switch how {
		case ingest.Filled:
			out.Message = fmt.Sprintf("%s filled in samples for requests that it did not send before it printed: these percentiles are corrected, not raw", tool)
		default:
			out.Message = fmt.Sprintf("%s timed requests from the moment at which they were due: these percentiles are corrected, not raw", tool)
		}
		if raw > 0 && corrected > 0 {
			out.Message += "; the report also holds a raw block"
		}
		if u > overfull && how == ingest.Filled {
			e.add("throughput x mean / workers", short(u), "about 1 if nothing was added")
		}
	case len(f.contradictions()) > 0:
		return nil
	case f.treated != ingest.Raw && u > overfull && f.run.Loop != ingest.Open && f.run.Loop != ingest.Scheduled:
		out.Confidence = detect.Medium
		e.add("throughput x mean / workers", short(u), "about 1 if nothing was added")
		out.Message = fmt.Sprintf("a mean of %s cannot be raw: at %s it would keep %s requests waiting at once, and there is room for %s, so samples were added to it", ms(f.spread.mean), perSecond(f.rate), short(f.inFlight), f.workersWords())
	case f.treated != ingest.Raw && f.agg != nil && f.run.Counted && len(f.parts) == 1 && f.run.Requests > 0 && float64(f.agg.Count) > (1+rounding)*float64(f.run.Requests):
		out.Confidence = detect.Medium
		e.add("latencies", fmt.Sprint(f.agg.Count), fmt.Sprintf("at most the %d requests", f.run.Requests))
		out.Message = fmt.Sprintf("%d latencies of %d requests: samples were added for requests that were not sent", f.agg.Count, f.run.Requests)
	default:
		return nil
	}
	out.Numbers = numbers
	return out
}

// CorrectionNotStated finds figures of which nobody knows what they are.
var CorrectionNotStated = detect.Detector{
	Name: "correction-not-stated", Severity: detect.Note, Reads: ingest.Load,
	Doc: `Nothing says whether the figures are raw or corrected

An HdrHistogram file (.hgrm, .hlog) holds values and counts, not whether
samples were filled in, and half a year later nobody remembers. Raw figures of
a closed loop may hide a stall; corrected ones must not be corrected again.

It rests on the format: neither the file nor what is around it states it.

Not reported: rows of single requests, which are measured; reports whose
numbers tell (already-corrected).`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding {
			if !f.usable() || f.spread.source == samples || f.treated != ingest.TreatmentUnknown || f.corrected() || f.alreadyCorrected() != nil {
				return nil
			}
			out := &detect.Finding{
				Confidence: detect.High,
				Message:    fmt.Sprintf("nothing says whether these percentiles (p99 %s, max %s) are raw or already corrected for omitted requests", f.p99Words(), ms(f.spread.max)),
				Remedy:     "Write down with every report whether it is raw or corrected, and at which interval. Ask whoever recorded this one, or look at how: recordValueWithExpectedInterval fills, recordValue does not.",
			}
			e := (*evidence)(&out.Evidence)
			e.add("treatment", "not stated", "raw or corrected")
			switch {
			case f.agg != nil:
				e.at(f.agg.Pos)
			case f.in.Has:
				e.at(f.run.Pos)
			}
			return out
		})
	},
}

func (f *facts) p99Words() string {
	if f.tail.p99 < 0 {
		return "not printed"
	}
	return strings.TrimSpace(ms(f.tail.p99))
}
