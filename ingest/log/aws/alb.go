// Package aws reads the access logs of AWS: those of Application and Classic
// Load Balancers, and of CloudFront.
package aws

import (
	"bytes"
	"encoding/hex"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// ALB is the access log of an Application Load Balancer.
var ALB = log.Dialect{
	Name: "alb",
	Doc: `Access logs of AWS Application Load Balancers

A line for every request, in gzipped files that the balancer puts into an S3
bucket: set the attributes access_logs.s3.enabled, access_logs.s3.bucket and
access_logs.s3.prefix of the load balancer. Give the files as they are.

Latency is request_processing_time + target_processing_time +
response_processing_time, in seconds: from the request received to the first byte
of the answer sent. The transfer of the body is not in it. A part of -1 means that
there was none: the request was never dispatched (a fixed response, a redirect, the
firewall), or the target gave no answer. Such a request has no latency, except
where it was given up: of statuses 460 (the client left) and 504 the time since
request_creation_time is a lower bound.

A line is stamped at its end, in microseconds, UTC. Types ws and wss are
connections and no requests. The root of the trace id (X-Amzn-Trace-Id) joins lines
with those of applications that log the header; as a trace id it is that of X-Ray.
target:port_list names several tries only where it lists several targets. Fields
behind those, which AWS adds from time to time, are passed over.
`,
	Claims: func(line []byte) log.Claim {
		if !beginsALB(line) {
			return log.Foreign
		}
		var f fields
		if cut(line, &f) < albFields || !number(f[5]) || !number(f[6]) || !number(f[7]) {
			return log.Foreign
		}
		return log.Own
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		l := log.NewLayout(ingest.Shape{
			Layout: "ALB", Unit: time.Second, UnitFrom: ingest.UnitFromFormat, Step: time.Millisecond,
			Clock: "request received", Stamp: ingest.StampEnd,
		}, ingest.Proxy, opt)
		return func() log.Reader { return &albReader{layout: &l} }, nil
	},
}

// Reasons why lines are not read.
var (
	errShort  = errors.New("fields are missing")
	errHeader = errors.New("a header with other fields than the first")
)

// fields are those of a line, separated by blanks, some in quotes.
type fields [27][]byte

// albFields is how many fields a line has that is whole: up to the user agent.
const albFields = 14

// cut cuts a line into its fields, as many as are read, and returns how many
// there are. A quoted field ends at a quote with a blank or nothing behind it.
func cut(line []byte, f *fields) int {
	for i := range f {
		if len(line) == 0 {
			return i
		}
		n := 0
		if line[0] == '"' {
			line = line[1:]
			if n = closing(line); n < 0 {
				return i
			}
			f[i] = line[:n]
			n++
		} else {
			if n = bytes.IndexByte(line, ' '); n < 0 {
				n = len(line)
			}
			f[i] = line[:n]
		}
		line = line[min(len(line), n+1):]
	}
	return len(f)
}

// closing returns where the quote is that closes a field, or -1.
func closing(b []byte) int {
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return -1
		}
		i += j
		if i+1 == len(b) || b[i+1] == ' ' && (i == 0 || b[i-1] != '\\') {
			return i
		}
	}
}

// beginsALB reports whether a line begins with the type of a connection, a stamp
// and the name of an application load balancer.
func beginsALB(line []byte) bool {
	i := bytes.IndexByte(line[:min(len(line), 8)], ' ')
	if i < 0 {
		return false
	}
	switch string(line[:i]) {
	case "http", "https", "h2", "grpcs", "ws", "wss":
	default:
		return false
	}
	rest := line[i+1:]
	j := bytes.IndexByte(rest, ' ')
	return j > 19 && rest[j-1] == 'Z' && bytes.HasPrefix(rest[j+1:], []byte("app/"))
}

// number reports what may be a time: digits with a point and a sign.
func number(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 && c != '.' && c != '-' {
			return false
		}
	}
	return len(b) > 0
}

// albReader reads the lines of an application load balancer.
type albReader struct {
	log.Builder
	layout *log.Layout
	f      fields
	roles  log.Fields
}

func (r *albReader) Read(line []byte, e *log.Entry) error {
	if !beginsALB(line) {
		return log.ErrOther
	}
	f := &r.f
	n := cut(line, f)
	if n < albFields {
		return errShort
	}
	for i := n; i < len(f); i++ {
		f[i] = nil
	}
	root := traceRoot(f[17])
	clear(r.roles[:])
	r.roles[log.Time], r.roles[log.Request], r.roles[log.StatusCode], r.roles[log.RequestID] = f[1], f[12], f[8], root
	if err := r.Build(r.layout, &r.roles, e); err != nil {
		return err
	}
	r.targets(e, f[25], f[26])
	known, sum, ok := sum(r.layout.Latency, f[5:8])
	if !ok {
		return log.ErrLatency
	}
	if known == 3 {
		e.Latency = sum
	}
	e.Stream = e.Stream || string(f[0]) == "ws" || string(f[0]) == "wss"
	if known < 3 {
		e.Latency = ingest.NoLatency
		switch {
		case e.Outcome == ingest.TimedOut || e.Outcome == ingest.Canceled:
			e.Latency = r.bound(e, f[21], sum, known)
		case e.Status == 0 && !e.Stream:
			e.Outcome = ingest.Failed
		}
	}
	e.Trace = xray(root)
	return nil
}

// longest is the longest idle time-out of a load balancer, and some more for
// what goes before: a request that took longer than that was not created when
// its line says. Source: attribute idle_timeout.timeout_seconds, 1 to 4000.
const longest = 2 * 4000 * time.Second

// bound returns how long a request took at least that was given up.
func (r *albReader) bound(e *log.Entry, created []byte, sum time.Duration, known int) time.Duration {
	least := ingest.NoLatency
	if known > 0 {
		least = sum
	}
	if m, ok := r.Clock.Read(created); ok {
		if d := e.Stamp.Time.Sub(m.Time); d >= 0 && d <= longest {
			least = max(least, d)
		}
	}
	return least
}

// sum adds up the parts of a latency, and counts those that are known: not -1.
func sum(u log.Unit, parts [][]byte) (known int, total time.Duration, ok bool) {
	for _, p := range parts {
		if len(p) > 0 && p[0] == '-' {
			if s := string(p); s != "-1" && s != "-" {
				return 0, 0, false
			}
			continue
		}
		d, _, _, ok := log.Duration(p, u.Size)
		if !ok {
			return 0, 0, false
		}
		known++
		total = min(total+d, 1<<60)
	}
	return known, total, true
}

// maxTargets is how many tries of one line are kept; AWS lists one target today.
const maxTargets = 256

// targets makes tries of the lists of targets and of their statuses, where they
// have several elements.
func (r *albReader) targets(e *log.Entry, peers, statuses []byte) {
	if bytes.IndexByte(peers, ' ') < 0 {
		return
	}
	for len(peers) > 0 && len(e.Attempts) < maxTargets {
		var peer, status []byte
		peer, peers, _ = bytes.Cut(peers, []byte(" "))
		status, statuses, _ = bytes.Cut(statuses, []byte(" "))
		a := ingest.Attempt{Peer: r.Peers.Intern(peer), Latency: ingest.NoLatency}
		a.Status, _ = log.Status(status)
		e.Attempts = append(e.Attempts, a)
	}
}

// traceRoot returns the root of an X-Amzn-Trace-Id: "1-58337262-36d2…" of
// "Self=…;Root=1-58337262-36d2…;…", or nil.
func traceRoot(header []byte) []byte {
	_, root, ok := bytes.Cut(header, []byte("Root="))
	if !ok {
		return nil
	}
	root, _, _ = bytes.Cut(root, []byte(";"))
	return root
}

// xray returns the trace id that a root stands for: version, eight hex digits of
// seconds and 24 others, which together are the 16 bytes of a W3C trace id.
func xray(root []byte) (id ingest.TraceID) {
	if len(root) != 35 || root[0] != '1' || root[1] != '-' || root[10] != '-' {
		return id
	}
	if _, err := hex.Decode(id[:4], root[2:10]); err != nil {
		return ingest.TraceID{}
	}
	if _, err := hex.Decode(id[4:], root[11:]); err != nil {
		return ingest.TraceID{}
	}
	return id
}
