package nginx

import (
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
	log.Plan
	opt ingest.Options

	// For lines that no known format fits, by what they give: a request time and
	// times of tries, either, neither.
	request, upstream, untimed log.Layout
	keyed                      map[keyedLayout]*log.Layout
}

// order is what the first lines of a format tell of which of its unkeyed times
// is the request's: how often the first or the last of them was clearly the
// longer. 10 ms are beyond what two clocks of nginx differ by.
type order struct {
	firstLonger, lastLonger int
	swapped                 []log.Part // with the request's time last; nil: there is only one time
	shown                   string
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
		k, err := compile(opt.LogFormat, parts, opt)
		if err != nil {
			return nil, err
		}
		p.Plan = log.Plan{Known: []log.Known{k}, Given: true}
		return p.newReader, nil
	}
	for _, l := range formats(head) {
		if k, err := compile(l.Shown, l.Parts, opt); err == nil && len(p.Known) < log.MostLearned {
			p.Known = append(p.Known, k)
		}
	}
	p.Known = append(p.Known, proxyManager...)
	return p.newReader, nil
}

// formats returns the formats of the first lines.
func formats(head [][]byte) []*log.Learned[order] {
	var g guess
	all := log.Learn(head, func(c *log.CLF) ([]log.Part, string, log.Kin) {
		g.read(c)
		parts, shown := g.parts(c)
		if g.own {
			return parts, shown, log.Sure
		}
		return parts, shown, log.Stranger
	}, func(l *log.Learned[order], c *log.CLF) { l.Evidence.compare(c, &g) })
	for _, l := range all {
		// A field that holds a time on some lines and "-" on others is not the
		// request's time, which is never absent.
		if strings.Contains(l.Shown, "$request_time") && !strings.Contains(l.Shown, "$upstream_response_time") {
			absent := strings.Replace(l.Shown, "$request_time", "-", 1)
			if slices.ContainsFunc(all, func(o *log.Learned[order]) bool { return o.Shown == absent }) {
				rename(l)
			}
		}
		if o := &l.Evidence; o.swapped != nil && o.lastLonger > 0 && o.firstLonger == 0 {
			l.Parts, l.Shown = o.swapped, o.shown
		}
	}
	return all
}

// compare takes note of which of a line's unkeyed times is the longer.
func (o *order) compare(c *log.CLF, g *guess) {
	n := len(g.times)
	if n < 2 {
		return
	}
	first, ok1 := log.Millis(c.Tail[g.times[0]].Text)
	last, ok2 := log.Millis(c.Tail[g.times[n-1]].Text)
	switch {
	case !ok1 || !ok2:
	case first > last+clearly:
		o.firstLonger++
	case last > first+clearly:
		o.lastLonger++
	}
	if o.swapped == nil && ok1 && ok2 {
		g.arrange(c, true)
		o.swapped, o.shown = g.parts(c)
	}
}

// rename makes the only time of a format that of the upstream.
func rename(l *log.Learned[order]) {
	l.Shown = strings.Replace(l.Shown, "$request_time", "$upstream_response_time", 1)
	for i := range l.Parts {
		if l.Parts[i].Role == log.Latency {
			l.Parts[i].Role, l.Parts[i].List = log.Upstream, true
		}
	}
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Lines
	guess   guess
	other   log.Fields
	members log.Walk[field]
}

func (p *plan) newReader() log.Reader {
	return &reader{plan: p, Lines: log.NewLines(p.Plan, p.opt), members: log.NewWalk(named)}
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	if line[0] == '{' && !r.Given {
		return r.named("JSON", line, e)
	}
	switch f, err := r.Lines.Known(line, e); {
	case f != nil || err != nil:
		return err
	case line[0] == '#':
		return log.ErrIgnore
	case log.Labelled(line):
		return r.named("LTSV", line, e)
	}
	return r.guessed(line, e)
}

// guessed reads a line that is written like none of the first.
func (r *reader) guessed(line []byte, e *log.Entry) error {
	if err := r.CLF.Parse(line); err != nil {
		if aside(line) {
			return errAside
		}
		return err
	}
	if r.guess.read(&r.CLF); !r.guess.own {
		return errUnknown
	}
	l := &r.untimed
	switch {
	case slices.Contains(r.guess.roles, log.Latency):
		l = &r.request
	case slices.Contains(r.guess.roles, log.Upstream):
		l = &r.upstream
	}
	_, err := r.Guessed(l, r.guess.roles, e)
	return err
}
