package retries

import (
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// RetryNumbers are the numbers of a retry-multiplication finding.
type RetryNumbers struct {
	Hops         []int64 `json:"hops"`            // tries at each hop, from the root down; 1: it does not try again
	Product      int64   `json:"product"`         // of the hops: how many calls of the last one a single request can become
	LeafCallsMax int64   `json:"leaf_calls_max"`  // calls of the last hop in one request, the most that were seen
	LeafCalls    float64 `json:"leaf_calls_mean"` // in the requests that got there at all
	WastedMs     float64 `json:"wasted_ms"`       // time that the last hop spent on tries that failed
}

// RetryMultiplication finds retries that multiply, and a hop that tries again
// more often than a service can bear.
var RetryMultiplication = detect.Detector{
	Name: "retry-multiplication", Severity: detect.Error, Reads: ingest.KindTrace | ingest.KindSample | ingest.KindLog,
	Doc: `Retries at several layers multiply, or one layer's exceed their budget

Where each of three layers tries a failed call three times, one request becomes
3 x 3 x 3 = 27 calls of the service at the bottom, and it does so when that
service is in trouble already. A single layer does harm, too, where it adds more
than a fifth to the calls (the retry budget of 20 % of Finagle and Linkerd).

What it rests on. Tries of a call are siblings: spans of one operation under one
parent, with the same target, class of peer and, where they can be seen,
arguments, that do not overlap, follow each other within a minute, and all but
the last of which ended so that callers try again (a timeout, a connection
lost, 408, 425, 429 or 5xx, gRPC UNAVAILABLE and the like). The product is
taken along one path from the root, the most that any request shows, and stands
beside the number of calls that were counted. It speaks where at least two
layers try again and the product is 4 or more, or where a hop's calls after the
first are above 20 % of its calls, at least 5, in at least 3 requests.
Attributes that number attempts (http.request.resend_count,
previous-rpc-attempts, retry.count) only raise confidence, because redirects
are numbered, too; tries that a client counts inside one span (botocore) are
taken as it counts them. Confidence is high with such attributes, or where the
counted calls bear out the product in more than one request and callers whose
tries all failed always made as many; low where a single request shows a
product below 9. Where spans are missing or pruned, numbers are "at least".

In a proxy's log tries are listed, or counted, on the line of their request
(nginx's upstream lists, Envoy's attempt count, HAProxy's retries, Traefik's
RetryAttempts, Kong's tries). It speaks where those that repeat the one before
are above 20 % of the others, in all of the log or in one of its windows, at
least 20 of them in 20 requests. The first try after an internal redirect
repeats nothing. What is behind the proxy may try again, too: the product takes
its log, or traces.

Not reported: redirects, challenges to authenticate and other final answers
(4xx, NOT_FOUND), MOVED and ASK of a Redis Cluster, siblings that all succeeded
(n-plus-one), siblings that overlap (a hedge or a fan-out), calls whose visible
arguments differ, commands of a pipeline, connection set-up, messages, spans
that a collector delivered twice, and loops: a caller that makes several calls
of the operation when all is well, or more than ten that fail in a row without
a pause, may not be trying again.`,
	Judge: judgeLogs,
	New:   func() detect.Tally { return &multiplication{} },
}

// multiplication is the tally of the detector: what traces say. What else tells
// of tries has a tally of its own, and stands beside it.
type multiplication struct {
	traces traceTries
}

func (m *multiplication) Add(rec ingest.Record) {
	if t, ok := rec.(*calltree.Trace); ok {
		m.traces.add(t)
	}
}

func (m *multiplication) Merge(o detect.Tally) {
	m.traces.merge(&o.(*multiplication).traces)
}

func (m *multiplication) Findings() []detect.Finding { return m.traces.findings() }
