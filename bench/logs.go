package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/applog"
	"github.com/tailcheck/tailcheck/ingest/log/nginx"
)

// Of the files of the log pairs.
const (
	logLines  = 3_000_000
	logRoutes = 5_000
	jsonLines = 1_000_000
)

// logs returns the pairs about server logs, and makes their files in dir.
func logs(dir, bin string) ([]pair, error) {
	access, app := filepath.Join(dir, "access.log"), filepath.Join(dir, "app.jsonl")
	if err := writeAccess(access); err != nil {
		return nil, err
	}
	if err := writeApp(app); err != nil {
		return nil, err
	}
	accessData, err := os.ReadFile(access)
	if err != nil {
		return nil, err
	}
	appData, err := os.ReadFile(app)
	if err != nil {
		return nil, err
	}
	size := fmt.Sprintf("nginx combined + request_time, %d lines of %d routes, %d MB", logLines, logRoutes, len(accessData)/1e6)
	check := func(jobs int) way {
		return process(fmt.Sprintf("check --jobs %d", jobs), []int{0, 1}, bin, "check", "--jobs", strconv.Itoa(jobs), "--output", "json", access)
	}
	reader := func(f ingest.Format, data []byte, lines, parts int) way {
		return inProcess(fmt.Sprintf("reader, %d parts", parts), func() error { return readLog(f, data, lines, parts) })
	}
	pairs := []pair{
		{size + ": two cores against one", check(2), check(1), 1.8, false},
		{"the same: reading alone, two cores against one", reader(nginx.Dialect.Format(), accessData, logLines, 2), reader(nginx.Dialect.Format(), accessData, logLines, 1), 1.8, false},
		{fmt.Sprintf("slog JSON, %d lines, %d MB: reading alone, two cores against one", jsonLines, len(appData)/1e6), reader(applog.Dialect.Format(), appData, jsonLines, 2), reader(applog.Dialect.Format(), appData, jsonLines, 1), 1.8, false},
		{"the same access log: against a Go regexp that takes route and time", check(2), inProcess("regexp, one core", func() error { return regexpLog(accessData) }), 20, false},
	}
	if _, err := exec.LookPath("mawk"); err == nil {
		pairs = append(pairs, pair{"the same: against mawk adding up one field", check(2), process("mawk", []int{0}, "mawk", "{s+=$NF} END{print s}", access), 3, false})
	}
	if _, err := exec.LookPath("goaccess"); err == nil {
		pairs = append(pairs, pair{"the same: against GoAccess (mean and maximum only)", check(2), process("goaccess", []int{0}, "goaccess", access, "--no-global-config", "--log-format", `%h %^[%d:%t %^] "%r" %s %b "%R" "%u" %T`, "--date-format", "%d/%b/%Y", "--time-format", "%H:%M:%S", "-o", filepath.Join(dir, "goaccess.json")), 50, true})
	}
	return pairs, nil
}

// route names are words: what looks like an id would be folded.
func route(i int) string {
	const a, b = "bcdfghjklmnprstvwz", "aeiou"
	var s strings.Builder
	s.WriteString("/api/")
	for range 4 {
		s.WriteByte(a[i%len(a)])
		i /= len(a)
		s.WriteByte(b[i%len(b)])
		i /= len(b)
	}
	return s.String()
}

func writeAccess(path string) error {
	return writeLines(path, logLines, func(w *bufio.Writer, r *rand.Rand, i int) {
		at := time.Date(2026, 11, 28, 0, 0, i/1000, 0, time.UTC)
		fmt.Fprintf(w, "203.0.113.%d - - [%s] \"GET %s HTTP/1.1\" 200 %d \"-\" \"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\" %.3f\n",
			i%250, at.Format("02/Jan/2006:15:04:05 -0700"), route(r.IntN(logRoutes)), 100+r.IntN(9000), r.ExpFloat64()*0.03)
	})
}

func writeApp(path string) error {
	return writeLines(path, jsonLines, func(w *bufio.Writer, r *rand.Rand, i int) {
		at := time.Date(2026, 11, 28, 0, 0, 0, i*1_000_000%1_000_000_000, time.UTC).Add(time.Duration(i/1000) * time.Second)
		fmt.Fprintf(w, `{"time":"%s","level":"INFO","msg":"request","method":"GET","path":"%s","status":200,"duration":%d,"trace_id":"%016x%016x"}`+"\n",
			at.Format("2006-01-02T15:04:05.000000000Z07:00"), route(r.IntN(200)), int64(r.ExpFloat64()*30e6), r.Uint64(), r.Uint64())
	})
}

func writeLines(path string, n int, line func(*bufio.Writer, *rand.Rand, int)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w, r := bufio.NewWriterSize(f, 1<<20), rand.New(rand.NewPCG(1, 4))
	for i := range n {
		line(w, r, i)
	}
	return errors.Join(w.Flush(), f.Close())
}

// readLog reads with tailcheck's reader, in parts of 256 KiB as check does, and
// counts the requests.
func readLog(f ingest.Format, data []byte, lines, workers int) error {
	type part struct {
		data   []byte
		offset int64
		n      int
	}
	work := make(chan part, workers)
	counts, errs := make([]int, workers), make([]error, workers)
	head := data[:min(len(data), ingest.HeadSize)]
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for p := range work {
				for rec, err := range f.Read(bytes.NewReader(p.data), ingest.Input{Part: p.n, Offset: p.offset, Head: head}) {
					if err != nil {
						errs[w] = err
					} else if _, ok := rec.(*ingest.Sample); ok {
						counts[w]++
					}
				}
			}
		})
	}
	split := f.SplitOf(head)
	for from, n := 0, 0; from < len(data); n++ {
		to := min(len(data), from+256<<10)
		if to < len(data) {
			to = from + split.Cut(data[from:to])
		}
		work <- part{data[from:to], int64(from), n}
		from = to
	}
	close(work)
	wg.Wait()
	sum := 0
	for _, c := range counts {
		sum += c
	}
	if sum != lines {
		errs = append(errs, fmt.Errorf("%d requests of %d", sum, lines))
	}
	return errors.Join(errs...)
}

var line = regexp.MustCompile(`^(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) (\S+) [^"]*" (\d+) (\d+) "[^"]*" "[^"]*" ([\d.]+)$`)

// regexpLog is what a script would do: the sum of the times of each route.
func regexpLog(data []byte) error {
	sums := map[string]float64{}
	n := 0
	for l := range bytes.Lines(data) {
		m := line.FindSubmatch(bytes.TrimRight(l, "\n"))
		if m == nil {
			return fmt.Errorf("no match: %s", l)
		}
		v, err := strconv.ParseFloat(string(m[7]), 64)
		if err != nil {
			return err
		}
		sums[string(m[4])] += v
		n++
	}
	if n != logLines || len(sums) != logRoutes {
		return fmt.Errorf("%d lines, %d routes", n, len(sums))
	}
	return nil
}
