package hlog_test

import (
	"bytes"
	"encoding/base64"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hlog"
)

// one reads a log of one line without a header.
func one(t *testing.T, line string) (*ingest.Aggregate, error) {
	t.Helper()
	records := all(t, []byte(line+"\n"), ingest.Input{})
	if len(records) != 2 {
		t.Fatalf("%.60q: %d records", line, len(records))
	}
	switch r := records[1].(type) {
	case *ingest.Aggregate:
		return r, nil
	case *ingest.Problem:
		return nil, r.Err
	}
	t.Fatalf("%.60q: %T", line, records[1])
	return nil, nil
}

// Every version and word size, packed and plain. No file of version 0 is among
// the published ones here: it is built from the specification, like the rest.
// With two digits there are 256 buckets of width 1, then 128 of width 2, so
// that count 256 is of 256 and 257, and count 384 of 512 to 515.
func TestVersions(t *testing.T) {
	counts := make([]int64, 400)
	counts[0], counts[5], counts[255], counts[256], counts[384] = 1, 7, 30_000, 2, 3
	want := []ingest.Bucket{
		{Low: -1, High: 0, Count: 1}, {Low: 4, High: 5, Count: 7}, {Low: 254, High: 255, Count: 30_000},
		{Low: 255, High: 257, Count: 2}, {Low: 511, High: 515, Count: 3},
	}
	for _, version := range []int{0, 1, 2} {
		for _, word := range []int{2, 4, 8} {
			for _, plain := range []bool{false, true} {
				h := histogram{version: version, word: word, plain: plain, digits: 2, lowest: 1, highest: 100_000, counts: counts}
				payload := h.encode()
				a, err := one(t, "0.5,1.5,0.001,"+payload)
				if err != nil {
					t.Errorf("version %d, %d bytes, plain %v: %v", version, word, plain, err)
					continue
				}
				if !slices.Equal(a.Buckets, want) || a.Count != 30_013 || a.Max != 515 {
					t.Errorf("version %d, %d bytes, plain %v: %+v", version, word, plain, a)
				}
				if !hlog.Format.Sniff([]byte("0.5,1.5,0.001," + payload)) {
					t.Errorf("version %d, %d bytes, plain %v: not recognised", version, word, plain)
				}
			}
		}
	}
}

func TestGeometry(t *testing.T) {
	for _, c := range []struct {
		name            string
		digits          int32
		lowest, highest int64
		index           int
		low, high       int64
	}{
		{"lowest 1000 ns counts in steps of 512", 2, 1000, 1e9, 1, 511, 1023},
		{"no digits: one bucket per doubling", 0, 1, 1000, 5, 15, 31},
		{"lowest 0 means 1", 2, 0, 1000, 3, 2, 3},
		{"five digits", 5, 1, 1e9, 262144, 262143, 262145},
		{"the very last bucket", 0, 1, math.MaxInt64, 63, 1<<62 - 1, math.MaxInt64},
	} {
		counts := make([]int64, c.index+1)
		counts[c.index] = 1
		a, err := one(t, "0,1,1,"+histogram{version: 2, digits: c.digits, lowest: c.lowest, highest: c.highest, counts: counts}.encode())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if b := a.Buckets; len(b) != 1 || int64(b[0].Low) != c.low || int64(b[0].High) != c.high {
			t.Errorf("%s: %+v", c.name, b)
		}
	}
}

// Each payload is broken in one way, is told so, and costs next to nothing.
func TestHostilePayloads(t *testing.T) {
	ok := histogram{version: 2, digits: 3, lowest: 1, highest: 3_600_000_000, counts: []int64{0, 0, 5}}
	with := func(f func(*histogram)) string {
		h := ok
		f(&h)
		return h.encode()
	}
	raw, _ := base64.StdEncoding.DecodeString(ok.encode())
	changed := func(f func([]byte) []byte) string {
		return base64.StdEncoding.EncodeToString(f(bytes.Clone(raw)))
	}
	zeros := make([]int64, 700_000) // 5.6 MB of words, 5 kB packed
	filled := slices.Repeat([]int64{1}, 1<<18+1)
	for name, c := range map[string]struct{ payload, want string }{
		"no payload":               {"", "cut short"},
		"not Base64":               {"HISTF***", "not Base64"},
		"a few bytes":              {"HISTFAAA", "cut short"},
		"another cookie":           {base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 60)), "no HdrHistogram"},
		"double histogram":         {base64.StdEncoding.EncodeToString(append([]byte{0x0c, 0x72, 0x12, 0x4f}, make([]byte, 60)...)), "no HdrHistogram"},
		"length beyond the line":   {changed(func(b []byte) []byte { b[4], b[5] = 0x7f, 0xff; return b }), "cut short"},
		"negative length":          {changed(func(b []byte) []byte { b[4] = 0xff; return b }), "cut short"},
		"cut zlib stream":          {changed(func(b []byte) []byte { b[7] -= 9; return b[:len(b)-9] }), "does not decompress"},
		"wrong checksum":           {changed(func(b []byte) []byte { b[len(b)-1]++; return b }), "does not decompress"},
		"no zlib stream":           {changed(func(b []byte) []byte { b[8] = 0; return b }), "does not decompress"},
		"packed twice":             {pack(0x1c849314, raw), "no HdrHistogram"},
		"empty inside":             {pack(0x1c849314, nil), "cut short"},
		"header cut":               {pack(0x1c849314, bytes.Repeat([]byte{0x1c, 0x84, 0x93, 0x13}, 9)), "cut short"},
		"payload length too long":  {with(func(h *histogram) { h.length = 1 << 30 }), "cut short"},
		"payload length negative":  {with(func(h *histogram) { h.length = -1 }), "cut short"},
		"digits":                   {with(func(h *histogram) { h.digits = 6 }), "impossible"},
		"negative digits":          {with(func(h *histogram) { h.digits = -1 }), "impossible"},
		"negative highest":         {with(func(h *histogram) { h.highest = -1 }), "impossible"},
		"lowest too high":          {with(func(h *histogram) { h.lowest = 1 << 60 }), "impossible"},
		"word of 6 bytes":          {with(func(h *histogram) { h.version, h.word = 1, 6 }), "impossible"},
		"word of 0 bytes":          {with(func(h *histogram) { h.version, h.word = 1, 0 }), "impossible"},
		"half a word":              {with(func(h *histogram) { h.version, h.word, h.payload = 1, 8, []byte{0, 0} }), "cut short"},
		"negative count":           {with(func(h *histogram) { h.version, h.word, h.counts = 1, 4, []int64{-1} }), "negative count"},
		"negative count, 8 bytes":  {with(func(h *histogram) { h.version, h.word, h.counts = 0, 8, []int64{math.MinInt64} }), "negative count"},
		"run of zeros too long":    {with(func(h *histogram) { h.payload, h.counts = leb128(-1<<40), nil }), "more counts"},
		"run of 2^63 zeros":        {with(func(h *histogram) { h.payload, h.counts = leb128(math.MinInt64), nil }), "more counts"},
		"count behind the last":    {with(func(h *histogram) { h.highest, h.counts = 100, slices.Repeat([]int64{1}, 3000) }), "more counts"},
		"number cut":               {with(func(h *histogram) { h.payload, h.counts = []byte{0x80}, nil }), "cut short"},
		"counts beyond any run":    {with(func(h *histogram) { h.counts = []int64{1e12, 1} }), "10^12"},
		"counts beyond 2^63":       {with(func(h *histogram) { h.counts = []int64{math.MaxInt64, 1} }), "10^12"},
		"zlib bomb":                {with(func(h *histogram) { h.version, h.word, h.digits, h.counts = 1, 8, 5, zeros }), "over 4194304 bytes"},
		"zlib bomb of version 0":   {with(func(h *histogram) { h.version, h.word, h.digits, h.counts = 0, 8, 5, zeros }), "over 4194304 bytes"},
		"too many filled buckets":  {with(func(h *histogram) { h.digits, h.counts = 5, filled }), "262144 filled"},
		"widest range, no samples": {with(func(h *histogram) { h.digits, h.highest, h.counts = 5, math.MaxInt64, nil }), ""},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a, err := one(t, "0,1,1,"+c.payload)
		runtime.ReadMemStats(&after)
		if c.want == "" {
			if err != nil || a.Count != 0 || a.Max != -1 {
				t.Errorf("%s: %+v, %v", name, a, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
			t.Errorf("%s: %d bytes allocated for %d", name, grown, len(c.payload))
		}
	}
}

// A broken line is one Problem; the lines around it are read.
func TestBrokenLines(t *testing.T) {
	good := "1.5,1.0,0.1," + histogram{version: 2, digits: 2, lowest: 1, highest: 1000, counts: []int64{0, 3}}.encode()
	for _, line := range []string{
		"1.5,1.0,0.1", "1.5", "x,1.0,0.1,HISTFAAA", "1.5,y,0.1,HISTFAAA", "1.5,-1.0,0.1,HISTFAAA", "Tag=A", "Tag=A,1.5,1,1",
		"99999999999,1.0,0.1,HISTFAAA", "NaN,1,1,HISTFAAA", ",,,", "9223372036.9,1,1," + good[12:],
		"1.5,9223372036,1," + good[12:],
	} {
		log := "#[StartTime: 1438867590.285 (seconds since epoch)]\n" + good + "\n" + line + "\n" + good
		records := all(t, []byte(log), ingest.Input{Index: 3})
		if len(records) != 4 {
			t.Errorf("%q: %d records", line, len(records))
			continue
		}
		p, isProblem := records[2].(*ingest.Problem)
		if !isProblem || p.Input != 3 || p.Offset != int64(strings.Index(log, "\n"+line+"\n"))+1 {
			t.Errorf("%q: %+v", line, records[2])
		}
		if a, ok := records[3].(*ingest.Aggregate); !ok || a.Count != 3 || a.Length != time.Second {
			t.Errorf("%q: %+v", line, records[3])
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, h := range []histogram{
		{version: 2, digits: 3, lowest: 1, highest: 3_600_000_000, counts: []int64{0, 0, 5}, plain: true},
		{version: 1, word: 4, digits: 2, lowest: 1000, highest: 1e9, counts: []int64{1, 2}, plain: true},
		{version: 0, word: 8, digits: 1, lowest: 1, highest: 1e9, counts: []int64{1, 2}, plain: true},
	} {
		raw, _ := base64.StdEncoding.DecodeString(h.encode())
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := one(t, "0,1,1,"+base64.StdEncoding.EncodeToString(raw))
		if err != nil {
			return
		}
		var n int64
		last := time.Duration(-1)
		for _, b := range a.Buckets {
			if b.Low < last || b.High <= b.Low || b.Count <= 0 {
				t.Fatalf("%+v", a.Buckets)
			}
			last = b.High
			n += b.Count
		}
		if n != a.Count {
			t.Fatalf("%d samples in buckets, %d in all", n, a.Count)
		}
	})
}
