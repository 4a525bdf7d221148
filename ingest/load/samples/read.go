package samples

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Bounds of times and durations in nanoseconds, so that sums of them fit: dates
// up to the year 2116, durations up to 36 years.
const (
	maxTime     = int64(1) << 62
	minTime     = -int64(1) << 60
	maxDuration = int64(1) << 60
)

// dates are times above 1e9 seconds (the year 2001), in nanoseconds.
const dates = int64(1e9) * int64(time.Second)

// reader turns rows into samples.
type reader struct {
	layout
	splitter
	absolute bool
	ops      map[string]string
	sample   ingest.Sample
}

func read(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		head := in.Head
		if len(head) == 0 && in.Part == 0 {
			head = make([]byte, ingest.HeadSize)
			n, err := io.ReadFull(r, head)
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				yield(nil, err)
				return
			}
			head = head[:n]
			r = io.MultiReader(bytes.NewReader(head), r)
		}
		rd, err := newReader(head, in)
		if err != nil {
			yield(nil, err)
			return
		}
		lines := ingest.NewLines(r)
		if in.Part == 0 {
			run := rd.run(in)
			if !yield(&run, nil) {
				return
			}
			lines.Next()
		}
		var problem ingest.Problem
		for lines.Next() {
			line := lines.Bytes()
			if len(line) == 0 {
				continue
			}
			if err := rd.row(line); err != nil {
				problem.Pos, problem.Err = in.Pos(lines.Offset()), err
				if !yield(&problem, nil) {
					return
				}
				continue
			}
			rd.sample.Pos = in.Pos(lines.Offset())
			if !yield(&rd.sample, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// newReader reads the header. Every part of a file is given the same head, so
// all agree on whether times are dates: the first row of the head that holds a
// time decides.
func newReader(head []byte, in ingest.Input) (*reader, error) {
	line, rest, found := bytes.Cut(head, []byte("\n"))
	if !found && len(head) >= ingest.HeadSize {
		return nil, errors.New("the first line is too long to be a header")
	}
	names, err := splitHeader(line)
	if err != nil {
		return nil, err
	}
	l, err := newLayout(names, in.Options)
	if err != nil {
		return nil, err
	}
	rd := &reader{layout: *l, splitter: splitter{most: len(names)}, ops: map[string]string{}}
	rd.sample.Vantage = ingest.Client
	for len(rest) > 0 {
		var row []byte
		row, rest, found = bytes.Cut(rest, []byte("\n"))
		if !found && len(head) >= ingest.HeadSize || rd.cut(bytes.TrimSuffix(row, []byte("\r"))) != nil {
			continue
		}
		for _, r := range [...]role{due, start, end} {
			if t, ok, err := rd.number(r); ok && err == nil {
				rd.absolute = t > dates
				return rd, nil
			}
		}
	}
	return rd, nil
}

func (rd *reader) run(in ingest.Input) ingest.Run {
	run := ingest.Run{Pos: in.Pos(0), Treated: ingest.Raw, Absolute: rd.absolute, Command: in.Command}
	if rd.has(due) {
		// A generator with a plan sends what it is late with.
		run.Loop, run.CatchUp = ingest.Scheduled, true
	}
	if rd.fromDue {
		run.Treated = ingest.FromSchedule
	}
	return run
}

// cut cuts a row into its fields.
func (rd *reader) cut(line []byte) error {
	if err := rd.split(line); err != nil {
		return fmt.Errorf("%w: %q", err, excerpt(line))
	}
	if len(rd.fields) != len(rd.names) {
		return fmt.Errorf("a row of %d columns where the header has %d: %q", len(rd.fields), len(rd.names), excerpt(line))
	}
	return nil
}

// field returns the field of a role that the file has, in the row that was cut.
func (rd *reader) field(r role) []byte { return rd.fields[rd.column[r]] }

// number returns the time or duration of a role in the row that was cut; ok is
// false where the file has no such column or the field is empty.
func (rd *reader) number(r role) (v int64, ok bool, err error) {
	if !rd.has(r) {
		return 0, false, nil
	}
	field := bytes.TrimSpace(rd.field(r))
	if len(field) == 0 {
		return 0, false, nil
	}
	v, _, ok = ingest.ParseDecimal(field, rd.unit[r])
	low, high := minTime, maxTime
	if r >= latency {
		low, high = 0, maxDuration
	}
	switch {
	case !ok:
		return 0, false, fmt.Errorf("column `%s` is not a number that fits: %q", rd.name(r), excerpt(field))
	case v < 0 && low == 0:
		return 0, false, fmt.Errorf("column `%s` is negative: %q", rd.name(r), excerpt(field))
	case v < low || v >= high:
		return 0, false, fmt.Errorf("column `%s` does not fit: %q; is its unit right?", rd.name(r), excerpt(field))
	}
	return v, true, nil
}

// row reads a row into the sample. An error says what is wrong with it.
func (rd *reader) row(line []byte) error {
	if err := rd.cut(line); err != nil {
		return err
	}
	var v [response + 1]int64
	var has [response + 1]bool
	for r := due; r <= response; r++ {
		var err error
		if v[r], has[r], err = rd.number(r); err != nil {
			return err
		}
	}
	if has[start] && has[end] && v[end] < v[start] {
		return fmt.Errorf("the end is before the start: %q", excerpt(line))
	}
	took, sent, known := v[latency], v[start], has[start]
	switch {
	case rd.fromDue && has[response]:
		took = v[response]
	case rd.fromDue && has[due] && has[end]:
		took = v[end] - v[due]
	case rd.fromDue:
		return rd.missing(line)
	case has[latency] && !known && has[end]:
		sent, known = v[end]-took, true
	case has[latency] && !known && has[due] && has[response]:
		sent, known = v[due]+v[response]-took, true
	case has[latency]:
	case known && has[end]:
		took = v[end] - sent
	case known && has[due] && has[response]:
		took = v[due] + v[response] - sent
	default:
		return rd.missing(line)
	}
	if took < 0 {
		return fmt.Errorf("the latency is negative: %q", excerpt(line))
	}
	s := &rd.sample
	s.Latency, s.Due, s.Start = time.Duration(took), 0, 0
	if has[due] {
		s.Due = rd.time(v[due])
	}
	if known && !rd.fromDue {
		s.Start = rd.time(sent)
	}
	if rd.has(status) {
		s.Status, s.Outcome = outcome(bytes.TrimSpace(rd.field(status)))
	}
	if rd.has(op) {
		s.Op = rd.intern(rd.field(op))
	}
	return nil
}

func (rd *reader) missing(line []byte) error {
	return fmt.Errorf("the row has no latency, and not both a start and an end: %q", excerpt(line))
}

// time returns the moment of a number of nanoseconds.
func (rd *reader) time(v int64) ingest.Time {
	if rd.absolute {
		return ingest.Time(v)
	}
	return ingest.Relative(time.Duration(v))
}

// outcome reads a status. None is a good answer; zero is how generators write
// that there was no answer, and words other than OK name what went wrong.
func outcome(field []byte) (int, ingest.Outcome) {
	if len(field) == 0 {
		return 0, ingest.OK
	}
	if len(field) == 3 && field[0]-'0' <= 9 && field[1]-'0' <= 9 && field[2]-'0' <= 9 {
		code := int(field[0]-'0')*100 + int(field[1]-'0')*10 + int(field[2]-'0')
		return code, failedFrom(code)
	}
	code, err := strconv.ParseInt(string(field), 10, 32)
	if err != nil {
		if bytes.EqualFold(field, []byte("ok")) {
			return 0, ingest.OK
		}
		return 0, ingest.Failed
	}
	return int(code), failedFrom(int(code))
}

func failedFrom(code int) ingest.Outcome {
	if code <= 0 || code >= 400 {
		return ingest.Failed
	}
	return ingest.OK
}

// intern returns the operation's name, which is kept once.
func (rd *reader) intern(name []byte) string {
	if rd.sample.Op != "" && string(name) == rd.sample.Op {
		return rd.sample.Op
	}
	if s, ok := rd.ops[string(name)]; ok {
		return s
	}
	s := string(name)
	rd.ops[s] = s
	return s
}
