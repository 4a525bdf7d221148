package slots_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/slots"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

const fixtures = "../../../../fixtures/trace/"

// What the READMEs of the fixtures say.
func TestFromTraces(t *testing.T) {
	for name, want := range map[string]struct {
		keys, batches int
		sent          int64
	}{
		"redis-mget-48":   {48, 5, 48},
		"redis-mget-tags": {48, 5, 3},
	} {
		keys, from, err := slots.FromTraces(fixtures+name+"/traces.jsonl", nil, suite.Formats)
		if err != nil || len(keys) != want.keys || from.Batches != want.batches || from.Sent != want.sent || from.Command != "MGET" || from.Hidden != 0 {
			t.Errorf("%s: %d keys, %+v, %v", name, len(keys), from, err)
		}
		again, same, err := slots.FromTraces(fixtures+name+"/traces.jsonl", nil, suite.Formats)
		if err != nil || !reflect.DeepEqual(keys, again) || !reflect.DeepEqual(from, same) {
			t.Errorf("%s: another run says something else", name)
		}
	}
}

// An export that ends in the middle: what came before is used, and it is said.
func TestFromCutTrace(t *testing.T) {
	whole, err := os.ReadFile(fixtures + "redis-mget-48/traces.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	if err := os.WriteFile(path, whole[:len(whole)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	_, from, err := slots.FromTraces(path, nil, suite.Formats)
	if err != nil || from.Problems == 0 {
		t.Errorf("%+v %v", from, err)
	}
}

// Statements that hide their keys leave nothing to work with, and that is said.
func TestHiddenKeys(t *testing.T) {
	line := `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},"scopeSpans":[{"spans":[{"traceId":"29fb6aa97c91312eb24946d98b42798f","spanId":"2295151a1a7ee21c","name":"MGET","kind":3,"startTimeUnixNano":"1796082185707176006","endTimeUnixNano":"1796082185707280020","attributes":[{"key":"db.system","value":{"stringValue":"redis"}},{"key":"db.statement","value":{"stringValue":"MGET ? ?"}}],"status":{}}]}]}]}`
	_, _, err := slots.FromTraces("-", strings.NewReader(line+"\n"), suite.Formats)
	if err == nil || !strings.Contains(err.Error(), "none of 1 Redis statements shows a key") {
		t.Errorf("%v", err)
	}
}

func BenchmarkFromTraces(b *testing.B) {
	path := fixtures + "redis-mget-48/traces.jsonl"
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		if _, _, err := slots.FromTraces(path, nil, suite.Formats); err != nil {
			b.Fatal(err)
		}
	}
}
