package envoy

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// flags are the response flags that tell how a request ended, short and long.
// Source: Envoy's access log docs (%RESPONSE_FLAGS%, %RESPONSE_FLAGS_LONG%) and
// source/common/stream_info/utility.h. Others tell nothing of it: DI (a delay was
// injected), RFCF (answered from a cache).
var flags = map[string]ingest.Outcome{
	"UT": ingest.TimedOut, "UpstreamRequestTimeout": ingest.TimedOut,
	"SI": ingest.TimedOut, "StreamIdleTimeout": ingest.TimedOut,
	"DT": ingest.TimedOut, "DurationTimeout": ingest.TimedOut,
	"UMSDR": ingest.TimedOut, "UpstreamMaxStreamDurationReached": ingest.TimedOut,
	"DC": ingest.Canceled, "DownstreamConnectionTermination": ingest.Canceled,
	"DR": ingest.Canceled, "DownstreamRemoteReset": ingest.Canceled,
	"UH": ingest.Failed, "NoHealthyUpstream": ingest.Failed,
	"UF": ingest.Failed, "UpstreamConnectionFailure": ingest.Failed,
	"UO": ingest.Failed, "UpstreamOverflow": ingest.Failed,
	"NR": ingest.Failed, "NoRouteFound": ingest.Failed,
	"URX": ingest.Failed, "UpstreamRetryLimitExceeded": ingest.Failed,
	"UC": ingest.Failed, "UpstreamConnectionTermination": ingest.Failed,
	"UR": ingest.Failed, "UpstreamRemoteReset": ingest.Failed,
	"LH": ingest.Failed, "FailedLocalHealthCheck": ingest.Failed,
	"LR": ingest.Failed, "LocalReset": ingest.Failed,
	"RL": ingest.Failed, "RateLimited": ingest.Failed,
	"FI": ingest.Failed, "FaultInjected": ingest.Failed,
	"UAEX": ingest.Failed, "UnauthorizedExternalService": ingest.Failed,
	"RLSE": ingest.Failed, "RateLimitServiceError": ingest.Failed,
	"IH": ingest.Failed, "InvalidEnvoyRequestHeaders": ingest.Failed,
	"DPE": ingest.Failed, "DownstreamProtocolError": ingest.Failed,
	"UPE": ingest.Failed, "UpstreamProtocolError": ingest.Failed,
	"NC": ingest.Failed, "NoClusterFound": ingest.Failed,
	"NFCF": ingest.Failed, "NoFilterConfigFound": ingest.Failed,
	"OM": ingest.Failed, "OverloadManagerTerminated": ingest.Failed,
	"DO": ingest.Failed, "DropOverload": ingest.Failed,
	"UDO": ingest.Failed, "UnconditionalDropOverload": ingest.Failed,
	"DF": ingest.Failed, "DnsResolutionFailed": ingest.Failed,
}

// isFlags reports whether a value is a list of response flags, or "-".
func isFlags(b []byte) bool {
	if len(b) == 1 {
		return b[0] == '-'
	}
	if len(b) < 2 || b[0]-'A' >= 26 {
		return false
	}
	for _, c := range b {
		if c|0x20-'a' >= 26 && c-'0' > 9 && c != ',' {
			return false
		}
	}
	return true
}

// outcome is how a request ended: by its flags, of which a time-out and a client
// that left count before others, since then its latency is a lower bound; without
// any, by its status, if it has one.
func outcome(list []byte, status int, without bool) ingest.Outcome {
	worst := ingest.OK
	for len(list) > 1 {
		flag := list
		if i := bytes.IndexByte(list, ','); i >= 0 {
			flag, list = list[:i], list[i+1:]
		} else {
			list = nil
		}
		worst = max(worst, flags[string(flag)])
	}
	if without {
		return worst
	}
	if s := log.Outcome(status); worst == ingest.OK || worst == ingest.Failed && s == ingest.TimedOut {
		return s
	}
	return worst
}
