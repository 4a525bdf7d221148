package detecttest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// made is a span that was drawn from a line.
type made struct {
	line     *spanLine
	i        int64
	id       ingest.SpanID
	parent   *made
	children []*made
	end      time.Duration // after the start of its parent
	start    time.Duration
	lost     bool
}

// drawing is a trace while it is drawn.
type drawing struct {
	r        *rand.Rand
	perTrace map[*spanLine]float64
	number   int64
	spans    []*made
}

// flush draws the traces of the template above.
func (p *parser) flush() {
	t := p.open
	p.open = nil
	if t == nil {
		return
	}
	var spans []ingest.Span
	for i := range t.times {
		spans = append(spans, p.draw(t, i)...)
	}
	traces, err := Assemble(spans)
	if err != nil {
		panic(err) // there is no file that could fail
	}
	for _, tr := range traces {
		p.out = append(p.out, tr)
	}
}

func (p *parser) draw(t *template, nth int64) []ingest.Span {
	d := &drawing{r: rand.New(rand.NewPCG(t.seed, uint64(t.number+nth))), perTrace: map[*spanLine]float64{}, number: t.number + nth}
	root := &made{} // the trace itself
	of := map[*spanLine][]*made{nil: {root}}
	for _, l := range t.lines {
		d.perTrace[l] = d.r.Float64()
		for _, parent := range of[l.parent] {
			n := l.times[0]
			if l.times[1] > n {
				n += d.r.Int64N(l.times[1] - n + 1)
			}
			for i := range n {
				if d.r.Float64() >= l.chance {
					continue
				}
				m := &made{line: l, i: i, parent: parent, lost: d.r.Float64() < l.left}
				d.spans = append(d.spans, m)
				binary.BigEndian.PutUint64(m.id[:], uint64(len(d.spans)))
				parent.children = append(parent.children, m)
				of[l] = append(of[l], m)
			}
		}
	}
	for _, m := range root.children {
		d.place(m)
	}
	d.line(root)
	var out []ingest.Span
	var write func(m *made, start, skew time.Duration)
	write = func(m *made, start, skew time.Duration) {
		for _, c := range m.children {
			l := c.line
			skew, start := skew+l.skew, start+c.start
			if !c.lost {
				for range l.copies {
					out = append(out, p.record(d, c, start+skew))
				}
			}
			write(c, start, skew)
		}
	}
	write(root, t.start+time.Duration(nth)*t.every, 0)
	return out
}

// place gives a span its length, and its children their places in it.
func (d *drawing) place(m *made) {
	for _, c := range m.children {
		d.place(c)
	}
	d.line(m)
	l := m.line
	if l.hasFor {
		m.end = l.took.draw(d.r, d.perTrace[l])
		return
	}
	var ends []time.Duration
	for _, c := range m.children {
		if !c.line.span.Async {
			ends = append(ends, c.end)
		}
	}
	slices.Sort(ends)
	if l.of > 0 && l.of < len(ends) {
		ends = ends[:l.of]
	}
	if len(ends) > 0 {
		m.end = ends[len(ends)-1]
	}
	m.end += l.tail.draw(d.r, d.perTrace[l])
	if l.most > 0 {
		m.end = min(m.end, l.most)
	}
}

// line moves the children of a span, whose lengths are known, to their starts.
func (d *drawing) line(m *made) {
	var before *made
	first := map[*spanLine]bool{}
	for _, c := range m.children {
		l, took := c.line, c.end
		switch {
		case l.hasAfter && before != nil && (first[l] || !l.hasStart):
			c.start = before.end + l.after.draw(d.r, d.perTrace[l])
		default:
			c.start = l.start.draw(d.r, d.perTrace[l])
			if !l.hasAfter {
				for range c.i {
					c.start += l.every.draw(d.r, d.perTrace[l])
				}
			}
		}
		c.end = c.start + took
		first[l] = true
		before = c
	}
}

// record writes a span down.
func (p *parser) record(d *drawing, m *made, start time.Duration) ingest.Span {
	l := m.line
	s := l.span
	p.drawn += 10
	s.Pos = ingest.Pos{Input: l.input, Offset: 1<<20 + p.drawn} // apart from those of other records
	binary.BigEndian.PutUint64(s.Trace[:], 1)
	binary.BigEndian.PutUint64(s.Trace[8:], uint64(d.number))
	s.ID, s.Parent = m.id, m.parent.id
	if l.parent == nil {
		s.Parent = l.lost
	}
	if !l.untimed {
		s.Start = ingest.Relative(start)
		s.End = s.Start.Add(m.end - m.start)
	}
	for _, text := range []*string{&s.Service, &s.Instance, &s.Op, &s.Peer} {
		*text = d.expand(*text, m.i)
	}
	if s.Store != nil {
		store := *s.Store
		store.Statement = d.expand(store.Statement, m.i)
		s.Store = &store
	}
	if l.args {
		s.Args = uint64(m.i) + 1
	}
	return s
}

var place = regexp.MustCompile(`\{([inr])(?:([/%])([1-9][0-9]*))?\}`)

// expand replaces {i}, {i/3}, {i%3}, {r%3} and {n}.
func (d *drawing) expand(text string, i int64) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return place.ReplaceAllStringFunc(text, func(match string) string {
		part := place.FindStringSubmatch(match)
		v := i
		switch part[1] {
		case "n":
			v = d.number
		case "r":
			v = d.r.Int64N(1 << 32)
		}
		if by, err := strconv.ParseInt(part[3], 10, 64); err == nil {
			if part[2] == "/" {
				v /= by
			} else {
				v %= by
			}
		}
		return fmt.Sprint(v)
	})
}
