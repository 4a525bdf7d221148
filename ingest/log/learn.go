package log

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/ingest"
)

// Known is a format that lines are written in, with what its fields mean.
type Known struct {
	Pattern *Pattern
	Layout  Layout
}

// Lines reads lines of known formats, and others in the frame of the common log
// format. It is what Readers of that family are made of; for one goroutine.
type Lines struct {
	Builder
	CLF CLF // room for Guessed

	plan   Plan
	fields []Fields // by format
	other  Fields
}

// Plan is in which formats the lines of an input may be written.
type Plan struct {
	Known []Known
	Given bool // by the user: nothing else is read
}

// NewLines returns what reads lines of the formats given.
func NewLines(plan Plan, opt ingest.Options) Lines {
	return Lines{Builder: Builder{Clock: Clock{Zone: opt.Zone}}, plan: plan, fields: make([]Fields, len(plan.Known))}
}

// Known reads a line by the first format that it fits, and by the next where
// what it then says cannot be. It returns the line's fields; nil and no error: it
// fits none, and may be another.
func (r *Lines) Known(line []byte, e *Entry) (*Fields, error) {
	var failed error
	for i := range r.plan.Known {
		k, f := &r.plan.Known[i], &r.fields[i]
		if !k.Pattern.Match(line, f) {
			continue
		}
		err := r.Build(&k.Layout, f, e)
		if err == nil {
			return f, nil
		}
		if failed == nil {
			failed = err
		}
		e.Reset(e.Pos)
	}
	if failed == nil && r.plan.Given {
		failed = ErrFormat
	}
	return nil, failed
}

// Guessed reads the line that CLF was parsed of, whose fields behind the status
// have the roles given. It returns the line's fields.
func (r *Lines) Guessed(l *Layout, roles []Role, e *Entry) (*Fields, error) {
	c, f := &r.CLF, &r.other
	clear(f[:])
	f[Time], f[EndTime], f[Request], f[StatusCode] = c.Stamp, c.End, c.Request, c.Status
	for i, role := range roles {
		if role != Skip {
			f[role] = c.Tail[i].Text
		}
	}
	return f, r.Build(l, f, e)
}

// Kin tells how sure it is that a server wrote lines of a format.
type Kin uint8

// Kinds of kin.
const (
	Stranger Kin = iota // another's, if any format of the input is the server's
	Maybe               // nothing speaks against it
	Sure                // nobody else writes such lines
)

// KinOf returns Sure for lines that nobody else writes, and Maybe for those that
// have nothing in them that is not understood.
func KinOf(own, plain bool) Kin {
	switch {
	case own:
		return Sure
	case plain:
		return Maybe
	}
	return Stranger
}

// Learned is a format that first lines are written in. E is what else a dialect
// wants to know of them.
type Learned[E any] struct {
	Parts    []Part
	Shown    string // as a format string of the server
	Lines    int
	Evidence E

	kin  Kin
	says int // fields that are read
}

// MostLearned is how many formats the first lines of an input may teach.
const MostLearned = 8

// Learn returns the formats of lines in the frame of the common log format.
// Those that say more come first, so that none which passes over a field hides
// one that reads it, then the more frequent. look takes a line apart, and may
// change c.Tail; add takes note of evidence, and may be nil.
func Learn[E any](lines [][]byte, look func(c *CLF) (parts []Part, shown string, kin Kin), add func(l *Learned[E], c *CLF)) []*Learned[E] {
	seen := map[string]*Learned[E]{}
	var c CLF
	sure := false
	for _, line := range lines {
		if line[0] == '{' || c.Parse(line) != nil {
			continue
		}
		parts, shown, kin := look(&c)
		l := seen[shown]
		if l == nil {
			l = &Learned[E]{Parts: parts, Shown: shown, kin: kin}
			for _, p := range parts {
				if p.Role != Skip {
					l.says++
				}
			}
			seen[shown] = l
		}
		sure = sure || kin == Sure
		l.Lines++
		if add != nil {
			add(l, &c)
		}
	}
	all := make([]*Learned[E], 0, len(seen))
	for _, l := range seen {
		if l.kin != Stranger || !sure { // alone, strangers were given as the server's
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b *Learned[E]) int {
		return cmp.Or(cmp.Compare(b.says, a.says), cmp.Compare(b.Lines, a.Lines), strings.Compare(a.Shown, b.Shown))
	})
	return all
}

// Words are how a server's format strings name fields, to show a format that was
// recognised.
type Words struct {
	Of                    map[Role]string
	Latency               string // beside Of[Latency], which it replaces; empty: it does not
	Bytes, Referer, Agent string
	Other                 string // for fields that are not read
	Bracketed             bool   // the word for the time stamp stands for its brackets too
}

// Format returns the format in which the line is written whose fields behind the
// status have the roles given, and how it is shown.
func (w Words) Format(c *CLF, roles []Role) ([]Part, string) {
	parts, shown := c.Parts(roles, func(r Role, at int) string {
		switch word := w.Of[r]; {
		case r == Latency && w.Latency != "":
			return w.Latency
		case r != Skip && word != "":
			return word
		case r != Skip:
		case at == 0 && c.Tail[at].IsBytes():
			return w.Bytes
		case at >= 0 && c.Header(at) == 1:
			return w.Referer
		case at >= 0 && c.Header(at) == 2:
			return w.Agent
		}
		return w.Other
	})
	if stamp := w.Of[Time]; w.Bracketed {
		shown = strings.ReplaceAll(shown, "["+stamp+"]", stamp)
	}
	return parts, shown
}
