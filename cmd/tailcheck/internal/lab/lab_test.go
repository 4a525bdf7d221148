package lab

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

const ms = time.Millisecond

func percentiles(s *latency.Summary) (out []time.Duration) {
	for _, p := range []latency.Percentile{latency.P50, latency.P90, latency.P95, latency.P99, latency.PercentileOf(99.5), latency.P100} {
		out = append(out, time.Duration(s.Percentile(p)))
	}
	return out
}

func millis(n ...int) (out []time.Duration) {
	for _, v := range n {
		out = append(out, time.Duration(v)*ms)
	}
	return out
}

// The real loops and the real server under a clock that stands still while
// anybody works, at full size: the textbook's numbers to the digit.
func TestLoopsAndServersToTheDigit(t *testing.T) {
	closed := millis(50, 50, 50, 50, 50, 2000)
	for _, c := range []struct {
		server Server
		slow   int
		want   []time.Duration // p50, p90, p95, p99, p99.5, max of the open loop
	}{
		{Serial, 51, millis(50, 1400, 1700, 1940, 1970, 2000)},
		{Pause, 25, millis(50, 450, 1250, 1890, 1970, 2000)},
		{Isolated, 1, millis(50, 50, 50, 50, 50, 2000)},
	} {
		synctest.Test(t, func(t *testing.T) {
			told := 0
			l := Lab{Server: c.server, Progress: func(done, total int) {
				if told++; done != told || total != Requests {
					t.Errorf("told %d of %d, want %d of %d", done, total, told, Requests)
				}
			}}
			ctx := t.Context()
			rows, err := l.closed(ctx, direct(newServer(l)))
			if err != nil || !slices.Equal(percentiles(ResponseTimes(rows)), closed) || rows[Held-1].End-rows[Held-1].Start != l.Stall() {
				t.Errorf("%v, closed: %v, %v; want %v", c.server, percentiles(ResponseTimes(rows)), err, closed)
			}
			if told != Requests {
				t.Errorf("told of %d answers", told)
			}
			told = 0
			rows, err = l.open(ctx, direct(newServer(l)), func(ctx context.Context, at time.Time) error { return sleep(ctx, time.Until(at)) })
			s := ResponseTimes(rows)
			if err != nil || !slices.Equal(percentiles(s), c.want) || s.Above(int64(l.Service())) != int64(c.slow) {
				t.Errorf("%v, open: %v, %d slow, %v; want %v, %d slow", c.server, percentiles(s), s.Above(int64(l.Service())), err, c.want, c.slow)
			}
			if told != Requests {
				t.Errorf("told of %d answers", told)
			}
		})
	}
}

// direct sends without a network.
func direct(s *server) sender {
	return func(ctx context.Context, r *Row) error {
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
		r.Status = rec.Code
		return ctx.Err()
	}
}

// What is measured and what is simulated are the same experiment.
func TestIdeal(t *testing.T) {
	for _, server := range Servers {
		for _, scale := range []int{0, 1, FastScale} {
			synctest.Test(t, func(t *testing.T) {
				l := Lab{Server: server, Scale: scale}
				closed, open := l.Ideal()
				rows, err := l.closed(t.Context(), direct(newServer(l)))
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range rows {
					if c := closed[i]; r.Start != c.Start || r.End != c.End {
						t.Fatalf("%v closed, request %d: %v to %v, simulated %v to %v", server, i+1, r.Start, r.End, c.Start, c.End)
					}
				}
				rows, err = l.open(t.Context(), direct(newServer(l)), func(ctx context.Context, at time.Time) error { return sleep(ctx, time.Until(at)) })
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range rows {
					if o := open[i]; r.Due != o.Due || r.Start != o.Start || r.End != o.End {
						t.Fatalf("%v open, request %d: %v, simulated %v", server, i+1, r, o)
					}
				}
			})
		}
	}
}

// Live on loopback, forty times as fast. Only what no noise can change is
// asserted: times can be longer than meant, never shorter.
func TestLive(t *testing.T) {
	for _, server := range Servers {
		t.Run(server.String(), func(t *testing.T) {
			t.Parallel()
			told := 0
			l := Lab{Server: server, Scale: 40, Progress: func(int, int) { told++ }}
			closed, err := l.Closed(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			open, err := l.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(closed) != Requests || len(open) != Requests || told != 2*Requests {
				t.Fatalf("%d and %d rows, told %d times", len(closed), len(open), told)
			}
			if d := closed[Held-1].End - closed[Held-1].Start; d < l.Stall() {
				t.Errorf("the held request took %v", d)
			}
			for i, r := range closed {
				if r.Status != 200 || r.Due != r.Start || r.End-r.Start < l.Service() || i > 0 && r.Start < closed[i-1].End || i == 0 && r.Connect == 0 {
					t.Errorf("closed, request %d: %+v", i+1, r)
				}
				if sum := r.Connect + r.Write + r.Delay + r.Read; sum > r.End-r.Start {
					t.Errorf("closed, request %d: parts of %v in %v", i+1, sum, r.End-r.Start)
				}
			}
			long := 0
			for i, r := range open {
				if r.Status != 200 || r.Due != time.Duration(i)*l.Interval() || r.Start < r.Due || r.End-r.Start < l.Service() {
					t.Errorf("open, request %d: %+v", i+1, r)
				}
				if r.End-r.Due >= l.Stall()/2 {
					long++
				}
			}
			// Whoever is due in the first half of the stall waits for the second: 12.5 intervals.
			if want := map[Server]int{Serial: 12, Pause: 12, Isolated: 1}[server]; long < want {
				t.Errorf("open loop: %d requests of half the stall or more, want at least %d", long, want)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	enough := errors.New("enough")
	for _, run := range []func(Lab, context.Context) ([]Row, error){Lab.Closed, Lab.Open} {
		ctx, cancel := context.WithCancelCause(t.Context())
		l := Lab{Scale: 20, Progress: func(done, total int) {
			if done == 5 {
				cancel(enough)
			}
		}}
		rows, err := run(l, ctx)
		if rows != nil || !errors.Is(err, enough) {
			t.Errorf("%d rows, error %v", len(rows), err)
		}
	}
}

// A request that fails ends the run and is named.
func TestFailure(t *testing.T) {
	broken := errors.New("broken pipe")
	l := Lab{Scale: 1000}
	n := 0
	send := func(context.Context, *Row) error {
		if n++; n == 3 {
			return broken
		}
		return nil
	}
	if _, err := l.closed(t.Context(), send); !errors.Is(err, broken) || err.Error() != "request 3: broken pipe" {
		t.Errorf("closed: %v", err)
	}
	send = func(context.Context, *Row) error { return broken }
	if rows, err := l.open(t.Context(), send, punctual); rows != nil || !errors.Is(err, broken) {
		t.Errorf("open: %v", err)
	}
}

func TestParseServer(t *testing.T) {
	for _, s := range Servers {
		if got, err := ParseServer(s.String()); got != s || err != nil {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
	if _, err := ParseServer("parallel"); err == nil {
		t.Error("parallel: no error")
	}
}
