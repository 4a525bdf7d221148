package suite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
)

func combined(b *strings.Builder, at time.Duration, path string, took float64) {
	stamp := time.Unix(1_790_000_000, 0).UTC().Add(at).Format("02/Jan/2006:15:04:05 -0700")
	fmt.Fprintf(b, "203.0.113.9 - - [%s] \"GET %s HTTP/1.1\" 200 41 \"-\" \"-\" rt=%.3f\n", stamp, path, took)
}

// A route that is counted among others, because the log has too many, does not
// pass its objective; looked at alone it is judged.
func TestObjectiveOnAFoldedRoute(t *testing.T) {
	var b strings.Builder
	letters := func(i int) (s string) {
		for range 4 {
			s += string(rune('g' + i%20)) // no hexadecimal digits: it must not look like an id
			i /= 20
		}
		return s
	}
	const routes = detect.MaxRows + 8000
	for i := range routes {
		combined(&b, time.Duration(i)*time.Millisecond, "/r"+letters(i)+"x", 2)
	}
	path := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	// Which routes are kept depends on their hashes: some of these are not.
	folded := 0
	for i := range 12 {
		op := "GET /r" + letters(i) + "x"
		out := judged(t, check.Flags{SLA: []string{op + ": p99<50ms"}, FailOn: "never"}, path)
		switch out.Verdict {
		case sla.Pass:
			t.Errorf("%s passes: %s", op, out.Why)
		case sla.Inconclusive:
			folded++
			if !strings.Contains(out.Why, detect.Others) {
				t.Errorf("%s: %s", op, out.Why)
			}
			if out = judged(t, check.Flags{SLA: []string{op + ": p99<50ms"}, FailOn: "never", Op: op}, path); out.Verdict != sla.Fail {
				t.Errorf("%s alone: %s: %s", op, out.Verdict, out.Why)
			}
		}
	}
	if folded == 0 {
		t.Error("no route was folded: the test tests nothing")
	}
}

// A log of which most lines were not read passes nothing, not even without an
// objective; nor does one route of it that has hardly any latencies.
func TestLogsThatWereHardlyRead(t *testing.T) {
	var b strings.Builder
	for i := range 10 {
		combined(&b, time.Duration(i)*time.Second, "/a", 0.005)
	}
	b.WriteString(strings.Repeat("what is this\n", 11))
	path := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sla := range [][]string{nil, {"p99<50ms"}, {"errors<1%"}, {"rate>=0.1/s"}} {
		if out := judged(t, check.Flags{SLA: sla, FailOn: "never"}, path); out.Verdict != "inconclusive" {
			t.Errorf("%v: %s: %s", sla, out.Verdict, out.Why)
		}
	}
}
