package suite_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/detect/stall"
)

// What is true of the recorded logs, from the READMEs of their folders: the stall
// by the clock of the server that stood still, and the p99 that an open loop saw.
// Each log of the run, whatever its format, tells it of the closed-loop report
// beside it.
func TestFixtureStalls(t *testing.T) {
	const second = 1000.0
	for _, c := range []struct {
		dir, report string
		logs        []string
		unit, zone  string
		from        string  // of the stall
		would       float64 // ms
		slack       float64 // ms, by the resolution of the stamps
	}{
		{dir: "stall-nginx-closed", report: "hey.txt", from: "2026-12-01T03:39:19.658Z", would: 1900, slack: second,
			logs: []string{"access.log", "access.ingress.log.zst", "access.ltsv.log.zst"}},
		{dir: "stall-nginx-closed", report: "hey.txt", from: "2026-12-01T03:39:19.658Z", would: 1900, slack: 20, logs: []string{"access.json.log.zst"}},
		{dir: "stall-nginx-closed", report: "hey.csv", from: "2026-12-01T03:39:33.095Z", would: 1900, slack: second, logs: []string{"access-of-csv.log.zst"}},
		{dir: "stall-apache", report: "hey.txt", from: "2026-12-01T03:40:34.177Z", would: 1900, slack: second, logs: []string{"access.vhost_TD.log"}},
		{dir: "stall-apache", report: "hey.txt", from: "2026-12-01T03:40:34.177Z", would: 1900, slack: second, unit: "us", logs: []string{"access.combined_D.log"}},
		{dir: "stall-caddy", report: "hey.txt", from: "2026-12-01T03:41:01.263Z", would: 1900, slack: 20, logs: []string{"access.json"}},
		{dir: "gc-java", report: "hey.txt", from: "2026-12-01T03:42:43.349Z", would: 1900, slack: 20, logs: []string{"gc.log"}},
		{dir: "go-loggers", report: "hey.txt", from: "2026-12-01T03:42:24.758Z", would: 1900, slack: 60,
			logs: []string{"slog.json.log", "slog.text.log", "zap.production.log", "zap.development.log", "zap.iso.log", "zerolog.json.log", "logrus.json.log"}},
		{dir: "go-loggers", report: "hey.txt", from: "2026-12-01T03:42:24.758Z", would: 1900, slack: second, logs: []string{"logrus.text.log", "zerolog.console.log"}, zone: "Europe/Berlin"},
		{dir: "go-loggers", report: "hey.txt", from: "2026-12-01T03:42:24.758Z", would: 1900, slack: 60, logs: []string{"log.log"}, zone: "Europe/Berlin"},
	} {
		at, err := time.Parse(time.RFC3339Nano, c.from)
		if err != nil {
			t.Fatal(err)
		}
		for _, log := range c.logs {
			t.Run(c.dir+"/"+log, func(t *testing.T) {
				dir := filepath.Join(root, "fixtures", "log", c.dir)
				out := several(t, check.Flags{Unit: c.unit, Zone: c.zone}, filepath.Join(dir, c.report), filepath.Join(dir, log))
				n := the(t, out, "stall-missed-by-load-test").Numbers.(stall.MissedNumbers)
				if math.Abs(n.WouldBe-c.would) > c.would/10 || math.Abs(n.Duration-2000) > 100 {
					t.Errorf("%+v, want a p99 of about %v", n, c.would)
				}
				opt := options(t, check.Flags{Unit: c.unit, Zone: c.zone}, filepath.Join(dir, log))
				g, err := check.Gather(context.Background(), opt)
				if err != nil {
					t.Fatal(err)
				}
				near := math.Inf(1)
				for _, s := range stall.Stalls(g.Table, 0) {
					near = min(near, math.Abs(float64(time.Unix(0, int64(s.From)).Sub(at)))/1e6)
				}
				if near > c.slack {
					t.Errorf("the stall begins %v ms beside the true one", near)
				}
			})
		}
	}
}
