package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

// looksJSON tells JSON from YAML in flow style.
var looksJSON = regexp.MustCompile(`^\s*(\{\s*["}]|\[\s*[{\]])`)

// parseJSON builds the nodes that YAML would, so that readers see one form, but
// takes JSON only: a comma too many, which YAML forgives, is an error.
func parseJSON(path string, text []byte) (*yamltext.Node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	p := &jsonTree{path: path, text: text, d: d, line: 1}
	n, err := p.value(0)
	if err == nil {
		if _, end := d.Token(); end != io.EOF {
			err = &Error{Place: p.place(d.InputOffset()), Text: "something follows the JSON"}
		}
	}
	return n, err
}

type jsonTree struct {
	path  string
	text  []byte
	d     *json.Decoder
	at    int64 // lines are counted up to here
	line  int
	start int64 // of that line
}

func (p *jsonTree) place(offset int64) Place {
	offset = min(offset, int64(len(p.text)))
	if offset < p.at {
		p.at, p.line, p.start = 0, 1, 0
	}
	seen := p.text[p.at:offset]
	p.line += bytes.Count(seen, []byte("\n"))
	if i := bytes.LastIndexByte(seen, '\n'); i >= 0 {
		p.start = p.at + int64(i) + 1
	}
	p.at = offset
	return Place{Path: p.path, Line: p.line, Col: int(offset-p.start) + 1}
}

func (p *jsonTree) cut() error {
	return &Error{Place: p.place(int64(len(p.text))), Text: "not JSON: it ends too early"}
}

func (p *jsonTree) value(depth int) (*yamltext.Node, error) {
	offset := p.d.InputOffset()
	for offset < int64(len(p.text)) && strings.IndexByte(" \t\r\n,:", p.text[offset]) >= 0 {
		offset++
	}
	at := p.place(offset)
	tok, err := p.d.Token()
	if err != nil {
		var s *json.SyntaxError
		if errors.As(err, &s) {
			at = p.place(s.Offset - 1)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, p.cut()
		}
		return nil, &Error{Place: at, Text: "not JSON: " + err.Error()}
	}
	n := &yamltext.Node{Kind: yamltext.Scalar, Line: at.Line, Column: at.Col}
	switch v := tok.(type) {
	case json.Delim:
		if depth > maxDepth {
			return nil, &Error{Place: at, Text: fmt.Sprintf("nested more than %d deep", maxDepth)}
		}
		n.Kind = yamltext.Sequence
		if v == '{' {
			n.Kind = yamltext.Mapping
		}
		for p.d.More() {
			x, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, x)
		}
		if _, err := p.d.Token(); err != nil { // the closing one
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, p.cut()
			}
			return nil, &Error{Place: p.place(p.d.InputOffset()), Text: "not JSON: " + err.Error()}
		}
	case string:
		n.Value, n.Tag = v, "!!str"
	case json.Number:
		n.Value, n.Tag = v.String(), "!!float"
	case bool:
		n.Value, n.Tag = strconv.FormatBool(v), "!!bool"
	case nil:
		n.Tag = "!!null"
	}
	return n, nil
}
