// Package suite holds the three lists: what tailcheck reads, what it looks for,
// and how it prints. Adding to tailcheck means adding a line here.
package suite

import (
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/amplification"
	"github.com/tailcheck/tailcheck/detect/omission"
	"github.com/tailcheck/tailcheck/detect/retries"
	"github.com/tailcheck/tailcheck/detect/stall"
	"github.com/tailcheck/tailcheck/detect/storm"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hey"
	"github.com/tailcheck/tailcheck/ingest/load/hgrm"
	"github.com/tailcheck/tailcheck/ingest/load/hlog"
	"github.com/tailcheck/tailcheck/ingest/load/samples"
	"github.com/tailcheck/tailcheck/ingest/load/wrk"
	"github.com/tailcheck/tailcheck/ingest/load/wrk2"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/trace/console"
	"github.com/tailcheck/tailcheck/ingest/trace/debugtext"
	"github.com/tailcheck/tailcheck/ingest/trace/jaeger"
	"github.com/tailcheck/tailcheck/ingest/trace/otlp"
	"github.com/tailcheck/tailcheck/ingest/trace/spanscsv"
	"github.com/tailcheck/tailcheck/ingest/trace/stdouttrace"
	"github.com/tailcheck/tailcheck/ingest/trace/xray"
	"github.com/tailcheck/tailcheck/ingest/trace/zipkin"
)

// Formats are all inputs that tailcheck reads.
var Formats = slices.Concat([]ingest.Format{
	hey.Format,
	hey.CSV,
	wrk.Format,
	wrk2.Format,
	hgrm.Format,
	hlog.Format,
	samples.Format,

	otlp.JSON,
	otlp.Proto,
	jaeger.Format,
	zipkin.Format,
	stdouttrace.Format,
	console.JS,
	console.Python,
	console.Java,
	debugtext.Format,
	xray.Format,
	spanscsv.Format,
}, log.Formats(Logs...))

// Detectors are all checks, in the order in which they are explained.
var Detectors = slices.Concat[[]detect.Detector](
	omission.Detectors,
	amplification.Detectors,
	storm.Detectors,
	retries.Detectors,
	stall.Detectors,
)

// Renderers are all outputs.
var Renderers = []report.Renderer{
	report.Text,
	report.JSON,
	report.Markdown,
	report.GitHub,
	report.JUnit,
	report.SARIF,
	report.CSV,
	report.HTML,
}
