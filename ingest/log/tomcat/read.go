package tomcat

import (
	"errors"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// errUnknown: which number is the latency, the line does not tell.
var errUnknown = errors.New("fields that nothing explains; give the valve's pattern as --log-format")

// guess is what the fields behind the status of a line seem to be.
type guess struct {
	roles   []log.Role
	at      int  // of the latency; -1: there is none
	seconds bool // it is in seconds, as %T writes them up to Tomcat 9
	thread  int  // of the thread's name; -1: there is none
	plain   bool // nothing that is not understood
}

// read guesses the roles of a line's tail.
func (g *guess) read(c *log.CLF) {
	g.roles = append(g.roles[:0], make([]log.Role, len(c.Tail))...)
	g.at, g.seconds, g.thread, g.plain = -1, false, -1, c.Plain()
	for i := range c.Tail {
		t := &c.Tail[i]
		switch _, millis := log.Millis(t.Text); {
		case log.TomcatThread(t.Text):
			g.roles[i], g.thread = thread, i
		case i == 0 && t.IsBytes(), t.Close == '"', string(t.Text) == "-", isSession(t.Text):
		case g.at < 0 && t.Close == 0 && (millis || log.Whole(t.Text)):
			g.at, g.seconds = i, millis
		default:
			g.plain = false
		}
	}
	if g.at >= 0 {
		g.roles[g.at] = log.Latency
	}
}

// isSession reports a session id, %S: hex digits, in capitals.
func isSession(b []byte) bool {
	if len(b) < 32 {
		return false
	}
	for _, c := range b[:32] {
		if c-'0' > 9 && c-'A' > 5 {
			return false
		}
	}
	return len(b) == 32 || b[32] == '.' // and the route
}

// plan is what the readers of all parts of an input share.
type plan struct {
	log.Plan
	opt ingest.Options

	number, seconds, untimed log.Layout // for lines that no known format fits
	objects                  objectLayouts
}

func learn(head [][]byte, opt ingest.Options) (func() log.Reader, error) {
	const name = "common, and other fields"
	p := &plan{
		opt:     opt,
		number:  layout(name, assumed, opt),
		seconds: layout(name, log.Scale{Size: time.Second, From: ingest.UnitFromFormat}, opt),
		untimed: layout(name, log.Scale{}, opt),
		objects: newObjectLayouts(head, opt),
	}
	if opt.LogFormat != "" {
		k, err := given(head, opt)
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
		case strings.Contains(l.Shown, "%T"):
			u = log.Scale{Size: time.Second, From: ingest.UnitFromFormat}
		case pattern.Has(log.Latency):
			u = l.Evidence.Scale(assumed)
		}
		p.Known = append(p.Known, log.Known{Pattern: pattern, Layout: layout(l.Shown, u, opt)})
	}
	p.Known = append(p.Known, spring[:]...)
	return p.newReader, nil
}

// formats returns the formats of the first lines, with what tells their units.
func formats(head [][]byte) []*log.Learned[evidence] {
	var g guess
	return log.Learn(head, func(c *log.CLF) ([]log.Part, string, log.Kin) {
		g.read(c)
		w := words
		if g.seconds {
			w.Latency = "%T"
		}
		parts, shown := w.Format(c, g.roles)
		return parts, shown, log.KinOf(g.thread >= 0 && g.plain, g.plain)
	}, func(l *log.Learned[evidence], c *log.CLF) {
		var f log.Fields
		for i, r := range g.roles {
			if r != log.Skip {
				f[r] = c.Tail[i].Text
			}
		}
		l.Evidence.add(&f)
	})
}

// words show a format: fields that are not read are %_.
var words = log.Words{
	Of:    map[log.Role]string{log.Time: "%t", log.Request: "%r", log.StatusCode: "%s", log.Latency: "%D", thread: "%I"},
	Bytes: "%b", Referer: "%{Referer}i", Agent: "%{User-Agent}i", Other: "%_", Bracketed: true,
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Lines
	guess  guess
	object object
	walk   log.Walk[member]
}

func (p *plan) newReader() log.Reader {
	return &reader{plan: p, Lines: log.NewLines(p.Plan, p.opt), walk: log.NewWalk(meaning)}
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	if line[0] == '{' && !r.Given {
		return r.json(line, e)
	}
	f, err := r.Lines.Known(line, e)
	switch {
	case f != nil:
	case aside(line):
		return log.ErrIgnore
	case err != nil:
		return err
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
		return nil, err
	}
	g := &r.guess
	if g.read(&r.CLF); !g.plain {
		return nil, errUnknown
	}
	l := &r.untimed
	switch {
	case g.at >= 0 && g.seconds:
		l = &r.seconds
	case g.at >= 0:
		l = &r.number
	}
	return r.Guessed(l, g.roles, e)
}
