package applog

import "bytes"

// Bounds of a name that is made of a message.
const (
	maxWords = 8
	maxWord  = 32
)

const unnamedOp = "(no name)"

// named returns the operation of a line without method and path: the name that it
// gives, or its message, with words that vary folded away: with a digit {id}, over
// 32 bytes or of other than printable ASCII {text}; up to eight words.
func (r *reader) named() string {
	f := &r.facts
	words := f.v[operation]
	if words == nil && !f.inMessage {
		words = f.v[message]
	}
	if words == nil {
		words = f.wordsFrom
		for _, mark := range [...]string{" - ", " : "} { // behind thread and logger
			if _, after, ok := bytes.Cut(words, []byte(mark)); ok {
				words = after
				break
			}
		}
	}
	op := r.op[:0]
	n := 0
	for ; ; n++ {
		words = bytes.TrimLeft(words, " \t")
		if len(words) == 0 {
			break
		}
		if n == maxWords {
			op = append(op, "…"...)
			break
		}
		i := bytes.IndexAny(words, " \t")
		if i < 0 {
			i = len(words)
		}
		if n > 0 {
			op = append(op, ' ')
		}
		op = append(op, folded(words[:i])...)
		words = words[i:]
	}
	r.op = op
	if n == 0 {
		return unnamedOp
	}
	return r.names.Intern(op)
}

func folded(word []byte) []byte {
	digit := false
	for _, c := range word {
		if c <= ' ' || c > '~' {
			return []byte("{text}")
		}
		digit = digit || c-'0' <= 9
	}
	switch {
	case digit:
		return []byte("{id}")
	case len(word) > maxWord:
		return []byte("{text}")
	}
	return word
}
