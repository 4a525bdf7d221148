// Package hlog reads HdrHistogram interval logs.
package hlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Format reads .hlog files.
var Format = ingest.Format{
	Name: "hlog",
	Doc: `A log of HdrHistograms, one per interval (.hlog)

What HistogramLogWriter of the HdrHistogram libraries writes: a line for each
interval with its start, its length and a whole histogram in Base64. jHiccup,
YCSB, Cassandra's stress tool and many programs of one's own write it. Payloads
of versions 0, 1 and 2 are read, compressed or not.

To produce one:

    bin/ycsb run basic -P workloads/workloada -p measurementtype=hdrhistogram \
        -p hdrhistogram.fileoutput=true -p measurement.interval=both -target 1000

or, in a program, HistogramLogWriter.outputIntervalHistogram (Java, Go), or
hdr_log_write (C).

The log does not say the unit of its values: they are read as nanoseconds unless
--unit says otherwise; YCSB writes microseconds. Lines with different tags are
different operations, often of the same requests, and are never added up. Whether
the values were corrected is not said either, except that YCSB names what it
timed from its schedule "Intended-". Values are the highest of their histogram
bucket, so they err upwards by up to a thousandth at the usual three digits.
`,
	Yields: ingest.Load,
	Sniff:  sniff,
	Split:  ingest.SplitLines,
	Read:   read,
}

// DefaultUnit is that of values: what the format's authors record, and what
// the writers' default scaling of the maximum (1e6 to the millisecond) assumes.
const DefaultUnit = time.Nanosecond

// sniff claims a log by the comments of its writer, its legend or its first
// interval.
func sniff(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		switch {
		case bytes.HasPrefix(line, []byte("#[Histogram log format version ")), bytes.HasPrefix(line, legend):
			return true
		case len(line) == 0, line[0] == '#':
		default:
			_, payload, err := parse(line)
			return err == nil && bytes.HasPrefix(payload, []byte("HIST"))
		}
	}
	return false
}

// legend is how the line with the names of the columns begins.
var legend = []byte(`"StartTimestamp"`)

// reader reads one part of a log.
type reader struct {
	in     ingest.Input
	header header
	unit   int64
	agg    ingest.Aggregate
	dec    decoder
	tags   map[string]string
	tag    string // of the last line
	prob   ingest.Problem
}

func read(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		if len(in.Head) == 0 && in.Part == 0 {
			b := bufio.NewReaderSize(r, ingest.HeadSize)
			in.Head, _ = b.Peek(ingest.HeadSize)
			in.Head, r = bytes.Clone(in.Head), b
		}
		rd := reader{in: in, unit: int64(in.Options.Unit), header: readHeader(in.Head), tags: map[string]string{}}
		run := ingest.Run{Pos: in.Pos(0), Tool: rd.header.tool, Version: rd.header.version, Absolute: rd.header.absolute, Treated: rd.header.treated}
		if rd.unit <= 0 {
			rd.unit = int64(DefaultUnit)
			run.UnitAssumed = DefaultUnit
		}
		if in.Part == 0 && !yield(&run, nil) {
			return
		}
		lines := ingest.NewLines(r)
		for lines.Next() {
			if rec := rd.line(lines.Bytes(), lines.Offset()); rec != nil && !yield(rec, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// line returns the record of a line; nil: it has none.
func (rd *reader) line(line []byte, offset int64) ingest.Record {
	line = bytes.TrimSpace(line)
	pos := rd.in.Pos(offset)
	switch {
	case len(line) == 0 || bytes.HasPrefix(line, legend):
		return nil
	case line[0] == '#':
		if err := rd.header.comment(line, pos.Offset); err != nil {
			return rd.problem(pos, err)
		}
		return nil
	}
	l, payload, err := parse(line)
	if err != nil {
		return rd.problem(pos, err)
	}
	start, ok := rd.header.time(l.start)
	if !ok {
		return rd.problem(pos, errStart)
	}
	if start.Add(l.length+1) < start {
		return rd.problem(pos, errLength)
	}
	a := &rd.agg
	a.Reset()
	a.Pos, a.Start, a.Length, a.Treated, a.Complete = pos, start, max(l.length, 1), rd.header.treated, true
	if len(l.tag) > 0 && string(l.tag) != rd.tag {
		known, ok := rd.tags[string(l.tag)]
		if !ok {
			known = string(l.tag)
			rd.tags[known] = known
		}
		rd.tag = known
	}
	if len(l.tag) > 0 {
		a.Op = rd.tag
	}
	if a.Buckets, a.Count, err = rd.dec.decode(payload, rd.unit, a.Buckets); err != nil {
		return rd.problem(pos, err)
	}
	if n := len(a.Buckets); n > 0 {
		// The library's own maximum: the highest value of the last bucket.
		a.Max, a.Unit = a.Buckets[n-1].High, a.Buckets[n-1].High-a.Buckets[n-1].Low
	}
	return a
}

func (rd *reader) problem(at ingest.Pos, err error) ingest.Record {
	rd.prob = ingest.Problem{Pos: at, Err: err}
	return &rd.prob
}

var (
	errColumns = errors.New("no interval: not start, length, maximum and histogram, parted by commas")
	errStart   = errors.New("the start of the interval is not a number of seconds that fits a date")
	errLength  = errors.New("the length of the interval is not a number of seconds, or ends after every date")
)

// interval is what stands before the histogram. Times are in nanoseconds.
type interval struct {
	tag    []byte
	start  int64
	length time.Duration
}

// parse cuts a line: "Tag=A,0.127,1.007,2.769,HISTFAAA…". The maximum is left
// aside: it is scaled by a factor that the log does not state.
func parse(line []byte) (l interval, payload []byte, err error) {
	if rest, ok := bytes.CutPrefix(line, []byte("Tag=")); ok {
		if l.tag, line, ok = bytes.Cut(rest, []byte(",")); !ok {
			return l, nil, errColumns
		}
	}
	start, line, _ := bytes.Cut(line, []byte(","))
	length, line, _ := bytes.Cut(line, []byte(","))
	_, payload, ok := bytes.Cut(line, []byte(","))
	if !ok {
		return l, nil, errColumns
	}
	if l.start, _, ok = ingest.ParseDecimal(bytes.TrimSpace(start), 1e9); !ok {
		return l, nil, errStart
	}
	n, _, ok := ingest.ParseDecimal(bytes.TrimSpace(length), 1e9)
	if !ok || n < 0 {
		return l, nil, errLength
	}
	l.length = time.Duration(n)
	return l, bytes.TrimSpace(payload), nil
}
