package samples

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

func TestHeaders(t *testing.T) {
	for head, c := range map[string]struct {
		claimed bool
		near    string
	}{
		"latency_ms":                       {true, ""},
		"start_ms,end_ms,x":                {true, ""},
		"due_s,latency_from_due_ms":        {true, ""},
		"seq,Latency_MS,status":            {true, ""},
		"latency":                          {false, "the header has a column `latency` without a unit: give --format csv and --unit"},
		"start,latency_ms":                 {false, "the header has a column `start` without a unit"},
		"due_s,status":                     {false, "`due_s`, but neither a latency nor both a start and an end"},
		"latency_ms,service_ms":            {false, "the columns `latency_ms` and `service_ms` could both be the latency"},
		"latency_from_due_ms,status":       {false, "only one latency, from the due time"},
		"trace_id,span_id,start_ns,end_ns": {false, "the header has a column `trace_id`"},
		"op,latency_ms,p99_ms":             {false, "the header has a column `p99_ms`"},
		"op,count,latency_ms":              {false, "the header has a column `count`"},
		"TraceID,SpanID,Duration":          {false, ""},
		"Duration":                         {false, "without a unit"},
		"start":                            {false, ""},
		"some text, and more of it":        {false, ""},
		"":                                 {false, ""},
		"timeStamp,elapsed,label,Latency":  {false, "the columns `Latency` and `elapsed` could both be the latency"},
		"timeStamp,elapsed,label,bytes":    {false, "the header has a column `elapsed` without a unit"},
	} {
		for _, text := range []string{head, head + "\r\n1,2,3\n"} {
			if got := Format.Sniff([]byte(text)); got != c.claimed {
				t.Errorf("%q: claimed %v", text, got)
			}
			if why := Format.Near([]byte(text)); (why == "") != (c.near == "") || !strings.Contains(why, c.near) {
				t.Errorf("%q: near %q", text, why)
			}
		}
	}
}

// Only the four files of the corpus that are plain CSVs of requests are claimed.
func TestNothingElseIsClaimed(t *testing.T) {
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("no corpus beside the repository")
	}
	var claimed []string
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		head := make([]byte, ingest.HeadSize)
		n, _ := f.Read(head)
		if Format.Sniff(head[:n]) {
			claimed = append(claimed, filepath.Base(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(claimed, " "); got != "client.csv openloop-1conn.csv openloop-concurrent.csv openloop-serial.csv" {
		t.Errorf("claimed %s", got)
	}
}
