package trace

import (
	"bytes"
	"strconv"

	"github.com/tailcheck/tailcheck/ingest"
)

// kind returns the span's role: what the format said, else the tag of
// OpenTracing days.
func (b *Builder) kind(k ingest.Kind) ingest.Kind {
	if k != ingest.KindUnspecified || !b.has(kindTag) {
		return k
	}
	switch string(bytes.ToLower(b.text(kindTag))) {
	case "internal":
		return ingest.Internal
	case "server":
		return ingest.ServerSpan
	case "client":
		return ingest.ClientSpan
	case "producer":
		return ingest.Producer
	case "consumer":
		return ingest.Consumer
	}
	return k
}

// peer returns the node that was called: address:port. A server's own address
// and that of its client are no peer.
func (b *Builder) peer(k ingest.Kind) string {
	if k == ingest.ServerSpan {
		return ""
	}
	if address := b.text(serverAddress); len(address) > 0 {
		if !b.has(serverPort) || b.value[serverPort].rank > b.value[serverAddress].rank {
			return b.Intern(address)
		}
		b.buf = b.buf[:0]
		if bytes.IndexByte(address, ':') >= 0 && address[0] != '[' && bytes.Count(address, []byte(":")) > 1 {
			b.buf = append(append(append(b.buf, '['), address...), ']') // IPv6
		} else {
			b.buf = append(b.buf, address...)
		}
		b.buf = append(b.buf, ':')
		if v := &b.value[serverPort]; v.kind == kindString {
			b.buf = append(b.buf, v.str...)
		} else {
			b.buf = strconv.AppendInt(b.buf, v.num, 10)
		}
		return b.Intern(b.buf)
	}
	return b.Intern(b.text(peerName))
}

// messaging reports whether attributes say that the span sends or handles a
// message, whatever its kind: nobody waits for what hangs below it. Receiving
// and settling are calls that the caller waits for.
func (b *Builder) messaging(k ingest.Kind) bool {
	if !b.has(messagingSystem) || k == ingest.ServerSpan {
		return false
	}
	switch string(b.text(messagingOperation)) {
	case "publish", "send", "create", "process", "deliver":
		return true
	}
	return false
}

// resend returns the ordinal of an attempt, -1 if nothing says it.
func (b *Builder) resend() int32 {
	n, ok := b.number(resendCount)
	if !ok || n < 0 || n > 1<<20 {
		return -1
	}
	return int32(n)
}

type callKey struct {
	protocol       ingest.Protocol
	method, target string
}

// endCall fills in what the span says about an HTTP request or a procedure call.
func (b *Builder) endCall(s *ingest.Span) {
	http := b.hasAny(1<<httpMethod | 1<<httpStatus | 1<<urlFull | 1<<urlPath | 1<<route)
	rpc := b.hasAny(1<<rpcMethod | 1<<rpcStatus | 1<<rpcSystem | 1<<rpcService)
	var key callKey
	switch {
	case rpc:
		key.protocol, key.method = ingest.RPC, b.procedure()
		if n, ok := b.grpcCode(); ok {
			b.grpc, s.Status = n, int16(n)
		} else if n, ok := b.number(httpStatus); ok && 100 <= n && n <= 599 && !b.has(rpcStatus) {
			s.Status = int16(n) // an API over HTTP (AWS)
		}
	case http:
		key.protocol, key.method = ingest.HTTP, b.method()
		if n, ok := b.number(httpStatus); ok && 100 <= n && n <= 599 {
			s.Status = int16(n)
		}
		key.target = b.target()
		if url := b.text(urlFull); len(url) > 0 && s.Kind != ingest.ServerSpan && !bytes.Contains(url, []byte("REDACTED")) {
			s.Args = hash(url, hash(b.text(httpMethod), 0))
		}
	default:
		return
	}
	if c := b.calls[key]; c != nil {
		s.Call = c
		return
	}
	s.Call = &ingest.Call{Protocol: key.protocol, Method: key.method, Target: key.target}
	if len(b.calls) < maxShared {
		b.calls[key] = s.Call
	}
}

// procedure returns service/method. Current conventions write both in one
// attribute.
func (b *Builder) procedure() string {
	service, method := b.text(rpcService), b.text(rpcMethod)
	if len(service) == 0 || bytes.IndexByte(method, '/') >= 0 {
		return b.Intern(bytes.TrimPrefix(method, []byte("/")))
	}
	b.buf = append(append(append(b.buf[:0], service...), '/'), method...)
	return b.Intern(b.buf)
}

func (b *Builder) method() string {
	m := b.text(httpMethod)
	if isUpper(m) {
		return b.Intern(m)
	}
	b.buf = append(b.buf[:0], m...)
	return b.Intern(upper(b.buf))
}

func isUpper(t []byte) bool {
	for _, c := range t {
		if c-'a' < 26 {
			return false
		}
	}
	return true
}

func upper(t []byte) []byte {
	for i, c := range t {
		if c-'a' < 26 {
			t[i] = c - 'a' + 'A'
		}
	}
	return t
}

// target returns the route, else the URL's path with what differs from request
// to request left out.
func (b *Builder) target() string {
	if r := b.text(route); len(r) > 0 {
		return b.Intern(r)
	}
	path := b.text(urlPath)
	if len(path) == 0 {
		path = b.text(urlFull)
		if i := bytes.Index(path, []byte("://")); i >= 0 {
			path = path[i+3:]
			if i := bytes.IndexByte(path, '/'); i >= 0 {
				path = path[i:]
			} else {
				path = nil
			}
		}
	}
	b.buf = foldPath(b.buf[:0], path)
	return b.Intern(b.buf)
}

// maxTarget bounds a folded path, in bytes.
const maxTarget = 256

// foldPath appends a path without its query, each segment that looks like an
// identifier written as {}: one with a digit that is a number, a UUID, or at
// least 8 characters long. Version segments (v1) stay.
func foldPath(dst, path []byte) []byte {
	if i := bytes.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	for len(path) > 0 && len(dst) < maxTarget {
		segment := path
		if i := bytes.IndexByte(path[1:], '/'); i >= 0 {
			segment = path[:i+1]
		}
		path = path[len(segment):]
		if segment[0] == '/' {
			dst = append(dst, '/')
			segment = segment[1:]
		}
		if isID(segment) {
			dst = append(dst, '{', '}')
		} else {
			dst = append(dst, segment...)
		}
	}
	return dst[:min(len(dst), maxTarget)]
}

func isID(segment []byte) bool {
	digits, letters := 0, 0
	for _, c := range segment {
		switch {
		case c-'0' <= 9:
			digits++
		case c|0x20-'a' < 26:
			letters++
		}
	}
	return digits > 0 && (letters == 0 || len(segment) >= 8)
}

// hash mixes a text into a 64-bit number that is the same in every run, on every
// machine. Spans that ask for the same thing are told by it.
func hash(t []byte, h uint64) uint64 {
	const m = 0x9e3779b97f4a7c15
	h = (h ^ uint64(len(t))) * m
	for len(t) >= 8 {
		h = (h ^ le64(t)) * m
		h ^= h >> 29
		t = t[8:]
	}
	for _, c := range t {
		h = (h ^ uint64(c)) * m
		h ^= h >> 29
	}
	if h ^= h >> 32; h == 0 {
		return 1
	}
	return h
}

func le64(t []byte) uint64 {
	_ = t[7]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 | uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}
