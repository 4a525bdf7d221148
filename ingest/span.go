package ingest

import "time"

// TraceID identifies a trace. Zero: none.
type TraceID [16]byte

// SpanID identifies a span in its trace. Zero: none.
type SpanID [8]byte

// Kind is the role of a span.
type Kind uint8

// Span kinds, with OpenTelemetry's meaning.
const (
	KindUnspecified Kind = iota
	Internal
	ServerSpan
	ClientSpan
	Producer
	Consumer
)

// Span is one timed operation of a trace; attribute names of every generation
// are already normalised (package ingest/trace). What it points to (Store, Call,
// Rare) and its strings are shared and never written again, so a shallow copy
// may be kept. The record is about 190 bytes; what holds many spans at rest
// numbers the strings and keeps the trace id once, which leaves about 90.
type Span struct {
	Pos
	Trace      TraceID
	ID, Parent SpanID // parent zero: a root
	Service    string // empty: not known
	Instance   string // the process that recorded it: pod, instance id or host, whichever is stated first in that order; empty: not known
	Op, Peer   string // Peer: address:port that a client span called, else a service's or cluster's name; empty: not known
	Start, End Time   // as recorded, never adjusted; zero: not known
	Stands     int64  // spans that this one stands for (pruned summaries); 1 normally
	Args       uint64 // hash of what the call asks for (full URL, or statement with its arguments); 0: not visible
	Store      *Datastore
	Call       *Call // HTTP or RPC call; nil: none
	Rare       *Rare // nil: nothing
	Resend     int32 // attempt ordinal where an attribute says so, 0 the first; -1: unknown
	Status     int16 // HTTP status (100 to 599) or gRPC code (1 to 16); 0: none, or gRPC OK
	Kind       Kind
	Outcome    Outcome
	Remote     int8 // the parent is in another process: 1 yes, -1 no (both by OTLP's flags), 0 not known
	Error      bool // the span's own status is error, whatever Outcome makes of it
	Async      bool // producer or consumer, FOLLOWS_FROM: nobody waits for it
	Linked     bool // it has links to other spans; a link is no parent
	Setup      bool // opens or keeps a connection (dial, hello, pool, topology, ping): no request of the application
	Cached     bool // answered from a cache
}

// Datastore is what a client span says about the store it called.
type Datastore struct {
	System    string // current semantic-convention name: "redis", "postgresql", "microsoft.sql_server"; empty: not known
	Namespace string // logical database; empty: not known
	Op        string // command or verb in upper case: "MGET", "SELECT"; "PIPELINE" for a mixed batch; empty: not known
	Statement string // as recorded; empty: none
	Template  string // Statement with literals and key numbers replaced, else a summary or Op and collection; empty: none
	Cut       bool   // Statement is longer than what is kept
	Pipelined bool   // one command of a pipeline or transaction, or all of it: it shares its round trip
	Keys      int    // keys that the command names; -1: not known
	Batch     int    // commands in a pipeline; 0: not a batch, or the size is not known
}

// Protocol of a Call.
type Protocol uint8

// Protocols.
const (
	ProtocolUnknown Protocol = iota
	HTTP
	RPC
)

func (p Protocol) String() string { return [...]string{"unknown", "http", "rpc"}[p] }

// Call is what a span says about the HTTP request or remote procedure call
// that it stands for.
type Call struct {
	Protocol Protocol
	Method   string // HTTP method in upper case, or service/method; empty: not known
	Target   string // route, else the URL's path with numbers and ids as {}; empty: not known
}

// Rare is what only few spans say.
type Rare struct {
	// Durations of the spans that a pruned summary stands for; the summary's
	// own start and end are the first start and the last end. Zero: not stated.
	Min, Max, Total time.Duration

	Budget  time.Duration // time left by a deadline attribute that is visible; 0: none
	Retries int32         // tries after the first, made inside this one span
	Hedges  int32         // speculative executions inside this one span
	Dropped int64         // attributes, events and links that the SDK dropped
}

// Trace is all spans of one trace id.
type Trace struct {
	Pos
	ID    TraceID
	Spans []Span
}
