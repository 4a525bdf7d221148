package suite_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// What tailcheck prints for every fixture is what docs/schema says, with and
// without a plan, whatever the input.
func TestOutputIsWhatTheSchemaSays(t *testing.T) {
	f, err := os.Open(filepath.Join(root, "docs", "schema", "tailcheck-1.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tailcheck-1.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("tailcheck-1.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range fixtures(t, "") {
		for _, flags := range []check.Flags{{}, {SLA: []string{"p99<500ms", "max<1s", "mean<1s", "errors<1%", "rate>=1/s", "GET /: p99<1s"}, Interval: "80ms", Workers: 1}} {
			out, err := check.Run(context.Background(), options(t, flags, path))
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := report.JSON.Render(&b, out.Result, report.Options{}); err != nil {
				t.Fatal(err)
			}
			x, err := jsonschema.UnmarshalJSON(strings.NewReader(b.String()))
			if err != nil {
				t.Fatalf("%s: %v\n%s", path, err, b.String())
			}
			if err := schema.Validate(x); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}
