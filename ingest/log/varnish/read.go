package varnish

import (
	"errors"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// errUnknown: which number is the latency, the line does not tell.
var errUnknown = errors.New("fields that nothing explains; give varnishncsa's format as --log-format")

// plan is what the readers of all parts of an input share.
type plan struct {
	log.Plan
	opt ingest.Options

	timed, untimed log.Layout // for lines that no known format fits
}

func learn(head [][]byte, opt ingest.Options) (func() log.Reader, error) {
	const name = "common, and other fields"
	p := &plan{opt: opt, timed: layout(name, assumed, opt), untimed: layout(name, log.Scale{}, opt)}
	if opt.LogFormat != "" {
		k, err := given(opt)
		if err != nil {
			return nil, err
		}
		p.Plan = log.Plan{Known: []log.Known{k}, Given: true}
		return p.newReader, nil
	}
	for _, l := range formats(head, opt) {
		pattern, err := log.Compile(l.Parts)
		if err != nil || len(p.Known) == log.MostLearned {
			continue
		}
		u := log.Scale{}
		if pattern.Has(log.Latency) {
			u = l.Evidence.Scale(assumed)
		}
		p.Known = append(p.Known, log.Known{Pattern: pattern, Layout: layout(l.Shown, u, opt)})
	}
	return p.newReader, nil
}

// formats returns the formats of the first lines, with what tells their units:
// the order of the lines, and the time to the first byte, a part of the whole.
func formats(head [][]byte, opt ingest.Options) []*log.Learned[log.Evidence] {
	var g guess
	times := log.Clock{Zone: opt.Zone}
	return log.Learn(head, func(c *log.CLF) ([]log.Part, string, log.Kin) {
		g.read(c)
		parts, shown := words.Format(c, g.roles)
		return parts, shown, log.KinOf(g.own, g.plain)
	}, func(l *log.Learned[log.Evidence], c *log.CLF) {
		if g.at < 0 {
			return
		}
		v, value := &l.Evidence, c.Tail[g.at].Text
		v.Line()
		if start, ok := times.Read(c.Stamp); ok {
			v.Started(start, value)
		}
		if g.first >= 0 {
			if first, _, _, ok := log.Duration(c.Tail[g.first].Text, time.Second); ok {
				v.AtLeast(value, first)
			}
		}
	})
}

// given compiles the format that the user gives.
func given(opt ingest.Options) (log.Known, error) {
	const combined = `%h %l %u %t "%r" %s %b "%{Referer}i" "%{User-agent}i"`
	text := strings.ReplaceAll(opt.LogFormat, "%{Varnish:default_format}x", combined)
	alone := !strings.Contains(text, "%D") && !strings.Contains(text, "}T") && !strings.Contains(text, "%T")
	f, err := log.ParseLogFormat(text, func(d *log.Directive) (log.Meaning, bool) {
		if d.Name != "x" {
			return log.Meaning{}, false
		}
		switch {
		case d.Arg == "Varnish:handling":
			return log.Meaning{Role: handling}, true
		case d.Arg == "Varnish:time_firstbyte" && alone:
			return log.Meaning{Role: log.Latency, Scale: log.Scale{Size: time.Second, From: ingest.UnitFromFormat}}, true
		case d.Arg == "Varnish:vxid":
			return log.Meaning{Role: log.RequestID}, true
		}
		return log.Meaning{}, true
	})
	if err != nil {
		return log.Known{}, err
	}
	c := clock
	if alone {
		c = "request read from the client, up to the first byte of the answer"
	}
	return f.Compile(ingest.Shape{Layout: opt.LogFormat, Clock: c, Stamp: ingest.StampStart}, ingest.Proxy, opt)
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
	case f != nil && !r.Given && f[handling] != nil && !isHandling(f[handling]):
		e.Reset(e.Pos) // the fields are others
	case f != nil || err != nil:
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
	if g.at >= 0 {
		l = &r.timed
	}
	_, err = r.Guessed(l, g.roles, e)
	return err
}
