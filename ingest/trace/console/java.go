package console

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
)

// Java is what LoggingSpanExporter of OpenTelemetry Java prints. It is
// recognised to say that it cannot be used.
var Java = ingest.Format{
	Name: "java-console",
	Doc: `Spans printed by OpenTelemetry Java (LoggingSpanExporter), which say too little

Lines like

    INFO: 'GET /cart' : 4d1e00c0db9010db86154a4ba6e91385 9d2c7a3ee9e2ba8e SERVER [tracer: my-lib:1.0] AttributesMap{…}

as OTEL_TRACES_EXPORTER=console, or logging, makes them. They have neither times
nor parents, so nothing can be said about them, and such a file is refused.

Produce one that can be read with:

    OTEL_TRACES_EXPORTER=logging-otlp java -javaagent:opentelemetry-javaagent.jar -jar app.jar 2> spans.log

which prints OTLP as JSON, or send the spans to a collector that has a file
exporter.
`,
	Yields: ingest.KindProblem,
	Sniff: func(head []byte) bool {
		for line := range bytes.Lines(head) {
			if isJavaSpan(line) {
				return true
			}
		}
		return false
	},
	Split: ingest.SplitNever,
	Read: func(io.Reader, ingest.Input) iter.Seq2[ingest.Record, error] {
		return func(yield func(ingest.Record, error) bool) { yield(nil, errJava) }
	},
}

var errJava = errors.New("spans of Java's LoggingSpanExporter have neither times nor parents: print them with OTEL_TRACES_EXPORTER=logging-otlp, or send them to a collector with a file exporter")

// isJavaSpan reports whether a line is: 'name' : traceId spanId KIND [tracer: …
// Versions before 0.14 left the colon out.
func isJavaSpan(line []byte) bool {
	i := bytes.Index(line, []byte(" [tracer: "))
	if i < 0 {
		return false
	}
	words := bytes.Fields(line[:i])
	n := len(words)
	return n >= 4 && kindByName(words[n-1]) != ingest.KindUnspecified && isHex(words[n-2], 16) && isHex(words[n-3], 32) && bytes.Contains(line[:i], []byte("'"))
}

func isHex(t []byte, n int) bool {
	for _, c := range t {
		if c-'0' > 9 && c-'a' > 5 {
			return false
		}
	}
	return len(t) == n
}
