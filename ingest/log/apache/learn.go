package apache

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Reasons why lines are not read.
var (
	errAside   = errors.New("a line of Apache's error log")
	errUnknown = errors.New("fields that nothing explains; if Apache wrote them, give --log-format")
)

// plan is what the readers of all parts of an input share.
type plan struct {
	given    bool // by --log-format: nothing else is read
	patterns []*compiled
	zone     *time.Location

	// For lines that no pattern fits; timed by the unit that a key states.
	timed   map[time.Duration]*log.Layout
	untimed log.Layout
}

// most is how many formats an input's first lines may teach.
const most = 8

// shape is a format seen in the first lines.
type shape struct {
	parts    []log.Part
	shown    string
	count    int
	informed int // fields that are read
	own      bool
	evidence evidence
}

func learn(head [][]byte, opt ingest.Options) (func() log.Reader, error) {
	const name = "common, and other fields"
	p := &plan{zone: opt.Zone, untimed: layout(name, unit{}, opt), timed: map[time.Duration]*log.Layout{}}
	for _, stated := range [...]time.Duration{0, time.Nanosecond, time.Microsecond, time.Millisecond, time.Second} {
		u := unit{size: stated, from: ingest.UnitFromKey}
		if stated == 0 {
			u = assumed
		}
		l := layout(name, u, opt)
		p.timed[stated] = &l
	}
	if opt.LogFormat != "" {
		f, err := parse(opt.LogFormat)
		if err != nil {
			return nil, err
		}
		c, err := compile(opt.LogFormat, f, ingest.UnitFromFormat, opt)
		if err != nil {
			return nil, err
		}
		p.given, p.patterns = true, []*compiled{c}
		return p.newReader, nil
	}
	for _, s := range shapes(head, opt) {
		if len(p.patterns) == most {
			break
		}
		pattern, err := log.Compile(s.parts)
		if err != nil {
			continue
		}
		u := unit{}
		if pattern.Has(log.Latency) {
			u = s.evidence.unit()
		}
		c := &compiled{pattern, layout(strings.Replace(s.shown, "%?", u.shown(), 1), u, opt)}
		c.between()
		p.patterns = append(p.patterns, c)
	}
	p.patterns = append(p.patterns, known...)
	return p.newReader, nil
}

// shapes returns the formats of the first lines, those that say more first,
// then the more frequent.
func shapes(head [][]byte, opt ingest.Options) []*shape {
	seen := map[string]*shape{}
	var c log.CLF
	var g guess
	times := log.Clock{Zone: opt.Zone}
	own := false
	var f log.Fields
	for _, line := range head {
		if slices.ContainsFunc(known, func(k *compiled) bool { return k.pattern.Match(line, &f) }) || c.Parse(line) != nil {
			continue
		}
		g.read(&c)
		own = own || g.own
		parts, shown := g.parts(&c)
		s := seen[shown]
		if s == nil {
			s = &shape{parts: parts, shown: shown, own: g.own || g.plain}
			for _, p := range parts {
				if p.Role != log.Skip {
					s.informed++
				}
			}
			seen[shown] = s
		}
		s.count++
		s.evidence.add(&c, &g, &times)
	}
	all := make([]*shape, 0, len(seen))
	for _, s := range seen {
		if s.own || !own { // another server's; alone, it was given as Apache's
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *shape) int {
		return cmp.Or(cmp.Compare(b.informed, a.informed), cmp.Compare(b.count, a.count), strings.Compare(a.shown, b.shown))
	})
	return all
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Builder
	fields []log.Fields // by pattern
	other  log.Fields
	clf    log.CLF
	guess  guess
}

func (p *plan) newReader() log.Reader {
	return &reader{plan: p, Builder: log.Builder{Clock: log.Clock{Zone: p.zone}}, fields: make([]log.Fields, len(p.patterns))}
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	var failed error
	for i, p := range r.patterns {
		f := &r.fields[i]
		if !p.pattern.Match(line, f) {
			continue
		}
		err := r.Build(&p.layout, f, e)
		if err == nil {
			broken(f, e)
			return nil
		}
		if failed == nil {
			failed = err
		}
		e.Reset(e.Pos)
	}
	switch {
	case failed != nil:
		return failed
	case r.given:
		return log.ErrFormat
	case line[0] == '#':
		return log.ErrIgnore
	}
	return r.guessed(line, e)
}

// broken takes note of %X: the client left before the answer was sent, so that
// the latency is a lower bound.
func broken(f *log.Fields, e *log.Entry) {
	if string(f[connection]) == "X" && e.Outcome != ingest.TimedOut {
		e.Outcome = ingest.Canceled
	}
}

// guessed reads a line that is written like none of the first.
func (r *reader) guessed(line []byte, e *log.Entry) error {
	if err := r.clf.Parse(line); err != nil {
		if aside(line) {
			return errAside
		}
		return err
	}
	if r.guess.read(&r.clf); !r.guess.own && !r.guess.plain {
		return errUnknown
	}
	clear(r.other[:])
	r.other[log.Time], r.other[log.EndTime], r.other[log.Request], r.other[log.StatusCode] = r.clf.Stamp, r.clf.End, r.clf.Request, r.clf.Status
	l := &r.untimed
	for i, role := range r.guess.roles {
		if role != log.Skip {
			r.other[role] = r.clf.Tail[i].Text
		}
		if role == log.Latency {
			l = r.timed[r.guess.unit]
		}
	}
	if err := r.Build(l, &r.other, e); err != nil {
		return err
	}
	broken(&r.other, e)
	return nil
}
