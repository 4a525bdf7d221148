package logtest

import (
	"bytes"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// held is a part of an input in memory, as the pipeline hands it over.
type held struct {
	*bytes.Reader
	data []byte
}

func (h held) Bytes() []byte { return h.data }

// Bench reads a log of lines over and over, in parts of a megabyte, on one
// core, and reports lines a second. Each line must be a request.
func Bench(b *testing.B, f ingest.Format, lines ...string) {
	var log bytes.Buffer
	n := 0
	for ; log.Len() < 16<<20; n++ {
		log.WriteString(lines[n%len(lines)])
		log.WriteByte('\n')
	}
	data := log.Bytes()
	in := ingest.Input{Head: data[:ingest.HeadSize]}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		got := 0
		in.Offset, in.Part = 0, 0
		for rest := data; len(rest) > 0; in.Part++ {
			cut := len(rest)
			if f.SplitOf(in.Head) != ingest.SplitNever {
				cut = ingest.SplitLines.Cut(rest[:min(len(rest), 1<<20)])
			}
			for rec, err := range f.Read(held{bytes.NewReader(rest[:cut]), rest[:cut]}, in) {
				if err != nil {
					b.Fatal(err)
				}
				if _, ok := rec.(*ingest.Sample); ok {
					got++
				}
			}
			in.Offset += int64(cut)
			rest = rest[cut:]
		}
		if got != n {
			b.Fatalf("%d requests of %d lines", got, n)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}
