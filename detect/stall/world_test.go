package stall

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// A world is a server and who asks it, simulated, of which is known when it
// stood still. What it writes is a log as servers do.
type world struct {
	r        *rand.Rand
	length   time.Duration
	came     []arrival
	stands   []stand
	threads  int // that answer; 0: as many as there are requests
	service  func(op int) time.Duration
	withCame func(at time.Duration, op int) time.Duration // service time by when it came; nil: service
	closed   int                                          // clients that wait for each answer; 0: they do not
	think    func() time.Duration
	opOf     func() int
	rate     float64
	outside  bool // the log's clock starts when a request came, and not when a thread takes it
}

type arrival struct {
	at time.Duration
	op int
}

// stand is a time in which the server, or one operation of it, did nothing.
type stand struct {
	from, to time.Duration
	op       int // -1: all of it
}

// served is a request as it was.
type served struct {
	came, start, end time.Duration
	op               int
}

// works returns when work that begins at a moment and takes so long is done.
func (w *world) works(at, takes time.Duration, op int) time.Duration {
	end := at + takes
	for _, s := range w.stands {
		if (s.op < 0 || s.op == op) && at < s.to && end > s.from {
			end += s.to - max(s.from, at)
		}
	}
	return end
}

func (w *world) takes(a arrival) time.Duration {
	if w.withCame != nil {
		return w.withCame(a.at, a.op)
	}
	return w.service(a.op)
}

// run serves all requests, in the order in which they came.
func (w *world) run() []served {
	if w.closed > 0 {
		return w.loops()
	}
	slices.SortStableFunc(w.came, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	free := make([]time.Duration, w.threads)
	var out []served
	for _, a := range w.came {
		start := a.at
		k := 0
		if w.threads > 0 {
			for i := range free {
				if free[i] < free[k] {
					k = i
				}
			}
			start = max(start, free[k])
		}
		x := served{came: a.at, start: start, end: w.works(start, w.takes(a), a.op), op: a.op}
		if w.threads > 0 {
			free[k] = x.end
		}
		if w.outside {
			x.start = a.at
		}
		out = append(out, x)
	}
	return out
}

// loops has clients that send when they have their answer.
func (w *world) loops() (out []served) {
	next := make([]time.Duration, w.closed)
	for i := range next {
		next[i] = time.Duration(w.r.Int64N(int64(10 * time.Millisecond)))
	}
	for {
		k := 0
		for i := range next {
			if next[i] < next[k] {
				k = i
			}
		}
		if next[k] >= w.length {
			return out
		}
		op := 0
		if w.opOf != nil {
			op = w.opOf()
		}
		x := served{came: next[k], start: next[k], op: op}
		x.end = w.works(x.start, w.service(op), op)
		out = append(out, x)
		next[k] = x.end + w.think()
	}
}

// writing is how a log is written.
type writing struct {
	name       string
	resolution time.Duration
	start      bool // it stamps starts
	untimed    bool
	step       time.Duration // of latencies, cut
	floating   bool          // its stamps have no zone
}

var writings = []writing{
	{name: "ms", resolution: time.Millisecond, step: time.Millisecond},
	{name: "s", resolution: time.Second, step: time.Millisecond},
	{name: "s-start-us", resolution: time.Second, start: true, step: time.Microsecond},
	{name: "s-start-T", resolution: time.Second, start: true, step: time.Second},
	{name: "s-end-T", resolution: time.Second, step: time.Second},
	{name: "ms-start", resolution: time.Millisecond, start: true, step: time.Millisecond},
	{name: "ms-bare", resolution: time.Millisecond, untimed: true},
	{name: "s-bare", resolution: time.Second, untimed: true},
}

const epoch = ingest.Time(1_790_000_000_000_000_000)

var opNames = []string{"GET /a", "GET /b", "GET /c", "GET /d", "GET /e", "GET /f"}

func (h writing) log(all []served, in int32) *detect.Table {
	t := &detect.Table{}
	h.into(t, all, in)
	t.Finish()
	return t
}

func (h writing) into(t *detect.Table, all []served, in int32) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b served) int { return cmp.Compare(a.end, b.end) })
	for i, x := range all {
		s := h.sample(x, i, in)
		t.Sample(&s)
	}
	t.Add(&ingest.Log{Pos: ingest.Pos{Input: in, Offset: int64(len(all)) * 100}, Lines: int64(len(all)), Shapes: []ingest.Shape{h.shape(len(all))}})
}

func (h writing) shape(n int) ingest.Shape {
	s := ingest.Shape{Layout: h.name, Stamp: ingest.StampEnd, Resolution: h.resolution, Step: h.step, Unit: time.Millisecond, UnitFrom: ingest.UnitFromFormat, Zone: ingest.ZoneStated, Requests: int64(n), Timed: int64(n)}
	if h.start {
		s.Stamp = ingest.StampStart
	}
	if h.untimed {
		s.Timed = 0
	}
	if h.floating {
		s.Zone = ingest.ZoneUnknown
	}
	return s
}

// sample is the i-th line.
func (h writing) sample(x served, i int, in int32) ingest.Sample {
	cut := func(d time.Duration) ingest.Time { return epoch.Add(d / h.resolution * h.resolution) }
	s := ingest.Sample{Pos: ingest.Pos{Input: in, Offset: int64(i) * 100}, Op: opNames[x.op], Vantage: ingest.Server, Latency: ingest.NoLatency}
	if !h.untimed {
		s.Latency = (x.end - x.start) / h.step * h.step
	}
	switch {
	case h.start:
		s.Start = cut(x.start)
	case h.untimed:
		s.End = cut(x.end)
	default:
		s.Start = cut(x.end).Add(-s.Latency)
	}
	return s
}

// How requests come.

func (w *world) exp(mean time.Duration) time.Duration {
	return time.Duration(w.r.ExpFloat64() * float64(mean))
}

func (w *world) lognormal(median time.Duration, sigma float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(sigma*w.r.NormFloat64()))
}

func (w *world) pareto(least time.Duration, alpha float64) time.Duration {
	return time.Duration(float64(least) * math.Pow(1-w.r.Float64(), -1/alpha))
}

// poisson has requests come at a rate that changes, up to most.
func (w *world) poisson(from, to time.Duration, most float64, rate func(time.Duration) float64, op func() int) {
	for at := from; ; {
		at += w.exp(time.Duration(float64(time.Second) / most))
		if at >= to {
			return
		}
		if rate == nil || w.r.Float64()*most < rate(at) {
			k := 0
			if op != nil {
				k = op()
			}
			w.came = append(w.came, arrival{at, k})
		}
	}
}

func (w *world) among(n int) func() int { return func() int { return w.r.IntN(n) } }
