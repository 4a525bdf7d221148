package nginx

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

// routes is how many routes the benchmark's log has.
const routes = 5000

// access returns a log of n lines in combined format with the request's time.
func access(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	at := time.Date(2026, 11, 29, 21, 0, 0, 0, time.UTC)
	words := make([]string, routes)
	for i := range words {
		words[i] = fmt.Sprintf("/api/%s/%s", word(i%70), word(i/70))
	}
	for i := range n {
		fmt.Fprintf(&b, "10.%d.%d.%d - - [%s] \"GET %s/%d?page=%d HTTP/1.1\" 200 %d \"https://shop.example/%s\" \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36\" %.3f\n",
			r.IntN(4), r.IntN(256), r.IntN(256), at.Add(time.Duration(i)*200*time.Microsecond).Format("02/Jan/2006:15:04:05 -0700"),
			words[r.IntN(routes)], r.IntN(1_000_000), r.IntN(9), r.IntN(50_000), word(r.IntN(70)), 0.002+0.02*r.ExpFloat64())
	}
	return b.Bytes()
}

func word(i int) string {
	const letters = "glmnoprst"
	return string([]byte{letters[i%9], 'a' + byte(i/9%5)*4, letters[i/45%9], 'o'}) + "ing"
}

func lines(b *testing.B, n int) {
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

func BenchmarkRead(b *testing.B) { bench(b, access(100_000)) }

// bench reads a log.
func bench(b *testing.B, data []byte) {
	logtest.Bench(b, Format, strings.Split(strings.TrimRight(string(data), "\n"), "\n")...)
}

// Other layouts, from the corpus.
func BenchmarkLayouts(b *testing.B) {
	for _, file := range []string{"recorded/b_nginx_open_loop/rt.log", "recorded/b_nginx_open_loop/json.log", "recorded/b_nginx_open_loop/upstreaminfo.log", "recorded/c_nginx_retries/rt.log", "recorded/a_nginx_closed_loop/ltsv.log"} {
		b.Run(file, func(b *testing.B) { bench(b, logtest.Load(b, file)) })
	}
}

// BenchmarkRegexp is what one would otherwise write: the same fields by an
// expression, the seconds kept from line to line too.
func BenchmarkRegexp(b *testing.B) {
	const n = 20_000
	data := access(n)
	expr := regexp.MustCompile(`^(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) ([^ ?"]*)[^"]*" (\d{3}) (\d+|-) "[^"]*" "[^"]*" (\d+\.\d+)$`)
	number := regexp.MustCompile(`\d+`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		names := map[string]string{}
		got, last, at := 0, "", time.Time{}
		for line := range bytes.Lines(data) {
			m := expr.FindSubmatch(bytes.TrimRight(line, "\n"))
			if m == nil {
				b.Fatalf("%s", line)
			}
			if string(m[2]) != last {
				last = string(m[2])
				at, _ = time.Parse("02/Jan/2006:15:04:05 -0700", last)
			}
			took, _ := strconv.ParseFloat(string(m[7]), 64)
			status, _ := strconv.Atoi(string(m[5]))
			route := number.ReplaceAll(m[4], []byte("{id}"))
			op, ok := names[string(route)]
			if !ok {
				op = string(route)
				names[op] = op
			}
			s := ingest.Sample{Op: op, Status: status, Latency: time.Duration(took * 1e9), End: ingest.Time(at.UnixNano())}
			if s.Status == 200 {
				got++
			}
		}
		if got != n {
			b.Fatal(got)
		}
	}
	lines(b, n)
}
