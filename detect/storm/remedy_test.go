package storm_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/storm"
	"github.com/tailcheck/tailcheck/ingest"
)

// first returns the first finding of an example.
func first(t *testing.T, name string) detect.Finding {
	t.Helper()
	arc, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	records, err := detecttest.Parse(string(arc.Files[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	return detecttest.Fold(storm.Detectors, [][]ingest.Record{records})[0]
}

// What is advised, in which order, and what must not be.
func TestRemedies(t *testing.T) {
	for name, c := range map[string]struct {
		says  []string
		never string
	}{
		"mget-storm_fires_split":            {[]string{"Group the keys by slot; here all 48 have", "{user:%d}", "Or send the commands for each server in one pipeline: at least 3 round trips instead of 48."}, "EVAL"},
		"mget-storm_fires_hidden-keys":      {[]string{"Group the keys by slot; 40 random keys have about 40.0 slots", "{group:%d}", "3 round trips instead of 40"}, "MGET"},
		"mget-storm_fires_pruned":           {[]string{"48 random keys have about 47.9 slots", "with one server, one command for all keys does", "at least 1 round trip instead of 48"}, "numbers 0"},
		"mget-storm_fires_gets-at-once":     {[]string{"Group the keys by slot and ask for each group with one MGET", "{price:%d}", "pipeline"}, "EVAL"},
		"mget-storm_fires_tags-in-chunks":   {[]string{"Group the keys by slot: 3 commands instead of 16", "do not add other tags", "pipeline"}, "%d}"},
		"mget-storm_fires_mset-then-expire": {[]string{"Write value and expiry together", "EVAL", "Group the keys by slot", "{price:%d}", "pipeline"}, "MGET"},
		"mget-storm_fires_set-ex":           {[]string{"Write value and expiry together", "pipeline"}, "MGET"},
	} {
		f := first(t, name)
		rest := f.Remedy
		for _, part := range c.says {
			at := strings.Index(rest, part)
			if at < 0 {
				t.Errorf("%s: %q is missing or in another order: %s", name, part, f.Remedy)
				break
			}
			rest = rest[at+len(part):]
		}
		if strings.Contains(f.Remedy, c.never) {
			t.Errorf("%s: %q: %s", name, c.never, f.Remedy)
		}
	}
}

// Impact is what the request waited, not the sum of what ran at once, and not the
// pauses that a pruned summary spans: by hand from the examples.
func TestImpact(t *testing.T) {
	for name, want := range map[string]time.Duration{
		"n-plus-one_fires_pruned":       48 * time.Millisecond,   // total=, the summary spans 50 ms
		"n-plus-one_fires_by-child":     180 * time.Millisecond,  // 6 x 30 ms
		"n-plus-one_fires_skewed":       200 * time.Millisecond,  // 10 x 20 ms
		"n-plus-one_fires_consumer":     150 * time.Millisecond,  // 30 x 5 ms
		"mget-storm_fires_back-to-back": 1200 * time.Microsecond, // 24 x 50 us
		"mget-storm_fires_gets-at-once": 1460 * time.Microsecond, // 23 x 20 us, and 1 ms for the last
		"repeated-call_fires_one-key":   10 * time.Millisecond,   // 2 x 5 repetitions of 1 ms
		"repeated-call_fires_at-once":   8 * time.Millisecond,    // the last of the repetitions ends last
	} {
		f := first(t, name)
		slack := time.Duration(0)
		if name == "repeated-call_fires_at-once" || name == "mget-storm_fires_gets-at-once" {
			slack = 500 * time.Microsecond // where the path leaves the last call for the one before
		}
		if d := f.Impact - want; d < -slack || d > slack {
			t.Errorf("%s: %v, want %v", name, f.Impact, want)
		}
	}
}
