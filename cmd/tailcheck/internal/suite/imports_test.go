package suite_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/tailcheck/tailcheck"

// allowed is who may import whom: for each package (a pattern) what it may
// import of this module, and which libraries. Each library lives in one place.
var allowed = []struct{ pkg, own, libs string }{
	{`internal/latency`, ``, `github\.com/HdrHistogram/hdrhistogram-go`},
	{`internal/(simulate|redisslot)`, `internal/latency`, ``},
	{`internal/words`, ``, ``}, // how numbers stand in sentences
	{`ingest`, ``, `github\.com/klauspost/compress/(gzip|zstd)`},
	{`ingest/(load|trace|log)`, `ingest`, ``},
	{`ingest/load/(hgrm|hlog|memtier)`, `ingest|internal/latency`, `github\.com/klauspost/compress/zlib`},
	{`ingest/trace/otlp`, `ingest|ingest/trace`, `go\.opentelemetry\.io/collector/pdata/.*|github\.com/klauspost/compress/zstd`},
	{`ingest/load/[a-z0-9]+`, `ingest|ingest/load`, ``},
	{`ingest/trace/[a-z0-9]+`, `ingest|ingest/trace`, ``},
	{`ingest/log/[a-z0-9]+`, `ingest|ingest/log`, ``},
	{`detect`, `ingest|internal/latency`, ``}, // a Table holds latency summaries: docs/adr
	{`detect/calltree`, `ingest`, ``},
	{`detect/detecttest`, `ingest|detect|detect/calltree|internal/.*`, `golang\.org/x/tools/txtar`}, // a harness for tests
	{`detect/[a-z0-9]+`, `ingest|detect|detect/calltree|internal/.*`, ``},
	{`correct`, `ingest|internal/latency`, ``},
	{`correct/sla`, `correct|internal/latency`, ``},
	{`cmd/tailcheck/internal/report`, `ingest|detect|correct|correct/sla`, `github\.com/olekukonko/tablewriter(/.*)?`},
	{`cmd/tailcheck/internal/check`, `ingest.*|detect.*|correct.*|internal/.*|cmd/tailcheck/internal/report`, ``},
	{`cmd/tailcheck/internal/suite`, `ingest.*|detect.*|cmd/tailcheck/internal/report`, ``},
	{`cmd/tailcheck/internal/whatif`, `ingest|detect|detect/calltree|correct|correct/sla|internal/(latency|simulate|words)|cmd/tailcheck/internal/(check|report)`, ``},
	{`cmd/tailcheck/internal/compare`, `ingest|detect|correct|correct/sla|internal/latency|cmd/tailcheck/internal/(check|report)`, ``},
	{`cmd/tailcheck/internal/lab`, `internal/.*`, ``},
	{`cmd/tailcheck/internal/slots`, `ingest|internal/.*|cmd/tailcheck/internal/report`, ``},
	{`cmd/tailcheck/internal/policy`, `internal/words|cmd/tailcheck/internal/(report|yamltext)`, ``}, // settings of others
	{`cmd/tailcheck/internal/yamltext`, ``, `go\.yaml\.in/yaml/v3`},
	{`cmd/tailcheck/internal/config`, `ingest|detect|correct/sla|internal/latency|cmd/tailcheck/internal/(check|report|yamltext)`, ``},
	{`cmd/tailcheck`, `cmd/tailcheck/internal/.*|internal/.*`, `github\.com/urfave/cli/v2|github\.com/schollz/progressbar/v3|golang\.org/x/term`},
}

// Law 7: imports run down.
func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Standard", "./...")
	cmd.Dir = root
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(strings.NewReader(string(raw))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		own, libs, found := "", "", false
		for _, a := range allowed {
			if regexp.MustCompile(`^(` + a.pkg + `)$`).MatchString(name) {
				own, libs, found = a.own, a.libs, true
				break
			}
		}
		if !found {
			t.Errorf("%s: a package that the table of imports does not have", name)
			continue
		}
		for _, i := range p.Imports {
			pattern, short := libs, i
			if rest, ok := strings.CutPrefix(i, module+"/"); ok {
				pattern, short = own, rest
			} else if first, _, _ := strings.Cut(i, "/"); !strings.Contains(first, ".") {
				continue // the standard library
			}
			if pattern == "" || !regexp.MustCompile(`^(`+pattern+`)$`).MatchString(short) {
				t.Errorf("%s may not import %s", name, short)
			}
		}
	}
}
