package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hey"
)

// load returns the pairs about load reports, and makes their files in dir.
func load(dir, bin string) ([]pair, error) {
	rows := filepath.Join(dir, "hey.csv")
	if err := writeHey(rows, 1_000_000); err != nil {
		return nil, err
	}
	log := filepath.Join(dir, "day.hlog")
	if err := writeHlog(log, 86_400); err != nil {
		return nil, err
	}
	peer := filepath.Join(dir, "peer")
	if out, err := exec.Command("go", "build", "-o", peer, "./peer").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	// The fixed seed gives no finding that fails; 0 and 3 are both a whole run.
	whole := []int{0, 3}
	return []pair{
		{"hey CSV, 1 000 000 rows: reading", inProcess("reader, 2 parts", func() error { return readHey(rows, 2) }), inProcess("encoding/csv and HdrHistogram", func() error { return readCSV(rows) }), 8, false},
		{"hey CSV, 1 000 000 rows: reading on one core", inProcess("reader", func() error { return readHey(rows, 1) }), inProcess("encoding/csv and HdrHistogram", func() error { return readCSV(rows) }), 0, false},
		{"hey CSV, 1 000 000 rows: whole command", process("check", whole, bin, "check", "--sla", "p99<500ms", rows), process("encoding/csv and HdrHistogram", []int{0}, peer, "csv", rows), 4, false},
		{"hlog, 86 400 intervals: whole command", process("check", whole, bin, "check", log), process("hdrhistogram-go Decode and Merge", []int{0}, peer, "hlog", log), 3, true},
	}, nil
}

// writeHey writes a report of hey's CSV: lognormal service times, one stall.
func writeHey(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset")
	r := rand.New(rand.NewPCG(1, 2))
	at := 0.0
	for i := range n {
		took := 0.002 + 0.003*r.ExpFloat64()
		if i > n/2 && i <= n/2+20 {
			took += 1.5
		}
		fmt.Fprintf(w, "%4.4f,%4.4f,%4.4f,%4.4f,%4.4f,%4.4f,%d,%4.4f\n", took, 0.0, 0.0, 0.0, took-0.0001, 0.0, 200, at)
		at += took / 20
	}
	return errors.Join(w.Flush(), f.Close())
}

// writeHlog writes an interval log of a day, one histogram a second.
func writeHlog(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	w := hdrhistogram.NewHistogramLogWriter(b)
	if err := errors.Join(w.OutputLogFormatVersion(), w.OutputStartTime(1_700_000_000_000), w.OutputLegend()); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(3, 4))
	h := hdrhistogram.New(1, 3600e9, 3)
	for i := range n {
		h.Reset()
		for range 200 {
			_ = h.RecordValue(int64(2e6 + 3e6*r.ExpFloat64()))
		}
		h.SetStartTimeMs(1_700_000_000_000 + int64(i)*1000)
		h.SetEndTimeMs(1_700_000_000_000 + int64(i+1)*1000)
		if err := w.OutputIntervalHistogram(h); err != nil {
			return err
		}
	}
	return errors.Join(b.Flush(), f.Close())
}

// readHey reads with hey's reader alone, in parts cut at line ends.
func readHey(path string, parts int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, 200)
	if _, err := f.ReadAt(head, 0); err != nil {
		return err
	}
	var wg sync.WaitGroup
	counts := make([]int, parts)
	from := int64(0)
	for p := range parts {
		to := info.Size()
		if p+1 < parts {
			to = to * int64(p+1) / int64(parts)
			line := make([]byte, 200)
			if _, err := f.ReadAt(line, to); err != nil {
				return err
			}
			to += int64(bytes.IndexByte(line, '\n')) + 1
		}
		in := ingest.Input{Part: p, Offset: from, Head: head}
		r := io.NewSectionReader(f, from, to-from)
		from = to
		wg.Go(func() {
			for rec, err := range hey.CSV.Read(r, in) {
				if err != nil {
					return
				}
				if _, ok := rec.(*ingest.Sample); ok {
					counts[p]++
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, c := range counts {
		sum += c
	}
	if sum != 1_000_000 {
		return fmt.Errorf("%d rows", sum)
	}
	return nil
}

// readCSV is the peer of the CSV pairs: encoding/csv with its record reused, into
// an HdrHistogram.
func readCSV(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReaderSize(f, 256<<10))
	r.ReuseRecord = true
	h := hdrhistogram.New(1, 3600e9, 3)
	for first := true; ; first = false {
		rec, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if first {
			continue
		}
		took, err := strconv.ParseFloat(rec[0], 64)
		if err != nil {
			return err
		}
		if _, err := strconv.Atoi(rec[6]); err != nil { // what a sample holds: time, status, offset
			return err
		}
		if _, err := strconv.ParseFloat(rec[7], 64); err != nil {
			return err
		}
		if err := h.RecordValue(int64(took * 1e9)); err != nil {
			return err
		}
	}
	if h.TotalCount() != 1_000_000 {
		return fmt.Errorf("%d rows", h.TotalCount())
	}
	return nil
}
