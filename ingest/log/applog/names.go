package applog

import (
	"bytes"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// role is what a member of a line says.
type role uint8

// Roles of members. Those up to fields keep a value.
const (
	skip role = iota
	stamp
	method
	target
	route // a pattern, better than the target
	status
	request
	trace
	level
	message
	operation // a name, where there is no method
	around    // a line of text or JSON that a collector put into a member
	grpcCode  // of gRPC, in words
	latency
	queue
	fields
)

// meaning is what the name of a member tells.
type meaning struct {
	role role
	unit time.Duration // that the name states; 0: none
	name name
}

// name is one of the names by which loggers are told apart.
type name uint8

const (
	unnamed name = iota
	nameTime
	nameTS
	nameLevel
	nameMsg
	nameMessage
	nameSource
	nameCaller
	namePID
	nameHostname
	nameV
	nameResponseTime
	nameElapsed
	nameTemplate // @mt
)

// roles are the names of members, in lower case, without separators.
var roles = map[string]role{
	"time": stamp, "ts": stamp, "timestamp": stamp, "@timestamp": stamp, "@t": stamp, "datetime": stamp, "date": stamp, "asctime": stamp, "eventtime": stamp, "t": stamp, "timeunixnano": stamp,
	"method": method, "httpmethod": method, "requestmethod": method, "http.method": method, "http.request.method": method, "verb": method, "reqmethod": method,
	"path": target, "url": target, "uri": target, "requestpath": target, "requesturi": target, "requesturl": target, "http.target": target, "url.path": target, "http.path": target,
	"http.url": target, "url.full": target, "originalurl": target, "httppath": target, "urlpath": target, "endpoint": target,
	"requesteduri": target, "csuristem": target, "csmethod": method, // of logback-access; of W3C's log format, as IIS and Azure name them
	"route": route, "http.route": route, "routepattern": route,
	"status": status, "statuscode": status, "httpstatus": status, "httpstatuscode": status, "responsestatus": status, "responsecode": status, "http.statuscode": status, "http.response.statuscode": status, "rescode": status,
	"scstatus": status, "resp": status, // of W3C's log format; of Kubernetes' API server
	"requestid": request, "reqid": request, "xrequestid": request, "correlationid": request, "http.requestid": request,
	"traceid": trace, "trace.id": trace, "traceparent": trace, "oteltraceid": trace,
	"level": level, "severity": level, "lvl": level, "loglevel": level, "log.level": level, "levelname": level, "@l": level, "severitytext": level,
	"msg": message, "message": message, "event": message, "@m": message, "@mt": message,
	"log": around, "textpayload": around, // of fluentd; of Google Cloud
	"grpc.code":   grpcCode, // of go-grpc-middleware
	"grpc.method": operation, "operation": operation, "action": operation,
}

// times are the names of latencies, in lower case, without separators and units.
var times = map[string]bool{
	"duration": true, "latency": true, "elapsed": true, "took": true, "responsetime": true, "requesttime": true, "timetaken": true, "dur": true,
	"totaltime": true, "processtime": true, "processingtime": true, "requestduration": true, "responseduration": true, "httpduration": true, "executiontime": true,
	"elapsedtime": true, "requestlatency": true, "responselatency": true, "latencyhuman": true, "durationhuman": true, "timespent": true, "cost": true, "rt": true,
	"handletime": true, "handlertime": true, "servicetime": true, "grpc.time": true, "timeelapsed": true, "durationin": true, "elapsedin": true, "reqduration": true, "totalduration": true,
}

// units are names that are units themselves, or end in one without a separator.
var units = map[string]time.Duration{
	"ms": time.Millisecond, "millis": time.Millisecond, "durationms": time.Millisecond, "elapsedms": time.Millisecond, "latencyms": time.Millisecond, "tookms": time.Millisecond,
	"responsetimems": time.Millisecond, "timems": time.Millisecond, "durationus": time.Microsecond, "latencyus": time.Microsecond, "durationns": time.Nanosecond, "latencyns": time.Nanosecond,
	// By definition: the Elastic Common Schema counts nanoseconds, OpenTelemetry's
	// semantic conventions seconds.
	"event.duration": time.Nanosecond, "http.server.request.duration": time.Second,
}

var queues = map[string]bool{"queueduration": true, "queuetime": true, "queue": true, "queuewait": true, "waittime": true}

var distinct = map[string]name{
	"time": nameTime, "ts": nameTS, "level": nameLevel, "msg": nameMsg, "message": nameMessage, "source": nameSource, "caller": nameCaller, "pid": namePID,
	"hostname": nameHostname, "v": nameV, "responseTime": nameResponseTime, "Elapsed": nameElapsed, "@mt": nameTemplate,
}

// maxName is the longest name that is looked up, in bytes.
const maxName = 48

// mean looks a name up.
func mean(key []byte) meaning {
	if len(key) == 0 || len(key) > maxName {
		return meaning{}
	}
	m := meaning{name: distinct[string(key)]}
	plain := squeeze(key)
	if m.role = roles[plain]; m.role != skip {
		return m
	}
	if unit := units[plain]; unit != 0 {
		m.role, m.unit = latency, unit
		return m
	}
	base, unit, _ := log.KeyUnit(key)
	switch plain = squeeze(base); {
	case times[plain]:
		m.role, m.unit = latency, unit
	case queues[plain] && unit != 0:
		m.role, m.unit = queue, unit
	}
	return m
}

// squeeze returns a name in lower case, without hyphens and underscores.
func squeeze(key []byte) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return r
	}, string(bytes.ToLower(key)))
}
