package hey

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// etcd's benchmark prints a report that was made after boom's
// (pkg/report/report.go: values end in "secs.", four decimals in the histogram).
const etcdReport = `
Summary:
  Total:	2.0000 secs.
  Slowest:	0.9000 secs.
  Fastest:	0.1000 secs.
  Average:	0.2000 secs.
  Stddev:	0.0100 secs.
  Requests/sec:	3.0000

Response time histogram:
  0.1000 [1]	|∎∎∎∎∎
  0.9000 [5]	|∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎

Latency distribution:
  10% in 0.1100 secs.
  99.9% in 0.9000 secs.
`

const ohaReport = `Summary:
  Success rate:	100.00%
  Total:	10.0008 secs
  Slowest:	0.0181 secs
  Requests/sec:	5570.4667

Response time histogram:
  0.001 [1]     |
  0.002 [55301] |■■■■■

Response time distribution:
  10.00% in 0.0016 secs
`

const ghzReport = `Summary:
  Count:		200
  Total:		181.57 ms
  Slowest:		69.60 ms
  Requests/sec:	1101.53

Response time histogram:
  26.093 [1]	|∎
  30.444 [52]	|∎∎∎∎∎∎∎

Latency distribution:
  10 % in 28.48 ms
`

// Each section of a look-alike that begins with one of hey's anchors is left
// alone, and the reason is said.
func TestLookAlikes(t *testing.T) {
	for name, c := range map[string]struct{ text, near string }{
		"etcd":                {etcdReport, "etcd"},
		"etcd before Stddev":  {strings.ReplaceAll(etcdReport, "  Stddev:	0.0100 secs.\n", ""), "etcd"},
		"etcd histogram":      {etcdReport[strings.Index(etcdReport, "Response"):], "decimals"},
		"oha":                 {ohaReport, "oha"},
		"oha histogram":       {ohaReport[strings.Index(ohaReport, "Response"):], "oha"},
		"ghz":                 {ghzReport, "ghz"},
		"ghz histogram":       {ghzReport[strings.Index(ghzReport, "Response"):], "not in `secs`"},
		"another summary":     {"Summary:\n  Tests: 5\n", "not `Total:`"},
		"a total of files":    {"Summary:\n  Total: 5 files\n", "not in `secs`"},
		"a total alone":       {"Summary:\n  Total: 5.0000 secs\n  Failed: 3\n", "none of"},
		"a histogram of text": {"Response time histogram:\n see the picture\n", "no rows"},
	} {
		if Format.Sniff([]byte(c.text)) {
			t.Errorf("%s: claimed", name)
		}
		if why := Format.Near([]byte("$ run it\n" + c.text)); !strings.Contains(why, c.near) {
			t.Errorf("%s: near %q", name, why)
		}
	}
	if why := Format.Near([]byte("nothing of the kind\n")); why != "" {
		t.Errorf("near %q", why)
	}
}

// No other file of the corpus is claimed, from its start or from any line that
// holds an anchor.
func TestNothingElseIsClaimed(t *testing.T) {
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("no corpus beside the repository")
	}
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		own := strings.Contains(path, "/load/hey/") || strings.Contains(d.Name(), "hey")
		info, err := d.Info()
		if err != nil || own || info.Size() > 8<<20 || !info.Mode().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		starts := []int{0}
		for _, f := range []ingest.Format{Format, CSV} {
			for _, anchor := range f.Anchors {
				for at := 0; ; at++ {
					i := bytes.Index(data[at:], []byte(anchor))
					if i < 0 {
						break
					}
					at += i
					starts = append(starts, bytes.LastIndexByte(data[:at], '\n')+1)
				}
			}
			for _, start := range starts {
				if f.Sniff(data[start:min(len(data), start+ingest.HeadSize)]) {
					t.Errorf("%s claims %s at %d", f.Name, path, start)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
