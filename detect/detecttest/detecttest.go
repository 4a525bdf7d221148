// Package detecttest runs detectors over examples that people can read: txtar
// files that hold records, and what must be found in them.
//
// An example is one file. Its comment says what it is about. Two sections:
//
//	-- records --
//	run tool=hey loop=closed treated=raw workers=1 elapsed=12s
//	sample start=0ms latency=50ms x199 every=50ms
//	-- want --
//	coordinated-omission high
//
// See Parse for the language of records. Each line of "want" names a finding:
// the detector, its confidence, and, as far as the example cares, input=N,
// op=NAME, a quoted piece of the message, or name=value of its numbers. Every
// finding of the detectors under test must be wanted, and every wanted one must
// be found; an example that wants none says "nothing".
//
// Files are named DETECTOR_KIND_what.txtar, KIND one of fires, innocent (it does
// not, and must not) and cannot-tell (nothing, or no more than low confidence).
// A detector without one of each fails.
package detecttest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// Run runs all detectors of a family over all examples in dir.
func Run(t *testing.T, dir string, detectors []detect.Detector) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples in %s (%v)", dir, err)
	}
	kinds := map[string]map[string]bool{}
	for _, d := range detectors {
		kinds[d.Name] = map[string]bool{}
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		parts := strings.SplitN(name, "_", 3)
		if len(parts) < 2 || kinds[parts[0]] == nil || !slices.Contains(exampleKinds, parts[1]) {
			t.Errorf("%s: want the name DETECTOR_KIND_what.txtar, KIND one of %s", file, strings.Join(exampleKinds, ", "))
			continue
		}
		kinds[parts[0]][parts[1]] = true
		t.Run(name, func(t *testing.T) { example(t, file, parts[0], parts[1], detectors) })
	}
	for _, d := range detectors {
		for _, kind := range exampleKinds {
			if !kinds[d.Name][kind] {
				t.Errorf("%s has no example %s_%s*.txtar", d.Name, d.Name, kind)
			}
		}
	}
}

var exampleKinds = []string{"fires", "innocent", "cannot-tell"}

func example(t *testing.T, file, detector, kind string, detectors []detect.Detector) {
	arc, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, f := range arc.Files {
		sections[f.Name] = string(f.Data)
	}
	if strings.TrimSpace(string(arc.Comment)) == "" {
		t.Error("no comment: say what the example is about")
	}
	if len(arc.Files) != 2 || sections["records"] == "" || sections["want"] == "" {
		t.Fatal("want the sections records and want")
	}
	records, err := Parse(sections["records"])
	if err != nil {
		t.Fatal(err)
	}
	wants, err := parseWants(sections["want"])
	if err != nil {
		t.Fatal(err)
	}
	sides(t, wants, detector, kind)
	found := Fold(detectors, [][]ingest.Record{records})
	for _, problem := range compare(found, wants) {
		t.Error(problem)
	}
	for _, f := range found {
		wellFormed(t, f)
		if t.Failed() {
			t.Logf("%s (%v), inputs %v: %s %s", f.Detector, f.Confidence, f.Inputs, f.Message, Numbers(f))
			for _, e := range f.Evidence {
				t.Logf("    %s: %s (%s)", e.What, e.Got, e.Want)
			}
		}
	}
	sameHoweverFolded(t, detectors, records, found)
}

// sides keeps the example what its name says.
func sides(t *testing.T, wants []want, detector, kind string) {
	fires, above := false, false
	for _, w := range wants {
		if w.detector == detector {
			fires = true
			above = above || w.confidence > detect.Low
		}
	}
	switch {
	case kind == "fires" && !fires:
		t.Errorf("an example named %s_fires wants it to fire", detector)
	case kind == "innocent" && fires:
		t.Errorf("an example named %s_innocent wants it to be silent", detector)
	case kind == "cannot-tell" && above:
		t.Errorf("an example named %s_cannot-tell wants it to be silent, or of low confidence", detector)
	}
}

// Fold gives each part to tallies of its own, merges them in the order of the
// parts, and returns what is found, in the order of the detectors.
func Fold(detectors []detect.Detector, parts [][]ingest.Record) []detect.Finding {
	var table *detect.Table
	tallies := make([]detect.Tally, len(detectors))
	for _, part := range parts {
		one := &detect.Table{}
		for _, rec := range part {
			one.Add(rec)
		}
		if table == nil {
			table = one
		} else {
			table.Merge(one)
		}
		for i, d := range detectors {
			if d.New == nil {
				continue
			}
			tally := d.New()
			for _, rec := range part {
				if d.Reads&kindOf(rec) != 0 {
					tally.Add(rec)
				}
			}
			if tallies[i] == nil {
				tallies[i] = tally
			} else {
				tallies[i].Merge(tally)
			}
		}
	}
	if table == nil {
		table = &detect.Table{}
	}
	table.Finish()
	var out []detect.Finding
	for i, d := range detectors {
		var found []detect.Finding
		if d.Judge != nil {
			found = d.Judge(table)
		}
		if tallies[i] != nil {
			found = append(found, tallies[i].Findings()...)
		}
		for _, f := range found {
			f.Detector, f.Severity = d.Name, d.Severity
			out = append(out, f)
		}
	}
	return out
}

func kindOf(rec ingest.Record) ingest.Kinds {
	switch rec.(type) {
	case *ingest.Run:
		return ingest.KindRun
	case *ingest.Sample:
		return ingest.KindSample
	case *ingest.Aggregate:
		return ingest.KindAggregate
	case *ingest.Pause:
		return ingest.KindPause
	case *ingest.Span:
		return ingest.KindSpan
	case *ingest.Trace, *calltree.Trace:
		return ingest.KindTrace
	case *ingest.Problem:
		return ingest.KindProblem
	}
	return 0
}

// sameHoweverFolded is the law of merging: any split, any order.
func sameHoweverFolded(t *testing.T, detectors []detect.Detector, records []ingest.Record, found []detect.Finding) {
	r := rand.New(rand.NewPCG(uint64(len(records)), 7))
	for try := range 4 {
		shuffled := slices.Clone(records)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		parts := make([][]ingest.Record, 1+r.IntN(5))
		for i, rec := range shuffled {
			p := r.IntN(len(parts))
			if try == 0 {
				p = i % len(parts)
			}
			parts[p] = append(parts[p], rec)
		}
		if again := Fold(detectors, parts); !reflect.DeepEqual(again, found) {
			t.Fatalf("folded in %d parts in another order, other findings:\n%s\ninstead of\n%s", len(parts), words(again), words(found))
		}
	}
}

func words(found []detect.Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s %v %v %q: %s %s %v\n", f.Detector, f.Confidence, f.Inputs, f.Op, f.Message, Numbers(f), f.Evidence)
	}
	return b.String()
}

// wellFormed checks what every finding owes its reader.
func wellFormed(t *testing.T, f detect.Finding) {
	switch {
	case f.Message == "" || strings.HasSuffix(f.Message, ".") || strings.Contains(f.Message, "\n"):
		t.Errorf("%s: the message is one sentence without a full stop: %q", f.Detector, f.Message)
	case strings.Contains(f.Message, f.Detector):
		t.Errorf("%s: the message repeats the name: %q", f.Detector, f.Message)
	case len(f.Inputs) == 0 || !slices.IsSorted(f.Inputs):
		t.Errorf("%s: inputs %v", f.Detector, f.Inputs)
	case f.Remedy == "":
		t.Errorf("%s: no remedy", f.Detector)
	case len(f.Evidence) == 0:
		t.Errorf("%s: no evidence", f.Detector)
	}
	if _, err := json.Marshal(f.Numbers); err != nil {
		t.Errorf("%s: numbers: %v", f.Detector, err)
	}
	for _, bad := range []string{"NaN", "Inf", "%!"} {
		for _, e := range f.Evidence {
			if strings.Contains(e.What+e.Got+e.Want, bad) {
				t.Errorf("%s: evidence %+v", f.Detector, e)
			}
		}
		if strings.Contains(f.Message, bad) {
			t.Errorf("%s: message %q", f.Detector, f.Message)
		}
	}
}
