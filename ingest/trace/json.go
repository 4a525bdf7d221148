package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
)

// JSON walks documents of any number and length, one behind the other, in
// memory that does not grow with them: containers are walked token by token,
// and only values that are asked for whole are held, one at a time. It is for
// the formats that are read seldom; what it hands out has been checked by
// encoding/json, which a Cursor relies on.
//
// A document that is broken is left where it breaks, as a problem; the next one
// is looked for at the start of a line. Text between documents is a problem
// too, unless Loose is set: programs print spans among other lines.
type JSON struct {
	Loose bool

	feed   *Feed
	src    source
	dec    *json.Decoder
	base   int64 // of the decoder's first byte in the reader
	at     int64 // of the bracket or value that was read last
	bad    bool  // the document breaks here
	wasted int64 // bytes gone over in vain
	raw    json.RawMessage
	object []byte
}

// maxValue is the largest value that is held whole, in bytes: a span. Tracing
// systems take far smaller ones (a gRPC message has 4 MiB, an X-Ray document
// 64 KiB).
const maxValue = 16 << 20

// maxWasted is how much is gone over in vain, in bytes: for each broken document
// all that was read ahead of it is read again.
const maxWasted = 64 << 20

var (
	errLong  = fmt.Errorf("a value of more than %d MiB where a span should be", maxValue>>20)
	errCut   = fmt.Errorf("the document is %w here; what came before was read", ingest.ErrCut)
	errOther = errors.New("text that is no JSON document")
	errWaste = errors.New("too much of this is broken JSON; the rest is not read")
)

// NewJSON returns a JSON that reads r and tells its problems to feed.
func NewJSON(r io.Reader, feed *Feed) *JSON {
	j := &JSON{feed: feed, src: source{r: r}}
	j.restart(0)
	return j
}

// offset is where the decoder is in the reader, and lets it read on from there.
func (j *JSON) offset() int64 {
	at := j.base + j.dec.InputOffset()
	j.src.limit = at + maxValue
	return at
}

// At returns where the bracket or the value starts that was read last, counted
// from the start of the reader.
func (j *JSON) At() int64 { return j.at }

// Broken reports whether the document breaks here: what was read of it since the
// last bracket is not whole.
func (j *JSON) Broken() bool { return j.bad }

// Documents yields the bracket that each document begins with. The document must
// be read: by Open, Raw or Skip.
func (j *JSON) Documents() iter.Seq[byte] {
	return func(yield func(byte) bool) {
		other := false // text was passed over since the last document
		for !j.feed.Halted() {
			j.offset()
			c, ok := j.peek(false)
			at := j.offset()
			switch {
			case !ok && j.src.err == nil:
				return
			case c == '{' || c == '[':
				other = false
				if !yield(c) {
					return
				}
				if !j.bad {
					continue
				}
				at = j.offset()
				j.feed.Problem(at, errCut)
				j.wasted += j.src.total - at
			case !other && !j.Loose && bytes.IndexByte(separators, c) < 0:
				other = true
				j.feed.Problem(at, errOther)
			}
			if j.src.err != nil {
				j.feed.Fail(fmt.Errorf("at byte %d: %w", j.feed.Offset(at), j.src.err))
				return
			}
			if j.wasted > maxWasted {
				j.feed.Fail(errWaste)
				return
			}
			j.resume(at)
		}
	}
}

// separators are what stands between documents without meaning anything: the
// commas and the bracket of an array that broke, the separator of RFC 7464, NUL.
var separators = []byte(",]}\x1e\x00")

// peek returns the first byte of the next value or of what stands in its place.
// In an array a comma comes before it, and what is behind that need not have been
// read yet.
func (j *JSON) peek(inArray bool) (c byte, ok bool) {
	j.dec.More()
	r, is := j.dec.Buffered().(io.ByteReader)
	for is {
		c, err := r.ReadByte()
		if err != nil {
			break
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' && (c != ',' || !inArray) {
			return c, true
		}
	}
	return 0, false
}

// Members yields the names in the object that was just opened, up to its end.
// Each value must be read: by Open, Raw or Skip.
func (j *JSON) Members() iter.Seq[string] {
	return func(yield func(string) bool) {
		for !j.bad && !j.feed.Halted() {
			j.offset()
			t, err := j.dec.Token()
			name, ok := t.(string)
			if err != nil {
				j.bad = true
			}
			if !ok || !yield(name) {
				return
			}
		}
	}
}

// Elements yields the first byte of each element of the array that was just
// opened, 0 where that is not known yet. Each must be read: by Open, Raw or Skip.
func (j *JSON) Elements() iter.Seq[byte] {
	return func(yield func(byte) bool) {
		for !j.bad && !j.feed.Halted() {
			j.offset()
			if !j.dec.More() {
				if _, err := j.dec.Token(); err != nil {
					j.bad = true
				}
				return
			}
			if c, _ := j.peek(true); !yield(c) {
				return
			}
		}
	}
}

// Open reads the opening bracket of the next value and returns it, or reads the
// whole value and returns 0 if it has none.
func (j *JSON) Open() json.Delim {
	j.offset()
	t, err := j.dec.Token()
	if err != nil {
		j.bad = true
		return 0
	}
	d, _ := t.(json.Delim)
	j.at = j.offset() - 1
	return d
}

// Raw reads the next value whole. It is valid until the next call, and nil if
// the document breaks in it.
func (j *JSON) Raw() []byte {
	j.offset()
	if err := j.dec.Decode(&j.raw); err != nil {
		j.bad = true
		return nil
	}
	j.at = j.offset() - int64(len(j.raw))
	return j.raw
}

// Skip reads over the next value.
func (j *JSON) Skip() {
	switch j.Open() {
	case '{', '[':
		j.Leave()
	}
}

// Leave reads over the rest of the container that was just opened.
func (j *JSON) Leave() {
	for depth := 1; depth > 0 && !j.bad; {
		j.offset()
		t, err := j.dec.Token()
		if err != nil {
			j.bad = true
			return
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > maxDepth {
			j.bad = true
		}
	}
}

// maxDepth is how deep values may be nested: the limit of encoding/json.
const maxDepth = 10_000

// Object reads the rest of the object that was just opened and returns it as
// one text, valid until the next call; At is where it starts. It is nil if the
// document breaks in it, or is over maxValue.
func (j *JSON) Object() []byte {
	at := j.at
	j.object = append(j.object[:0], '{')
	for name := range j.Members() {
		if j.object = AppendMember(j.object, name, j.Raw()); len(j.object) > maxValue {
			j.bad = true
		}
	}
	if j.at = at; j.bad {
		return nil
	}
	j.object = append(j.object, '}')
	return j.object
}

// AppendMember appends a member to an object that begins with its bracket and is
// not closed yet.
func AppendMember(object []byte, name string, raw []byte) []byte {
	key, err := json.Marshal(name)
	if err != nil {
		return object
	}
	if len(object) > 1 {
		object = append(object, ',')
	}
	return append(append(append(object, key...), ':'), raw...)
}
