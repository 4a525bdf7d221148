package jvm

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// what a line tells of
type what uint8

const (
	nothing what = iota
	pause
	safepoint
	stopped
)

// stop is what a line says of one.
type stop struct {
	name            []byte
	total, reaching time.Duration // reaching: of total, until all threads stood still
}

var errCut = errors.New("a stop without its length")

// maxName bounds the name of a pause, in bytes.
const maxName = 120

// said reads the message of a line.
func said(message []byte) (what, stop, error) {
	switch {
	case bytes.HasPrefix(message, []byte("GC(")):
		return collection(message)
	case bytes.HasPrefix(message, []byte(`Safepoint "`)):
		return point(message)
	case bytes.HasPrefix(message, []byte(totalTime)):
		return total(message)
	}
	return nothing, stop{}, nil
}

// collection reads "GC(1) Pause Full (System.gc()) 1725M->1196M(4949M) 1507.585ms".
// Generations of ZGC have a letter in front: "GC(3) Y: Pause Mark End 0.012ms".
// The line of a pause's start has no length.
func collection(message []byte) (what, stop, error) {
	i := bytes.IndexByte(message, ')')
	if i < 0 || i > 24 {
		return nothing, stop{}, nil
	}
	text := bytes.TrimSpace(message[i+1:])
	if len(text) > 3 && text[1] == ':' && text[2] == ' ' {
		text = text[3:]
	}
	last := bytes.LastIndexByte(text, ' ')
	if !bytes.HasPrefix(text, []byte("Pause ")) || !bytes.HasSuffix(text, []byte("ms")) || text[len(text)-3]-'0' > 9 {
		return nothing, stop{}, nil
	}
	d, ok := decimal(text[last+1:len(text)-2], time.Millisecond)
	if !ok {
		return nothing, stop{}, log.ErrLatency
	}
	name := text[:last]
	if i := bytes.LastIndexByte(name, ' '); i > 0 && bytes.Contains(name[i:], []byte("->")) {
		name = name[:i]
	}
	return pause, stop{name: bytes.TrimSpace(name[:min(len(name), maxName)]), total: d}, nil
}

// point reads `Safepoint "Cleanup", Time since last: 1 ns, Reaching safepoint: 1 ns, …, Total: 1 ns`.
func point(message []byte) (what, stop, error) {
	name, rest, ok := bytes.Cut(message[len(`Safepoint "`):], []byte(`"`))
	if !ok {
		return nothing, stop{}, errCut
	}
	s := stop{name: name[:min(len(name), maxName)]}
	if s.total, ok = nanoseconds(rest, ", Total: "); !ok {
		return nothing, stop{}, errCut
	}
	s.reaching, _ = nanoseconds(rest, ", Reaching safepoint: ")
	s.reaching = min(s.reaching, s.total)
	return safepoint, s, nil
}

func nanoseconds(b []byte, key string) (time.Duration, bool) {
	_, b, ok := bytes.Cut(b, []byte(key))
	if !ok {
		return 0, false
	}
	b, _, ok = bytes.Cut(b, []byte(" ns"))
	if !ok {
		return 0, false
	}
	return decimal(b, time.Nanosecond)
}

const totalTime = "Total time for which application threads were stopped: "

// total reads "Total time for which application threads were stopped: 0.0072168
// seconds, Stopping threads took: 0.0000337 seconds".
func total(message []byte) (what, stop, error) {
	b, rest, ok := bytes.Cut(message[len(totalTime):], []byte(" seconds"))
	if !ok {
		return nothing, stop{}, errCut
	}
	var s stop
	if s.total, ok = decimal(b, time.Second); !ok {
		return nothing, stop{}, log.ErrLatency
	}
	if _, b, ok = bytes.Cut(rest, []byte(", Stopping threads took: ")); ok {
		b, _, _ = bytes.Cut(b, []byte(" "))
		s.reaching, _ = decimal(b, time.Second)
		s.reaching = min(s.reaching, s.total)
	}
	return stopped, s, nil
}

// decimal reads a number of units; some locales have a comma for the point.
func decimal(b []byte, unit time.Duration) (time.Duration, bool) {
	var buf [24]byte
	if len(b) > len(buf) || len(b) == 0 || b[0]-'0' > 9 {
		return 0, false
	}
	n := copy(buf[:], b)
	for i, c := range buf[:n] {
		if c == ',' {
			buf[i] = '.'
		}
	}
	d, _, explicit, ok := log.Duration(buf[:n], unit)
	return d, ok && !explicit
}
