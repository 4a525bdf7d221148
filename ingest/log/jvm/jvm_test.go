package jvm

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

func TestCorpus(t *testing.T) {
	for _, c := range []logtest.Case{
		{File: "recorded/k_jvm/gc_serial.log", Unit: time.Millisecond},
		{File: "jvm/opsagent_elasticsearch_gc.log", Unit: time.Millisecond},
		{File: "jvm/gcviewer_g1_all_safepoint.log", Unit: time.Millisecond},
		{File: "jvm/gcviewer_jdk7_g1_stopped.log", Unit: time.Second},
	} {
		c.Stamp = ingest.StampEnd
		logtest.Check(t, Format, c)
	}
	logtest.Claims(t, Format, "recorded/k_jvm/gc_serial.log", "jvm/")
	logtest.Lines(t, Dialect, "recorded/k_jvm/gc_serial.log", "jvm/")
}

// The recorded run: the machine's own lines of the start of each pause say when
// it began, 13:25:59.837 and 13:26:05.370 in Los Angeles.
func TestRecorded(t *testing.T) {
	got := logtest.Read(t, Format, logtest.Load(t, "recorded/k_jvm/gc_serial.log"), ingest.Options{})
	for i, want := range []struct {
		op         string
		start, end time.Time
	}{
		{"Pause Young (Allocation Failure)", time.Date(2026, 11, 29, 21, 25, 59, 837e6, time.UTC), time.Date(2026, 11, 29, 21, 26, 2, 970e6, time.UTC)},
		{"Pause Full (System.gc())", time.Date(2026, 11, 29, 21, 26, 5, 370e6, time.UTC), time.Date(2026, 11, 29, 21, 26, 6, 878e6, time.UTC)},
	} {
		p := got.Pauses[i]
		start, end := time.Unix(0, int64(p.Start)), time.Unix(0, int64(p.Start.Add(p.Length)))
		if d := start.Sub(want.start).Abs(); d > time.Millisecond || !end.Equal(want.end) || p.Op != want.op {
			t.Errorf("%q from %v to %v, want %+v", p.Op, start.UTC(), end.UTC(), want)
		}
	}
}

const (
	dated  = "[2026-11-29T21:26:06.878+0000][8.185s][info][gc          ] "
	safely = "[2026-11-29T21:26:06.883+0000][8.190s][info][safepoint   ] "
)

func TestLines(t *testing.T) {
	at := func(ms int) ingest.Time {
		return ingest.Time(time.Date(2026, 11, 29, 21, 26, 6, ms*1e6, time.UTC).UnixNano())
	}
	type want struct {
		op     string
		start  ingest.Time
		length time.Duration
	}
	for name, c := range map[string]struct {
		log      string
		want     []want
		problems int
	}{
		"a pause and the safepoint around it": {
			dated + "GC(1) Pause Young (Normal) (G1 Evacuation Pause) 20M->10M(64M) 8.000ms\n" +
				safely + `Safepoint "G1CollectForAllocation", Time since last: 1 ns, Reaching safepoint: 3375 ns, Cleanup: 1 ns, At safepoint: 12000000 ns, Total: 13000000 ns`,
			[]want{{"Pause Young (Normal) (G1 Evacuation Pause)", at(870), 8 * time.Millisecond}}, 0},
		"a long way to the safepoint": {
			dated + "GC(1) Pause Young (Normal) (G1 Evacuation Pause) 20M->10M(64M) 8.000ms\n" +
				safely + `Safepoint "G1CollectForAllocation", Time since last: 1 ns, Reaching safepoint: 500000000 ns, Cleanup: 1 ns, At safepoint: 12000000 ns, Total: 513000000 ns`,
			[]want{{"Pause Young (Normal) (G1 Evacuation Pause)", at(870), 8 * time.Millisecond}, {"reaching a safepoint", at(370), 500 * time.Millisecond}}, 0},
		"safepoints without a pause": {
			safely + `Safepoint "Cleanup", Time since last: 1 ns, Reaching safepoint: 1 ns, Cleanup: 1 ns, At safepoint: 1 ns, Total: 999999 ns` + "\n" +
				safely + `Safepoint "ThreadDump", Time since last: 1 ns, Reaching safepoint: 1 ns, At safepoint: 1 ns, Leaving safepoint: 5 ns, Total: 83000000 ns`,
			[]want{{"safepoint ThreadDump", at(800), 83 * time.Millisecond}}, 0},
		"JDK 11": {
			"[8.185s][info][gc] GC(0) Pause Full (Ergonomics) 20M->10M(64M) 8.000ms\n" +
				"[8.185s][info][safepoint] Total time for which application threads were stopped: 0.0082168 seconds, Stopping threads took: 0.0000337 seconds\n" +
				"[9.000s][info][safepoint] Total time for which application threads were stopped: 0.0500000 seconds, Stopping threads took: 0.0400000 seconds",
			[]want{{"Pause Full (Ergonomics)", ingest.Relative(8177 * time.Millisecond), 8 * time.Millisecond}, {"application threads stopped", ingest.Relative(8950 * time.Millisecond), 50 * time.Millisecond}}, 0},
		"starts and phases are none": {
			dated + "GC(1) Pause Young (Allocation Failure)\n" + dated + "GC(1) Concurrent Mark 500.000ms\n" + dated + "GC(1) Phase 1: Mark live objects 477.269ms\n" + dated + "GC(1)   Other: 0.3ms", nil, 0},
		"ZGC and Shenandoah": {
			dated + "GC(3) Y: Pause Mark Start 0.012ms\n" + dated + "GC(3) Pause Init Mark (unload classes) 0.123ms\n" + dated + "GC(3) Garbage Collection (Warmup) 200M(10%)->30M(1%)",
			[]want{{"Pause Mark Start", at(878).Add(-12 * time.Microsecond), 12 * time.Microsecond}, {"Pause Init Mark (unload classes)", at(878).Add(-123 * time.Microsecond), 123 * time.Microsecond}}, 0},
		"uptime in ms, and tags": {"[8185ms][gc] GC(1) Pause Remark 5M->5M(9M) 1.000ms", []want{{"Pause Remark", ingest.Relative(8184 * time.Millisecond), time.Millisecond}}, 0},
		"milliseconds since the epoch": {
			fmt.Sprintf("[%dms][info][gc] GC(1) Pause Remark 5M->5M(9M) 1.000ms", int64(at(878))/1e6), []want{{"Pause Remark", at(877), time.Millisecond}}, 0},
		"no decorations": {"GC(1) Pause Remark 5M->5M(9M) 1.000ms", []want{{"Pause Remark", 0, time.Millisecond}}, 0},
		"JDK 8": {
			"2026-11-29T22:26:06.878+0100: 366.174: Total time for which application threads were stopped: 0.0001000 seconds, Stopping threads took: 0.0000042 seconds\n" +
				"2026-11-29T22:26:06.878+0100: 366,174: Total time for which application threads were stopped: 0,0010000 seconds\n" +
				"366.174: Total time for which application threads were stopped: 1.0000000 seconds\n" +
				"Total time for which application threads were stopped: 2.0000000 seconds\n" +
				"2026-11-29T22:26:06.878+0100: 366.174: Application time: 0.1177031 seconds\n" +
				"2026-11-29T22:26:06.878+0100: 366.174: [GC (Allocation Failure) 1M->1M(2M), 0.0015 secs]\n",
			[]want{{"application threads stopped", at(878).Add(-100 * time.Microsecond), 100 * time.Microsecond}, {"application threads stopped", at(877), time.Millisecond},
				{"application threads stopped", ingest.Relative(365174 * time.Millisecond), time.Second}, {"application threads stopped", 0, 2 * time.Second}}, 0},
		"cut off": {
			safely + "Safepoint \"Cleanup\", Time since last: 10\n" + "366.174: Total time for which application threads were stopped: 1.00\n" + dated + "GC(1) Pause Remark 5M->5M(9M) 1..0ms\n", nil, 3},
		"no stamp of ours":     {"2026-99-29T22:26:06.878+0100: Total time for which application threads were stopped: 1.00 seconds\n", nil, 1},
		"another program":      {"server started\n\xff\xfe\n", nil, 2},
		"a line of 100 kB":     {dated + "GC(1) Pause " + strings.Repeat("x", 100_000) + " 1.000ms", []want{{"Pause " + strings.Repeat("x", maxName-6), at(877), time.Millisecond}}, 0},
		"a run of NULs":        {"\x00\x00\x00" + dated + "GC(1) Pause Remark 1.000ms", []want{{"Pause Remark", at(877), time.Millisecond}}, 0},
		"brackets, no end":     {"[[[[[[[", nil, 1},
		"a length of no sense": {dated + "GC(1) Pause Remark 99999999999999999999ms", nil, 1},
	} {
		got := logtest.Read(t, Format, []byte(c.log), ingest.Options{})
		if len(got.Pauses) != len(c.want) || len(got.Problems) != c.problems {
			t.Errorf("%s: %+v, %v", name, got.Pauses, got.Problems)
			continue
		}
		for i, w := range c.want {
			if p := got.Pauses[i]; p.Op != w.op || p.Start != w.start || p.Length != w.length || !p.All {
				t.Errorf("%s: %+v, want %+v", name, p, w)
			}
		}
	}
}

// Without dates the log says so.
func TestDates(t *testing.T) {
	text := "[8.185s][info][gc] GC(0) Pause Full (Ergonomics) 20M->10M(64M) 8.000ms\n"
	got := logtest.Read(t, Format, []byte(text), ingest.Options{})
	if s := got.Log.Shapes[0]; s.Zone != ingest.ZoneNone || s.Stamp != ingest.StampEnd || s.Resolution != time.Millisecond {
		t.Errorf("%+v", s)
	}
	got = logtest.Read(t, Format, []byte("2026-11-29T21:26:06.878123456Z stdout F "+text), ingest.Options{})
	want := ingest.Time(time.Date(2026, 11, 29, 21, 26, 6, 870123456, time.UTC).UnixNano())
	if s := got.Log.Shapes[0]; got.Pauses[0].Start != want || s.Zone != ingest.ZoneStated {
		t.Errorf("%+v, %+v", got.Pauses[0], s)
	}
}

func TestNear(t *testing.T) {
	head := []byte("2026-11-29T22:26:06.878+0100: 366.174: [GC (Allocation Failure) 1M->1M(2M), 0.0015 secs]\n")
	if Format.Sniff(head) || !strings.Contains(Format.Near(head), "PrintGCApplicationStoppedTime") {
		t.Error(Format.Near(head))
	}
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	const n = 20_000
	for i := range n {
		if i%2 == 0 {
			fmt.Fprintf(&text, "[2026-11-29T21:26:%02d.878+0000][8.185s][info][gc          ] GC(%d) Pause Young (Normal) (G1 Evacuation Pause) 1725M->1196M(4949M) 7.%03dms\n", i/400, i, i%1000)
		} else {
			fmt.Fprintf(&text, "[2026-11-29T21:26:%02d.878+0000][8.185s][info][gc,heap     ] GC(%d) Eden regions: 47->0(45)\n", i/400, i)
		}
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		for range Format.Read(bytes.NewReader(text.Bytes()), ingest.Input{}) {
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

func FuzzRead(f *testing.F) {
	logtest.Fuzz(f, Format,
		dated+"GC(1) Pause Full (System.gc()) 1M->1M(2M) 8.000ms\n"+safely+`Safepoint "Cleanup", Time since last: 1 ns, Reaching safepoint: 2000000 ns, Total: 3000000 ns`,
		"2026-11-29T22:26:06.878+0100: 366,174: Total time for which application threads were stopped: 0,0010000 seconds, Stopping threads took: 0.0000042 seconds\n",
		"[1795987502123ms][12ns][gc] GC(1) Y: Pause Mark End 1.000ms\n",
	)
}
