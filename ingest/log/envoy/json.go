package envoy

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// meaning is what the name of a member of a line of JSON means.
type meaning uint8

const (
	nothing meaning = iota
	isStamp
	isMethod
	isPath
	isProtocol
	isStatus
	isFlag
	isDuration
	isService
	isTries
	isID
	isTrace
	isHost
	isInstance
)

// key is what a name means, and what it gives away.
type key struct {
	meaning meaning
	rank    uint8         // of several stamps and paths the highest counts
	mark    bool          // only Envoy names a member so
	unit    time.Duration // that it states; 0: none
}

// keys are the names that Envoy's, Istio's and Envoy Gateway's defaults have,
// those of Mixer in camel case, and what people make of the names of Envoy's
// operators. All in lower case, with - for _.
var keys = func() map[string]key {
	all := map[string]key{
		"start-time": {isStamp, 3, false, 0}, "starttime": {isStamp, 3, false, 0}, "request-start-time": {isStamp, 3, false, 0},
		"timestamp": {isStamp, 2, false, 0}, "@timestamp": {isStamp, 1, false, 0}, "time": {isStamp, 1, false, 0}, "ts": {isStamp, 1, false, 0},
		"x-envoy-origin-path": {isPath, 3, true, 0}, "x-envoy-original-path": {isPath, 3, true, 0}, "original-path": {isPath, 3, false, 0},
		"instance": {isInstance, 0, false, 0},
	}
	put := func(m meaning, mark bool, names ...string) {
		for _, n := range names {
			all[n] = key{meaning: m, rank: 1, mark: mark}
		}
	}
	put(isMethod, false, "method", ":method", "request-method", "req-method", "http-method", "requestmethod")
	put(isPath, false, "path", ":path", "request-path", "req-path", "uri", "url", "uri-path", "request-uri", "requestpath")
	put(isProtocol, false, "protocol", "http-protocol", "requestprotocol")
	put(isStatus, false, "response-code", "responsecode", "status-code", "status", "http-status", "code")
	put(isFlag, true, "response-flags", "responseflags", "response-flag", "response-flags-long", "envoy-response-flags")
	put(isDuration, false, "duration", "total-duration", "request-duration-total", "latency", "response-time", "time-total", "common-duration")
	put(isService, true, "x-envoy-upstream-service-time", "upstream-service-time", "upstreamservicetime", "envoy-upstream-service-time", "resp-x-envoy-upstream-service-time")
	put(isTries, true, "upstream-request-attempt-count", "x-envoy-attempt-count", "request-attempt-count", "upstream-attempt-count", "upstreamrequestattemptcount")
	put(isTries, false, "attempt-count", "attempts")
	put(isID, false, "request-id", "requestid", "x-request-id", "xrequestid", "req-id")
	put(isTrace, false, "traceparent", "trace-id", "traceid", "x-b3-traceid", "b3-trace-id")
	put(isHost, false, "upstream-host", "upstream-address", "upstream-service", "upstreamhost")
	put(nothing, true, "route-name", "routename", "upstream-cluster", "upstreamcluster", "response-code-details", "responsecodedetails", "connection-termination-details",
		"upstream-transport-failure-reason", "upstream-failure-reason", "downstream-local-address", "downstream-remote-address", "downstream-local", "downstream-remote",
		"upstream-local-address", "upstream-local", "requested-server-name", "requested-server", "requestedservername", "mixer-status", "istio-policy-status", "tcp-service-time",
		"connection-security-policy", "responsetimestamp")
	return all
}()

func named(name []byte) key {
	var buf [48]byte
	if len(name) > len(buf) {
		return key{}
	}
	low := buf[:len(name)]
	for i, c := range name {
		switch {
		case c-'A' < 26:
			c |= 0x20
		case c == '_':
			c = '-'
		}
		low[i] = c
	}
	if k, ok := keys[string(low)]; ok {
		return k
	}
	if base, unit, ok := log.KeyUnit(low); ok {
		if k := keys[string(base)]; k.meaning == isDuration {
			k.unit = unit
			return k
		}
	}
	return key{}
}

// walk takes note of the members of a JSON object, and reports whether it is whole.
func (r *reader) walk(line []byte, x *fields) bool {
	r.text = r.text[:0]
	pathRank := uint8(0)
	o := &r.object
	o.Reset(line)
	for i := 0; o.Next(); i++ {
		k := r.keys.At(i, o.Key)
		if k.meaning == nothing {
			if k.mark {
				x.marks++
			}
			continue
		}
		if k.mark && k.meaning != isFlag {
			x.marks++
		}
		if k.meaning == isMethod {
			x.knowsMethod = true
		}
		v := o.Value
		if absent(v) || !o.Quoted && (string(v) == "null" || v[0] == '[') {
			if k.meaning == isFlag && o.Quoted {
				x.flags = none
			}
			continue
		}
		if o.Quoted && bytes.IndexByte(v, '\\') >= 0 {
			from := len(r.text)
			r.text = log.Unescape(r.text, v)
			v = r.text[from:]
		}
		x.put(k, v, &pathRank)
	}
	return o.Whole()
}

var none = []byte("-")

// put takes note of a value.
func (x *fields) put(k key, v []byte, pathRank *uint8) {
	switch k.meaning {
	case isStamp:
		if k.rank > x.rank {
			x.stamp, x.rank = v, k.rank
		}
	case isMethod:
		x.method = v
	case isPath:
		if k.rank > *pathRank {
			x.path, *pathRank = v, k.rank
		}
	case isProtocol:
		x.protocol = v
	case isStatus:
		if x.status == nil {
			x.status = v
		}
	case isFlag:
		if isFlags(v) && x.flags == nil {
			x.flags = v
		}
	case isDuration:
		if x.duration == nil {
			x.duration, x.unit = v, k.unit
		}
	case isService:
		x.service = v
	case isTries:
		if x.tries == nil {
			x.tries = v
		}
	case isID:
		x.id = v
	case isTrace:
		x.trace = v
	case isHost:
		x.host = v
	case isInstance:
		x.isMixer = bytes.Contains(v, []byte(".istio-")) && (bytes.Contains(v, []byte("log.instance.")) || bytes.Contains(v, []byte("log.logentry.")))
	}
}

// own reports whether a line of JSON is one of Envoy's: it says how long or with
// which status, and has response flags, or two members that only Envoy names so.
func (x *fields) own() bool {
	if x.duration == nil && x.status == nil && x.service == nil {
		return false
	}
	return x.flags != nil || x.marks >= 2 || x.isMixer && x.duration != nil
}

// mixer returns the object in a line of the text that Mixer wrote, and takes its
// stamp, that of the request: "stamp	level	instance	{…}".
func mixer(line []byte, x *fields) []byte {
	i := bytes.IndexByte(line[:min(len(line), log.MaxStamp)], '\t')
	if i < 20 || line[0]-'0' > 9 || line[10] != 'T' {
		return nil
	}
	j := bytes.Index(line[:min(len(line), 256)], []byte("\t{"))
	if j < 0 || !bytes.Contains(line[i:j], []byte(".istio-")) {
		return nil
	}
	x.stamp, x.rank, x.isMixer = line[:i], 4, true
	return line[j+1:]
}
