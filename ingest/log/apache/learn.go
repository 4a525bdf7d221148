package apache

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
	errAside   = errors.New("a line of Apache's error log")
	errUnknown = errors.New("fields that nothing explains; if Apache wrote them, give --log-format")
)

// plan is what the readers of all parts of an input share.
type plan struct {
	log.Plan
	opt ingest.Options

	// For lines that no known format fits; timed by the unit that a key states.
	timed   map[time.Duration]*log.Layout
	untimed log.Layout

	named map[namedLayout]*log.Layout
}

func learn(head [][]byte, opt ingest.Options) (func() log.Reader, error) {
	const name = "common, and other fields"
	p := &plan{opt: opt, untimed: layout(name, log.Scale{}, opt), timed: map[time.Duration]*log.Layout{}}
	for _, stated := range units {
		u := log.Scale{Size: stated, From: ingest.UnitFromKey}
		if stated == 0 {
			u = assumed
		}
		l := layout(name, u, opt)
		p.timed[stated] = &l
	}
	if opt.LogFormat != "" {
		k, err := compile(opt.LogFormat, ingest.UnitFromFormat, opt)
		if err != nil {
			return nil, err
		}
		p.Plan = log.Plan{Known: []log.Known{k}, Given: true}
		return p.newReader, nil
	}
	for _, l := range formats(head, opt) {
		if len(p.Known) == log.MostLearned {
			break
		}
		pattern, err := log.Compile(l.Parts)
		if err != nil {
			continue
		}
		u := log.Scale{}
		if pattern.Has(log.Latency) {
			u = l.Evidence.Scale(assumed)
		}
		k := log.Known{Pattern: pattern, Layout: layout(strings.Replace(l.Shown, "%?", shown(u), 1), u, opt)}
		k.Between(clock)
		p.Known = append(p.Known, k)
	}
	p.Known = append(p.Known, known...)
	p.named = namedLayouts(head, opt)
	return p.newReader, nil
}

// units are those that the name of a latency may state; 0: it states none.
var units = [...]time.Duration{0, time.Nanosecond, time.Microsecond, time.Millisecond, time.Second}

// shown is the directive that logs a latency in a unit; "%?" where it is not known.
func shown(u log.Scale) string {
	if u.From == "" {
		return "%?"
	}
	return map[time.Duration]string{time.Microsecond: "%D", time.Millisecond: "%{ms}T", time.Second: "%T"}[u.Size]
}

// formats returns the formats of the first lines, with what tells their units.
func formats(head [][]byte, opt ingest.Options) []*log.Learned[log.Evidence] {
	var g guess
	var f log.Fields
	clock := log.Clock{Zone: opt.Zone}
	head = slices.DeleteFunc(slices.Clone(head), func(line []byte) bool {
		return slices.ContainsFunc(known, func(k log.Known) bool { return k.Pattern.Match(line, &f) })
	})
	return log.Learn(head, func(c *log.CLF) ([]log.Part, string, log.Kin) {
		g.read(c)
		parts, shown := words.Format(c, g.roles)
		return parts, shown, log.KinOf(g.own, g.plain)
	}, func(l *log.Learned[log.Evidence], c *log.CLF) { g.evidence(&l.Evidence, c, &clock) })
}

// evidence takes note of what a line tells of the unit of its latency.
func (g *guess) evidence(v *log.Evidence, c *log.CLF, clock *log.Clock) {
	if g.at < 0 {
		return
	}
	v.Line()
	v.Stated = g.unit
	value := c.Tail[g.at].Text
	start, ok := clock.Read(c.Stamp)
	if !ok {
		return
	}
	v.Started(start, value)
	if g.pair >= 0 {
		v.Pair(value, c.Tail[g.pair].Text)
	} else if end, ok := clock.Read(c.End); ok {
		v.Between(value, start, end)
	}
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Lines
	guess   guess
	other   named
	members log.Walk[field]
}

func (p *plan) newReader() log.Reader {
	return &reader{plan: p, Lines: log.NewLines(p.Plan, p.opt), members: log.NewWalk(meaning)}
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	f, err := r.Lines.Known(line, e)
	switch {
	case f != nil:
	case err != nil:
		return err
	case line[0] == '#':
		return log.ErrIgnore
	case line[0] == '{':
		return r.readNamed("JSON", line, e)
	case log.Labelled(line):
		return r.readNamed("LTSV", line, e)
	default:
		if f, err = r.guessed(line, e); err != nil {
			return err
		}
	}
	f.Broken(e)
	return nil
}

// guessed reads a line that is written like none of the first.
func (r *reader) guessed(line []byte, e *log.Entry) (*log.Fields, error) {
	if err := r.CLF.Parse(line); err != nil {
		if aside(line) {
			return nil, errAside
		}
		return nil, err
	}
	if r.guess.read(&r.CLF); !r.guess.own && !r.guess.plain {
		return nil, errUnknown
	}
	l := &r.untimed
	if slices.Contains(r.guess.roles, log.Latency) {
		l = r.timed[r.guess.unit]
	}
	return r.Guessed(l, r.guess.roles, e)
}
