package check

import "github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"

// Bounds of the charts of a result, so that a page stays readable.
const (
	maxSpectra   = 8 // of load reports and logs
	maxTimelines = 4
)

// charts fills in what is drawn, where some renderer draws.
func (j *judge) charts() {
	if !j.opt.Charts {
		return
	}
	j.spectra()
	drawn := 0
	for _, x := range j.inputs {
		if drawn < maxTimelines && x.kind() == kindLoad && j.timeline(x) {
			drawn++
		}
	}
	drawn = 0
	for _, x := range j.inputs {
		if drawn < maxTimelines && x.kind() == kindLog && j.logTimeline(x) {
			drawn++
		}
	}
	j.traceCharts()
}

func (j *judge) draw(c report.Chart) { j.out.Charts = append(j.out.Charts, c) }
