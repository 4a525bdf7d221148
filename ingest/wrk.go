package ingest

import (
	"bytes"
	"strconv"
	"time"
)

// WrkReport reads the report of wrk line by line. wrk2 and its forks print it
// too, with more between its lines.
//
//	Running 30s test @ http://127.0.0.1:8080/index.html
//	  12 threads and 400 connections
//	  Thread Stats   Avg      Stdev     Max   +/- Stdev
//	    Latency   635.91us    0.89ms  12.92ms   93.69%
//	    Req/Sec    56.20k     8.07k   62.00k    86.54%
//	  Latency Distribution
//	     50%    2.31ms
//	  22464657 requests in 30.00s, 17.76GB read
//	  Socket errors: connect 0, read 25, write 102, timeout 0
//	  Non-2xx or 3xx responses: 132
//	Requests/sec: 748868.53
//	Transfer/sec:    606.33MB
//
// Source: main, print_stats and print_stats_latency in wg/wrk src/wrk.c. Fields
// are told apart by blanks, however many of them a copy has kept.
type WrkReport struct {
	Pending
	Run      Run
	Latency  Aggregate  // of the Thread Stats line
	Rows     []Quantile // of the Latency Distribution last begun
	Timeouts int64      // as the report counts them, which is not the same in wrk and wrk2
	Socket   int64      // connect, read and write errors
	Status   int64      // answers with a status of 400 and above
	Header   bool       // "Running …" was read
	Totals   bool       // "N requests in T" was read
	Done     bool       // the last line was read; what follows is no part of the report

	p99  bool // the third column of Thread Stats is the p99, as in the wrk2 of DeathStarBench
	list bool // in a Latency Distribution
}

// WrkAnchor starts every report of wrk, wrk2 and their forks.
const WrkAnchor = "Running * test @ "

// Reset makes r ready for a report that starts at a position.
func (r *WrkReport) Reset(at Pos) {
	*r = WrkReport{Run: Run{Pos: at}}
	r.Latency.Reset()
	r.Latency.Pos = at
}

func isWrkHeader(line []byte) bool {
	return bytes.HasPrefix(line, []byte("Running ")) && bytes.Contains(line, []byte(" test @ "))
}

// Line reads one line, without blanks around it, at a position.
func (r *WrkReport) Line(line []byte, at Pos) {
	var f [6][]byte
	n := fields(line, &f)
	switch {
	case n < 2:
	case isWrkHeader(line) && (r.Header || r.Done):
		r.Problem(at, "another report starts here: only the first is read")
		r.Done = true
	case r.Done: // what a script's done() printed, or the prompt
	case isWrkHeader(line):
		r.Header = true
		// Rounded to whole units, so only seconds are exact (below 51 s).
		if d, unit, ok := ParseUnit(f[1]); ok && unit == time.Second {
			r.Run.Planned = d
		}
	case n >= 5 && string(f[1]) == "threads" && string(f[4]) == "connections":
		if c, err := strconv.Atoi(string(f[3])); err == nil && c > 0 {
			r.Run.Workers, r.Run.WorkersFrom = c, "report"
		} else {
			r.Problem(at, "%q is not a number of connections", f[3])
		}
	case string(f[0]) == "Thread" && string(f[1]) == "Stats":
		r.p99 = n >= 5 && string(f[4]) == "99%"
	case string(f[0]) == "Latency" && string(f[1]) == "Distribution":
		r.list, r.Rows = true, nil
	case string(f[0]) == "Latency" && n >= 4:
		r.stats(f[1:4], at)
	case n >= 4 && string(f[1]) == "requests" && string(f[2]) == "in":
		r.totals(f[0], f[3], at)
	case bytes.HasPrefix(line, []byte("Socket errors:")):
		r.sockets(line[len("Socket errors:"):], at)
	case bytes.HasPrefix(line, []byte("Non-2xx or 3xx responses:")):
		r.Status = r.count(f[n-1], at)
	case string(f[0]) == "Requests/sec:":
		if v, _, ok := ParseDecimal(f[1], 1e6); ok && v >= 0 {
			r.Run.Achieved = float64(v) / 1e6
		} else {
			r.Problem(at, "%q is not a number of requests a second", f[1])
		}
	case string(f[0]) == "Transfer/sec:":
		r.Done = true
	case r.list && f[0][len(f[0])-1] == '%':
		r.row(f[0], f[1], at)
	}
}

// fields cuts a line at blanks, as many fields as fit, and returns how many.
func fields(line []byte, f *[6][]byte) int {
	n := 0
	for line = bytes.TrimLeft(line, " \t"); n < len(f) && len(line) > 0; n++ {
		i := bytes.IndexAny(line, " \t")
		if i < 0 {
			i = len(line)
		}
		f[n] = line[:i]
		line = bytes.TrimLeft(line[i:], " \t")
	}
	return n
}

// duration reads a time as wrk prints it. A number that is too wide for its
// column loses its last digits and its unit (print_units).
func (r *WrkReport) duration(b []byte, at Pos) (v, unit time.Duration) {
	v, unit, ok := ParseUnit(b)
	if !ok || v < 0 {
		r.Problem(at, "%q is not a duration", b)
		return -1, 0
	}
	return v, unit
}

func (r *WrkReport) count(b []byte, at Pos) int64 {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || n < 0 || n > maxCount { // wrk prints its counts of errors with %d: they wrap at 2^31
		r.Problem(at, "%q is not a count", b)
		return 0
	}
	return n
}

// stats reads mean, standard deviation and maximum.
func (r *WrkReport) stats(f [][]byte, at Pos) {
	a := &r.Latency
	var mean, third time.Duration
	a.Pos = at
	a.Mean, mean = r.duration(f[0], at)
	a.Stddev, _ = r.duration(f[1], at)
	a.Max, third = r.duration(f[2], at)
	a.Unit = max(mean, third)
	if r.p99 {
		if a.Max >= 0 && len(r.Rows) == 0 {
			r.Rows = []Quantile{{Percentile: 99, Value: a.Max, Unit: third, Pos: at.Offset}}
		}
		a.Max, a.Unit = -1, mean
	}
}

// row reads a percentile and its value.
func (r *WrkReport) row(percent, value []byte, at Pos) {
	p, _, ok := ParseDecimal(percent[:len(percent)-1], 1e6)
	if n := len(r.Rows); !ok || p < 0 || p > 100e6 || n > 0 && float64(p)/1e6 <= r.Rows[n-1].Percentile {
		r.Problem(at, "%q is not a percentile above the one before", percent)
		return
	}
	if v, unit := r.duration(value, at); v >= 0 {
		r.Rows = append(r.Rows, Quantile{Percentile: float64(p) / 1e6, Value: v, Unit: unit, Pos: at.Offset})
	}
}

func (r *WrkReport) totals(requests, elapsed []byte, at Pos) {
	r.Totals, r.list = true, false
	r.Run.Requests = r.count(requests, at)
	r.Run.Counted = true
	if d, _ := r.duration(bytes.TrimSuffix(elapsed, []byte(",")), at); d >= 0 {
		r.Run.Elapsed = d
	}
}

// sockets reads " connect 0, read 25, write 102, timeout 0".
func (r *WrkReport) sockets(line []byte, at Pos) {
	for _, part := range bytes.Split(line, []byte(",")) {
		var f [6][]byte
		if fields(part, &f) != 2 {
			continue
		}
		if n := r.count(f[1], at); string(f[0]) == "timeout" {
			r.Timeouts += n
		} else {
			r.Socket += n
		}
	}
}

// SniffWrk reports whether a text that begins with head is a report of wrk or
// one of its descendants, and whether it bears a mark that only those with a
// schedule (wrk2) have: a calibration, an HdrHistogram, a spectrum. It looks at
// the first report only. A report may be cut at its start, so long as what is
// left begins with one of its lines. autocannon has the first and the last line
// of wrk, and none of those between.
func SniffWrk(head []byte) (report, scheduled bool) {
	var spectrum Spectrum
	spectrum.Reset(time.Millisecond)
	var header, stats, totals, heading bool
	rows := 0
	for first := true; len(head) > 0; {
		line := head
		if i := bytes.IndexByte(head, '\n'); i >= 0 {
			line, head = head[:i], head[i+1:]
		} else {
			head = nil
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var f [6][]byte
		n := fields(line, &f)
		known := true
		switch inSpectrum, _ := spectrum.Line(line, 0); {
		case isWrkHeader(line):
			if header || totals {
				head = nil
			}
			header = true
		case bytes.HasPrefix(line, []byte("Thread calibration:")):
			scheduled = true
		case bytes.Contains(line, []byte("(HdrHistogram - ")), bytes.HasPrefix(line, []byte("Detailed Percentile spectrum:")):
			scheduled, heading = true, true
		case n >= 5 && string(f[0]) == "Thread" && string(f[1]) == "Stats":
			stats = true
			scheduled = scheduled || string(f[4]) == "99%"
		case inSpectrum:
			rows++
		case n >= 4 && string(f[1]) == "requests" && string(f[2]) == "in", string(f[0]) == "Requests/sec:":
			totals = true
		case string(f[0]) == "Transfer/sec:":
			head = nil
		case n >= 5 && string(f[1]) == "threads" && string(f[4]) == "connections",
			n >= 4 && (string(f[0]) == "Latency" || string(f[0]) == "Req/Sec"),
			n >= 2 && f[0][len(f[0])-1] == '%':
		default:
			known = false
		}
		if first && !known {
			return false, false
		}
		first = false
	}
	scheduled = scheduled || rows > 0
	figures := rows > 0 || heading
	report = stats && (header || totals) || figures && totals || rows > 0 && heading
	return report, report && scheduled
}
