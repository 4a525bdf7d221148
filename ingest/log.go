package ingest

import (
	"cmp"
	"slices"
	"time"
)

// NoLatency is the latency of a sample whose input does not give one.
const NoLatency time.Duration = -1

// Log is what a log says about its own lines. A reader of logs yields one for
// each part of an input that it reads, as the last record; Merge adds them up.
// Requests, lines that were not read, tries and the range of times are not in
// it: they follow from the samples and problems.
type Log struct {
	Pos
	Lines  int64   // lines, blank ones and comments too
	Twice  int64   // stamps without an offset, in an hour that their zone has twice (summer time ends): read as the first of the two
	Shapes []Shape // ways in which the lines that were read are written, in the order of Compare
}

// Shape is one way in which lines of a log are written, and how many there are.
type Shape struct {
	Layout  string // the server's own format string, or the kind of line: "JSON", "LTSV"
	Wrapper string // what stands around each line: "docker json-file"; empty: nothing

	Unit     time.Duration // in which the lines give latencies; 0: not known, or there are none
	UnitFrom Fact          // how the unit is known, one of the Unit… facts; empty: it is not
	Assumed  time.Duration // the unit as which latencies were read although it is not known: to be shown beside Others, never judged; 0: the unit is known
	Other    time.Duration // another unit that would explain the lines as well as Assumed; 0: none
	Step     time.Duration // the smallest difference between two latencies, cut and not rounded below it; 0: not known
	Clock    string        // where the clock of a latency starts: "first byte of the request read"; empty: there are no latencies

	Stamp      Stamp
	Resolution time.Duration // of the stamps; 0: there are none
	Zone       Zone

	Requests int64 // lines
	Timed    int64 // of Requests: those that give a latency
}

// Stamp says which end of a request the time stamp of its line is.
type Stamp uint8

// Stamps.
const (
	StampNone Stamp = iota
	StampStart
	StampEnd
)

func (s Stamp) String() string { return [...]string{"none", "start", "end"}[s] }

// Zone says how time stamps of a log became moments.
type Zone uint8

// Zones. ZoneUnknown stamps have no offset, and nobody said in which zone they
// are: they were read as UTC.
const (
	ZoneNone    Zone = iota // no stamps
	ZoneStated              // offset or name of the zone in the stamp
	ZoneUTC                 // UTC by definition: seconds since the epoch
	ZoneGiven               // Options.Zone
	ZoneUnknown             // read as UTC
)

func (z Zone) String() string {
	return [...]string{"none", "in the stamps", "UTC", "--tz", "unknown, read as UTC"}[z]
}

// How the unit of latencies is known.
const (
	UnitFromValue      Fact = "value"      // written beside each: "42ms"
	UnitFromKey        Fact = "key"        // in the name of the field: duration_ms
	UnitFromFormat     Fact = "format"     // the server has no other, or its format string says so
	UnitFromRedundancy Fact = "redundancy" // another field, or the order of the lines, contradicts every other unit
	UnitFromFlag       Fact = "flag"       // Options.Unit
)

// Compare orders shapes by all that they say except for their counts.
func (s *Shape) Compare(t *Shape) int {
	return cmp.Or(
		cmp.Compare(s.Layout, t.Layout), cmp.Compare(s.Wrapper, t.Wrapper),
		cmp.Compare(s.Unit, t.Unit), cmp.Compare(s.UnitFrom, t.UnitFrom),
		cmp.Compare(s.Assumed, t.Assumed), cmp.Compare(s.Other, t.Other), cmp.Compare(s.Step, t.Step), cmp.Compare(s.Clock, t.Clock),
		cmp.Compare(s.Stamp, t.Stamp), cmp.Compare(s.Resolution, t.Resolution), cmp.Compare(s.Zone, t.Zone),
	)
}

// Count adds the counts of s to those of the shape that says the same.
func (l *Log) Count(s *Shape) {
	i, found := slices.BinarySearchFunc(l.Shapes, s, func(a Shape, b *Shape) int { return a.Compare(b) })
	if !found {
		l.Shapes = slices.Insert(l.Shapes, i, *s)
		return
	}
	l.Shapes[i].Requests += s.Requests
	l.Shapes[i].Timed += s.Timed
}

// Merge adds what o counted.
func (l *Log) Merge(o *Log) {
	l.Lines += o.Lines
	l.Twice += o.Twice
	for i := range o.Shapes {
		l.Count(&o.Shapes[i])
	}
}

// UpstreamTries returns how many upstream tries the line of a sample tells of.
func (s *Sample) UpstreamTries() int {
	return max(len(s.Attempts), int(s.Tries))
}

// Retries returns how many upstream tries repeat the try before them. The first
// after an internal redirect does not: it is a request of its own.
func (s *Sample) Retries() int {
	n := s.UpstreamTries() - 1
	for i := range s.Attempts {
		if i > 0 && s.Attempts[i].Redirected {
			n--
		}
	}
	return max(0, n)
}
