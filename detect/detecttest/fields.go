package detecttest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// fields are the name=value pairs of a line. Reading one takes it out, and a
// value that cannot be read stays in, so that what is left is what was not
// understood.
type fields map[string]string

// fieldsOf reads words as fields. x69 is the field x, and so is x5..9.
func fieldsOf(words []word) fields {
	f := fields{}
	for _, w := range words {
		key, value, _ := strings.Cut(w.text, "=")
		if n, found := strings.CutPrefix(key, "x"); found && value == "" && n != "" && n[0] >= '0' && n[0] <= '9' {
			key, value = "x", n
		}
		f[key] = value
	}
	return f
}

func (f fields) has(key string) bool { _, ok := f[key]; return ok }

func (f fields) text(key string) string {
	v := f[key]
	delete(f, key)
	return v
}

func (f fields) flag(key string) bool {
	v, ok := f[key]
	if ok && v == "" {
		delete(f, key)
	}
	return ok
}

func (f fields) int(key string) int64 {
	v, err := strconv.ParseInt(f[key], 10, 64)
	if err == nil {
		delete(f, key)
	}
	return v
}

func (f fields) float(key string) float64 {
	v, err := strconv.ParseFloat(f[key], 64)
	if err == nil {
		delete(f, key)
	}
	return v
}

func (f fields) duration(key string) time.Duration {
	v, err := time.ParseDuration(f[key])
	if err == nil {
		delete(f, key)
	}
	return v
}

func (f fields) rest() error {
	for key, value := range f {
		return fmt.Errorf("not understood: %s=%s", key, value)
	}
	return nil
}

// word is one blank-separated piece of a line.
type word struct {
	text   string
	quoted bool // it began with a quote
}

func split(line string) ([]word, error) {
	var out []word
	var b strings.Builder
	open, quoted, in := false, false, false
	for _, r := range strings.TrimSpace(line) {
		switch {
		case r == '"':
			if !open {
				quoted = true
			}
			open, in = true, !in
		case in:
			b.WriteRune(r)
		case r == '#' && !open:
			return out, nil
		case r == ' ' || r == '\t':
			if open {
				out = append(out, word{b.String(), quoted})
			}
			b.Reset()
			open, quoted = false, false
		default:
			open = true
			b.WriteRune(r)
		}
	}
	if in {
		return nil, fmt.Errorf("a quote that does not end: %s", line)
	}
	if open {
		out = append(out, word{b.String(), quoted})
	}
	return out, nil
}
