package detecttest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// The language of traces, part of what Parse reads. The spans of a trace stand
// below it; a parent stands above its children.
//
//	trace 1                 a trace; its id ends in this number
//	trace 1 x200 seed=7 every=50ms start=
//	    200 of them, numbered from 1, each drawn anew, started every= apart
//	span NAME parent=PARENT fields…
//
// PARENT is "-" for a root, the NAME of a line above (the line is repeated under
// each span that that one made), or "?" and a word for a parent that is missing.
// Of the fields those that are not given are not known.
//
//	service= instance= op= peer= kind=server|client|internal|producer|consumer
//	outcome=ok|failed|timed-out|canceled error status= stands= resend= args=N
//	remote=yes|no async linked setup cached
//	store=SYSTEM cmd= namespace= statement= template= keys= batch= pipelined cut
//	http=METHOD or rpc=METHOD, and target=
//	min= max= total= budget= retries= hedges= dropped=
//
//	start=     after the start of its parent (of a root: of the trace); 0 if not given
//	after=     so long after the end of the sibling before it has ended; of the
//	           first span of a line, start= counts where it is given
//	for=       how long it takes; not given: until the last child has ended that
//	           is waited for (of=2: until two of them have) and tail= after that
//	untimed    without start and end
//	skew=      its clock, and that of all below, is ahead by so much
//	x69        so many of them, every= apart; x5..9: any number from 5 to 9
//	chance=3%  it is there, with all below, only so often
//	lost=10%   it is left out so often; what is below stays, as orphans
//	copies=2   it is written so many times
//
// outcome=failed sets error, too; producer and consumer are async.
//
// Durations are drawn where they are given as 3ms..6ms (any between), exp:5ms
// (exponential, with that mean), or alternatives: 3ms..6ms|2%:60ms|5%trace:90ms is
// 60 ms for 2 of 100 spans, and 90 ms for all spans of the line in 5 of 100 traces.
// In text {i} is the number of the span in its line under one parent, from 0,
// {i/3} that divided by 3, {i%3} the rest, {r%3} a random number below 3, {n} the
// number of the trace.

// template is a trace as it is described, to be drawn one or many times.
type template struct {
	number, times int64
	seed          uint64
	start, every  time.Duration
	lines         []*spanLine
	named         map[string]*spanLine
}

// spanLine is a line that describes spans.
type spanLine struct {
	name   string
	parent *spanLine // nil: a root, or missing
	lost   ingest.SpanID
	input  int32
	span   ingest.Span // Service, Instance, Op and Peer may hold {i}

	start, after, every, tail, took spread
	hasStart, hasAfter, hasFor      bool
	times                           [2]int64 // from, to
	of                              int
	most                            time.Duration // 0: any
	skew                            time.Duration
	chance, left                    float64
	copies                          int
	untimed                         bool
	args                            bool // a different hash for each {i}
}

func (p *parser) trace(words []word) error {
	p.flush()
	t := &template{times: 1, named: map[string]*spanLine{}}
	if len(words) < 2 {
		return errors.New("a trace: want its number")
	}
	var err error
	if t.number, err = strconv.ParseInt(words[1].text, 10, 64); err != nil || t.number < 1 {
		return fmt.Errorf("trace %q: want a number from 1", words[1].text)
	}
	f := fieldsOf(words[2:])
	if f.has("x") {
		t.times = f.int("x")
	}
	t.seed, t.every = uint64(f.int("seed")), f.duration("every")
	t.start = f.duration("start")
	p.open = t
	return f.rest()
}

func (p *parser) span(words []word) error {
	t := p.open
	if t == nil {
		return errors.New("a span belongs to the trace above it")
	}
	if len(words) < 2 {
		return errors.New("a span: want its name")
	}
	f := fieldsOf(words[2:])
	l := &spanLine{name: words[1].text, input: p.input}
	switch parent := f.text("parent"); {
	case parent == "-":
	case strings.HasPrefix(parent, "?"):
		copy(l.lost[:], parent)
	default:
		if l.parent = t.named[parent]; l.parent == nil {
			return fmt.Errorf("no span %q above", parent)
		}
	}
	if t.named[l.name] != nil {
		return fmt.Errorf("a second span %q", l.name)
	}
	t.named[l.name] = l
	t.lines = append(t.lines, l)
	return errors.Join(l.says(f), l.happens(f), f.rest())
}

// says reads what a span says about itself.
func (l *spanLine) says(f fields) error {
	s := &l.span
	*s = ingest.Span{Service: f.text("service"), Instance: f.text("instance"), Op: f.text("op"), Peer: f.text("peer"), Stands: 1, Resend: -1}
	var err, e error
	s.Kind, err = one(f.text("kind"), map[string]ingest.Kind{"": ingest.KindUnspecified, "server": ingest.ServerSpan, "client": ingest.ClientSpan, "internal": ingest.Internal, "producer": ingest.Producer, "consumer": ingest.Consumer})
	s.Outcome, e = one(f.text("outcome"), map[string]ingest.Outcome{"": ingest.OK, "ok": ingest.OK, "failed": ingest.Failed, "timed-out": ingest.TimedOut, "canceled": ingest.Canceled})
	err = errors.Join(err, e)
	s.Remote, e = one(f.text("remote"), map[string]int8{"": 0, "yes": 1, "no": -1})
	err = errors.Join(err, e)
	s.Error = f.flag("error") || s.Outcome == ingest.Failed
	s.Async = f.flag("async") || s.Kind == ingest.Producer || s.Kind == ingest.Consumer
	s.Linked, s.Setup, s.Cached = f.flag("linked"), f.flag("setup"), f.flag("cached")
	s.Status = int16(f.int("status"))
	if f.has("stands") {
		s.Stands = f.int("stands")
	}
	if f.has("resend") {
		s.Resend = int32(f.int("resend"))
	}
	if l.args = f["args"] == "{i}"; l.args {
		f.text("args")
	}
	s.Args = uint64(f.int("args"))
	if f.has("store") {
		d := &ingest.Datastore{
			System: f.text("store"), Op: f.text("cmd"), Namespace: f.text("namespace"), Statement: f.text("statement"),
			Template: f.text("template"), Batch: int(f.int("batch")), Pipelined: f.flag("pipelined"), Cut: f.flag("cut"), Keys: -1,
		}
		if f.has("keys") {
			d.Keys = int(f.int("keys"))
		}
		s.Store = d
	}
	for key, protocol := range map[string]ingest.Protocol{"http": ingest.HTTP, "rpc": ingest.RPC} {
		if f.has(key) {
			s.Call = &ingest.Call{Protocol: protocol, Method: f.text(key), Target: f.text("target")}
		}
	}
	rare := ingest.Rare{
		Min: f.duration("min"), Max: f.duration("max"), Total: f.duration("total"), Budget: f.duration("budget"),
		Retries: int32(f.int("retries")), Hedges: int32(f.int("hedges")), Dropped: f.int("dropped"),
	}
	if rare != (ingest.Rare{}) {
		s.Rare = &rare
	}
	return err
}

// happens reads when and how often there is such a span.
func (l *spanLine) happens(f fields) error {
	l.hasStart, l.hasAfter, l.hasFor = f.has("start"), f.has("after"), f.has("for")
	l.skew, l.untimed, l.of = f.duration("skew"), f.flag("untimed"), int(f.int("of"))
	l.most = f.duration("most")
	l.chance, l.copies, l.times = 1, 1, [2]int64{1, 1}
	if f.has("copies") {
		l.copies = int(f.int("copies"))
	}
	var err error
	for key, to := range map[string]*spread{"start": &l.start, "after": &l.after, "every": &l.every, "tail": &l.tail, "for": &l.took} {
		if f.has(key) {
			var e error
			*to, e = parseSpread(f.text(key))
			err = errors.Join(err, e)
		}
	}
	for key, to := range map[string]*float64{"chance": &l.chance, "lost": &l.left} {
		if f.has(key) {
			var e error
			*to, e = parseShare(f.text(key))
			err = errors.Join(err, e)
		}
	}
	if f.has("x") {
		from, to, isRange := strings.Cut(f.text("x"), "..")
		if !isRange {
			to = from
		}
		var e1, e2 error
		l.times[0], e1 = strconv.ParseInt(from, 10, 64)
		l.times[1], e2 = strconv.ParseInt(to, 10, 64)
		if err = errors.Join(err, e1, e2); l.times[0] > l.times[1] || l.times[0] < 0 {
			return errors.Join(err, errors.New("x: want a number, or two from low to high"))
		}
	}
	return err
}

// spread is where durations are drawn from.
type spread struct {
	low, high   time.Duration
	exponential bool // with the mean low
	or          []alternative
}

type alternative struct {
	share    float64
	perTrace bool
	spread
}

func parseSpread(text string) (spread, error) {
	var s spread
	first, rest, more := strings.Cut(text, "|")
	for more {
		var a alternative
		var one string
		one, rest, more = strings.Cut(rest, "|")
		share, times, found := strings.Cut(one, ":")
		if !found {
			return s, fmt.Errorf("%q: want SHARE%%:DURATION", one)
		}
		share, a.perTrace = strings.CutSuffix(share, "trace")
		var err error
		if a.share, err = parseShare(share); err != nil {
			return s, err
		}
		if a.spread, err = parseSpread(times); err != nil {
			return s, err
		}
		s.or = append(s.or, a)
	}
	first, s.exponential = strings.CutPrefix(first, "exp:")
	low, high, isRange := strings.Cut(first, "..")
	if !isRange {
		high = low
	}
	var e1, e2 error
	s.low, e1 = time.ParseDuration(low)
	s.high, e2 = time.ParseDuration(high)
	if s.low > s.high {
		return s, fmt.Errorf("%q: from low to high", text)
	}
	return s, errors.Join(e1, e2)
}

func parseShare(text string) (float64, error) {
	number, ok := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q: want a percentage", text)
	}
	return v / 100, nil
}

// draw returns a duration; perTrace are the chances drawn once for the trace.
func (s *spread) draw(r *rand.Rand, perTrace float64) time.Duration {
	for i := range s.or {
		a := &s.or[i]
		u := perTrace
		if !a.perTrace {
			u = r.Float64()
		}
		if u < a.share {
			return a.draw(r, perTrace)
		}
	}
	switch {
	case s.exponential:
		return time.Duration(r.ExpFloat64() * float64(s.low))
	case s.high > s.low:
		return s.low + time.Duration(r.Int64N(int64(s.high-s.low)+1))
	}
	return s.low
}

// Assemble returns the assembled traces of spans, each in memory of its own.
// They are in the order of their first span.
func Assemble(spans []ingest.Span) ([]*calltree.Trace, error) {
	var order []ingest.TraceID
	of := map[ingest.TraceID]*calltree.Spans{}
	for i := range spans {
		id := spans[i].Trace
		if of[id] == nil {
			of[id] = &calltree.Spans{}
			order = append(order, id)
		}
		of[id].Add(&spans[i])
	}
	var out []*calltree.Trace
	for _, id := range order {
		for t, err := range of[id].All() {
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		}
	}
	return out, nil
}
