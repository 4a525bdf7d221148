package log

import (
	"github.com/tailcheck/tailcheck/ingest"
)

// Mixed returns the dialect of logs in which lines of several servers stand
// between each other: what a container runtime, syslog or a terminal puts into
// one stream. Each line is read by the one dialect that claims it. It is asked
// only about inputs of which no server has most of the lines.
func Mixed(dialects ...Dialect) Dialect {
	var of []Dialect
	yields := ingest.Kinds(0)
	for _, d := range dialects {
		if !d.General && !d.Whole {
			of = append(of, d)
			yields |= max(d.Yields, ingest.KindSample)
		}
	}
	return Dialect{
		Name:    "mixed-log",
		Yields:  yields,
		between: true,
		Doc: `Logs of several servers in one stream

Lines of different servers, one after the other: what docker compose, a collector
or syslog makes of several programs. Each line is read as the format that claims
it: nginx's as nginx's, HAProxy's as HAProxy's, with their own units, stamps and
clocks. Formats with entries of several lines are not looked for.

It is recognised where no format claims more than half of the first lines, and
all together do; --format mixed-log asks for it.
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
	claim := m.of[m.last].Claims(line)
	if claim == Own {
		return m.read(m.last, line, e)
	}
	aside := claim == Aside
	for i := range m.of {
		if i == m.last {
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
