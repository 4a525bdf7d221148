package whatif

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

func TestHedgeRefuses(t *testing.T) {
	for path, want := range map[string]string{
		fixtures + "trace/retries-3x3x3/traces.jsonl":          "overload (retry-multiplication)",
		fixtures + "trace/hedging-healthy/traces.jsonl.zst":    "hedged already",
		fixtures + "trace/hedging-abuse/traces.jsonl.zst":      "hedged already",
		fixtures + "load/wrk2/saturated.txt":                   "overload (saturated-run)",
		corpus + "traces/otlp-json/grpc-hedging-abuse.jsonl":   "hedged already",
		corpus + "traces/zipkin-v1/train-ticket-preserve.json": "", // too little to say
	} {
		t.Run(path, func(t *testing.T) {
			a, err := Hedge(HedgeAsk{From: read(t, path), Draws: 1000})
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(a.Refused, "\n")
			if want != "" && (!strings.Contains(all, want) || len(a.Advice) > 0 || len(a.Rows.([]HedgeRow)) > 0) {
				t.Errorf("refused %q with %d settings, want %q", all, len(a.Advice), want)
			}
		})
	}
}

// Without hedging the replay is what was recorded; the settings are of their
// kind.
func TestHedgeReplay(t *testing.T) {
	m := read(t, fixtures+"trace/fan-out-69/traces.pb.zst")
	a, err := Hedge(HedgeAsk{From: m, Draws: 100_000, Seed: 4})
	if err != nil || len(a.Refused) > 0 {
		t.Fatal(err, a.Refused)
	}
	rows := a.Rows.([]HedgeRow)
	// README: root p50 62.6, p99 149.5
	if p := rows[0].P99; p.Low > 149.6 || p.High < 149.4 {
		t.Errorf("as recorded: p99 %+v, want 149.5", p)
	}
	if p := rows[0].P50; math.Abs(p.Value-62.6) > 0.3 {
		t.Errorf("as recorded: p50 %+v, want 62.6", p)
	}
	var chosen *HedgeRow
	for i := range rows {
		if rows[i].Chosen {
			chosen = &rows[i]
		}
	}
	if chosen == nil || chosen.Extra > 0.05 || *chosen.After < 13 || *chosen.After > 20 || chosen.P99.Value > 80 || chosen.Worst.Value < chosen.P99.Value {
		t.Errorf("recommended: %+v", chosen)
	}
	if len(a.Advice) != 2 {
		t.Fatalf("%d settings", len(a.Advice))
	}
	var config struct {
		MethodConfig []struct {
			Name          []map[string]string
			HedgingPolicy struct {
				MaxAttempts  int
				HedgingDelay string
			}
		}
	}
	if err := json.Unmarshal([]byte(a.Advice[0].Text), &config); err != nil {
		t.Fatal(err)
	}
	p := config.MethodConfig[0]
	if d, err := time.ParseDuration(p.HedgingPolicy.HedgingDelay); err != nil || p.HedgingPolicy.MaxAttempts != 2 || inMs(d) != *chosen.After || p.Name[0]["service"] != "search.v1.Shard" {
		t.Errorf("service config %+v", config)
	}
	var envoy struct {
		Route struct {
			HedgePolicy struct {
				OnTimeout bool `yaml:"hedge_on_per_try_timeout"`
			} `yaml:"hedge_policy"`
			RetryPolicy struct {
				PerTry string `yaml:"per_try_timeout"`
			} `yaml:"retry_policy"`
		}
	}
	if err := yaml.Unmarshal([]byte(a.Advice[1].Text), &envoy); err != nil {
		t.Fatal(err)
	}
	if !envoy.Route.HedgePolicy.OnTimeout || envoy.Route.RetryPolicy.PerTry != p.HedgingPolicy.HedgingDelay {
		t.Errorf("Envoy %+v", envoy)
	}
}

// Calls that are slower the more of them come wait for each other.
func TestHedgeSeesQueues(t *testing.T) {
	x := &hedge{}
	for i := range 20 {
		busy := i >= 14
		b := bucket{index: i, p50: 10 * ms, rate: 100 + float64(i)}
		if busy {
			b.p50, b.rate = time.Duration(20+i)*ms, 300+float64(i)
		}
		x.by = append(x.by, b)
	}
	if x.queueing() == "" {
		t.Error("no queue is seen")
	}
	for i := range x.by {
		x.by[i].rate = 100 // the same rate throughout: slow for another reason
	}
	if why := x.queueing(); why != "" {
		t.Error(why)
	}
}
