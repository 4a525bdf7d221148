package traefik

import (
	"errors"
	"math"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// JSON is an access log of Traefik in JSON.
var JSON = log.Dialect{
	Name: "traefik-json",
	Doc: `Access logs of Traefik in JSON

An object for every request, recognised by the names that Traefik gives its members
(StartUTC, DownstreamStatus, OriginDuration, RouterName, …):

    accessLog:
      format: json
      fields:
        headers:
          names:
            X-Request-Id: keep
            Traceparent: keep

Duration, OriginDuration and Overhead are nanoseconds. The latency is Duration, from
the headers of the request read to the last byte of the answer sent: it exceeds
OriginDuration by what Traefik and a slow client took. StartUTC is the start;
where it was dropped StartLocal is taken, or time, which is the end, in whole
seconds. The status is DownstreamStatus, what the client got. RetryAttempts makes
tries of a request: only JSON has it, the common format of Traefik does not. Of a
request that was tried once OriginDuration is the time of its try. Statuses 499
(the client left) and 504 are lower bounds.
`,
	Claims: claimsJSON,
	Learn:  learnJSON,
}

// errRetries is why lines are not read.
var errRetries = errors.New("a number of retries that is none")

// Members that are read, and those that only Traefik names so. Source:
// pkg/middlewares/accesslog/logdata.go.
const (
	jsonStart = iota + 1
	jsonLocal
	jsonTime
	jsonMethod
	jsonPath
	jsonStatus
	jsonOriginStatus
	jsonDuration
	jsonOriginDuration
	jsonRetries
	jsonService
	jsonServiceURL
	jsonRequestID
	jsonTrace
	jsonTraceID
	jsonRouter
	jsonEntryPoint
	jsonOverhead
	jsonCount
	jsonMembers
)

var jsonNames = map[string]int{
	"StartUTC": jsonStart, "StartLocal": jsonLocal, "time": jsonTime, "RequestMethod": jsonMethod, "RequestPath": jsonPath,
	"DownstreamStatus": jsonStatus, "OriginStatus": jsonOriginStatus, "Duration": jsonDuration, "OriginDuration": jsonOriginDuration,
	"RetryAttempts": jsonRetries, "ServiceAddr": jsonService, "BackendAddr": jsonService, "ServiceName": jsonServiceURL, "BackendName": jsonServiceURL,
	"request_X-Request-Id": jsonRequestID, "request_Traceparent": jsonTrace, "TraceId": jsonTraceID,
	"RouterName": jsonRouter, "FrontendName": jsonRouter, "entryPointName": jsonEntryPoint, "Overhead": jsonOverhead, "RequestCount": jsonCount,
}

func jsonName(name []byte) int { return jsonNames[string(name)] }

// jsonMarks are members that no other server has.
var jsonMarks = [...]int{jsonStart, jsonLocal, jsonStatus, jsonOriginStatus, jsonOriginDuration, jsonRetries, jsonService, jsonRouter, jsonEntryPoint, jsonOverhead, jsonCount}

// jsonValues are the members of a line.
type jsonValues [jsonMembers][]byte

// own reports whether a line is a request of Traefik: it has its status or its
// duration, and two members more that only Traefik names so.
func (v *jsonValues) own() bool {
	n := 0
	for _, m := range jsonMarks {
		if v[m] != nil {
			n++
		}
	}
	return n > 1 && (v[jsonDuration] != nil || v[jsonStatus] != nil || v[jsonOriginStatus] != nil)
}

func claimsJSON(line []byte) log.Claim {
	var v jsonValues
	m := log.Members{Keys: log.Keys[int]{Mean: jsonName}}
	if len(line) > 0 && line[0] == '{' && m.Read(line, v[:]) && v.own() {
		return log.Own
	}
	return log.Foreign
}

// jsonPlan is what the readers of all parts of an input share.
type jsonPlan struct {
	unit                      time.Duration
	zone                      *time.Location
	start, end, bare, untimed ingest.Shape
}

func learnJSON(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
	p := &jsonPlan{unit: time.Nanosecond, zone: opt.Zone}
	p.untimed = ingest.Shape{Layout: "JSON", Stamp: ingest.StampStart}
	p.bare = ingest.Shape{Layout: "JSON", Stamp: ingest.StampEnd}
	p.start = p.untimed
	p.start.Unit, p.start.UnitFrom, p.start.Step = p.unit, ingest.UnitFromFormat, p.unit
	p.start.Clock = "headers of the request read"
	if opt.Unit != 0 {
		p.unit, p.start.Unit, p.start.UnitFrom, p.start.Step = opt.Unit, opt.Unit, ingest.UnitFromFlag, opt.Unit
	}
	p.end = p.start
	p.end.Stamp = ingest.StampEnd
	return func() log.Reader {
		r := &jsonReader{jsonPlan: p, members: log.Members{Keys: log.Keys[int]{Mean: jsonName}}}
		r.Clock.Zone = p.zone
		return r
	}, nil
}

// jsonReader reads the lines of one part.
type jsonReader struct {
	*jsonPlan
	log.Builder
	members log.Members
	values  jsonValues
}

func (r *jsonReader) Read(line []byte, e *log.Entry) error {
	v := &r.values
	if line[0] != '{' {
		return log.ErrOther
	}
	if !r.members.Read(line, v[:]) {
		return log.ErrJSON
	}
	if !v.own() {
		return log.ErrOther
	}
	e.Vantage = ingest.Proxy
	start, err := r.stamp(v, e)
	if err != nil {
		return err
	}
	if d := v[jsonDuration]; !jsonLacks(d) {
		var ok bool
		if e.Latency, _, _, ok = log.Duration(d, r.unit); !ok {
			return log.ErrLatency
		}
	}
	e.Shape = r.shape(start, e.Latency >= 0)
	status := v[jsonStatus]
	if jsonLacks(status) {
		status = v[jsonOriginStatus]
	}
	if !jsonLacks(status) {
		if string(status) != "0" {
			var ok bool
			if e.Status, ok = log.Status(status); !ok {
				return log.ErrStatus
			}
		}
		e.Outcome = log.Outcome(e.Status)
	}
	switch {
	case jsonLacks(v[jsonPath]):
	case jsonLacks(v[jsonMethod]):
		e.Op = r.Routes.Op([]byte("ANY"), v[jsonPath])
	default:
		e.Op = r.Routes.Op(v[jsonMethod], v[jsonPath])
	}
	e.Stream = e.Status == 101 || e.Op == "CONNECT"
	if err := r.tries(v, e); err != nil {
		return err
	}
	e.Request = r.ID(v[jsonRequestID])
	for _, m := range [...]int{jsonTraceID, jsonTrace} {
		if len(v[m]) >= 32 {
			e.Trace = log.TraceID(v[m])
		}
	}
	return nil
}

// shape returns how a line is written, by what its stamp is.
func (r *jsonReader) shape(start, timed bool) *ingest.Shape {
	switch {
	case start && timed:
		return &r.start
	case start:
		return &r.untimed
	case timed:
		return &r.end
	}
	return &r.bare
}

// stamp reads the best stamp of a line, and reports whether it is the start.
func (r *jsonReader) stamp(v *jsonValues, e *log.Entry) (start bool, err error) {
	at, start := v[jsonStart], true
	if jsonLacks(at) {
		at = v[jsonLocal]
	}
	if jsonLacks(at) {
		at, start = v[jsonTime], false
	}
	if jsonLacks(at) {
		return true, nil // the log was told to drop them
	}
	var ok bool
	if e.Stamp, ok = r.Clock.Read(at); !ok {
		return false, log.ErrStamp
	}
	if start {
		e.Start = e.Stamp.Time // to the nanosecond
	}
	return start, nil
}

// tries counts the tries: a request that was given to a service has one, and as
// many more as it was retried.
func (r *jsonReader) tries(v *jsonValues, e *log.Entry) error {
	if jsonLacks(v[jsonService]) && jsonLacks(v[jsonServiceURL]) && jsonLacks(v[jsonOriginDuration]) {
		return nil
	}
	n := int64(1)
	if s := v[jsonRetries]; !jsonLacks(s) {
		retries, _, ok := ingest.ParseDecimal(s, 1)
		if !ok || retries < 0 {
			return errRetries
		}
		n += min(retries, math.MaxInt32-1)
	}
	e.Tries = int32(n)
	if n > 1 || jsonLacks(v[jsonOriginDuration]) {
		return nil
	}
	a := ingest.Attempt{}
	var ok bool
	if a.Latency, _, _, ok = log.Duration(v[jsonOriginDuration], r.unit); !ok {
		return log.ErrLatency
	}
	a.Status, _ = log.Status(v[jsonOriginStatus])
	if !jsonLacks(v[jsonService]) {
		a.Peer = r.Peers.Intern(v[jsonService])
	}
	e.Attempts = append(e.Attempts, a)
	return nil
}

// jsonLacks reports whether a value says that there is none.
func jsonLacks(v []byte) bool { return len(v) == 0 || len(v) == 1 && v[0] == '-' }
