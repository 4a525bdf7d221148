// Package trace turns what trace formats say about a span into the one
// vocabulary of ingest.Span: attribute names and values of every generation of
// the OpenTelemetry semantic conventions, of OpenTracing, Zipkin and proxies,
// are normalised here and nowhere else, and names are interned.
//
// A format uses one Builder per reader:
//
//	b.BeginResource()
//	b.SetString(trace.Lookup(name), value) // for each attribute of the resource
//	b.EndResource()
//	b.BeginSpan()
//	b.SetString(trace.Lookup(name), value) // for each attribute of the span
//	b.Status(code, message)
//	b.EndSpan(&span, name)
//
// Only attributes that some detector reads have a Key; a format need not decode
// the value of any other.
package trace

import (
	"hash/maphash"

	"github.com/tailcheck/tailcheck/ingest"
)

// Builder collects what is said about one span at a time. It is not safe for
// concurrent use. The zero value is not usable; see NewBuilder.
type Builder struct {
	set   uint64 // which of value are set, a bit each
	value [slots]value

	code    int8 // span status: 0 unset, 1 ok, 2 error
	message []byte
	dropped int64
	grpc    int // status code; -1: none

	service, instance string

	names  cache
	stores stores
	calls  map[callKey]*ingest.Call
	rares  map[ingest.Rare]*ingest.Rare
	seed   maphash.Seed
	key    []byte // storeKey's
	buf    []byte // for texts put together of several
	digits []byte // for numbers that are wanted as texts
}

// NewBuilder returns a Builder that knows no resource.
func NewBuilder() *Builder {
	seed := maphash.MakeSeed()
	return &Builder{
		names: cache{seed: seed, limit: maxNames},
		calls: map[callKey]*ingest.Call{},
		rares: map[ingest.Rare]*ingest.Rare{},
		seed:  seed,
	}
}

// Limits of what a Builder remembers, so that its memory is bounded whatever
// the input holds. What is over them is still right, and allocated anew.
const (
	maxNames  = 1 << 16 // distinct names
	maxStores = 1 << 13 // distinct Datastore values
	maxShared = 1 << 13 // distinct Call and Rare values each
	maxName   = 4 << 10 // longest name that is remembered, in bytes

	// MaxStatement is how much of a database statement is kept, in bytes.
	// Instrumentations cut at 1 000 bytes (redis-py) to 32 KiB (OpenTelemetry
	// Java); a command line of one key and the shape of a query are far shorter.
	MaxStatement = 2 << 10
)

// Intern returns the string of b; equal names share their memory.
func (b *Builder) Intern(name []byte) string { return b.names.intern(name) }

// BeginResource forgets the resource (the process that the following spans
// come from). The attributes set until EndResource are its own.
func (b *Builder) BeginResource() { b.clear() }

// EndResource makes what was set the resource of the following spans.
func (b *Builder) EndResource() {
	b.service = b.Intern(b.text(serviceName))
	b.instance = ""
	for _, s := range [...]slot{podName, serviceInstance, hostName, containerID} {
		if t := b.text(s); len(t) > 0 {
			b.instance = b.Intern(t)
			break
		}
	}
}

// SetService names the service of the following spans, for formats that do not
// say it in an attribute.
func (b *Builder) SetService(name []byte) { b.service = b.Intern(name) }

// Service returns the service of the following spans.
func (b *Builder) Service() string { return b.service }

// Instance returns the process of the following spans, as Span.Instance has it.
func (b *Builder) Instance() string { return b.instance }

// BeginSpan forgets the span before.
func (b *Builder) BeginSpan() {
	b.clear()
	b.code, b.message, b.dropped, b.grpc, b.digits = 0, nil, 0, -1, b.digits[:0]
}

func (b *Builder) clear() { b.set = 0 }

// Status sets the status of the span as OpenTelemetry has it (0 unset, 1 ok,
// 2 error) and its description.
func (b *Builder) Status(code int, message []byte) {
	if code < 0 || code > 2 {
		code = 0
	}
	b.code, b.message = int8(code), message
}

// Dropped adds attributes, events or links that the SDK dropped.
func (b *Builder) Dropped(n uint32) { b.dropped += int64(n) }

// EndSpan fills in all that attributes, status and name say. Kind may be set
// before; the position, ids, times, Remote and Linked are the format's, and are
// left alone.
func (b *Builder) EndSpan(s *ingest.Span, name []byte) {
	s.Service, s.Instance = b.service, b.instance
	s.Op = b.Intern(name)
	s.Kind = b.kind(s.Kind)
	s.Store, s.Call, s.Rare = nil, nil, nil
	s.Peer, s.Args, s.Status, s.Stands, s.Resend = "", 0, 0, 1, -1
	s.Setup, s.Cached = false, false
	s.Async = s.Kind == ingest.Producer || s.Kind == ingest.Consumer
	if b.set != 0 {
		s.Peer = b.peer(s.Kind)
		s.Async = s.Async || b.messaging(s.Kind)
		s.Resend = b.resend()
		s.Cached = b.isTrue(cached)
		b.endCall(s)
		b.endStore(s, name)
		b.endSummary(s)
	}
	b.endRare(s)
	b.outcome(s)
	s.Setup = s.Setup || isSetupName(name)
}
