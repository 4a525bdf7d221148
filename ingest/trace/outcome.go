package trace

import (
	"bytes"
	"slices"

	"github.com/tailcheck/tailcheck/ingest"
)

// gRPC status codes (google.rpc.Code).
const (
	codeOK               = 0
	codeCancelled        = 1
	codeUnknown          = 2
	codeDeadlineExceeded = 4
	codeUnimplemented    = 12
	codeInternal         = 13
	codeUnavailable      = 14
	codeDataLoss         = 15
)

var codes = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALIDARGUMENT", "DEADLINEEXCEEDED", "NOTFOUND", "ALREADYEXISTS", "PERMISSIONDENIED", "RESOURCEEXHAUSTED",
	"FAILEDPRECONDITION", "ABORTED", "OUTOFRANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATALOSS", "UNAUTHENTICATED",
}

// grpcCode returns the status code. Three generations of conventions live at
// once: a number (4, "4"), a name (DEADLINE_EXCEEDED, deadline_exceeded,
// DeadlineExceeded).
func (b *Builder) grpcCode() (int, bool) {
	if n, ok := b.number(rpcStatus); ok {
		return int(n), 0 <= n && int(n) < len(codes)
	}
	b.buf = b.buf[:0]
	for _, c := range b.value[rpcStatus].str {
		if c != '_' {
			b.buf = append(b.buf, c)
		}
	}
	name := upper(b.buf)
	if string(name) == "CANCELED" {
		return codeCancelled, true
	}
	for i, c := range codes {
		if c == string(name) {
			return i, true
		}
	}
	return 0, false
}

// serverFault are the codes that OpenTelemetry counts as errors of the server
// (semantic conventions, rpc/grpc). Cancelled is not one of them, and an
// instrumented server leaves its status unset then.
var serverFault = []int{codeUnknown, codeDeadlineExceeded, codeUnimplemented, codeInternal, codeUnavailable, codeDataLoss}

// outcome fills in Error and Outcome. Error is the status as recorded. Outcome
// tells giving up from failing, which the status does not: by gRPC code, error
// type, Envoy's response flags, and the words that gRPC and net/http write into
// the status message.
func (b *Builder) outcome(s *ingest.Span) {
	s.Error = b.code == 2
	if b.code == 0 && b.hasAny(1<<errorTag|1<<statusTag) {
		tag := b.text(errorTag) // its presence is what counts in Zipkin; Jaeger writes a truth value
		status := b.text(statusTag)
		s.Error = len(tag) > 0 && string(tag) != "false" || bytes.EqualFold(status, []byte("ERROR"))
	}
	s.Outcome = ingest.OK
	if s.Error {
		s.Outcome = ingest.Failed
	}
	if code := b.grpc; code >= 0 {
		switch {
		case code == codeDeadlineExceeded:
			s.Outcome = ingest.TimedOut
		case code == codeCancelled:
			s.Outcome = ingest.Canceled
		case code != codeOK && (s.Kind != ingest.ServerSpan || slices.Contains(serverFault, code)):
			s.Outcome = ingest.Failed
		}
		return
	}
	if s.Status >= 100 {
		b.answered(s)
		if s.Outcome != ingest.Failed || s.Status >= 400 {
			return
		} // else it failed behind the head of the answer
	}
	if b.isTrue(canceledTag) {
		s.Outcome = ingest.Canceled
		return
	}
	if !s.Error {
		return
	}
	message := b.message
	if len(message) == 0 {
		message = b.text(statusText)
	}
	for _, text := range [...][]byte{b.text(errorType), message, b.text(errorTag)} {
		o, at := gaveUp(text)
		// a server's answer is what it is, whatever its message quotes of a call
		// that it made itself
		if o != ingest.OK && (at == 0 || s.Kind != ingest.ServerSpan) {
			s.Outcome = o
			return
		}
	}
}

// answered judges a span with an HTTP status.
func (b *Builder) answered(s *ingest.Span) {
	switch {
	case s.Status >= 500, s.Status >= 400 && s.Kind != ingest.ServerSpan:
		s.Outcome = ingest.Failed
	}
	if s.Status == 499 { // nginx, Envoy: the client went away
		s.Outcome = ingest.Canceled
	}
	flags := b.text(responseFlags) // Envoy: a list, "UT,URX"
	for len(flags) > 0 {
		flag := flags
		if i := bytes.IndexByte(flags, ','); i >= 0 {
			flag, flags = flags[:i], flags[i+1:]
		} else {
			flags = nil
		}
		switch string(flag) {
		case "UT", "SI", "DT": // upstream, stream idle, duration timeout
			s.Outcome = ingest.TimedOut
		case "DC": // downstream disconnect
			s.Outcome = ingest.Canceled
		}
	}
}

// maxReason is how much of a message is searched for a reason, in bytes.
const maxReason = 512

// reasons are words of error types and messages, in lower case. Sources: Go's
// context and net/http, grpc-go (a stream reset with CANCEL is what a client
// whose deadline has passed gets to see, and its code is not recorded: gRFC
// A72 spans), exception names of Java, .NET, Python and Node.js.
var reasons = []struct {
	word    string
	outcome ingest.Outcome
}{
	{"deadlineexceeded", ingest.TimedOut},
	{"deadline exceeded", ingest.TimedOut},
	{"deadline_exceeded", ingest.TimedOut},
	{"rst_stream with error code: cancel", ingest.TimedOut},
	{"client.timeout exceeded", ingest.TimedOut},
	{"timeout", ingest.TimedOut},
	{"timed out", ingest.TimedOut},
	{"timedout", ingest.TimedOut},
	{"context canceled", ingest.Canceled},
	{"canceled", ingest.Canceled},
	{"cancelled", ingest.Canceled},
	{"cancellation", ingest.Canceled},
	{"aborterror", ingest.Canceled},
}

// gaveUp tells why a caller stopped waiting, and where the text says so, or OK
// if it does not.
func gaveUp(text []byte) (ingest.Outcome, int) {
	if len(text) == 0 {
		return ingest.OK, 0
	}
	var low [maxReason]byte
	n := copy(low[:], text)
	for i, c := range low[:n] {
		if c-'A' < 26 {
			low[i] = c | 0x20
		}
	}
	for _, r := range reasons {
		if at := bytes.Index(low[:n], []byte(r.word)); at >= 0 {
			return r.outcome, at
		}
	}
	return ingest.OK, 0
}
