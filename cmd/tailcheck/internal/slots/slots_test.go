package slots

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/internal/redisslot"
)

func cluster(t *testing.T, ranges string) *redisslot.Cluster {
	t.Helper()
	c, err := redisslot.ParseRanges(ranges)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// amplification.md section 2: 28 tried, 8 skipped, 0-17, 23, 27; twice the same.
func TestAnchors(t *testing.T) {
	c := cluster(t, "0-3276,3277-6553,6554-9830,9831-13107,13108-16383")
	r, err := New(nil, nil, Options{Cluster: c, Template: "routing:v1:%d"})
	if err != nil {
		t.Fatal(err)
	}
	a := r.Anchors
	if a.Tried != 28 || a.Skipped != 8 || len(a.Kept) != 20 || numbers(a.Kept) != "0-17, 23, 27" || fmt.Sprint(a.Count) != "[4 4 4 4 4]" || a.Short != nil {
		t.Errorf("%+v", a)
	}
	again, _ := New(nil, nil, Options{Cluster: c, Template: "routing:v1:%d"})
	if r.Text(report.Options{}, 0) != again.Text(report.Options{}, 0) {
		t.Error("another run says something else")
	}
	// a cap ends the search, and what was found is shown
	r, err = New(nil, nil, Options{Cluster: c, Template: "routing:v1:%d", Cap: 10})
	if err != nil || r.Anchors.Short == nil || r.Anchors.Tried != 10 {
		t.Errorf("%+v %v", r.Anchors, err)
	}
	// a template without a number is refused at once
	if _, err := New(nil, nil, Options{Cluster: c, Template: "routing"}); err == nil {
		t.Error("a template without a number was taken")
	}
}

// amplification.md section 2: 24 keys on 3 slots in chunks of 4, in an order that
// gives 3+3+3+2+2+3 commands.
func TestChunks(t *testing.T) {
	var keys []string
	for i, s := range strings.Split("a b c a|a b c b|a b c c|a a b b|a c c c|a b b c", "|") {
		for j, slot := range strings.Fields(s) {
			keys = append(keys, fmt.Sprintf("{%s}:%d:%d", map[string]string{"a": "foo", "b": "bar", "c": "user1000"}[slot], i, j))
		}
	}
	r, err := New(keys, nil, Options{Chunk: 4, Cluster: cluster(t, "0-5460,5461-10922,10923-16383")})
	if err != nil || r.Batch.Commands != 16 || r.Batch.Grouped != 3 || *r.Batch.Pipelined != 2 || r.Anchors != nil {
		t.Errorf("%+v %v", r.Batch, err)
	}
	if first, _, _ := strings.Cut(r.Text(report.Options{Width: 200}, 1), "\n"); first != "24 keys are 3 slots on 2 of 3 primaries: one MGET for 4 keys → 16 commands; grouped by slot 3; pipelined 2 round trips." &&
		!strings.HasPrefix(first, "24 keys are 3 slots on 2 of 3 primaries: one MGET for 4 keys → 16 commands") {
		t.Error(first)
	}
}

// What fixtures' READMEs say: 48 keys in 48 slots; the slots of the specification.
func TestKeys(t *testing.T) {
	r, err := New([]string{"foo", "{user1000}.x", "foo{}{bar}", "a\x1b[2J\u202e"}, nil, Options{Cluster: cluster(t, "0-5460,10923-16383")})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{12182, 3443, 8363} {
		if r.Keys[i].Slot != want {
			t.Errorf("%s: %d", r.Keys[i].Key, r.Keys[i].Slot)
		}
	}
	if r.Keys[2].Primary != nil || r.Batch.Lost < 1 || r.Uncovered != 5462 || *r.Keys[1].Tag != "user1000" {
		t.Errorf("%+v %+v", r.Keys, r.Batch)
	}
	if out := r.Text(report.Options{}, 0); strings.ContainsAny(out, "\x1b\u202e") || !strings.Contains(out, "nobody") {
		t.Errorf("%q", out)
	}
}

func TestRead(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	keys, err := ReadKeys(write("a\r\n\nb c\nd"), nil)
	if err != nil || strings.Join(keys, "|") != "a|b c|d" {
		t.Errorf("%q %v", keys, err)
	}
	if keys, err := ReadKeys("-", strings.NewReader("x\n")); err != nil || len(keys) != 1 {
		t.Errorf("%q %v", keys, err)
	}
	for text, want := range map[string]string{"\n\n": "holds no key", "": "holds no key", strings.Repeat("x", maxKey+10): ":1: a key of more than", "\x1f\x8b": "cut short"} {
		if _, err := ReadKeys(write(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	if _, err := ReadKeys("no/such", nil); err == nil || err.Error() != "no/such: no such file or directory" {
		t.Errorf("%v", err)
	}
	if c, err := ReadCluster(write("0-8191,8192-16383"), nil); err != nil || len(c.Primaries) != 2 {
		t.Errorf("%v", err)
	}
	if _, err := ReadCluster(write("\x1b[2J=0-5,\x1b[2J=5-9"), nil); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%q", err)
	}
	if _, err := ReadCluster(write("what"), nil); err == nil || !strings.Contains(err.Error(), "keys: slots \"what\"") {
		t.Errorf("%v", err)
	}
}
