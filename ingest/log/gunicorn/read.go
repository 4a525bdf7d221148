package gunicorn

import (
	"errors"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// errUnknown: which number is the latency, the line does not tell.
var errUnknown = errors.New("fields that nothing explains; give gunicorn's access-logformat as --log-format")

// plan is what the readers of all parts of an input share.
type plan struct {
	log.Plan
	opt ingest.Options

	whole, seconds, untimed log.Layout // for lines that no known format fits
}

func learn(head [][]byte, opt ingest.Options) (func() log.Reader, error) {
	const name = "combined, and other fields"
	p := &plan{opt: opt, whole: layout(name, assumed, opt), seconds: layout(name, exact, opt), untimed: layout(name, log.Scale{}, opt)}
	p.seconds.Shape.Step = min(p.seconds.Shape.Step, time.Microsecond)
	if opt.LogFormat != "" {
		k, err := given(opt)
		if err != nil {
			return nil, err
		}
		p.Plan = log.Plan{Known: []log.Known{k}, Given: true}
		return p.newReader, nil
	}
	for _, l := range formats(head) {
		pattern, err := log.Compile(l.Parts)
		if err != nil || len(p.Known) == log.MostLearned {
			continue
		}
		u := log.Scale{}
		switch {
		case strings.Contains(l.Shown, "%(L)s"):
			u = exact
		case pattern.Has(log.Latency):
			u = assumed
		}
		k := log.Known{Pattern: pattern, Layout: layout(l.Shown, u, opt)}
		if u == exact {
			k.Layout.Shape.Step = min(k.Layout.Shape.Step, time.Microsecond)
		}
		p.Known = append(p.Known, k)
	}
	return p.newReader, nil
}

// exact is the unit of %(L)s.
var exact = log.Scale{Size: time.Second, From: ingest.UnitFromFormat}

// formats returns the formats of the first lines.
func formats(head [][]byte) []*log.Learned[struct{}] {
	var g guess
	return log.Learn[struct{}](head, func(c *log.CLF) ([]log.Part, string, log.Kin) {
		g.read(c)
		w := words
		if g.seconds {
			w.Latency = "%(L)s"
		}
		parts, shown := w.Format(c, g.roles)
		return parts, shown, log.KinOf(g.own, g.plain)
	}, nil)
}

// words show a format: with %_ for fields that are not read, and %? for a whole
// number, which %(D)s, %(M)s and %(T)s all log.
var words = log.Words{
	Of:    map[log.Role]string{log.Time: "%(t)s", log.Request: "%(r)s", log.StatusCode: "%(s)s", log.Latency: "%?", process: "%(p)s"},
	Bytes: "%(b)s", Referer: "%(f)s", Agent: "%(a)s", Other: "%_", Bracketed: true,
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Lines
	guess guess
}

func (p *plan) newReader() log.Reader { return &reader{plan: p, Lines: log.NewLines(p.Plan, p.opt)} }

func (r *reader) Read(line []byte, e *log.Entry) error {
	f, err := r.Lines.Known(line, e)
	switch {
	case f != nil:
		return nil
	case aside(line):
		return log.ErrIgnore
	case isUvicorn(line):
		return errUvicorn
	case err != nil:
		return err
	}
	if err := r.CLF.Parse(line); err != nil {
		return err
	}
	g := &r.guess
	if g.read(&r.CLF); !g.plain {
		return errUnknown
	}
	l := &r.untimed
	switch {
	case g.at >= 0 && g.seconds:
		l = &r.seconds
	case g.at >= 0:
		l = &r.whole
	}
	_, err = r.Guessed(l, g.roles, e)
	return err
}
