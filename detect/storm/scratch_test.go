package storm_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/detect/storm"
)

func TestScratch(t *testing.T) {
	var files []string
	for _, g := range []string{"../../../shared/corpus/traces/*/*", "../../../shared/corpus/traces/*/*/*", "../../../shared/corpus/recorded/redis/*.json", "../../fixtures/trace/*/traces.*", "../../fixtures/trace/*/*.jsonl", "../../fixtures/clean/traces.jsonl"} {
		m, _ := filepath.Glob(g)
		files = append(files, m...)
	}
	for _, f := range files {
		t.Run(f, func(t *testing.T) {
			spans := &calltree.Spans{}
			read(t, spans, f, 0)
			fmt.Println("=====", f, spans.Len())
			for _, d := range storm.Detectors {
				tally := d.New()
				for tr, err := range spans.All() {
					if err != nil {
						t.Fatal(err)
					}
					tally.Add(tr)
				}
				for _, f := range tally.Findings() {
					n, _ := json.Marshal(f.Numbers)
					fmt.Println("  ", d.Name, f.Confidence, "["+f.Op+"]", f.Message, string(n), f.Impact)
					if d.Name == "mget-storm" {
						fmt.Println("        ", f.Evidence, f.Remedy)
					}
				}
			}
		})
	}
}
