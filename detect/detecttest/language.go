package detecttest

import (
	"bufio"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Parse reads records, one a line; # begins a comment. A line is a kind and
// name=value fields (values with blanks in double quotes); fields that are not
// given are not known.
//
//	input N                 the records below are of input N (0 without it)
//	run tool= version= loop=closed|open|scheduled treated=raw|filled|from-schedule catchup
//	    workers= from=FACT rate= interval= timeout= planned= elapsed= achieved=
//	    requests= errors= lost= timeouts= dropped= capped absolute command="…"
//	    (requests or errors given: the report counted)
//	sample latency= start= due= op= worker= status= connect= queue=
//	    outcome=ok|failed|timed-out|canceled vantage=client|proxy|server
//	    end= untimed stream tries= request=ID (numbered where there are several)
//	    x200  that many of them, start and due later by every= each, latency more by grow= each
//	aggregate n= min= mean= max= stddev= p50= p99.9= … unit= op= vantage= treated=
//	    complete capped digest=0.01 rule=hey start= length=
//	bucket low= high= n=    of the aggregate above
//	log layout= stamp=start|end resolution=    what a log says of its lines
//	pause op= start= length= all
//	problem TEXT
//	trace N …, span NAME …  see traces.go
//
// Times are durations since the start; samples are of the client's side.
// Every record has a position of its own.
func Parse(text string) ([]ingest.Record, error) {
	p := parser{}
	s := bufio.NewScanner(strings.NewReader(text))
	for n := 1; s.Scan(); n++ {
		if err := p.line(s.Text()); err != nil {
			return nil, fmt.Errorf("records:%d: %w", n, err)
		}
	}
	p.flush()
	return p.out, s.Err()
}

type parser struct {
	input  int32
	offset int64
	out    []ingest.Record
	agg    *ingest.Aggregate
	open   *template // the trace that spans belong to; nil: none
	drawn  int64     // bytes of spans so far
}

func (p *parser) pos() ingest.Pos {
	p.offset += 10
	return ingest.Pos{Input: p.input, Offset: p.offset}
}

func (p *parser) line(line string) error {
	words, err := split(line)
	if err != nil || len(words) == 0 {
		return err
	}
	kind := words[0].text
	if (kind == "input" || kind == "problem") && len(words) != 2 {
		return fmt.Errorf("%s: want one word behind it", kind)
	}
	switch kind {
	case "trace":
		return p.trace(words)
	case "span":
		return p.span(words)
	}
	if kind != "input" { // a trace may have spans of several inputs
		p.flush()
	}
	f := fieldsOf(words[1:])
	switch kind {
	case "input":
		n, err := strconv.Atoi(words[1].text)
		if err != nil {
			return err
		}
		p.input = int32(n)
		p.offset = 0
		return nil
	case "run":
		err = p.run(f)
	case "sample":
		err = p.samples(f)
	case "aggregate":
		err = p.aggregate(f)
	case "log":
		err = p.log(f)
	case "pause":
		x := &ingest.Pause{Pos: p.pos(), Op: f.text("op"), Length: f.duration("length"), All: f.flag("all")}
		if f.has("start") {
			x.Start = ingest.Relative(f.duration("start"))
		}
		p.out = append(p.out, x)
	case "bucket":
		if p.agg == nil {
			return errors.New("a bucket belongs to the aggregate above it")
		}
		p.agg.Buckets = append(p.agg.Buckets, ingest.Bucket{Low: f.duration("low"), High: f.duration("high"), Count: f.int("n")})
	case "problem":
		p.out = append(p.out, &ingest.Problem{Pos: p.pos(), Err: errors.New(words[1].text)})
		return nil
	default:
		return fmt.Errorf("unknown record %q", kind)
	}
	return errors.Join(err, f.rest())
}

func (p *parser) run(f fields) error {
	from := ingest.Fact("report")
	if f.has("from") {
		from = ingest.Fact(f.text("from"))
	}
	r := &ingest.Run{
		Pos: p.pos(), Tool: f.text("tool"), Version: f.text("version"), CatchUp: f.flag("catchup"), Capped: f.flag("capped"),
		Counted: f.has("requests") || f.has("errors"),
		Workers: int(f.int("workers")), Rate: f.float("rate"), Interval: f.duration("interval"),
		Timeout: f.duration("timeout"), Planned: f.duration("planned"), Elapsed: f.duration("elapsed"), Achieved: f.float("achieved"),
		Requests: f.int("requests"), Errors: f.int("errors"), Lost: f.int("lost"), Timeouts: f.int("timeouts"), Dropped: f.int("dropped"),
		Command: f.text("command"), Absolute: f.flag("absolute"),
	}
	if r.Workers > 0 {
		r.WorkersFrom = from
	}
	if r.Rate > 0 {
		r.RateFrom = from
	}
	if r.Interval > 0 {
		r.IntervalFrom = from
	}
	var err error
	r.Loop, err = one(f.text("loop"), map[string]ingest.Loop{"": ingest.LoopUnknown, "closed": ingest.Closed, "open": ingest.Open, "scheduled": ingest.Scheduled})
	if err != nil {
		return err
	}
	r.Treated, err = treatment(f.text("treated"))
	p.out = append(p.out, r)
	return err
}

func treatment(s string) (ingest.Treatment, error) {
	return one(s, map[string]ingest.Treatment{"": ingest.TreatmentUnknown, "raw": ingest.Raw, "filled": ingest.Filled, "from-schedule": ingest.FromSchedule})
}

func vantage(s string) (ingest.Vantage, error) {
	return one(s, map[string]ingest.Vantage{"": ingest.Client, "client": ingest.Client, "proxy": ingest.Proxy, "server": ingest.Server})
}

func (p *parser) samples(f fields) error {
	v, err := vantage(f.text("vantage"))
	if err != nil {
		return err
	}
	outcome, err := one(f.text("outcome"), map[string]ingest.Outcome{"": ingest.OK, "ok": ingest.OK, "failed": ingest.Failed, "timed-out": ingest.TimedOut, "canceled": ingest.Canceled})
	if err != nil {
		return err
	}
	first := ingest.Sample{
		Op: f.text("op"), Worker: int32(f.int("worker")), Latency: f.duration("latency"), Vantage: v, Outcome: outcome,
		Status: int(f.int("status")), Connect: f.duration("connect"), Queue: f.duration("queue"),
	}
	if first.Stream = f.flag("stream"); f.flag("untimed") {
		first.Latency = ingest.NoLatency
	}
	first.Tries = int32(f.int("tries"))
	hasStart, hasDue, hasEnd, request, end := f.has("start"), f.has("due"), f.has("end"), f.text("request"), f.duration("end")
	start, due := f.duration("start"), f.duration("due")
	times, every, grow := max(1, f.int("x")), f.duration("every"), f.duration("grow")
	for i := range times {
		s := first
		s.Pos = p.pos()
		s.Latency += time.Duration(i) * grow
		if hasStart {
			s.Start = ingest.Relative(start + time.Duration(i)*every)
		}
		if hasEnd {
			s.End = ingest.Relative(end + time.Duration(i)*every)
		}
		if s.Request = request; request != "" && times > 1 {
			s.Request += strconv.FormatInt(i, 10)
		}
		if hasDue {
			s.Due = ingest.Relative(due + time.Duration(i)*every)
		}
		p.out = append(p.out, &s)
	}
	return nil
}

func (p *parser) log(f fields) error {
	shape := ingest.Shape{Layout: f.text("layout"), Resolution: f.duration("resolution")}
	var err error
	shape.Stamp, err = one(f.text("stamp"), map[string]ingest.Stamp{"": ingest.StampNone, "start": ingest.StampStart, "end": ingest.StampEnd})
	p.out = append(p.out, &ingest.Log{Pos: p.pos(), Shapes: []ingest.Shape{shape}})
	return err
}

func (p *parser) aggregate(f fields) error {
	a := &ingest.Aggregate{}
	a.Reset()
	a.Pos = p.pos()
	a.Op, a.Count, a.Unit = f.text("op"), f.int("n"), f.duration("unit")
	a.Complete, a.Digest, a.Length = f.flag("complete"), f.float("digest"), f.duration("length")
	if f.has("start") {
		a.Start = ingest.Relative(f.duration("start"))
	}
	for key, to := range map[string]*time.Duration{"min": &a.Min, "mean": &a.Mean, "max": &a.Max, "stddev": &a.Stddev} {
		if f.has(key) {
			*to = f.duration(key)
		}
	}
	for key := range f {
		if percentile, err := strconv.ParseFloat(strings.TrimPrefix(key, "p"), 64); err == nil && key[0] == 'p' {
			a.Quantiles = append(a.Quantiles, ingest.Quantile{Percentile: percentile, Value: f.duration(key), Unit: a.Unit})
		}
	}
	sortQuantiles(a.Quantiles)
	var err error
	if a.Vantage, err = vantage(f.text("vantage")); err != nil {
		return err
	}
	if a.Rule, err = one(f.text("rule"), map[string]ingest.QuantileRule{"": ingest.RuleUnknown, "hey": ingest.RuleHey, "wrk": ingest.RuleWrk}); err != nil {
		return err
	}
	a.Treated, err = treatment(f.text("treated"))
	p.agg = a
	p.out = append(p.out, a)
	return err
}

func sortQuantiles(qs []ingest.Quantile) {
	for i := range qs {
		for j := i; j > 0 && qs[j].Percentile < qs[j-1].Percentile; j-- {
			qs[j], qs[j-1] = qs[j-1], qs[j]
		}
	}
}

func one[T any](word string, of map[string]T) (T, error) {
	v, known := of[word]
	if !known {
		return v, fmt.Errorf("unknown value %q", word)
	}
	return v, nil
}
