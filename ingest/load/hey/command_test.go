package hey

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

func TestPlanOfACommandLine(t *testing.T) {
	const from = ingest.Fact("command line at ci.log:12")
	type want struct {
		workers  int
		from     ingest.Fact
		rate     float64
		interval time.Duration
		timeout  time.Duration
		planned  time.Duration
	}
	for command, w := range map[string]want{
		"hey -n 200 -c 4 -q 10 http://h/":                       {4, from, 40, 100 * ms, 20 * time.Second, 0},
		"hey -z 12s -c 10 -q 20 http://h/":                      {10, from, 200, 50 * ms, 20 * time.Second, 12 * time.Second},
		"hey -n 1000000 -c 1000 http://quote.gigix/":            {1000, from, 0, 0, 20 * time.Second, 0},
		"hey http://h/":                                         {50, defaultsFact, 0, 0, 20 * time.Second, 0},
		"hey -q 10 http://h/":                                   {50, defaultsFact, 500, 100 * ms, 20 * time.Second, 0},
		"hey -c=4 --q=2.5 -t 0 http://h/":                       {4, from, 10, 400 * ms, 0, 0},
		"hey -q 3 -c 1 -t 2 http://h/":                          {1, from, 3, 333333 * time.Microsecond, 2 * time.Second, 0}, // 1e6/3, cut to microseconds
		"hey -q 0.1 -c 2 http://h/":                             {2, from, 0.2, 10 * time.Second, 20 * time.Second, 0},
		"hey http://h/ -c 4 -q 10":                              {50, defaultsFact, 0, 0, 20 * time.Second, 0}, // flags behind the address have no effect
		`$ hey -H "Accept: -c 9" -d '{"q": "-q 5"}' -c 4 http`:  {4, from, 0, 0, 20 * time.Second, 0},
		`hey -d 'it'"'"'s' -c 4 http://h/a\ b`:                  {4, from, 0, 0, 20 * time.Second, 0},
		"cd x && time ./hey_linux_amd64 -c 4 http://h/ | tee o": {4, from, 0, 0, 20 * time.Second, 0},
		`tools/hey.exe -c 4 http://h/`:                          {4, from, 0, 0, 20 * time.Second, 0},
		"docker run --name hey rakyll/hey -c 4 http://h/":       {4, from, 0, 0, 20 * time.Second, 0},
		"hey -disable-keepalive -h2 -c 4 http://h/ 2>&1":        {4, from, 0, 0, 20 * time.Second, 0},
		"hey -c $C -q $Q http://h/":                             {0, "", 0, 0, 20 * time.Second, 0},
		"hey -n 200":                                            {}, // cut off: what came behind is not known
		"hey -n":                                                {},
		"hey -newflag 7 -q 10 http://h/":                        {0, "", 0, 100 * ms, 0, 0}, // a fork: its defaults are not known
		"hey -q NaN -c 4 http://h/":                             {4, from, 0, 0, 20 * time.Second, 0},
		"hey -q 1e300 -c 4 http://h/":                           {4, from, 0, 0, 20 * time.Second, 0},
		"hey -q -5 -c -4 -t -1 http://h/":                       {},
		"boom -n 10 -c 1 -q 1 http://h/":                        {1, from, 1, time.Second, 0, 0},
		"wrk -c 4 http://h/":                                    {},
		"":                                                      {},
	} {
		var run ingest.Run
		plan(ingest.Input{Command: command, CommandFrom: from}).apply(&run)
		got := want{run.Workers, run.WorkersFrom, run.Rate, run.Interval, run.Timeout, run.Planned}
		if got != w || run.Command != command {
			t.Errorf("%q: got %+v, want %+v", command, got, w)
		}
		if run.Rate != 0 && run.RateFrom != from || run.Interval != 0 && run.IntervalFrom != from {
			t.Errorf("%q: the rate is from %q, the interval from %q", command, run.RateFrom, run.IntervalFrom)
		}
	}
}

// The plan reaches the run of either format.
func TestPlanOfAReport(t *testing.T) {
	in := ingest.Input{Command: "hey -c 1 -q 12.5 http://h/", CommandFrom: "command line at line 1"}
	run, _ := one(t, []byte(old), in)
	csv := readAll(t, CSV, []byte(header8+"\n"), in).runs[0]
	for _, r := range []ingest.Run{run, csv} {
		if r.Interval != 80*ms || r.Rate != 12.5 || r.Workers != 1 || r.Command != in.Command {
			t.Errorf("%+v", r)
		}
	}
}
