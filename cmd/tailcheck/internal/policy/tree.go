package policy

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

// Bounds of what is read. Settings are written by people and small; dumps of a
// whole proxy are larger.
const (
	MaxFile   = 4 << 20 // bytes of a file
	maxDepth  = 100     // nesting that is followed
	maxVisits = 1 << 20 // nodes that are looked at in a document, aliases counted as often as they are used
	maxLooks  = 1 << 25 // keys and items that are looked at in a document
	maxErrors = 20      // of a file
	maxFound  = 10_000  // policies of a file
)

// tree reads one document: settings by name, with errors that say where.
type tree struct {
	path   string
	errs   []error
	visits int // nodes walked over
	looks  int // keys and items looked at

	fold   bool           // names in other case are taken, too
	folded *yamltext.Node // the last one that was
}

func (t *tree) at(n *yamltext.Node) Place { return yamltext.At(t.path, n) }

func (t *tree) fail(n *yamltext.Node, format string, args ...any) {
	if len(t.errs) < maxErrors {
		t.errs = append(t.errs, &Error{Place: t.at(n), Text: fmt.Sprintf(format, args...)})
	}
}

// real follows aliases.
func real(n *yamltext.Node) *yamltext.Node { return yamltext.Real(n) }

// get returns the value of a key, nil where there is none or it is null. Names
// are as in protobuf, "retry_policy"; the JSON form "retryPolicy" is the same.
// Keys of a merge (<<: *base) count where the mapping has none of its own.
func (t *tree) get(n *yamltext.Node, name string) *yamltext.Node {
	return t.getDeep(n, name, camel(name), 0)
}

func (t *tree) getDeep(n *yamltext.Node, name, other string, depth int) *yamltext.Node {
	n = real(n)
	if n == nil || n.Kind != yamltext.Mapping || depth > 8 {
		return nil
	}
	var merged *yamltext.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if t.looks++; t.looks > maxLooks {
			return nil
		}
		switch k := n.Content[i]; {
		case k.Value == name || k.Value == other:
			return real(n.Content[i+1])
		case t.fold && strings.EqualFold(k.Value, other):
			t.folded = k
			return real(n.Content[i+1])
		case k.Tag == "!!merge" && merged == nil:
			merged = real(n.Content[i+1])
		}
	}
	switch {
	case merged == nil:
	case merged.Kind == yamltext.Sequence:
		for _, m := range merged.Content {
			if v := t.getDeep(m, name, other, depth+1); v != nil {
				return v
			}
		}
	default:
		return t.getDeep(merged, name, other, depth+1)
	}
	return nil
}

func camel(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

// list returns the items of a sequence.
func (t *tree) list(n *yamltext.Node) []*yamltext.Node {
	n = real(n)
	if n == nil {
		return nil
	}
	if n.Kind != yamltext.Sequence {
		t.fail(n, "want a list")
		return nil
	}
	if t.looks += len(n.Content); t.looks > maxLooks {
		t.fail(n, "too much, aliases counted as often as they are used")
		return nil
	}
	out := make([]*yamltext.Node, 0, len(n.Content))
	for _, x := range n.Content {
		if x = real(x); x != nil {
			out = append(out, x)
		}
	}
	return out
}

// text returns a scalar.
func (t *tree) text(n *yamltext.Node) string {
	n = real(n)
	if n == nil {
		return ""
	}
	if n.Kind != yamltext.Scalar {
		t.fail(n, "want a text")
		return ""
	}
	return n.Value
}

// whole reads a whole number within bounds; missing gives otherwise.
func (t *tree) whole(n *yamltext.Node, name string, low, high, otherwise int) int {
	n = real(n)
	if n == nil {
		return otherwise
	}
	v, err := strconv.Atoi(strings.TrimSuffix(n.Value, ".0"))
	if n.Kind != yamltext.Scalar || err != nil || v < low || v > high {
		t.fail(n, "%s: want a whole number from %d to %d, got %s", name, low, high, yamltext.Shown(n))
		return otherwise
	}
	return v
}

// number reads a number above zero; missing gives 0.
func (t *tree) number(n *yamltext.Node, name string) float64 {
	n = real(n)
	if n == nil {
		return 0
	}
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yamltext.Scalar || err != nil || !(v > 0 && v < 1e9) {
		t.fail(n, "%s: want a number above 0, got %s", name, yamltext.Shown(n))
		return 0
	}
	return v
}

func (t *tree) flag(n *yamltext.Node, name string) bool {
	n = real(n)
	if n == nil {
		return false
	}
	v, err := strconv.ParseBool(n.Value)
	if n.Kind != yamltext.Scalar || err != nil {
		t.fail(n, "%s: want true or false, got %s", name, yamltext.Shown(n))
	}
	return v
}

// protoDuration is the JSON form of protobuf's Duration: decimal seconds.
var protoDuration = regexp.MustCompile(`^[0-9]*\.?[0-9]+s$`)

// duration reads a time. Where units is false only protobuf's own form is taken,
// "0.25s", as Envoy and gRPC do; else units are, too, "250ms". ok is false where
// there is none.
func (t *tree) duration(n *yamltext.Node, name string, units bool) (d time.Duration, ok bool) {
	n = real(n)
	if n == nil {
		return 0, false
	}
	if n.Kind == yamltext.Mapping && !units { // {seconds: 1, nanos: 500000000}
		s := t.whole(t.get(n, "seconds"), name+".seconds", 0, 1e9, 0)
		ns := t.whole(t.get(n, "nanos"), name+".nanos", 0, 999_999_999, 0)
		return time.Duration(s)*time.Second + time.Duration(ns), true
	}
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yamltext.Scalar || err != nil || d < 0 || !units && !protoDuration.MatchString(n.Value) {
		want := `decimal seconds with an s, like "0.25s"`
		if units {
			want = "a time like 250ms or 1.5s"
		}
		t.fail(n, "%s: want %s, got %s", name, want, yamltext.Shown(n))
		return 0, false
	}
	return d, true
}

// documents reads the documents of a file, YAML or JSON.
func documents(path string, text []byte) ([]*yamltext.Node, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if looksJSON.Match(text) {
		n, err := parseJSON(path, text)
		if err != nil {
			return nil, err
		}
		return []*yamltext.Node{n}, nil
	}
	return yamltext.Documents(path, text)
}
