package hey

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
)

// CSV is what "hey -o csv" prints: a row for every answered request.
var CSV = ingest.Format{
	Name: "hey-csv",
	Doc: `The CSV of hey

What hey -o csv prints: for every request that was answered, how long it took,
the parts of that, its status and when it was sent. Files of older versions, with
six columns or with the response time alone, are read too.

To produce one:

    hey -n 200 -c 4 -q 10 -o csv http://127.0.0.1:8080/ > hey.csv

The file names neither the workers (-c) nor the rate of one worker (-q): say them
with --workers and --rate, or keep the command line above it.

hey is a closed loop: while the server stalls it sends nothing. Requests that
failed or timed out leave no row, so a run in which all did is a header alone,
and hey stops after a million rows without a word. Some forks write milliseconds
under the same header, and nothing in the file tells.
`,
	Yields:   ingest.KindRun | ingest.KindSample | ingest.KindProblem,
	Anchors:  []string{header6},
	Commands: []string{"hey", "boom"},
	Sniff:    sniffCSV,
	Near:     nearCSV,
	Split:    ingest.SplitLines,
	Read:     readCSV,
}

// The headers of hey's CSV: since 2018-09 (v0.1.2), from 2017-06 or with -more
// before, and up to v0.1.0 without -more.
const (
	header8 = header6 + ",status-code,offset"
	header6 = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read"
	header1 = "response-time"
)

// columnNames are the columns of header8, for messages.
var columnNames = [...]string{"response-time", "DNS+dialup", "DNS", "Request-write", "Response-delay", "Response-read", "status-code", "offset"}

// columns returns how many columns the first line of a file promises; 0: it is
// no header of hey's.
func columns(head []byte) int {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch string(bytes.TrimSuffix(line, []byte("\r"))) {
	case header8:
		return 8
	case header6:
		return 6
	case header1:
		return 1
	}
	return 0
}

// sniffCSV claims the exact headers. The oldest is a single word, so what
// follows it must be a row.
func sniffCSV(head []byte) bool {
	n := columns(head)
	if n != 1 {
		return n > 1
	}
	row, _ := nextLine(head[min(len(head), len(header1)):])
	_, _, ok := ingest.ParseDecimal(row, 1)
	return ok || len(row) == 0
}

func nearCSV(head []byte) string {
	line, _ := nextLine(head)
	got := bytes.Split(line, []byte(","))
	if len(got) < 2 || string(got[0]) != columnNames[0] {
		return ""
	}
	for i, name := range columnNames {
		switch {
		case i == len(got):
			return fmt.Sprintf("the header ends before its column `%s`", name)
		case string(got[i]) != name:
			return fmt.Sprintf("column %d of the header is `%s`, hey's is `%s`", i+1, excerpt(got[i]), name)
		}
	}
	return "the header has more columns than hey's"
}

func readCSV(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		b := blocks{r: r}
		head := in.Head
		if in.Part == 0 {
			head = b.line()
		}
		n := columns(head)
		if n == 0 {
			err := b.err
			if err == nil {
				err = errors.New("no CSV of hey: the first line is not its header")
				if why := nearCSV(head); why != "" {
					err = fmt.Errorf("no CSV of hey: %s", why)
				}
			}
			yield(nil, err)
			return
		}
		if in.Part == 0 {
			run := ingest.Run{Pos: in.Pos(0), Tool: "hey", Loop: ingest.Closed, Treated: ingest.Raw, Survivors: true}
			plan(in).apply(&run)
			if !yield(&run, nil) {
				return
			}
		}
		rows := rowReader{blocks: b, in: in, columns: n}
		rows.sample.Input, rows.sample.Vantage = in.Index, ingest.Client
		if rows.read(yield) && rows.err != nil {
			yield(nil, rows.err)
		}
	}
}
