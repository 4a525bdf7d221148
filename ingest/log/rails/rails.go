package rails

import (
	"bytes"
	"errors"
	"hash/maphash"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is Rails' own log.
var Dialect = log.Dialect{
	Name: "rails",
	Doc: `Rails' own log

Several lines for every request: Started GET "/x" for … at …, Processing by …,
Completed 200 OK in 12ms (Views: …). A request is its Completed line; method, path and
start are on its Started line, which is found by the request's id in tags:

    config.log_tags = [:request_id]

or by the process in Ruby's logger ("I, [2026-11-29T21:16:22.123456 #1234]"), as long
as that process has no two requests open. Where neither tells, lines of several
requests may be interleaved, and none is joined: such requests have a latency and a
status, and the operation "(not joined)". Better use lograge, which writes one line.

Latency is in whole milliseconds: from the request handed to a controller by a worker
to the answer made; the wait for a worker is not in it. The stamp of Ruby's logger is
the end (without a zone: give --tz); where there is none, that of the Started line is
the start, to the second. Requests that no route fits have no Completed line and are
not read.
`,
	Whole: true,
	Claims: func(line []byte) log.Claim {
		var p prefix
		p.cut(line)
		switch {
		case bytes.HasPrefix(p.text, []byte("Completed ")):
			if _, ok := completed(p.text); ok {
				return log.Own
			}
		case bytes.HasPrefix(p.text, []byte("Started ")) && bytes.Contains(p.text, []byte(`" for `)), p.stamp != nil && p.pid != nil, says(p.text):
			return log.Aside
		}
		return log.Foreign
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		s := ingest.Shape{
			Layout: "Rails", Unit: time.Millisecond, UnitFrom: ingest.UnitFromValue, Step: time.Millisecond,
			Clock: "a worker took it", Stamp: ingest.StampEnd,
		}
		end := log.NewLayout(s, ingest.Server, opt)
		s.Stamp = ingest.StampStart
		start := log.NewLayout(s, ingest.Server, opt)
		return func() log.Reader {
			return &reader{start: &start, end: &end, seed: maphash.MakeSeed(), open: map[uint64]request{}, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}}}
		}, nil
	},
}

var errCompleted = errors.New("a Completed without its duration")

// says reports what Rails says within a request.
func says(text []byte) bool {
	for _, begin := range [...]string{"Processing by ", "  Parameters: ", "  Rendered ", "  Rendering ", "Redirected to ", "Sent file ", "Filter chain halted", "  ↳ ", "  SQL (", "  CACHE ", "  TRANSACTION ("} {
		if bytes.HasPrefix(text, []byte(begin)) {
			return true
		}
	}
	return bytes.HasPrefix(text, []byte("  ")) && bytes.Contains(text[:min(len(text), 60)], []byte("ms)"))
}

// outcome is what a Completed line says.
type outcome struct {
	status, took, url []byte
}

// completed reads "Completed 200 OK in 12ms (…)", or "Completed in 12ms (…) | 200
// OK [http://…]" of Rails 2.
func completed(text []byte) (o outcome, ok bool) {
	text = bytes.TrimPrefix(text, []byte("Completed "))
	before, rest, ok := bytes.Cut(text, []byte("in "))
	if !ok {
		return o, false
	}
	n := bytes.IndexByte(rest, ' ')
	if n < 0 {
		n = len(rest)
	}
	if o.took = rest[:n]; n < 3 || !bytes.HasSuffix(o.took, []byte("ms")) {
		return o, false
	}
	if len(before) == 0 {
		_, before, _ = bytes.Cut(rest, []byte(" | "))
		if _, url, ok := bytes.Cut(before, []byte(" [")); ok {
			o.url = bytes.TrimSuffix(url, []byte("]"))
		}
	}
	if len(before) < 3 {
		return o, false
	}
	o.status = before[:3]
	_, ok = log.Status(o.status)
	return o, ok
}

// request is one that was started.
type request struct {
	op    string
	start log.Moment
	open  int // requests that the key has open
}

// maxOpen is how many requests may be open at a time.
const maxOpen = 1 << 16

const notJoined = "(not joined)"

type reader struct {
	log.Builder
	start, end *log.Layout
	seed       maphash.Seed
	open       map[uint64]request
	prefix     prefix
	roles      log.Fields
}

// key returns what a line's request is known by: its id, or else its process.
func (r *reader) key() (key uint64, byID, ok bool) {
	switch p := &r.prefix; {
	case p.id != nil:
		return maphash.Bytes(r.seed, p.id), true, true
	case p.pid != nil:
		return maphash.Bytes(r.seed, p.pid), false, true
	}
	return 0, false, false
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	p := &r.prefix
	p.cut(line)
	switch {
	case bytes.HasPrefix(p.text, []byte("Started ")):
		r.started()
	case bytes.HasPrefix(p.text, []byte("ActionController::RoutingError")):
		if key, _, ok := r.key(); ok {
			r.close(key) // it has no Completed
		}
	case bytes.HasPrefix(p.text, []byte("Completed ")):
		return r.completed(e)
	}
	return log.ErrIgnore
}

// started remembers a request: Started GET "/x" for 127.0.0.1 at 2026-11-29 21:16:22 +0000.
func (r *reader) started() {
	key, byID, ok := r.key()
	method, rest, quoted := bytes.Cut(r.prefix.text[len("Started "):], []byte(` "`))
	if !ok || !quoted {
		return
	}
	target, rest, ok := bytes.Cut(rest, []byte(`" for `))
	if !ok {
		return
	}
	x := request{op: r.Routes.Op(method, target), open: 1}
	if _, at, ok := bytes.Cut(rest, []byte(" at ")); ok {
		x.start, _ = r.Clock.Read(bytes.TrimSpace(at))
	}
	if before, ok := r.open[key]; ok && !byID {
		x.open = before.open + 1 // threads: which of them ends first is not known
	} else if len(r.open) >= maxOpen {
		clear(r.open)
	}
	r.open[key] = x
}

// close takes the request of a key that ended. ok is false where it is not known
// which.
func (r *reader) close(key uint64) (x request, ok bool) {
	if x, ok = r.open[key]; !ok {
		return x, false
	}
	if x.open > 1 {
		x.open--
		r.open[key] = x
		return request{}, false
	}
	delete(r.open, key)
	return x, x.op != ""
}

func (r *reader) completed(e *log.Entry) error {
	o, ok := completed(r.prefix.text)
	if !ok {
		return errCompleted
	}
	x := request{}
	if key, _, has := r.key(); has {
		x, ok = r.close(key)
	} else {
		ok = false
	}
	l := r.end
	clear(r.roles[:])
	f := &r.roles
	f[log.StatusCode], f[log.Latency], f[log.Time] = o.status, o.took, r.prefix.stamp
	if r.prefix.id != nil && isID(r.prefix.id) {
		f[log.RequestID] = r.prefix.id
	}
	if r.prefix.stamp == nil && ok && x.start.Time != 0 {
		l = r.start
	}
	if err := r.Build(l, f, e); err != nil {
		return err
	}
	switch {
	case ok:
		e.Op = x.op
		if l == r.start {
			e.Stamp = x.start
		}
	case o.url != nil:
		e.Op = r.Routes.Op([]byte("ANY"), o.url)
	default:
		e.Op = notJoined
	}
	return nil
}
