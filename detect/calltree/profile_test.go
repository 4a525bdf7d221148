package calltree

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Each number worked out by hand.
func TestWould(t *testing.T) {
	for _, c := range []struct {
		name   string
		tree   string
		change ChangeKind
		op     string
		want   int // milliseconds of the root
	}{
		{"own time before, between and after", "A 0-100 (B 10-40 C 60-90)", Speed, "A", 60},
		{"a leaf", "A 0-100 (B 10-40 C 60-90)", Speed, "B", 70},
		{"own time only, not what is below", "A 0-100 (B 10-90 (C 20-80))", Speed, "B", 80},
		{"the next slowest holds it up", "A 0-100 (B 0-100 C 0-90)", Speed, "B", 90},
		{"not on the path", "A 0-100 (B 0-100 C 0-90)", Speed, "C", 100},
		{"what follows moves up", "A 0-100 (B 0-40 C 40-70 D 70-100)", Speed, "C", 70},
		{"what follows waits for all before", "A 0-100 (B 0-20 B 0-30 B 0-50 C 60-100)", Straggler, "B", 80},
		{"what follows waits for another", "A 0-100 (B 0-20 B 0-30 B 0-50 D 0-40 C 60-100)", Straggler, "B", 90},
		{"one more runs beside", "A 0-100 (B 0-40 C 40-100 X 0-80)", Speed, "B", 80},
		{"nobody waits", "A 0-100 (B~ 0-90)", Speed, "B", 100},
		{"straggler at the median", "A 0-100 (B 0-20 B 0-30 B 0-90)", Straggler, "B", 40},
		{"straggler, held up by another", "A 0-100 (B 0-20 B 0-30 B 0-90 C 0-80)", Straggler, "B", 90},
		{"of two none is the straggler", "A 0-100 (B 0-20 B 0-90)", Straggler, "B", 100},
		{"one after another: no straggler", "A 0-100 (B 0-20 B 20-30 B 30-100)", Straggler, "B", 100},
		{"all at once", "A 0-100 (B 10-30 B 30-60 B 60-90)", Parallel, "B", 50},
		{"all at once, with what follows", "A 0-120 (B 10-30 B 40-60 B 70-90 C 95-115)", Parallel, "B", 60},
		{"already parallel", "A 0-100 (B 10-90 B 20-90)", Parallel, "B", 100},
		{"in two places", "A 0-100 (X 0-50 (B 0-20 B 20-50) Y 50-100 (B 50-70 B 70-100))", Parallel, "B", 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := one(t, tree(t, c.tree)...)
			if got := tr.Would(0, c.change, Operation{"s", c.op}); got != time.Duration(c.want)*time.Millisecond {
				t.Errorf("%v, want %d ms", got, c.want)
			}
		})
	}
}

// A call that was made because the one before it failed cannot be made with it.
func TestRetriesAreNotMadeAtOnce(t *testing.T) {
	for outcome, want := range map[ingest.Outcome]int{ingest.OK: 50, ingest.Failed: 100} {
		spans := tree(t, "A 0-100 (B 10-30 B 30-60 B 60-90)")
		spans[2].Outcome = outcome
		spans[3].Outcome = ingest.Failed // the last may fail
		if got := one(t, spans...).Would(0, Parallel, Operation{"s", "B"}); got != time.Duration(want)*time.Millisecond {
			t.Errorf("%v: %v, want %d ms", outcome, got, want)
		}
	}
}

func TestProfile(t *testing.T) {
	var p Profile
	first := one(t, tree(t, "GET 0-100 (list 5-10 get 10-40 get 40-70 get 70-90)")...)
	second := one(t, tree(t, "GET 0-200 (list 5-10 leaf 10-30 leaf 10-40 leaf 10-190)")...)
	second.ID = traceID(0, 2)
	p.Add(first)
	p.Add(second)
	roots := p.Roots()
	if len(roots) != 1 {
		t.Fatalf("%+v", roots)
	}
	r := roots[0]
	msec := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	op := func(name string) Operation { return Operation{"s", name} }
	if r.Operation != op("GET") || r.Requests != 2 || r.Time != msec(300) || r.Longest != msec(200) || r.Exemplar != traceID(0, 2) {
		t.Errorf("%+v", r)
	}
	steps := []Step{
		{op("leaf"), msec(180), 1, 1, msec(150)}, // the median of 20, 30, 180 is 30
		{op("get"), msec(80), 3, 1, 0},
		{op("GET"), msec(15 + 15), 2, 2, 0},
		{op("list"), msec(10), 2, 2, 0},
	}
	if !reflect.DeepEqual(r.Steps, steps) {
		t.Errorf("got  %+v\nwant %+v", r.Steps, steps)
	}
	changes := []Change{
		{Straggler, op("leaf"), msec(150), 1},
		{Speed, op("leaf"), msec(180), 1}, // without any time of their own, no leaf holds it up
		{Speed, op("get"), msec(80), 1},
		{Parallel, op("get"), msec(50), 1}, // 80 one after another, the longest 30
		{Speed, op("GET"), msec(30), 2},
		{Speed, op("list"), msec(10), 2},
	}
	changes[0], changes[1] = changes[1], changes[0]
	if !reflect.DeepEqual(r.Changes, changes) {
		t.Errorf("got  %+v\nwant %+v", r.Changes, changes)
	}
}

// A profile is the same whatever the order of traces and merges, and the steps
// of a root add up to its time.
func TestProfileMerges(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	var list []*Trace
	for i := range 60 {
		spans := randomTree(r, 1+r.IntN(30), 50+r.IntN(1000))
		for k := range spans {
			spans[k].Trace = traceID(0, i+1)
		}
		spans[0].Op = fmt.Sprint("root", i%4)
		list = append(list, one(t, spans...))
	}
	var want []RootPath
	for round := range 5 {
		parts := make([]Profile, 1+round)
		for _, i := range r.Perm(len(list)) {
			parts[r.IntN(len(parts))].Add(list[i])
		}
		var p Profile
		for _, i := range r.Perm(len(parts)) {
			p.Merge(&parts[i])
		}
		got := p.Roots()
		if round == 0 {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("round %d: got  %+v\nwant %+v", round, got, want)
		}
	}
	if len(want) != 4 {
		t.Errorf("%d roots", len(want))
	}
	for _, root := range want {
		var total time.Duration
		for _, s := range root.Steps {
			total += s.Self
			if s.Requests > root.Requests || s.Spans < s.Requests || s.Wait < 0 {
				t.Errorf("%+v", s)
			}
		}
		if total != root.Time {
			t.Errorf("steps add up to %v, not %v", total, root.Time)
		}
		for _, c := range root.Changes {
			if c.Saves <= 0 || c.Saves > root.Time || c.Requests > root.Requests {
				t.Errorf("%+v", c)
			}
		}
	}
	var empty Profile
	empty.Add(one(t, with(sp(1, 9, "orphan", 0, 9), func(*ingest.Span) {})))
	if len(empty.Roots()) != 0 {
		t.Error("an orphan is no request")
	}
}
