package hlog_test

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hlog"
)

// day is the intervals of a day, one a second.
const day = 86_400

// The three benchmarks read the same log of a day: ours on one core and split
// over two, and hdrhistogram-go's reader with the Merge that it takes to have
// the whole.
func BenchmarkRead(b *testing.B) {
	log := recorded(b, day)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		if n := sum(b, log, ingest.Input{Head: log[:ingest.HeadSize]}); n != day*1000 {
			b.Fatal(n)
		}
	}
}

func BenchmarkReadTwoParts(b *testing.B) {
	log := recorded(b, day)
	b.SetBytes(int64(len(log)))
	half := ingest.SplitLines.Cut(log[:len(log)/2])
	for b.Loop() {
		var n [2]int64
		var wg sync.WaitGroup
		for i, part := range [][]byte{log[:half], log[half:]} {
			wg.Go(func() {
				n[i] = sum(b, part, ingest.Input{Head: log[:ingest.HeadSize], Part: i, Offset: int64(i * half)})
			})
		}
		wg.Wait()
		if n[0]+n[1] != day*1000 {
			b.Fatal(n)
		}
	}
}

func BenchmarkHdrhistogramGo(b *testing.B) {
	log := recorded(b, day)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		total := hdrhistogram.New(1, 3600e9, 3)
		r := hdrhistogram.NewHistogramLogReader(bytes.NewReader(log))
		for {
			h, err := r.NextIntervalHistogram()
			if err != nil && !errors.Is(err, io.EOF) {
				b.Fatal(err)
			}
			if h == nil {
				break
			}
			total.Merge(h)
		}
		if total.TotalCount() != day*1000 {
			b.Fatal(total.TotalCount())
		}
	}
}

func sum(b *testing.B, log []byte, in ingest.Input) (n int64) {
	for r, err := range hlog.Format.Read(bytes.NewReader(log), in) {
		if err != nil {
			b.Error(err)
		}
		switch r := r.(type) {
		case *ingest.Aggregate:
			for _, x := range r.Buckets {
				n += x.Count
			}
		case *ingest.Problem:
			b.Error(r.Err)
		}
	}
	return n
}
