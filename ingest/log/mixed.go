package log

import (
	"github.com/tailcheck/tailcheck/ingest"
)

// Formats returns the formats of all dialects, and one for logs in which lines of
// several stand between each other: a dialect claims no such log, although most
// of the lines may be its own.
func Formats(dialects ...Dialect) (all []ingest.Format) {
	between := Mixed(dialects...)
	for _, d := range dialects {
		f := d.Format()
		if !d.General && !d.Whole && d.Knows == nil {
			f.Sniff = func(head []byte) bool {
				own, lines := d.share(head)
				return own > 0 && 2*own > lines && (10*own >= 9*lines || !between.shared(head))
			}
		}
		all = append(all, f)
	}
	f := between.Format()
	f.Sniff = between.shared
	return append(all, f)
}

// shared reports whether at least two dialects have one in ten of the first lines,
// and all of them together more than half.
func (d *Dialect) shared(head []byte) bool {
	lines := d.headLines(head, sniffed)
	own, all, several := make([]int, len(d.of)), 0, 0
	for _, line := range lines {
		claim := Foreign
		for i := range d.of {
			c := d.of[i].Claims(line)
			if c == Own {
				claim = Own
				own[i]++
				break
			}
			claim = max(claim, c)
		}
		if claim != Aside {
			all++
		}
	}
	total := 0
	for _, n := range own {
		total += n
		if n >= 2 && 10*n >= all {
			several++
		}
	}
	return several >= 2 && 2*total > all
}

// Mixed returns the dialect of logs in which lines of several servers stand
// between each other: what a container runtime, syslog or a terminal puts into
// one stream. Each line is read by the one dialect that claims it.
func Mixed(dialects ...Dialect) Dialect {
	var of, general []Dialect
	yields := ingest.Kinds(0)
	for _, d := range dialects {
		switch {
		case d.Whole:
			continue
		case d.General:
			general = append(general, d)
		default:
			of = append(of, d)
		}
		yields |= max(d.Yields, ingest.KindSample)
	}
	of = append(of, general...) // what no server claims may be an application's
	return Dialect{
		Name:   "mixed-log",
		Yields: yields,
		of:     of,
		Doc: `Logs of several servers in one stream

Lines of different servers, one after the other: what docker compose, a collector
or syslog makes of several programs. Each line is read as the format that claims
it: nginx's as nginx's, HAProxy's as HAProxy's, with their own units, stamps and
clocks. Formats with entries of several lines are not looked for.

It is recognised where two formats or more have at least one in ten of the first
lines each; --format mixed-log asks for it.
`,
		Claims: func(line []byte) Claim {
			claim := Foreign
			for i := range of {
				switch of[i].Claims(line) {
				case Own:
					return Own
				case Aside:
					claim = Aside
				}
			}
			return claim
		},
		Learn: func(head [][]byte, opt ingest.Options) (func() Reader, error) {
			opt.LogFormat = "" // it is one server's
			makes := make([]func() Reader, len(of))
			for i := range of {
				var lines [][]byte
				for _, line := range head {
					if of[i].Claims(line) != Foreign {
						lines = append(lines, line)
					}
				}
				make, err := of[i].Learn(lines, opt)
				if err != nil {
					return nil, err
				}
				makes[i] = make
			}
			return func() Reader { return &mixed{of: of, makes: makes, readers: make([]Reader, len(of))} }, nil
		},
	}
}

type mixed struct {
	of      []Dialect
	makes   []func() Reader
	readers []Reader // of each dialect; nil: none of its lines has come
	last    int      // dialect of the last line: the next is often its, too
}

func (m *mixed) Read(line []byte, e *Entry) error {
	aside := false
	// The last one's first, but not one that claims what others claim better.
	if !m.of[m.last].General {
		switch m.of[m.last].Claims(line) {
		case Own:
			return m.read(m.last, line, e)
		case Aside:
			aside = true
		}
	}
	for i := range m.of {
		if i == m.last && !m.of[i].General {
			continue
		}
		switch m.of[i].Claims(line) {
		case Own:
			m.last = i
			return m.read(i, line, e)
		case Aside:
			aside = true
		}
	}
	if aside {
		return ErrIgnore
	}
	return ErrOther
}

func (m *mixed) read(i int, line []byte, e *Entry) error {
	if m.readers[i] == nil {
		m.readers[i] = m.makes[i]()
	}
	return m.readers[i].Read(line, e)
}
