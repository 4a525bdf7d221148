package calltree_test

import (
	"fmt"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

func Example() {
	start := ingest.Time(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano())
	span := func(id, parent byte, op, peer string, from, to time.Duration) *ingest.Span {
		return &ingest.Span{
			Trace: ingest.TraceID{15: 1}, ID: ingest.SpanID{7: id}, Parent: ingest.SpanID{7: parent},
			Service: "timeline", Op: op, Peer: peer, Start: start.Add(from * time.Millisecond), End: start.Add(to * time.Millisecond),
			Stands: 1, Resend: -1,
		}
	}
	var spans calltree.Spans
	spans.Add(span(1, 0, "GET /timeline", "", 0, 100))
	spans.Add(span(2, 1, "mget", "node-1", 10, 30))
	spans.Add(span(3, 1, "mget", "node-2", 10, 25))
	spans.Add(span(4, 1, "mget", "node-1", 11, 90))
	for trace, err := range spans.All() {
		if err != nil {
			fmt.Println(err)
			return
		}
		for parent := range trace.Parents() {
			for _, group := range trace.Groups(parent) {
				fmt.Println(group.Op, "x", len(group.Spans), "to", len(group.Peers()), "peers, at once", group.Peak())
			}
		}
		for _, piece := range trace.Path(trace.Roots()[0]) {
			fmt.Println(trace.Spans[piece.Span].Op, piece.Length())
		}
	}
	// Output:
	// mget x 3 to 2 peers, at once 3
	// GET /timeline 11ms
	// mget 79ms
	// GET /timeline 10ms
}
