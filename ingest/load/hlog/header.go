package hlog

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// header is what the comments above the first interval say about all of them.
// Every part of a log reads them from the start of the whole log, so that the
// parts agree.
type header struct {
	tool, version string
	treated       ingest.Treatment
	base          int64 // added to every start, in nanoseconds
	absolute      bool  // starts plus base are dates
	started       int64 // StartTime; -1: none
	based         int64 // BaseTime; -1: none
	end           int64 // offset of the first line that is no comment
}

// year parts dates from offsets, and is the library's own slack. Source:
// HistogramLogReader: a start more than a year before StartTime is no date.
const year = 365 * 24 * 3600 * int64(1e9)

func readHeader(head []byte) header {
	h := header{started: -1, based: -1, end: math.MaxInt64}
	offset := int64(0)
	for line := range bytes.Lines(head) {
		at := offset
		offset += int64(len(line))
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 || bytes.HasPrefix(line, legend):
			continue
		case line[0] == '#':
			h.read(line)
			continue
		}
		// Only the part before the histogram is needed, which may be cut.
		l, _, err := parse(line)
		if err != nil {
			continue // a Problem where it is read
		}
		h.end = at
		h.settle(l.start)
		return h
	}
	h.settle(0)
	return h
}

// settle decides what starts are counted from, by the first of them.
func (h *header) settle(first int64) {
	switch {
	case h.based >= 0:
		h.base = h.based
	case h.started >= 0 && first < h.started-year:
		h.base = h.started
	}
	sum := h.base + first
	h.absolute = sum >= year || sum < 0 && first > 0 // an overflow is a Problem of each line
}

// time returns the moment of a start; false: it does not fit.
func (h *header) time(start int64) (ingest.Time, bool) {
	sum := start + h.base
	if start > 0 && sum < h.base {
		return 0, false
	}
	if h.absolute {
		return ingest.Time(sum), sum != 0
	}
	return ingest.Relative(time.Duration(sum)), true
}

// read takes what a comment says.
func (h *header) read(line []byte) {
	if v, ok := seconds(line, "StartTime"); ok {
		h.started = v
	} else if v, ok := seconds(line, "BaseTime"); ok {
		h.based = v
	} else if rest, ok := bytes.CutPrefix(line, []byte("#[Logged with ")); ok {
		name, version, _ := bytes.Cut(bytes.TrimSuffix(rest, []byte("]")), []byte(" version "))
		h.tool, h.version = string(name), string(version)
	} else if bytes.HasPrefix(line, []byte("#[Logging for: Intended-")) {
		h.treated = ingest.FromSchedule // YCSB: timed from the moment at which the request was due
	}
}

// comment checks a comment that stands below the first interval: a log that was
// appended to has a header of its own there, which its parts could not all know.
func (h *header) comment(line []byte, at int64) error {
	if at < h.end {
		return nil
	}
	for _, c := range []struct {
		name string
		was  int64
	}{{"StartTime", h.started}, {"BaseTime", h.based}} {
		if v, ok := seconds(line, c.name); ok && v != c.was {
			return fmt.Errorf("another log begins here with a %s of its own: its intervals are dated by the first one's", c.name)
		}
	}
	return nil
}

// seconds reads "#[StartTime: 1441812279.474 (seconds since epoch), …]".
func seconds(line []byte, name string) (int64, bool) {
	rest, ok := bytes.CutPrefix(line, []byte("#["))
	if !ok {
		return 0, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(name+": ")); !ok {
		return 0, false
	}
	rest, _, _ = bytes.Cut(rest, []byte(" "))
	v, _, ok := ingest.ParseDecimal(bytes.TrimSuffix(rest, []byte("]")), 1e9)
	return v, ok && v >= 0
}
