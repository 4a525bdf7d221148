package aws

import (
	"bytes"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// CloudFront is the access log of a CloudFront distribution.
var CloudFront = log.Dialect{
	Name: "cloudfront",
	Doc: `Access logs of AWS CloudFront

Lines of fields separated by tabs, in gzipped files that CloudFront puts into an S3
bucket: switch standard logging on for the distribution. The header #Fields names
the fields; where it was lost (a collector, a table), the order of the legacy
standard logs is assumed.

Latency is time-taken, in seconds with three decimals: from the request received at
the edge to the last byte of the answer handed to the network. A line is stamped at
its end, to the second, UTC. Status 000 means that the client left before it had an
answer: a lower bound. So do lines with ClientCommError. WebSockets are connections
and no requests.
`,
	Claims: func(line []byte) log.Claim {
		switch {
		case bytes.HasPrefix(line, []byte("#Fields:")) && bytes.Contains(line, []byte("x-edge-location")):
			return log.Aside
		case bytes.HasPrefix(line, []byte("#Version:")):
			return log.Aside
		case beginsEdge(line):
			return log.Own
		}
		return log.Foreign
	},
	Header: func(line []byte) func([]byte) bool {
		if !bytes.HasPrefix(line, []byte("#Fields:")) || !bytes.Contains(line, []byte("x-edge-")) {
			return nil
		}
		n := len(strings.Fields(string(line))) - 1
		return func(line []byte) bool { return line[0] != '#' && bytes.Count(line, []byte("\t"))+1 >= n }
	},
	Learn: learnCloudFront,
}

// standard is the order of fields in standard logs; newer ones come behind.
const standard = `date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) ` +
	`x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type ` +
	`cs-protocol-version fle-status fle-encrypted-fields c-port time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end`

// The fields that are read.
const (
	date = iota
	clock
	epoch
	method
	stem
	status
	taken
	request
	protocol
	detail
	columns
)

var columnNames = map[string]int{
	"date": date, "time": clock, "timestamp": epoch, "timestamp(ms)": epoch, "cs-method": method, "cs-uri-stem": stem, "sc-status": status,
	"time-taken": taken, "x-edge-request-id": request, "cs-protocol": protocol, "x-edge-detailed-result-type": detail,
}

// header returns which of a line's fields are read, by their place, and what.
func header(names string) (of []int, known int) {
	for name := range strings.FieldsSeq(names) {
		c, ok := columnNames[name]
		if !ok {
			c = -1
		} else {
			known++
		}
		of = append(of, c)
	}
	return of, known
}

func learnCloudFront(head [][]byte, opt ingest.Options) (func() log.Reader, error) {
	names := standard
	for _, line := range head {
		if after, ok := bytes.CutPrefix(line, []byte("#Fields:")); ok {
			names = string(after)
			break
		}
	}
	of, known := header(names)
	if known < 3 {
		names = standard
		of, _ = header(names)
	}
	l := log.NewLayout(ingest.Shape{
		Layout: "CloudFront", Unit: time.Second, UnitFrom: ingest.UnitFromFormat, Step: time.Millisecond,
		Clock: "request received at the edge", Stamp: ingest.StampEnd,
	}, ingest.Proxy, opt)
	return func() log.Reader { return &cloudFrontReader{layout: &l, of: of, names: names} }, nil
}

// beginsEdge reports whether a line begins with a date, a time and an edge
// location ("CDG50-P2"), separated by tabs.
func beginsEdge(line []byte) bool {
	if len(line) < 30 || line[4] != '-' || line[7] != '-' || line[10] != '\t' || line[13] != ':' || line[19] != '\t' {
		return false
	}
	edge, _, ok := bytes.Cut(line[20:], []byte("\t"))
	if !ok || len(edge) < 4 || len(edge) > 12 || edge[3]-'0' > 9 {
		return false
	}
	for _, c := range edge[:3] {
		if c-'A' >= 26 {
			return false
		}
	}
	return true
}

// cloudFrontReader reads the lines of CloudFront.
type cloudFrontReader struct {
	log.Builder
	layout *log.Layout
	of     []int
	names  string
	f      [columns][]byte
	stamp  [20]byte
	roles  log.Fields
}

func (r *cloudFrontReader) Read(line []byte, e *log.Entry) error {
	if line[0] == '#' {
		if after, ok := bytes.CutPrefix(line, []byte("#Fields:")); ok && r.names != standard && !same(after, r.names) {
			return errHeader
		}
		return log.ErrIgnore
	}
	if bytes.IndexByte(line, '\t') < 0 {
		return log.ErrOther
	}
	clear(r.f[:])
	if !r.cut(line) {
		return errShort
	}
	clear(r.roles[:])
	f := &r.f
	r.roles[log.Method], r.roles[log.Target], r.roles[log.StatusCode] = f[method], f[stem], f[status]
	r.roles[log.Latency], r.roles[log.RequestID] = f[taken], f[request]
	if err := r.Build(r.layout, &r.roles, e); err != nil {
		return err
	}
	if !r.when(e) {
		return log.ErrStamp
	}
	if string(f[status]) == "000" || string(f[detail]) == "ClientCommError" {
		e.Outcome = ingest.Canceled
	}
	e.Stream = e.Stream || bytes.HasPrefix(f[protocol], []byte("ws"))
	return nil
}

// same reports whether a header names the same fields.
func same(header []byte, names string) bool {
	return strings.Join(strings.Fields(string(header)), " ") == strings.Join(strings.Fields(names), " ")
}

// cut cuts a line into the fields that are read, and reports whether it has all
// of them but those that newer logs have behind.
func (r *cloudFrontReader) cut(line []byte) bool {
	for _, c := range r.of {
		var field []byte
		more := false
		field, line, more = bytes.Cut(line, []byte("\t"))
		if c >= 0 {
			r.f[c] = field
		}
		if !more {
			break
		}
	}
	for _, c := range r.of {
		if c >= 0 && c != detail && r.f[c] == nil {
			return false
		}
	}
	return true
}

// when reads the stamp of a line: date and time, or seconds since the epoch.
func (r *cloudFrontReader) when(e *log.Entry) (ok bool) {
	f := &r.f
	switch {
	case f[epoch] != nil:
		e.Stamp, ok = r.Clock.Read(f[epoch])
	case len(f[date]) == 10 && len(f[clock]) == 8:
		b := append(append(append(r.stamp[:0], f[date]...), 'T'), f[clock]...)
		e.Stamp, ok = r.Clock.Read(append(b, 'Z'))
		e.Stamp.Zone = ingest.ZoneUTC
	}
	return ok
}
