package simulate

import (
	"slices"
	"testing"
)

func TestScenariosCoverEverything(t *testing.T) {
	const n = 420
	all := Scenarios(n, 1)
	if len(all) != n || len(Scenarios(0, 1)) != 0 || len(Scenarios(-1, 1)) != 0 {
		t.Fatalf("%d scenarios, want %d", len(all), n)
	}
	names := map[string]bool{}
	seen := map[any]int{}
	for _, s := range all {
		names[s.Name] = true
		for _, f := range []any{s.Kind, s.Load.Loop, s.Load.Workers, s.Server.Workers, "stalls", len(s.Server.Stalls)} {
			seen[f]++
		}
		if u := s.Load.Rate() * s.Server.Service.Mean().Seconds(); u > 0.81*float64(s.Load.Workers) || s.Server.Workers > 0 && u > 0.81*float64(s.Server.Workers) {
			t.Errorf("%s: the plan asks for %.2f workers", s.Name, u)
		}
	}
	if len(names) != n {
		t.Errorf("%d names for %d scenarios", len(names), n)
	}
	for k := range kinds {
		if seen[k] < n/10 {
			t.Errorf("%v: %d scenarios", k, seen[k])
		}
	}
	for l := Closed; l <= Open; l++ {
		if seen[l] < n/10 {
			t.Errorf("%v: %d scenarios", l, seen[l])
		}
	}
	for _, other := range []struct {
		n    int
		seed uint64
		same bool
	}{{n, 1, true}, {50, 1, true}, {n, 2, false}} {
		list := Scenarios(other.n, other.seed)
		same := slices.EqualFunc(list, all[:other.n], func(a, b Scenario) bool { return a.Name == b.Name && a.Seed == b.Seed })
		if same != other.same {
			t.Errorf("Scenarios(%d, %d): same as the first = %v", other.n, other.seed, same)
		}
	}
}

func TestScenariosRun(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 30
	}
	for _, s := range Scenarios(n, 3) {
		run, truth := s.Run(), s.Truth()
		if len(run) == 0 || len(run) > 4*scenarioMost || len(truth) == 0 || len(truth) > scenarioMost+1 {
			t.Errorf("%s: %d requests measured, %d in truth", s.Name, len(run), len(truth))
			continue
		}
		for i, r := range run {
			if r.End <= r.Start || r.Start < r.Due || r.Due < 0 || i > 0 && r.Start < run[i-1].Start {
				t.Fatalf("%s: request %d: %+v", s.Name, i, r)
			}
		}
		switch {
		case s.Load.Loop == Open && !slices.Equal(run, truth):
			t.Errorf("%s: an open loop is not its own truth", s.Name)
		case s.Kind == Isolated:
			// Nobody waits in truth: as many slow ones as stalls, beside the service times' own.
			slow := 0
			for _, r := range truth {
				for _, st := range s.Server.Stalls {
					if r.ServiceTime() == st.Length() {
						slow++
						break
					}
				}
			}
			if slow < len(s.Server.Stalls) {
				t.Errorf("%s: %d slow requests", s.Name, slow)
			}
		}
	}
}

// What scenarios are for: while everything stood still, a loop that omits saw
// as many requests as it has workers, the plan wanted length · rate.
func TestScenariosOmit(t *testing.T) {
	checked := 0
	for _, s := range Scenarios(300, 5) {
		if s.Kind != Paused || len(s.Server.Stalls) != 1 || !s.Load.Loop.Omits() {
			continue
		}
		length := s.Server.Stalls[0].Length()
		half := func(rs []Request) (n int) {
			for _, r := range rs {
				if r.ServiceTime() > length/2 {
					n++
				}
			}
			return n
		}
		want := int(length.Seconds() * s.Load.Rate() / 2)
		if want < 20*s.Load.Workers || length < 50*s.Server.Service.Mean() {
			continue
		}
		checked++
		if got := half(s.Run()); got > s.Load.Workers {
			t.Errorf("%s: %d slow requests measured by %d workers", s.Name, got, s.Load.Workers)
		}
		if got := half(s.Truth()); got < want-1 || float64(got) > 1.1*float64(want)+2 {
			t.Errorf("%s: %d slow requests in truth, want about %d", s.Name, got, want)
		}
	}
	if checked < 5 {
		t.Errorf("only %d scenarios checked", checked)
	}
}
