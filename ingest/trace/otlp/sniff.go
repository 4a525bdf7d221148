package otlp

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/tailcheck/tailcheck/ingest"
)

const tagResourceSpans = dataResourceSpans<<3 | wireBytes

// probe tells what a message, or the start of one, holds: it goes down to the
// first thing that is told apart by the types of its fields. The three signals
// have the same outer messages.
func probe(b []byte) content {
	for outer := (fields{b: b}); ; {
		rs, _, ok := outer.part(dataResourceSpans, 0)
		if !ok {
			return nothing
		}
		for middle := (fields{b: rs}); ; {
			scope, _, ok := middle.part(rsScopeSpans, rsOldSpans)
			if !ok {
				break
			}
			for inner := (fields{b: scope}); ; {
				item, _, ok := inner.part(scopeSpansSpans, 0)
				if !ok {
					break
				}
				if c := signal(item); c != nothing {
					return c
				}
			}
		}
	}
}

// signal tells a span from a metric and a log record, which have other types
// under the same numbers (opentelemetry-proto v1: a span's id and times, a
// metric's name and points, a record's time).
func signal(b []byte) content {
	c := nothing
	f := fields{b: b}
	for x := (field{}); f.next(&x); {
		switch x.num<<3 | x.wire {
		case spanTraceID<<3 | wire64, 2<<3 | wireVarint, 11<<3 | wire64: // LogRecord: time, severity, observed time
			return logs
		case spanStart<<3 | wire64, spanEnd<<3 | wire64:
			return traces
		case spanTraceID<<3 | wireBytes: // Metric: name
			if c == nothing && len(x.data) > 0 {
				if c = metrics; len(x.data) == len(ingest.TraceID{}) && !printable(x.data) {
					c = traces
				}
			}
		case spanID<<3 | wireBytes: // Metric: description
			if len(x.data) != len(ingest.SpanID{}) {
				c = metrics
			}
		case 7<<3 | wireBytes, 10<<3 | wireBytes, 11<<3 | wireBytes: // Metric: sum, exponential histogram, summary; a span has events in 11
			if x.num != 11 || c == nothing {
				c = metrics
			}
		}
	}
	return c
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// maxMarks is how many places of a log that look like a document are looked at.
const maxMarks = 16

// probeJSON tells what the documents at the start of an input hold: traces if
// any does, else what the first one holds that holds something.
func probeJSON(head []byte) content {
	found := nothing
	if first := (&scanner{b: head}).peek(); first != '{' && first != '[' {
		rest := head
		for range maxMarks {
			i := markIn(rest)
			if i < 0 {
				break
			}
			if probeDocument(&scanner{b: rest[i:]}, 0) == traces {
				return traces
			}
			rest = rest[i+1:]
		}
		return nothing
	}
	s := &scanner{b: head}
	for s.i < len(head) && !s.bad {
		switch s.peek() {
		case '{':
			c := probeDocument(s, 0)
			if c == traces {
				return c
			}
			if found == nothing {
				found = c
			}
		case '[', ']', ',', 0x1e:
			s.i++
		default:
			return found
		}
	}
	return found
}

// probeDocument looks at the names in the object that starts here.
func probeDocument(s *scanner, depth int) (c content) {
	s.i++
	for ok := s.first('}'); ok; ok = s.next('}') {
		name := s.key()
		if s.bad {
			return c
		}
		next := s.peek()
		switch string(name) {
		case "trace", "result":
			if next == '{' && depth < maxWrap {
				if inner := probeDocument(s, depth+1); inner != nothing {
					c = inner
				}
				continue
			}
		default:
			if h := holds(name); h != nothing && c == nothing && (next == '[' || next == 0) {
				c = h
			}
		}
		s.skip()
	}
	return c
}

// unpack returns the start of what is in the first zstd frame of head.
func unpack(head []byte) []byte {
	n := int(min(uint64(binary.BigEndian.Uint32(head)), uint64(len(head)-4)))
	z, err := zstd.NewReader(bytes.NewReader(head[4:4+n]), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil
	}
	defer z.Close()
	b := make([]byte, ingest.HeadSize)
	read, _ := io.ReadFull(z, b) // whatever can be read of a frame that head cuts
	return b[:read]
}

// look tells what an input holds and in which encoding.
func look(head []byte) (c content, json bool) {
	if isZstdFrame(head) {
		b := unpack(head)
		if c := probeJSON(b); c != nothing {
			return c, true
		}
		return probe(b), false
	}
	if c := probeJSON(head); c != nothing {
		return c, true
	}
	if len(head) > 0 && head[0] == tagResourceSpans {
		if c := probe(head); c != nothing {
			return c, false
		}
	}
	found := nothing
	for len(head) > 4 {
		n := uint64(binary.BigEndian.Uint32(head))
		if n > 0 && (head[4] != tagResourceSpans || n > ingest.MaxLine) {
			break
		}
		c := probe(head[4 : 4+min(n, uint64(len(head)-4))])
		if c == traces {
			return c, false
		}
		if found == nothing {
			found = c
		}
		if n > uint64(len(head)-4) {
			break
		}
		head = head[4+n:]
	}
	return found, false
}

func sniffJSON(head []byte) bool {
	c, json := look(head)
	return c == traces && json
}

func sniffProto(head []byte) bool {
	c, json := look(head)
	return c == traces && !json
}

// nearJSON and nearProto say that an input holds another signal.
func nearJSON(head []byte) string {
	if c, json := look(head); json && c != nothing && c != traces {
		return "it holds OTLP " + c.String() + ", of which only logs of requests with a latency are read; for traces point the exporter of a traces pipeline at a file"
	}
	return ""
}

func nearProto(head []byte) string {
	if c, json := look(head); !json && c != nothing && c != traces {
		return "it holds OTLP " + c.String() + ", of which only logs of requests with a latency are read; for traces point the exporter of a traces pipeline at a file"
	}
	return ""
}
