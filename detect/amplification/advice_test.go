package amplification_test

import (
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/detecttest"
)

func one(t *testing.T, detector, text string) detect.Finding {
	t.Helper()
	records, err := detecttest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fold(records) {
		if f.Detector == detector {
			return f
		}
	}
	t.Fatalf("no %s", detector)
	return detect.Finding{}
}

func evidence(f detect.Finding, what string) (got, want string) {
	for _, e := range f.Evidence {
		if strings.HasPrefix(e.What, what) {
			return e.Got, e.Want
		}
	}
	return "", ""
}

// Advice follows the cause: hedging where calls are slow by themselves, never
// where they are slow together or fail, and a hot peer first.
func TestAdvice(t *testing.T) {
	const leaf = `span root parent=- service=feed op=feed kind=server tail=100us
span leaf parent=root service=feed op=shard kind=client peer=shard-{i} `
	f := one(t, "tail-amplification", `trace 1 x100 seed=3 every=1s
`+leaf+`for=2ms..5ms|1.6%:60ms..75ms x69`)
	if !strings.Contains(f.Remedy, "Hedge:") {
		t.Errorf("slow by themselves: %s", f.Remedy)
	}
	// Of 40 % of the requests no call is slow, of the others 5 % are.
	f = one(t, "tail-amplification", `trace 1 x120 seed=5 every=1s
`+leaf+`for=2ms..5ms|5%:60ms..75ms x69
trace 1001 x80 seed=6 every=1s
`+leaf+`for=2ms..5ms x69`)
	got, want := evidence(f, "requests with a slow call")
	if got[:2] >= want[:2] { // both of two digits
		t.Errorf("slow together: %s of the requests meet a slow call, %s: want fewer than if independent", got, want)
	}
	if words, _ := evidence(f, "slow calls"); words != "come together" {
		t.Error("not said that slow calls come together")
	}
	if hedged, _ := evidence(f, "root p50 hedged"); hedged != "" || strings.Contains(f.Remedy, "Hedge:") || !strings.Contains(f.Remedy, "Do not hedge") {
		t.Errorf("slow together: hedged %q, %s", hedged, f.Remedy)
	}
	// One call in ten fails.
	f = one(t, "tail-amplification", `trace 1 x100 seed=3 every=1s
`+leaf+`for=2ms..5ms|1.8%:60ms..75ms x62
span bad parent=root service=feed op=shard kind=client peer=shard-{i} for=2ms..5ms outcome=failed x7`)
	if hedged, _ := evidence(f, "root p50 hedged"); hedged != "" || strings.Contains(f.Remedy, "Hedge:") || !strings.Contains(f.Remedy, "Many of the calls fail") {
		t.Errorf("failing: hedged %q, %s", hedged, f.Remedy)
	}
	f = one(t, "tail-amplification", `trace 1 x300 seed=3 every=1s
`+leaf+`for=2ms..5ms|1.2%:40ms..60ms x68
span hot parent=root service=feed op=shard kind=client peer=shard-68 for=2ms..5ms|30%:90ms..120ms`)
	if !strings.HasPrefix(f.Remedy, "First see to shard-68") {
		t.Errorf("beside a hot peer: %s", f.Remedy)
	}
}
