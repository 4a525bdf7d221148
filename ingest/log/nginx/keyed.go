package nginx

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// field is what the name of a field tells.
type field struct {
	role   log.Role
	unit   time.Duration // that the name states for a time; 0: none
	nginx  bool          // a variable after which only nginx names a field
	common bool          // one after which others do too
}

// fields are the names of fields in JSON and LTSV: nginx's variables, and those
// that people give them.
var fields = func() map[string]field {
	all := map[string]field{}
	for name, role := range variables {
		all[name] = field{role: role}
	}
	for name, role := range map[string]log.Role{
		"time": log.Time, "timestamp": log.Time, "@timestamp": log.Time, "datetime": log.Time, "date": log.Time, "ts": log.Time,
		"req": log.Request, "method": log.Method, "url": log.Target, "path": log.Target,
		"status_code": log.StatusCode, "request_status": log.StatusCode,
		"rt": log.Latency, "reqtime": log.Latency, "response_time": log.Latency, "requesttime": log.Latency,
		"urt": log.Upstream, "apptime": log.Upstream, "upstream_time": log.Upstream, "upstreamtime": log.Upstream,
		"uct": log.UpstreamOther, "uht": log.UpstreamOther2, "us": log.UpstreamStatus, "upstream": log.UpstreamPeer, "upstreamhost": log.UpstreamPeer,
		"requestid": log.RequestID, "x_request_id": log.RequestID,
		"traceparent": log.TraceParent, "trace_id": log.TraceParent, "traceid": log.TraceParent,
	} {
		all[name] = field{role: role}
	}
	for _, name := range []string{"request_time", "upstream_response_time", "upstream_addr", "upstream_status", "upstream_connect_time", "upstream_header_time",
		"time_iso8601", "time_local", "body_bytes_sent", "msec", "request_completion"} {
		f := all[name]
		f.nginx = true
		all[name] = f
	}
	for _, name := range []string{"request_uri", "http_user_agent", "http_referer", "http_referrer", "remote_addr", "remote_user", "request_length",
		"http_x_forwarded_for", "server_protocol", "request_method", "ssl_protocol", "ssl_cipher", "upstream_cache_status", "http_host"} {
		f := all[name]
		f.common = true
		all[name] = f
	}
	return all
}()

func named(name []byte) field {
	if f, ok := fields[string(name)]; ok {
		return f
	}
	if base, unit, ok := log.KeyUnit(name); ok {
		if f := fields[string(base)]; f.role == log.Latency || f.role == log.Upstream {
			f.unit = unit
			return f
		}
	}
	return field{}
}

// keyed is a line with named fields.
type keyed struct {
	fields        *log.Fields
	layout        keyedLayout
	nginx, common int  // fields named after variables
	decimals      bool // the request's time is "-", or has the three decimals of nginx
	stamp         bool // the stamp is written like one of nginx's
}

// put takes note of a field.
func (k *keyed) put(f field, name, value []byte) {
	if f.nginx {
		k.nginx++
	} else if f.common {
		k.common++
	}
	role := f.role
	if role == log.Skip || k.fields[role] != nil && string(name) != "request_uri" {
		return // $uri is what became of $request_uri
	}
	if (len(value) == 0 || dash(value) || string(value) == "null") && role != log.Target && role != log.Method && role != log.StatusCode {
		k.decimals = k.decimals || role == log.Latency
		return // another field may say it
	}
	switch role {
	case log.Latency:
		k.layout.times, k.layout.unit = 2, f.unit
		k.decimals = isTime(value)
	case log.Upstream:
		if k.layout.times == 0 {
			k.layout.times, k.layout.unit = 1, f.unit
		}
	case log.Time:
		if len(value) > 2 && value[0] == '[' {
			value = value[1 : len(value)-1]
		}
		k.stamp = isStamp(value)
	}
	k.fields[role] = value
}

// own reports whether the line is a request of nginx: it has a request and its
// status, and two fields are named after nginx's variables, one of them like no
// other server's; or stamp and time are both written as nginx writes them. The
// decimals alone would not do: there are loggers that give milliseconds so.
func (k *keyed) own() bool {
	if k.fields[log.StatusCode] == nil || k.fields[log.Request] == nil && k.fields[log.Target] == nil {
		return false
	}
	return k.nginx > 0 && k.nginx+k.common > 1 || k.stamp && k.decimals
}

// keyedLayout is how a line with named fields is written.
type keyedLayout struct {
	kind  string        // "JSON", "LTSV"
	times int           // 0: none; 1: of the upstream; 2: of the request
	unit  time.Duration // that the name of the field states; 0: none
}

var keyedLayouts = func() (all []keyedLayout) {
	for _, kind := range [...]string{"JSON", "LTSV"} {
		all = append(all, keyedLayout{kind: kind})
		for times := 1; times <= 2; times++ {
			for _, unit := range [...]time.Duration{0, time.Nanosecond, time.Microsecond, time.Millisecond, time.Second} {
				all = append(all, keyedLayout{kind, times, unit})
			}
		}
	}
	return all
}()

func (k keyedLayout) layout(opt ingest.Options) log.Layout {
	l := layout(k.kind, k.times == 2, k.times > 0, opt)
	switch {
	case opt.Unit != 0 || k.times == 0:
	case k.unit != 0:
		u := log.Unit{Size: k.unit}
		l.Latency, l.Upstream = u, u
		l.Shape.Unit, l.Shape.UnitFrom, l.Shape.Step = k.unit, ingest.UnitFromKey, 0
	default:
		// What went through a collector may have lost its last zeros: 0.1.
		l.Latency, l.Upstream = log.Unit{Size: seconds}, log.Unit{Size: seconds}
	}
	return l
}

// named reads a line whose fields have names.
func (r *reader) named(kind string, line []byte, e *log.Entry) error {
	k := keyed{fields: &r.other, layout: keyedLayout{kind: kind}}
	switch own, whole := k.walk(line, &r.members); {
	case !whole:
		return log.ErrJSON
	case !own:
		return log.ErrOther
	}
	return r.Build(r.keyed[k.layout], &r.other, e)
}

// walk takes note of all fields of a line, and reports whether it is a request
// of nginx, and whether an object is whole. LTSV needs no more than a request
// and its status: the labels that ltsv.org recommends are not nginx's alone, but
// Apache's have reqtime_microsec.
func (k *keyed) walk(line []byte, m *log.Walk[field]) (own, whole bool) {
	clear(k.fields[:])
	labels := k.layout.kind == "LTSV"
	for m.Reset(line); m.Next(); {
		if labels && bytes.HasSuffix(m.Key, []byte("microsec")) {
			return false, true
		}
		value := m.Value
		if m.Mean.role != log.Skip {
			value = m.Text()
		}
		k.put(m.Mean, m.Key, value)
	}
	if labels {
		return k.fields[log.StatusCode] != nil && (k.fields[log.Request] != nil || k.fields[log.Target] != nil), true
	}
	return k.own(), m.Whole()
}

// claimsNamed claims lines of named fields that are requests of nginx.
func claimsNamed(kind string, line []byte) log.Claim {
	var f log.Fields
	m := log.NewWalk(named)
	k := keyed{fields: &f, layout: keyedLayout{kind: kind}}
	if own, whole := k.walk(line, &m); own && whole {
		return log.Own
	}
	return log.Foreign
}
