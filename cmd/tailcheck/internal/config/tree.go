package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

// Bounds of a file, which is written by people. Aliases can make no more of it
// than these: nothing is nested deeper than the settings are.
const (
	maxFile   = 1 << 20 // bytes
	maxItems  = 1000    // of a list
	maxKeys   = 64      // of a mapping
	maxErrors = 20      // that are reported
	maxText   = 10_000  // bytes of a text
)

// tree reads settings out of nodes, and collects what is wrong with them.
type tree struct {
	path string
	errs []error
	done bool // there are errors enough
}

func (t *tree) fail(n *yamltext.Node, format string, args ...any) {
	if t.done {
		return
	}
	t.errs = append(t.errs, &yamltext.Error{Place: yamltext.At(t.path, n), Text: fmt.Sprintf(format, args...)})
	t.done = len(t.errs) == maxErrors
}

// plain refuses what is YAML and no setting: tags. What it returns says whether
// all is well.
func (t *tree) plain(n *yamltext.Node) bool {
	if n.Style&yamltext.Tagged != 0 {
		t.fail(n, "a tag, %s: settings have none", strconv.Quote(n.Tag))
		return false
	}
	for _, x := range n.Content {
		if !t.plain(x) {
			return false
		}
	}
	return true
}

// kindOf names the type of a node.
func kindOf(n *yamltext.Node) string {
	switch n.Kind {
	case yamltext.Mapping:
		return "a mapping"
	case yamltext.Sequence:
		return "a list"
	}
	switch n.Tag {
	case "!!int", "!!float":
		return "the number " + yamltext.Shown(n)
	case "!!bool":
		return "the truth value " + yamltext.Shown(n)
	case "!!null":
		return "nothing"
	}
	return "the text " + yamltext.Shown(n)
}

// resolve follows aliases; a null stays what it is.
func resolve(n *yamltext.Node) *yamltext.Node {
	if r := yamltext.Real(n); r != nil {
		return r
	}
	return &yamltext.Node{Kind: yamltext.Scalar, Tag: "!!null", Line: n.Line, Column: n.Column}
}

func isNull(n *yamltext.Node) bool { return n.Kind == yamltext.Scalar && n.Tag == "!!null" }

// entry is one key of a mapping with its value.
type entry struct {
	name       string
	key, value *yamltext.Node
}

// mapping returns what stands under the keys that a mapping may have.
func (t *tree) mapping(n *yamltext.Node, what string, names []string) (out []entry, ok bool) {
	if n.Kind != yamltext.Mapping {
		t.fail(n, "%s: want a mapping of %s, got %s", what, strings.Join(names, ", "), kindOf(n))
		return nil, false
	}
	if len(n.Content) > 2*maxKeys {
		t.fail(n, "%s: more than %d keys; there are %s", what, maxKeys, strings.Join(names, ", "))
		return nil, false
	}
	seen := map[string]int{}
	ok = true
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := resolve(n.Content[i])
		name := k.Value
		switch {
		case k.Tag == "!!merge":
			t.fail(n.Content[i], "a merge key, <<: settings have none, write them out")
		case k.Kind != yamltext.Scalar || k.Tag != "!!str":
			t.fail(n.Content[i], "a key that is no name, but %s", kindOf(k))
		case !slices.Contains(names, name):
			t.fail(n.Content[i], "unknown key %s in %s%s (there are %s)", yamltext.Shown(k), what, nearest(name, names), strings.Join(names, ", "))
		case seen[name] > 0:
			t.fail(n.Content[i], "%s stands twice: first in line %d", name, seen[name])
		default:
			seen[name] = n.Content[i].Line
			out = append(out, entry{name, n.Content[i], resolve(n.Content[i+1])})
			continue
		}
		ok = false
	}
	return out, ok
}

// list returns the items of a list; nothing is an empty one.
func (t *tree) list(n *yamltext.Node, what string) []*yamltext.Node {
	switch {
	case isNull(n):
		return nil
	case n.Kind != yamltext.Sequence:
		t.fail(n, "%s: want a list, got %s", what, kindOf(n))
		return nil
	case len(n.Content) > maxItems:
		t.fail(n, "%s: more than %d", what, maxItems)
		return nil
	}
	return n.Content
}

// text returns a text that is not empty.
func (t *tree) text(n *yamltext.Node, what string) (string, bool) {
	switch {
	case n.Kind != yamltext.Scalar || n.Tag != "!!str" && n.Tag != "!!timestamp":
		hint := ""
		if n.Kind == yamltext.Scalar && !isNull(n) {
			hint = ": put it in quotes"
		}
		t.fail(n, "%s: want a text, got %s%s", what, kindOf(n), hint)
		return "", false
	case strings.TrimSpace(n.Value) == "":
		t.fail(n, "%s is empty", what)
		return "", false
	case len(n.Value) > maxText:
		t.fail(n, "%s: a text of more than %d bytes", what, maxText)
		return "", false
	}
	return n.Value, true
}

// oneOf returns a text that is one of some.
func (t *tree) oneOf(n *yamltext.Node, what string, names []string) (string, bool) {
	s, ok := t.text(n, what)
	if ok && !slices.Contains(names, s) {
		t.fail(n, "%s: there is no %s%s (there are %s)", what, yamltext.Shown(n), nearest(s, names), strings.Join(names, ", "))
		return "", false
	}
	return s, ok
}
