// Package varnish reads the logs of varnishncsa.
package varnish

import (
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is how varnishncsa logs requests.
var Dialect = log.Dialect{
	Name: "varnish",
	Doc: `Logs of varnishncsa, for Varnish

What varnishncsa writes with a format that has times; its default, plain combined,
has none, and is told from nginx's by nobody. To have them, and whether the cache
answered:

    varnishncsa -F '%h %l %u %t "%r" %s %b "%{Referer}i" "%{User-agent}i" %D %{Varnish:handling}x %{Varnish:time_firstbyte}x'

Lines of that shape are recognised by the word of %{Varnish:handling}x (hit, miss,
pass, pipe, synth) behind a time; any other format is given as it stands:
--format varnish --log-format '…'. %D is microseconds, %T whole seconds, cut; a
number alone can be either, unless the time to the first byte beside it
contradicts one, and then is shown as both.

The stamp is the start of the request, in a line that is written at its end. The
clock starts when the request has been read from the client, before the cache is
looked up. Hits are fast while a backend stalls: judge a stall by the misses. With
-b the lines are the fetches from the backends instead.
`,
	Speaks: log.IsVarnishFormat,
	Claims: claims,
	Learn:  learn,
}

// clock is where Varnish's clock starts: Timestamp Start.
const clock = "request read from the client"

// Fields of Varnish's own.
const (
	handling  = log.OwnRole + iota // "hit", "miss", …
	firstByte                      // seconds
)

// assumed is the unit of a whole number: %D, or %T.
var assumed = log.Scale{Size: time.Microsecond, Other: time.Second}

func layout(name string, u log.Scale, opt ingest.Options) log.Layout {
	return u.Layout(ingest.Shape{Layout: name, Clock: clock, Stamp: ingest.StampStart}, ingest.Proxy, opt)
}

// isHandling reports a word of %{Varnish:handling}x. Source: varnishncsa(1).
func isHandling(b []byte) bool {
	switch string(b) {
	case "hit", "miss", "pass", "pipe", "error", "synth", "streaming-hit":
		return true
	}
	return false
}

func claims(line []byte) log.Claim {
	var c log.CLF
	if len(line) == 0 || line[0] == '{' || c.Parse(line) != nil {
		return log.Foreign
	}
	var g guess
	if g.read(&c); !g.own {
		return log.Foreign
	}
	return log.Own
}

// guess is what the fields behind the status of a line seem to be.
type guess struct {
	roles []log.Role
	at    int // of the whole number that is the latency; -1: there is none
	first int // of the time to the first byte; -1: there is none
	own   bool
	plain bool // nothing that is not understood
}

// read guesses the roles of a line's tail.
func (g *guess) read(c *log.CLF) {
	g.roles = append(g.roles[:0], make([]log.Role, len(c.Tail))...)
	g.at, g.first, g.own, g.plain = -1, -1, false, c.Plain()
	handled := false
	for i := range c.Tail {
		t := &c.Tail[i]
		switch {
		case i == 0 && t.IsBytes(), len(t.Text) == 0, len(t.Text) == 1 && t.Text[0] == '-':
		case isHandling(t.Text):
			g.roles[i], handled = handling, true
		case t.Close == '"':
		case g.at < 0 && len(t.Key) == 0 && log.Whole(t.Text):
			g.roles[i], g.at = log.Latency, i
		case g.first < 0 && len(t.Key) == 0 && log.Micros(t.Text):
			g.roles[i], g.first = firstByte, i
		default:
			g.plain = false
		}
	}
	g.own = handled && g.plain && (g.at >= 0 || g.first >= 0)
}

// words show a format: with %_ for fields that are not read, and %? for a whole
// number, which %D, %T and %{ms}T all log.
var words = log.Words{
	Of: map[log.Role]string{log.Time: "%t", log.Request: "%r", log.StatusCode: "%s", log.Latency: "%?",
		handling: "%{Varnish:handling}x", firstByte: "%{Varnish:time_firstbyte}x"},
	Bytes: "%b", Referer: "%{Referer}i", Agent: "%{User-agent}i", Other: "%_", Bracketed: true,
}
