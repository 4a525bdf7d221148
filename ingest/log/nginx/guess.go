package nginx

import (
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// guess is what the fields behind the status of a line seem to be. It looks at
// one line alone.
type guess struct {
	roles []log.Role
	times []int // unkeyed fields that hold times, by position
	own   bool  // nobody but nginx writes such a line, or it is plain "combined"
}

// keys are customary names of fields in key=value.
var keys = map[string]log.Role{
	"rt": log.Latency, "reqtime": log.Latency, "req_time": log.Latency, "request-time": log.Latency, "response_time": log.Latency,
	"urt": log.Upstream, "ut": log.Upstream, "apptime": log.Upstream, "upstream_time": log.Upstream, "upstream-response-time": log.Upstream,
	"uct": log.UpstreamOther, "uht": log.UpstreamOther2, "us": log.UpstreamStatus, "ua": log.UpstreamPeer, "uaddr": log.UpstreamPeer, "upstream": log.UpstreamPeer,
	"id": log.RequestID, "rid": log.RequestID, "reqid": log.RequestID,
	"traceparent": log.TraceParent, "trace_id": log.TraceParent, "traceid": log.TraceParent, "msec": log.Epoch,
}

// role returns the role of a key whose value has the shape that it promises.
func role(key, value []byte) log.Role {
	name := strings.ToLower(string(key))
	r, ok := keys[name]
	if !ok {
		if r = variables[name]; r == log.Skip {
			return log.Skip
		}
	}
	switch r {
	case log.Latency, log.Upstream, log.UpstreamOther, log.UpstreamOther2:
		if !each(value, isTime) && !each(value, isCutTime) {
			return log.Skip
		}
	case log.UpstreamStatus:
		if !each(value, isStatus) {
			return log.Skip
		}
	case log.UpstreamPeer:
		if !each(value, isPeer) {
			return log.Skip
		}
	case log.Epoch, log.RequestID, log.TraceParent:
	default:
		return log.Skip
	}
	return r
}

// read guesses the roles of a line's tail.
func (g *guess) read(c *log.CLF) {
	g.roles, g.times = g.roles[:0], g.times[:0]
	for range c.Tail {
		g.roles = append(g.roles, log.Skip)
	}
	timed := false     // a field that only nginx writes
	plain := c.Plain() // nothing that is not understood
	other := false     // what only another server writes
	unit := false      // a time of another unit
	for i := range c.Tail {
		t := &c.Tail[i]
		unit = unit || i > 0 && t.Close == 0 && len(t.Key) == 0 && finerUnit(t.Text) || withUnit(t.Text)
		switch {
		case len(t.Key) > 0:
			r := role(t.Key, t.Text)
			g.roles[i] = r
			timed = timed || r != log.Skip && r != log.RequestID && r != log.TraceParent && !dash(t.Text)
			plain = plain && (r != log.Skip || !numeric(t.Text))
		case g.roles[i] != log.Skip, t.Close == ']':
		case len(t.Text) > 0 && each(t.Text, isTime) && !dash(t.Text):
			g.times = append(g.times, i)
			timed = true
		case i == 0 && t.IsBytes(), t.Close == '"', dash(t.Text), len(t.Text) == 1 && (t.Text[0] == '.' || t.Text[0] == 'p'): // bytes sent, a header, nothing, $pipe
		case t.Close == 0 && isID(t.Text):
			g.roles[i] = log.RequestID
			plain = false
		default:
			plain = false
			other = other || log.TomcatThread(t.Text)
		}
		if t.Close == ']' && g.ingress(c, i+1) {
			timed = true
		}
	}
	if unit { // then no time of the line is told to be nginx's
		clear(g.roles)
		g.times = g.times[:0]
	}
	g.arrange(c, false)
	g.peers(c)
	g.own = (timed || plain) && !other && !unit
}

// ingress finds the four lists of ingress-nginx behind the names of its
// upstreams in brackets: addresses, lengths, times, statuses, and the request's
// id behind them.
func (g *guess) ingress(c *log.CLF, at int) bool {
	if len(c.Tail) < at+4 {
		return false
	}
	t := c.Tail[at:]
	for _, x := range t[:4] {
		if x.Close != 0 || len(x.Key) > 0 {
			return false
		}
	}
	if !each(t[0].Text, isPeer) || !each(t[1].Text, isNumber) || !each(t[2].Text, isTime) || !each(t[3].Text, isStatus) {
		return false
	}
	copy(g.roles[at:], []log.Role{log.UpstreamPeer, log.UpstreamOther, log.Upstream, log.UpstreamStatus})
	if len(t) > 4 && t[4].Close == 0 && len(t[4].Key) == 0 && isID(t[4].Text) {
		g.roles[at+4] = log.RequestID
	}
	return true
}

// arrange gives the unkeyed times their roles: request time first and the time
// of the upstream last, as most formats have it, or the request's last.
func (g *guess) arrange(c *log.CLF, requestLast bool) {
	n := len(g.times)
	if n == 0 {
		return
	}
	others := [...]log.Role{log.UpstreamOther, log.UpstreamOther2}
	for i, at := range g.times {
		g.roles[at] = log.Skip
		if i > 0 && i <= len(others) {
			g.roles[at] = others[i-1]
		}
	}
	request, upstream := g.times[0], g.times[n-1]
	if isList(c.Tail[request].Text) && !isList(c.Tail[upstream].Text) || requestLast && n > 1 {
		request, upstream = upstream, g.times[max(0, n-2)]
	}
	g.roles[request] = log.Latency
	switch {
	case n > 1:
		g.roles[upstream] = log.Upstream
	case isList(c.Tail[request].Text):
		g.roles[request] = log.Upstream
	}
}

// peers finds addresses and statuses of tries that stand without a key: an
// address with a port, and a status behind it.
func (g *guess) peers(c *log.CLF) {
	peer := false
	if !slices.Contains(g.roles, log.Upstream) || len(g.times) == 0 {
		return
	}
	for i := g.times[0]; i < len(c.Tail); i++ {
		t := &c.Tail[i]
		switch {
		case g.roles[i] == log.UpstreamPeer:
			return
		case g.roles[i] != log.Skip || len(t.Key) > 0 || t.Close == ']' || dash(t.Text):
		case !peer && each(t.Text, isPeer):
			peer = true
			g.roles[i] = log.UpstreamPeer
		case peer && each(t.Text, isStatus):
			g.roles[i] = log.UpstreamStatus
			return
		}
	}
}

// parts returns the format of a line, and how it is shown.
func (g *guess) parts(c *log.CLF) ([]log.Part, string) { return words.Format(c, g.roles) }

// words show a format: as a log_format in which fields that are not read are $_.
var words = log.Words{
	Of: map[log.Role]string{
		log.Time: "$time_local", log.EndTime: "$_", log.Request: "$request", log.StatusCode: "$status", log.Epoch: "$msec",
		log.Latency: "$request_time", log.Upstream: "$upstream_response_time", log.UpstreamStatus: "$upstream_status", log.UpstreamPeer: "$upstream_addr",
		log.UpstreamOther: "$upstream_connect_time", log.UpstreamOther2: "$upstream_header_time", log.RequestID: "$request_id", log.TraceParent: "$http_traceparent",
	},
	Bytes: "$body_bytes_sent", Referer: "$http_referer", Agent: "$http_user_agent", Other: "$_",
}
