package nginx

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
	errAside   = errors.New("a line of nginx's error log")
	errUnknown = errors.New("fields that nothing explains; if nginx wrote them, give --log-format")
)

// plan is what the readers of all parts of an input share.
type plan struct {
	given    bool // by --log-format: nothing else is read
	patterns []*compiled
	opt      ingest.Options

	// For lines that no pattern fits, by what they give: a request time and
	// times of tries, either, neither.
	request, upstream, untimed log.Layout
	keyed                      map[keyedLayout]*log.Layout
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

	// Of the first and the last of its unkeyed times: how often one was clearly
	// the longer. 10 ms are beyond what two clocks of nginx differ by.
	firstLonger, lastLonger int
	swapped                 []log.Part // with the request's time last; nil: there is only one time
	swappedShown            string
}

const clearly = 10 * time.Millisecond

func learn(head [][]byte, opt ingest.Options) (func() log.Reader, error) {
	p := &plan{
		opt:      opt,
		request:  layout("combined, and other fields", true, true, opt),
		upstream: layout("combined, and other fields", false, true, opt),
		untimed:  layout("combined, and other fields", false, false, opt),
		keyed:    map[keyedLayout]*log.Layout{},
	}
	for _, k := range keyedLayouts {
		l := k.layout(opt)
		p.keyed[k] = &l
	}
	if opt.LogFormat != "" {
		parts, err := parse(opt.LogFormat)
		if err != nil {
			return nil, err
		}
		c, err := compile(opt.LogFormat, parts, opt)
		if err != nil {
			return nil, err
		}
		p.given, p.patterns = true, []*compiled{c}
		return p.newReader, nil
	}
	for _, s := range shapes(head) {
		if c, err := compile(s.shown, s.parts, opt); err == nil && len(p.patterns) < most {
			p.patterns = append(p.patterns, c)
		}
	}
	p.patterns = append(p.patterns, proxyManager...)
	return p.newReader, nil
}

// shapes returns the formats of the first lines: those that say more first, so
// that none which passes over a field hides one that reads it, then the more
// frequent.
func shapes(head [][]byte) []*shape {
	seen := map[string]*shape{}
	var c log.CLF
	var g guess
	for _, line := range head {
		if line[0] == '{' || c.Parse(line) != nil {
			continue
		}
		g.read(&c)
		parts, shown := g.parts(&c)
		s := seen[shown]
		if s == nil {
			s = &shape{parts: parts, shown: shown, own: g.own}
			for _, p := range parts {
				if p.Role != log.Skip {
					s.informed++
				}
			}
			seen[shown] = s
		}
		s.count++
		s.compare(&c, &g)
	}
	all := make([]*shape, 0, len(seen))
	own := false
	for _, s := range seen {
		own = own || s.own
	}
	for _, s := range seen {
		if own && !s.own {
			continue // another server's; alone, it was given as nginx's
		}
		// A field that holds a time on some lines and "-" on others is not the
		// request's time, which is never absent.
		if seen[strings.Replace(s.shown, "$request_time", "-", 1)] != nil && strings.Contains(s.shown, "$request_time") && !strings.Contains(s.shown, "$upstream_response_time") {
			s.rename()
		}
		if s.swapped != nil && s.lastLonger > 0 && s.firstLonger == 0 {
			s.parts, s.shown = s.swapped, s.swappedShown
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *shape) int {
		return cmp.Or(cmp.Compare(b.informed, a.informed), cmp.Compare(b.count, a.count), strings.Compare(a.shown, b.shown))
	})
	return all
}

// compare takes note of which of a line's unkeyed times is the longer.
func (s *shape) compare(c *log.CLF, g *guess) {
	n := len(g.times)
	if n < 2 {
		return
	}
	first, ok1 := log.Millis(c.Tail[g.times[0]].Text)
	last, ok2 := log.Millis(c.Tail[g.times[n-1]].Text)
	switch {
	case !ok1 || !ok2:
	case first > last+clearly:
		s.firstLonger++
	case last > first+clearly:
		s.lastLonger++
	}
	if s.swapped == nil && ok1 && ok2 {
		g.arrange(c, true)
		s.swapped, s.swappedShown = g.parts(c)
	}
}

// rename makes the only time of a format that of the upstream.
func (s *shape) rename() {
	s.shown = strings.Replace(s.shown, "$request_time", "$upstream_response_time", 1)
	for i := range s.parts {
		if s.parts[i].Role == log.Latency {
			s.parts[i].Role, s.parts[i].List = log.Upstream, true
		}
	}
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Builder
	fields []log.Fields // by pattern
	other  log.Fields
	clf    log.CLF
	guess  guess
	object log.Object
	keys   log.Keys[field]
	text   []byte
}

func (p *plan) newReader() log.Reader {
	return &reader{plan: p, keys: newKeys(), Builder: log.Builder{Clock: log.Clock{Zone: p.opt.Zone}}, fields: make([]log.Fields, len(p.patterns))}
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	if line[0] == '{' && !r.given {
		return r.json(line, e)
	}
	var failed error
	for i, p := range r.patterns {
		if !p.pattern.Match(line, &r.fields[i]) {
			continue
		}
		err := r.Build(&p.layout, &r.fields[i], e)
		if err == nil {
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
	case isLTSV(line):
		return r.ltsv(line, e)
	}
	return r.guessed(line, e)
}

// guessed reads a line that is written like none of the first.
func (r *reader) guessed(line []byte, e *log.Entry) error {
	if err := r.clf.Parse(line); err != nil {
		if aside(line) {
			return errAside
		}
		return err
	}
	if r.guess.read(&r.clf); !r.guess.own {
		return errUnknown
	}
	clear(r.other[:])
	r.other[log.Time], r.other[log.Request], r.other[log.StatusCode] = r.clf.Stamp, r.clf.Request, r.clf.Status
	l := &r.untimed
	for i, role := range r.guess.roles {
		if role == log.Skip {
			continue
		}
		r.other[role] = r.clf.Tail[i].Text
		switch {
		case role == log.Latency:
			l = &r.request
		case role == log.Upstream && l != &r.request:
			l = &r.upstream
		}
	}
	return r.Build(l, &r.other, e)
}
