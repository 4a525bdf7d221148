package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/config"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

var update = flag.Bool("update", false, "write the names of formats, detectors and forms into the schema")

const schemaFile = "../../../../docs/schema/tailcheck-config-1.json"

// The schema knows the names that are known.
func TestSchemaNames(t *testing.T) {
	raw, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	k, text := known(), string(raw)
	var formats, detectors []string
	for _, f := range k.Formats {
		formats = append(formats, f.Name)
	}
	for _, d := range k.Detectors {
		detectors = append(detectors, d.Name)
	}
	for name, list := range map[string][]string{"format": formats, "detector": detectors, "renderer": k.Renderers} {
		names, _ := json.MarshalIndent(list, "      ", "  ")
		at := regexp.MustCompile(`(?s)("` + name + `": \{\s*"description": "[^"]*",\s*"enum": )\[[^\]]*\]`)
		if !at.MatchString(text) {
			t.Fatalf("the schema has no %s", name)
		}
		text = at.ReplaceAllString(text, "${1}"+string(names))
	}
	if text == string(raw) {
		return
	}
	if !*update {
		t.Fatal("docs/schema/tailcheck-config-1.json is not current: go test ./cmd/tailcheck/... -update")
	}
	if err := os.WriteFile(schemaFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	raw, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	x, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", x); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is what an editor makes of a document: YAML 1.2, where a day is a text.
func asJSON(n *yamltext.Node) any {
	switch {
	case n.Kind == yamltext.Alias:
		return asJSON(n.Alias)
	case n.Kind == yamltext.Mapping:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[n.Content[i].Value] = asJSON(n.Content[i+1])
		}
		return out
	case n.Kind == yamltext.Sequence:
		out := []any{}
		for _, x := range n.Content {
			out = append(out, asJSON(x))
		}
		return out
	}
	switch n.Tag {
	case "!!int", "!!float":
		return json.Number(n.Value)
	case "!!bool":
		b, _ := strconv.ParseBool(n.Value)
		return b
	case "!!null":
		return nil
	}
	return n.Value
}

func fits(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	docs, err := yamltext.Documents("x", []byte(text))
	if err != nil || len(docs) != 1 {
		t.Fatalf("%v %d\n%s", err, len(docs), text)
	}
	return s.Validate(asJSON(docs[0]))
}

// What the reader takes the schema takes, and what it refuses the schema refuses,
// where it can tell.
func TestSchemaAndReader(t *testing.T) {
	s := compile(t)
	for name, text := range valid {
		if err := fits(t, s, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range invalid {
		if !c.onlyReader && fits(t, s, c.text) == nil {
			t.Errorf("%s: the schema takes it", c.name)
		}
	}
}

var (
	fence   = regexp.MustCompile("(?s)```yaml\n(.*?)```")
	version = regexp.MustCompile(`(?m)^version: 1\b`)
)

// Examples in the docs are files that can be read, and fit the schema.
func TestExamplesInDocs(t *testing.T) {
	s, n := compile(t), 0
	pages, err := filepath.Glob("../../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../../../../README.md") {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fence.FindAllStringSubmatch(string(raw), -1) {
			if !version.MatchString(m[1]) {
				continue // settings of others
			}
			n++
			if _, err := config.Parse(filepath.Base(page), []byte(m[1]), known()); err != nil {
				t.Errorf("%s: %v", page, err)
			}
			if err := fits(t, s, m[1]); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	if n == 0 {
		t.Error("there are no examples")
	}
}
