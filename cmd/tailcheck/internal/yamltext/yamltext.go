// Package yamltext reads YAML files as the nodes that stand in them, with their
// places, within bounds: what is hostile in a file costs no more than its size.
package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Node is a node of YAML as it was written: aliases are not replaced by what they
// name, so that a file of aliases of aliases is no larger than its text.
type Node = yaml.Node

// Kinds of nodes.
const (
	Mapping  = yaml.MappingNode
	Sequence = yaml.SequenceNode
	Scalar   = yaml.ScalarNode
	Alias    = yaml.AliasNode

	Tagged = yaml.TaggedStyle // a style: the tag is written out
)

// maxAliases is how many aliases of aliases are followed.
const maxAliases = 100

// Place is where in a file something stands, line and column from 1; Line 0:
// nowhere in particular.
type Place struct {
	Path      string
	Line, Col int
}

func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.Path
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.Path, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.Path, p.Line, p.Col)
}

// Error is something that cannot be used, and where it stands.
type Error struct {
	Place
	Text string
}

func (e *Error) Error() string { return e.Place.String() + ": " + e.Text }

// At is the place of a node.
func At(path string, n *Node) Place {
	if n == nil {
		return Place{Path: path}
	}
	return Place{path, n.Line, n.Column}
}

// Slurp reads all of a file of at most so many bytes; one that is empty is an
// error.
func Slurp(path string, limit int64, open func(string) (io.ReadCloser, error)) ([]byte, error) {
	r, err := open(path)
	if err != nil {
		return nil, &Error{Place{Path: path}, bare(err).Error()}
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, &Error{Place{Path: path}, bare(err).Error()}
	case int64(len(text)) > limit:
		return nil, &Error{Place{Path: path}, fmt.Sprintf("more than %d MiB: too long for settings", limit>>20)}
	case len(bytes.TrimSpace(text)) == 0:
		return nil, &Error{Place{Path: path}, "is empty"}
	}
	return text, nil
}

func bare(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// Documents returns the documents of a file that are not empty.
func Documents(path string, text []byte) ([]*Node, error) {
	var out []*Node
	d := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	for {
		var n Node
		err := d.Decode(&n)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			at := Place{Path: path}
			msg := err.Error()
			if m := yamlLine.FindStringSubmatch(msg); m != nil {
				at.Line, _ = strconv.Atoi(m[1])
				msg = msg[len(m[0]):]
			}
			return nil, &Error{at, "not YAML: " + strings.TrimPrefix(msg, "yaml: ")}
		}
		if n.Kind == yaml.DocumentNode && len(n.Content) == 1 && Real(n.Content[0]) != nil {
			out = append(out, n.Content[0])
		}
	}
}

// Real follows aliases; null is nil.
func Real(n *Node) *Node {
	for i := 0; n != nil && n.Kind == Alias && i < maxAliases; i++ {
		n = n.Alias
	}
	if n != nil && (n.Kind == Alias || n.Kind == Scalar && n.Tag == "!!null") {
		return nil
	}
	return n
}

// Shown quotes a node for an error.
func Shown(n *Node) string {
	switch n.Kind {
	case Scalar:
		v := n.Value
		if len(v) > 40 {
			v = v[:40] + "…"
		}
		return strconv.Quote(v)
	case Mapping:
		return "a mapping"
	}
	return "a list"
}
