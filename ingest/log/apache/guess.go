package apache

import (
	"bytes"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// guess is what the fields behind the status of a line seem to be. It looks at
// one line alone.
type guess struct {
	roles []log.Role
	at    int           // of the whole number that is the latency, in the tail; -1: none
	pair  int           // of the number beside it, in seconds if it is %T; -1: none
	unit  time.Duration // that the key of the latency states; 0: none
	own   bool          // a latency as Apache logs it, or two stamps
	plain bool          // nothing that is not understood
}

// keys are customary names of a latency in key=value, with the unit that they
// state: Apache's own directives state none, others have them too.
var keys = map[string]time.Duration{"d": 0, "t": 0, "duration": 0, "time": 0, "took": 0, "response_time": 0,
	"usec": time.Microsecond, "microsec": time.Microsecond, "microseconds": time.Microsecond, "ms": time.Millisecond, "msec": time.Millisecond, "milliseconds": time.Millisecond}

// latency reports whether a key is that of a latency, and the unit it states.
func latency(key []byte) (unit time.Duration, ok bool) {
	name := bytes.ToLower(key)
	if unit, ok = keys[string(name)]; ok {
		return unit, true
	}
	base, unit, ok := log.KeyUnit(name)
	if _, known := keys[string(base)]; !ok || !known {
		return 0, false
	}
	return unit, true
}

// read guesses the roles of a line's tail. It takes a pair of numbers apart.
func (g *guess) read(c *log.CLF) {
	g.split(c)
	g.roles = append(g.roles[:0], make([]log.Role, len(c.Tail))...)
	g.at, g.unit, g.own, g.plain = -1, 0, false, c.Plain() || c.End != nil
	for i := range c.Tail {
		t := &c.Tail[i]
		if first, _, _ := bytes.Cut(t.Text, []byte(",")); isMillis(first) {
			g.at, g.own, g.plain = -1, false, false // nginx's
			clear(g.roles)
			return
		}
		switch {
		case len(t.Key) > 0:
			g.key(t, i)
		case i == 0 && t.IsBytes(), t.Close == '"', string(t.Text) == "-", i == g.pair:
		case g.pair >= 0 && i == g.pair+1:
			g.at, g.own = i, true
		case g.own && g.pair >= 0: // %X, %k and the like behind a pair
		case log.Whole(t.Text) && t.Close == 0 && i == len(c.Tail)-1 && g.at < 0:
			g.at, g.own = i, g.plain
		default:
			g.plain = false
		}
	}
	if g.at >= 0 {
		g.roles[g.at] = log.Latency
	}
	g.settle(c)
	g.own = g.own || c.End != nil && g.plain
}

// key looks at a field with a key.
func (g *guess) key(t *log.Token, i int) {
	unit, ok := latency(t.Key)
	switch name := string(bytes.ToLower(t.Key)); {
	case ok && log.Whole(t.Text) && (g.at < 0 || name == "d"): // %D is finer than %T
		g.at, g.unit, g.own = i, unit, true
	case name == "id" || name == "unique_id" || strings.HasSuffix(name, "request_id"):
		g.roles[i] = log.RequestID
	case log.Whole(t.Text) && !ok:
		g.plain = false
	}
}

func isMillis(b []byte) bool {
	_, ok := log.Millis(b)
	return ok
}

// settle finds which number of a pair is the finer, the larger one, and %X
// behind it: "+", "-" or "X".
func (g *guess) settle(c *log.CLF) {
	if g.pair < 0 || g.at < 0 {
		return
	}
	if i := g.at + 1; i < len(c.Tail) {
		if t := c.Tail[i]; t.Close == 0 && len(t.Key) == 0 && len(t.Text) == 1 && strings.IndexByte("+-X", t.Text[0]) >= 0 {
			g.roles[i] = log.Connection
		}
	}
	first, second := c.Tail[g.pair].Text, c.Tail[g.at].Text
	if len(first) > len(second) || len(first) == len(second) && string(first) > string(second) {
		g.roles[g.pair], g.roles[g.at] = log.Latency, log.Skip
		g.pair, g.at = g.at, g.pair
	}
}

// split takes a pair of whole numbers apart, "0/5376" or "**0/5376**", into two
// fields.
func (g *guess) split(c *log.CLF) {
	g.pair = -1
	for i := range c.Tail {
		t := c.Tail[i]
		inner := bytes.Trim(t.Text, "*")
		slash := bytes.IndexByte(inner, '/')
		if t.Close != 0 || len(t.Key) > 0 || slash < 1 || !log.Whole(inner[:slash]) || !log.Whole(inner[slash+1:]) {
			continue
		}
		open := bytes.IndexByte(t.Text, inner[0])
		lead := t.Lead[:len(t.Lead)+open] // the stars stand behind the blank, in the same line
		first := log.Token{Lead: lead, Text: inner[:slash]}
		second := log.Token{Lead: inner[slash : slash+1], Text: inner[slash+1:], Rest: t.Text[open+len(inner):]}
		c.Tail = append(c.Tail, log.Token{})
		copy(c.Tail[i+2:], c.Tail[i+1:])
		c.Tail[i], c.Tail[i+1] = first, second
		g.pair = i
		return
	}
}

// words show a format: fields that are not read are %_, and a latency is %?.
var words = log.Words{
	Of:    map[log.Role]string{log.Time: "%t", log.EndTime: "%t", log.Request: "%r", log.StatusCode: "%>s", log.Latency: "%?", log.RequestID: "%L", log.Connection: "%X"},
	Bytes: "%b", Referer: "%{Referer}i", Agent: "%{User-Agent}i", Other: "%_", Bracketed: true,
}
