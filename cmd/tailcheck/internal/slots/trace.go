package slots

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/redisslot"
)

// Trace says where in a trace file the keys were found: they are those that the
// spans of one parent name with one command, the batch with the most keys.
type Trace struct {
	Path       string  `json:"path"`
	Command    string  `json:"command"`
	Trace      string  `json:"trace"`
	Service    *string `json:"service"`
	Caller     *string `json:"caller"`   // operation of the parent; null: not in the file
	Sent       int64   `json:"commands"` // that the file shows for these keys
	Batches    int     `json:"batches"`  // of at least two keys, this one among them
	Statements int64   `json:"statements"`
	Hidden     int64   `json:"statements_without_keys"`
	Problems   int64   `json:"problems"`          // parts of the file that could not be read
	Beyond     int64   `json:"statements_beyond"` // that were not looked at: the file names more keys than are held at once
}

// maxHeld is how many keys of all batches together are held at once.
const maxHeld = 1 << 21

// batchKey is what commands are grouped by: one parent's uses of one command.
type batchKey struct {
	trace  ingest.TraceID
	parent ingest.SpanID
	op     string
}

type batch struct {
	keys    []string // distinct, as they come
	seen    map[string]bool
	service string
	sent    int64
}

// FromTraces returns the keys of the largest batch in a trace file.
func FromTraces(path string, stdin io.Reader, formats []ingest.Format) ([]string, *Trace, error) {
	f, err := ingest.OpenFile(path, stdin)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	var traces []ingest.Format
	for _, x := range formats {
		if x.Yields&ingest.KindSpan != 0 {
			traces = append(traces, x)
		}
	}
	found, err := ingest.Find(f, traces, "")
	if err != nil {
		return nil, nil, err
	}
	c := &collector{batches: map[batchKey]*batch{}, ops: map[parentKey]string{}}
	out := &Trace{Path: path}
	for i, x := range found {
		if err := c.read(x, int32(i), out); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, bare(err))
		}
	}
	k, b := c.largest(out)
	if b == nil {
		if out.Statements == 0 {
			return nil, nil, fmt.Errorf("%s: no span of a Redis command", path)
		}
		return nil, nil, fmt.Errorf("%s: none of %d Redis statements shows a key\nhint: instrumentations hide them by default or altogether (Node.js, .NET, sanitised statements): give the keys with --keys FILE", path, out.Statements)
	}
	out.Command, out.Trace, out.Sent = k.op, hex.EncodeToString(k.trace[:]), b.sent
	out.Service, out.Caller = known(b.service), known(c.ops[parentKey{k.trace, k.parent}])
	return b.keys, out, nil
}

type parentKey struct {
	trace ingest.TraceID
	span  ingest.SpanID
}

type collector struct {
	batches map[batchKey]*batch
	ops     map[parentKey]string // names of spans; bounded like the batches
	held    int
}

func (c *collector) read(x *ingest.Found, index int32, out *Trace) error {
	r := x.Open()
	defer r.Close()
	in := ingest.Input{Index: index, Head: x.Head, Section: x.Section()}
	for rec, err := range x.Format.Read(r, in) {
		if err != nil {
			return err
		}
		switch s := rec.(type) {
		case *ingest.Span:
			c.add(s, out)
		case *ingest.Problem:
			out.Problems++
		}
	}
	return nil
}

func (c *collector) add(s *ingest.Span, out *Trace) {
	if len(c.ops) < maxHeld && s.Store == nil {
		c.ops[parentKey{s.Trace, s.ID}] = s.Op
	}
	d := s.Store
	if d == nil || !redisLike(d.System) || s.Setup || d.Op == "" {
		return
	}
	var buf [8]string
	keys := redisslot.StatementKeys(buf[:0], d.Op, d.Statement, d.Cut)
	if d.Keys == 0 {
		return // a command without keys
	}
	out.Statements++
	if len(keys) == 0 {
		out.Hidden++
		return
	}
	k := batchKey{s.Trace, s.Parent, d.Op}
	b := c.batches[k]
	if b == nil {
		if c.held >= maxHeld {
			out.Beyond++
			return
		}
		b = &batch{seen: map[string]bool{}, service: s.Service}
		c.batches[k] = b
	}
	b.sent += max(1, s.Stands)
	for _, key := range keys {
		if b.seen[key] {
			continue
		}
		if len(b.keys) == MaxKeys || c.held >= maxHeld {
			out.Beyond++
			return
		}
		key = strings.Clone(key) // not to hold the statement
		b.seen[key] = true
		b.keys = append(b.keys, key)
		c.held++
	}
}

// largest returns the batch with the most keys; of equals the one that sent the
// most commands, then the first by trace, parent and command.
func (c *collector) largest(out *Trace) (best batchKey, b *batch) {
	for k, x := range c.batches {
		if len(x.keys) > 1 {
			out.Batches++
		}
		if b == nil || cmp.Or(cmp.Compare(len(x.keys), len(b.keys)), cmp.Compare(x.sent, b.sent), best.compare(k)) > 0 {
			best, b = k, x
		}
	}
	return best, b
}

func (k batchKey) compare(o batchKey) int {
	return cmp.Or(slices.Compare(k.trace[:], o.trace[:]), slices.Compare(k.parent[:], o.parent[:]), cmp.Compare(k.op, o.op))
}

// redisLike are stores that speak Redis' protocol, by their names in the semantic
// conventions and those that stand in for Redis.
func redisLike(system string) bool {
	switch system {
	case "redis", "valkey", "keydb", "dragonfly", "garnet":
		return true
	}
	return false
}
