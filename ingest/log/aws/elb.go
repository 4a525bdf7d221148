package aws

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// ELB is the access log of a Classic Load Balancer.
var ELB = log.Dialect{
	Name: "elb",
	Doc: `Access logs of AWS Classic Load Balancers

A line for every request or TCP connection, in files that the balancer puts into an
S3 bucket: set the load balancer's attribute AccessLog.Enabled.

Latency is request_processing_time + backend_processing_time +
response_processing_time, in seconds: from the request received to the first byte
of the answer sent. -1 means that there was none; such a line has no latency, or,
where the request was given up (504), the known parts as a lower bound.

A line is stamped with the moment at which the request was received, in
microseconds, UTC, and written when it ended: lines are not in the order of their
stamps. Lines with "- - - " for a request are TCP connections: they are read as
connections, and no request is counted.
`,
	Claims: func(line []byte) log.Claim {
		var f fields
		if !beginsELB(line) || cut(line, &f) < elbFields || !number(f[4]) || !number(f[5]) || !number(f[6]) {
			return log.Foreign
		}
		return log.Own
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		l := log.NewLayout(ingest.Shape{
			Layout: "Classic ELB", Unit: time.Second, UnitFrom: ingest.UnitFromFormat, Step: time.Microsecond,
			Clock: "request received", Stamp: ingest.StampStart,
		}, ingest.Proxy, opt)
		return func() log.Reader { return &elbReader{layout: &l} }, nil
	},
}

// elbFields is how many fields a line has at least: up to the request.
const elbFields = 12

// beginsELB reports whether a line begins with a stamp, a name, and the addresses
// of a client and of a backend, or "-".
func beginsELB(line []byte) bool {
	i := bytes.IndexByte(line[:min(len(line), 32)], ' ')
	if i < 20 || line[i-1] != 'Z' || line[4] != '-' {
		return false
	}
	rest := line[i+1:]
	for n := range 3 {
		i := bytes.IndexByte(rest, ' ')
		if i < 1 || n > 0 && !address(rest[:i]) {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

// address reports an address with a port, or "-".
func address(b []byte) bool {
	i := bytes.LastIndexByte(b, ':')
	return string(b) == "-" || i > 0 && i+1 < len(b) && number(b[i+1:])
}

// elbReader reads the lines of a classic load balancer.
type elbReader struct {
	log.Builder
	layout *log.Layout
	f      fields
	roles  log.Fields
}

func (r *elbReader) Read(line []byte, e *log.Entry) error {
	if !beginsELB(line) {
		return log.ErrOther
	}
	f := &r.f
	if cut(line, f) < elbFields {
		return errShort
	}
	clear(r.roles[:])
	tcp := bytes.HasPrefix(f[11], []byte("- - "))
	r.roles[log.Time], r.roles[log.StatusCode] = f[0], f[7]
	if !tcp {
		r.roles[log.Request] = f[11]
	}
	if err := r.Build(r.layout, &r.roles, e); err != nil {
		return err
	}
	known, sum, ok := sum(r.layout.Latency, f[4:7])
	switch given := e.Outcome == ingest.TimedOut || e.Outcome == ingest.Canceled; {
	case !ok:
		return log.ErrLatency
	case known == 3, given && known > 0:
		e.Latency = sum
	}
	if tcp {
		e.Op, e.Stream = "TCP", true
	}
	return nil
}
