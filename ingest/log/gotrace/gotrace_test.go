package gotrace

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

func TestCorpus(t *testing.T) {
	for _, file := range []string{"recorded/l_go_loggers/gctrace.log", "go/golang_42642_gctrace.log"} {
		logtest.Check(t, Format, logtest.Case{File: file, Unit: time.Millisecond, Stamp: ingest.StampStart})
	}
	logtest.Claims(t, Format, "recorded/l_go_loggers/gctrace.log", "go/")
	logtest.Lines(t, Dialect, "recorded/l_go_loggers/gctrace.log", "go/")
}

func TestLines(t *testing.T) {
	for line, want := range map[string]struct {
		start, length time.Duration
		op            string
		err           error
	}{
		"gc 3 @2.361s 0%: 0.20+0.87+0.002 ms clock, 0.41+0/0.29/0.20+0.005 ms cpu, 23->23->17 MB, 23 MB goal, 0 MB stacks, 0 MB globals, 2 P": {2361 * time.Millisecond, 202 * time.Microsecond, "GC", nil},
		"gc 4 @0.000s 12%: 1+2+3 ms clock, 1+1/1/1+1 ms cpu, 1->1->1 MB, 1 MB goal, 2 P (forced)":                                             {0, 4 * time.Millisecond, "GC (forced)", nil},
		"gc 5 @1.5s 1%: 0.018+0.87+0.006+0.79+0.45 ms clock, 0 ms cpu, 1->1->1 MB, 1 MB goal, 2 P":                                            {1500 * time.Millisecond, 468 * time.Microsecond, "GC", nil}, // Go 1.5
		"gc 6 @1.5s 1%: 0.018+0.87 ms clock":      {err: log.ErrLatency},
		"gc 6 @1.5s 1%: 0.018+0.87+x ms clock":    {err: log.ErrLatency},
		"gc 6 @1.5s 1%: 0.018+0.87+-1 ms clock":   {err: log.ErrLatency},
		"gc 6 @1.5s 1%: 0.018+0.87+0.1":           {err: log.ErrOther}, // cut off
		"gc 6 @one s 1%: 0.018+0.87+0.1 ms clock": {err: log.ErrStamp},
		"gc 6 @9999999999999s 1%: 1+1+1 ms clock": {err: log.ErrStamp},
		"gc overhead":                {err: log.ErrOther},
		"\xff\xfe\x00":               {err: log.ErrOther},
		"scvg: 8 MB released":        {err: log.ErrIgnore},
		"pacer: assist ratio=+1.2":   {err: log.ErrIgnore},
		strings.Repeat("+", 100_000): {err: log.ErrOther},
	} {
		var e log.Entry
		e.Reset(ingest.Pos{})
		err := reader{}.Read([]byte(line), &e)
		if !errors.Is(err, want.err) || err == nil && (e.Stamp.Time != ingest.Relative(want.start) || e.Latency != want.length || e.Op != want.op || !e.Pause) {
			t.Errorf("%.80s: %v, %+v", line, err, e)
		}
		if own := claims([]byte(line)) == log.Own; own != (want.err == nil) {
			t.Errorf("%.80s: own %v", line, own)
		}
	}
}

const line = "gc 3 @2.361s 0%: 0.20+0.87+0.002 ms clock, 0.41+0/0.29/0.20+0.005 ms cpu, 23->23->17 MB, 23 MB goal, 0 MB stacks, 0 MB globals, 2 P\n"

// Without dates pauses are relative and say so; a container's stamps give dates.
func TestDates(t *testing.T) {
	got := logtest.Read(t, Format, []byte(line), ingest.Options{})
	if s := got.Log.Shapes[0]; s.Zone != ingest.ZoneNone || s.Stamp != ingest.StampStart || s.Resolution != time.Millisecond {
		t.Errorf("%+v", s)
	}
	if p := got.Pauses[0]; p.Start != ingest.Relative(2361*time.Millisecond) || !p.All {
		t.Errorf("%+v", p)
	}
	got = logtest.Read(t, Format, []byte("2026-11-29T21:16:22.500000000Z stderr F "+line), ingest.Options{})
	end := time.Date(2026, 11, 29, 21, 16, 22, 5e8, time.UTC)
	if p := got.Pauses[0]; p.Start != ingest.Time(end.Add(-p.Length).UnixNano()) {
		t.Errorf("%+v", p)
	}
	if s := got.Log.Shapes[0]; s.Zone != ingest.ZoneStated || s.Stamp != ingest.StampEnd || s.Wrapper != "CRI" {
		t.Errorf("%+v", s)
	}
}

func BenchmarkRead(b *testing.B) {
	var log bytes.Buffer
	const n = 10_000
	for i := range n {
		fmt.Fprintf(&log, "gc %d @%d.%03ds 0%%: 0.%02d+44+5.8 ms clock, 3.0+5.0/24/0+46 ms cpu, 158->294->294 MB, 159 MB goal, 8 P\n", i, i, i%1000, i%100)
	}
	b.SetBytes(int64(log.Len()))
	b.ReportAllocs()
	for b.Loop() {
		for range Format.Read(bytes.NewReader(log.Bytes()), ingest.Input{}) {
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

func FuzzRead(f *testing.F) {
	logtest.Fuzz(f, Format,
		line,
	)
}
