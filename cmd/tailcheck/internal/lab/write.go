package lab

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// Names of the files that a kept lab leaves.
const (
	ClosedFile = "closed.csv"
	OpenFile   = "open.csv"
	RulesFile  = "load-test-rules.md"
)

// WriteHeyCSV writes rows as `hey -o csv` does (rakyll/hey 0.1.1 and later):
// eight columns in seconds with four decimals, in the order in which requests
// ended, with the time of the send as the offset. The due time has no column:
// what a closed loop leaves out, its file leaves out too.
func WriteHeyCSV(w io.Writer, rows []Row) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset")
	ended := slices.SortedStableFunc(slices.Values(rows), func(a, b Row) int { return cmp.Compare(a.End, b.End) })
	for _, r := range ended {
		// An address is no name: there is nothing to look up.
		fmt.Fprintf(b, "%.4f,%.4f,0.0000,%.4f,%.4f,%.4f,%d,%.4f\n", (r.End - r.Start).Seconds(), r.Connect.Seconds(),
			r.Write.Seconds(), r.Delay.Seconds(), r.Read.Seconds(), r.Status, r.Start.Seconds())
	}
	return b.Flush()
}

// WriteCSV writes rows in the order of their due times: due, start and end in
// seconds since the start of the run with six decimals, the time from start to
// end, and the status.
func WriteCSV(w io.Writer, rows []Row) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "due_s,start_s,end_s,latency_s,status")
	for _, r := range rows {
		// Rounded first, so that the columns of a row agree to the last digit.
		start, end := r.Start.Round(time.Microsecond), r.End.Round(time.Microsecond)
		fmt.Fprintf(b, "%.6f,%.6f,%.6f,%.6f,%d\n", r.Due.Seconds(), start.Seconds(), end.Seconds(), (end - start).Seconds(), r.Status)
	}
	return b.Flush()
}
