package report

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemaFile = "../../../../docs/schema/tailcheck-1.json"

func readSchema(t *testing.T) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", readSchema(t)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOutputFitsSchema(t *testing.T) {
	s := compileSchema(t)
	for _, c := range results {
		r := c.make()
		if c.name == "hostile" {
			// the shape of hostile output is kept as well; places that are no place are not
			r.Problems[0].Line, r.Findings[0].Inputs = nil, nil
		}
		x, err := jsonschema.UnmarshalJSON(strings.NewReader(render(t, JSON, r, Options{})))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(x); err != nil {
			t.Errorf("%s: %#v", c.name, err)
		}
	}
	var zero Result // not even the zero Result breaks the shape, but for what it does not say
	zero.Schema, zero.Verdict = Schema, "pass"
	x, _ := jsonschema.UnmarshalJSON(strings.NewReader(render(t, JSON, &zero, Options{})))
	if err := s.Validate(x); err != nil {
		t.Errorf("zero: %#v", err)
	}
}

func TestSchemaRefuses(t *testing.T) {
	s := compileSchema(t)
	for name, edit := range map[string]func(*Result){
		"a verdict":   func(r *Result) { r.Verdict = "ok" },
		"a schema":    func(r *Result) { r.Schema = "tailcheck/2" },
		"a severity":  func(r *Result) { r.Findings[0].Severity = "fatal" },
		"a loop":      func(r *Result) { r.Inputs[0].Run.Loop = "half-open" },
		"a judgement": func(r *Result) { r.Objectives[0].Raw.Verdict = "" },
	} {
		r := flips()
		edit(r)
		x, _ := jsonschema.UnmarshalJSON(strings.NewReader(render(t, JSON, r, Options{})))
		if s.Validate(x) == nil {
			t.Errorf("%s that is none is accepted", name)
		}
	}
	x, _ := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(render(t, JSON, flips(), Options{}), `"flips"`, `"flops"`, 1)))
	if s.Validate(x) == nil {
		t.Error("a field that is none is accepted")
	}
}

// The schema and Result name the same fields with the same kinds, all of them
// are required and described, and nothing else is allowed.
func TestSchemaIsResult(t *testing.T) {
	s := readSchema(t)
	defs := s["$defs"].(map[string]any)
	used := map[string]bool{}
	resolve := func(x map[string]any) map[string]any {
		ref, ok := x["$ref"].(string)
		if !ok {
			return x
		}
		name := strings.TrimPrefix(ref, "#/$defs/")
		used[name] = true
		return defs[name].(map[string]any)
	}
	seen := map[reflect.Type]bool{}
	var check func(where string, rt reflect.Type, x map[string]any)
	check = func(where string, rt reflect.Type, x map[string]any) {
		nullable := rt.Kind() == reflect.Pointer || rt.Kind() == reflect.Float64
		if rt.Kind() == reflect.Pointer {
			rt = rt.Elem()
		}
		if either, ok := x["anyOf"].([]any); ok {
			if !nullable || len(either) != 2 || either[1].(map[string]any)["type"] != "null" {
				t.Errorf("%s: anyOf of what is not a nullable object", where)
			}
			if x["description"] == nil {
				t.Errorf("%s has no description", where)
			}
			check(where, rt, either[0].(map[string]any))
			return
		}
		x = resolve(x)
		if x["description"] == nil && !strings.HasSuffix(where, "[]") {
			t.Errorf("%s has no description", where)
		}
		want := map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number",
			reflect.Slice: "array", reflect.Struct: "object", reflect.Interface: "object"}[rt.Kind()]
		if x["const"] == nil {
			types, isList := x["type"].([]any)
			if !isList {
				types = []any{x["type"]}
			}
			if types[0] != want || rt.Kind() != reflect.Struct && rt.Kind() != reflect.Interface && slices.Contains(types, any("null")) != nullable {
				t.Errorf("%s is %v, and in the schema %v", where, rt, types)
			}
		}
		switch rt.Kind() {
		case reflect.Slice:
			check(where+"[]", rt.Elem(), x["items"].(map[string]any))
		case reflect.Struct:
			if seen[rt] {
				return
			}
			seen[rt] = true
			var names []string
			props := x["properties"].(map[string]any)
			for i := range rt.NumField() {
				name, _, _ := strings.Cut(rt.Field(i).Tag.Get("json"), ",")
				if name == "-" {
					continue
				}
				names = append(names, name)
				p, ok := props[name].(map[string]any)
				if !ok {
					t.Errorf("%s.%s is not in the schema", where, name)
					continue
				}
				check(where+"."+name, rt.Field(i).Type, p)
			}
			for name := range props {
				if !slices.Contains(names, name) {
					t.Errorf("%s.%s is in the schema only", where, name)
				}
			}
			var required []string
			for _, r := range x["required"].([]any) {
				required = append(required, r.(string))
			}
			if !slices.Equal(required, names) {
				t.Errorf("%s requires %v, and has %v", where, required, names)
			}
			if x["additionalProperties"] != false {
				t.Errorf("%s is not closed", where)
			}
		}
	}
	check("", reflect.TypeFor[Result](), s)
	for name := range defs {
		if !used[name] {
			t.Errorf("$defs/%s is used by nothing", name)
		}
	}
}

// The order of fields in the output is that of the schema.
func TestSchemaOrder(t *testing.T) {
	raw, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, f := range fieldsOf(reflect.ValueOf(Result{})) {
		i := bytes.Index(raw[at:], []byte("\n    \""+f.name+"\": {"))
		if i < 0 {
			t.Fatalf("%s does not follow in the schema", f.name)
		}
		at += i
	}
}
