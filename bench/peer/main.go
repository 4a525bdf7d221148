// Command peer does with plain libraries what tailcheck is measured against.
package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: peer csv|hlog FILE")
		os.Exit(2)
	}
	f, err := os.Open(os.Args[2])
	if err == nil {
		switch os.Args[1] {
		case "csv":
			err = readCSV(f)
		case "hlog":
			err = readHlog(f)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func show(h *hdrhistogram.Histogram) {
	for _, p := range []float64{50, 75, 90, 95, 99, 99.9, 100} {
		fmt.Println(p, h.ValueAtPercentile(p))
	}
}

func readCSV(f io.Reader) error {
	r := csv.NewReader(bufio.NewReaderSize(f, 256<<10))
	r.ReuseRecord = true
	h := hdrhistogram.New(1, 3600e9, 3)
	for first := true; ; first = false {
		rec, err := r.Read()
		if err == io.EOF {
			show(h)
			return nil
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
}

func readHlog(f io.Reader) error {
	r := hdrhistogram.NewHistogramLogReader(f)
	whole := hdrhistogram.New(1, 3600e9, 3)
	for {
		h, err := r.NextIntervalHistogram()
		if err != nil {
			return err
		}
		if h == nil {
			show(whole)
			return nil
		}
		whole.Merge(h)
	}
}
