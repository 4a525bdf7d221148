package detect

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// A response time counts from the moment that a request was due, and is never
// shorter than the request took: one that was sent early counts from its send.
func TestResponseOfEarlySends(t *testing.T) {
	var table Table
	at := func(d time.Duration) ingest.Time { return ingest.Relative(d) }
	for i, x := range []struct{ due, start time.Duration }{
		{time.Second, time.Second}, {time.Second, 3 * time.Second}, {time.Hour, time.Second},
	} {
		s := ingest.Sample{Pos: ingest.Pos{Offset: int64(i)}, Due: at(x.due), Start: at(x.start), Latency: 50 * time.Millisecond}
		table.Sample(&s)
	}
	table.Finish()
	r := &table.Input(0).Rows()[0].Response
	if r.Count() != 3 || r.Min() != int64(50*time.Millisecond) || r.Max() != int64(2050*time.Millisecond) || r.Percentile(50_000_000) != r.Min() {
		t.Errorf("%v", r.Values())
	}
}
