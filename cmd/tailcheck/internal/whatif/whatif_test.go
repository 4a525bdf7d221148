package whatif

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

const (
	fixtures = "../../../../fixtures/"
	corpus   = "../../../../../shared/corpus/"
	ms       = time.Millisecond
)

func options(t *testing.T, path string) check.Options {
	t.Helper()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here", path)
	}
	opt, err := check.Flags{}.Options(suite.Formats, suite.Detectors)
	if err != nil {
		t.Fatal(err)
	}
	opt.Paths = []string{path}
	return opt
}

func read(t *testing.T, path string) *Measured {
	t.Helper()
	m, err := Read(context.Background(), options(t, path), "")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Equal bytes for equal input: whatever the cores, and however the file is cut.
func TestSameBytes(t *testing.T) {
	answers := func(t *testing.T, cores, chunk int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		var out bytes.Buffer
		write := func(a *Answer, err error) {
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(a.WriteJSON(&out), a.WriteText(&out, report.Options{})); err != nil {
				t.Fatal(err)
			}
		}
		from := func(path string) check.Options {
			opt := options(t, path)
			opt.Jobs, opt.Chunk, opt.Plan = cores, chunk, check.Plan{Interval: 80 * ms}
			return opt
		}
		measured := func(path string) *Measured {
			m, err := Read(context.Background(), from(path), "")
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		ask := asked()
		ask.From = measured(fixtures + "trace/fan-out-8/traces.jsonl.zst")
		write(Scatter(ask))
		write(Hedge(HedgeAsk{From: ask.From, Draws: 50_000, Seed: 1}))
		write(Load(LoadAsk{From: measured(fixtures + "load/stall-hey/hey.csv"), SlowOver: -1, Seed: 1}))
		a, _, err := ChainFrom(context.Background(), from(fixtures+"trace/retries-3x3x3/traces.jsonl"), "", 0, 1)
		write(a, err)
		write(Chain(ChainAsk{Tries: []int{3}, Hops: 4, Cost: 10 * ms, Failing: 0.2, Steps: 1, Share: 0.2, Draws: 20_000, Seed: 1}))
		return out.String()
	}
	one := answers(t, 1, 0)
	if many := answers(t, 5, 4<<10); many != one {
		t.Error("the answer depends on cores or on how the file is cut")
	}
}

func TestAnswersFitSchema(t *testing.T) {
	raw, err := os.ReadFile("../../../../docs/schema/tailcheck-whatif-1.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	fits := func(a *Answer, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := a.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		x, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(x); err != nil {
			t.Errorf("%s: %#v", a.Model, err)
		}
	}
	ask := asked()
	fits(Scatter(ask))
	ask.Sweep = "delay"
	fits(Scatter(ask))
	ask = asked()
	ask.From = read(t, fixtures+"trace/fan-out-8/traces.jsonl.zst")
	ask.Draws = 1000
	fits(Scatter(ask))
	fits(Hedge(HedgeAsk{From: ask.From, Draws: 1000}))
	fits(Hedge(HedgeAsk{From: read(t, fixtures+"trace/hedging-abuse/traces.jsonl.zst"), Draws: 1000}))
	fits(Chain(ChainAsk{Tries: []int{3}, Hops: 3, Cost: 10 * ms, Fails: -1, Steps: 1, Budget: 45 * ms}))
	a, _, err := ChainFrom(context.Background(), options(t, fixtures+"trace/abandoned/http.jsonl"), "", 0, 1)
	fits(a, err)
	fits(Load(LoadAsk{Service: 50 * ms, Requests: 200, Stalls: []Stalled{{150, 2 * time.Second}}, Plan: check.Plan{Interval: 80 * ms}, SlowOver: -1, Servers: 4}))
}
