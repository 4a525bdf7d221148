package detect

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// What a table says of a log does not depend on how its lines were spread over
// parts, nor on their order, with more routes, bins and windows than are kept.
func TestLogTablesMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for _, c := range []struct {
		name  string
		lines int
		ops   int
		span  time.Duration
	}{
		{"few", 2000, 3, time.Minute},
		{"many routes", 60_000, MaxRows + 9000, time.Minute},
		{"long", 150_000, 2, 200 * 24 * time.Hour},
		{"routes and time", 40_000, 500, 24 * time.Hour},
	} {
		var lines []ingest.Sample
		for i := range c.lines {
			s := ingest.Sample{Pos: ingest.Pos{Offset: int64(i)}, Op: fmt.Sprintf("GET /%d", r.IntN(c.ops)), Vantage: ingest.Proxy,
				Start: ingest.Time(1_800_000_000e9 + r.Int64N(int64(c.span))), Latency: time.Duration(r.Int64N(3e9))}
			switch r.IntN(9) {
			case 0:
				s.End, s.Start, s.Latency = s.Start, 0, ingest.NoLatency
			case 1:
				s.Stream = true
			case 2:
				s.Outcome = ingest.TimedOut
			case 3:
				s.Queue = s.Latency / 2
			case 4:
				s.Attempts = []ingest.Attempt{{Latency: 5}, {Latency: 6}}
			}
			lines = append(lines, s)
		}
		whole := &Table{}
		for i := range lines {
			whole.Sample(&lines[i])
		}
		whole.Finish()
		parts := make([]*Table, 4)
		for i := range parts {
			parts[i] = &Table{}
		}
		for _, i := range r.Perm(len(lines)) {
			parts[r.IntN(4)].Sample(&lines[i])
		}
		merged := &Table{}
		for _, i := range r.Perm(4) {
			parts[i].Settle()
			merged.Merge(parts[i])
		}
		merged.Finish()
		a, b := whole.Input(0), merged.Input(0)
		if a.Window != b.Window || a.First != b.First || a.Last != b.Last || !reflect.DeepEqual(a.Timeline.Bins(), b.Timeline.Bins()) || a.Timeline.Width() != b.Timeline.Width() {
			t.Errorf("%s: other timelines: %v and %v, %v and %v", c.name, a.Timeline.Width(), b.Timeline.Width(), a.Window, b.Window)
		}
		if len(a.Timeline.Bins()) > MaxBins || len(a.Rows()) > MaxRows+1 || len(a.Rows()) != len(b.Rows()) {
			t.Fatalf("%s: %d bins, %d and %d rows", c.name, len(a.Timeline.Bins()), len(a.Rows()), len(b.Rows()))
		}
		var total Traffic
		for i, x := range a.Rows() {
			y := b.Rows()[i]
			if x.Op != y.Op || x.Traffic != y.Traffic || x.Outcomes != y.Outcomes || x.Censored != y.Censored || x.Untimed != y.Untimed || x.Streams != y.Streams ||
				!reflect.DeepEqual(x.Service.Values(), y.Service.Values()) || !reflect.DeepEqual(x.Queues.Values(), y.Queues.Values()) {
				t.Fatalf("%s: row %s is another: %+v, %+v", c.name, x.Op, x.Traffic, y.Traffic)
			}
			total.Add(&x.Traffic)
			var windows Traffic
			for k, w := range x.Windows() {
				windows.Add(&w.Traffic)
				v := y.Windows()[k]
				if w.Number != v.Number || w.Traffic != v.Traffic || !reflect.DeepEqual(w.Latency.Values(), v.Latency.Values()) {
					t.Fatalf("%s: window %d of %s is another", c.name, w.Number, x.Op)
				}
			}
			if windows != x.Traffic {
				t.Fatalf("%s: windows of %s hold %+v of %+v", c.name, x.Op, windows, x.Traffic)
			}
		}
		if total.Requests != int64(c.lines) {
			t.Errorf("%s: %d of %d requests", c.name, total.Requests, c.lines)
		}
	}
}

// Bins keep moments exactly, however wide they have become.
func TestTimelineWidens(t *testing.T) {
	var line Timeline
	var want []ingest.Time
	for i := range MaxBins + 10 {
		end := ingest.Time(int64(i)*250e6 + 7)
		line.add(0, end, 0, false)
		want = append(want, end)
	}
	line.Sort()
	bins := line.Bins()
	if len(bins) > MaxBins || line.Width() != time.Second {
		t.Fatalf("%d bins of %v", len(bins), line.Width())
	}
	if bins[0].FirstEnd != want[0] || bins[0].LastEnd != want[3] || bins[0].Ends != 4 || bins[len(bins)-1].LastEnd != want[len(want)-1] {
		t.Errorf("%+v … %+v", bins[0], bins[len(bins)-1])
	}
}
