// Package log is what the readers of server logs share: lines freed of what
// collectors wrapped around them, time stamps, units, lists of upstream tries,
// outcomes, routes with their ids folded away, and the loop that turns lines
// into records. What one server writes is in a folder of its own, as a Dialect.
//
// A unit is known from, in this order: the value itself ("42ms"); the user; the
// name of its field (KeyUnit); the server, which has no other; redundancy, other
// fields of the same line that contradict every other unit; the order of the
// lines (Order). Otherwise it is not known, and the shape says what was assumed
// and what else would fit. How large a number is says nothing of its unit.
//
// A dialect whose lines are cut up by literal text compiles its server's format
// strings to Patterns (--log-format, and formats that it knows), and looks at
// lines in the common log format with CLF; Object walks JSON. Builder makes an
// Entry of the Fields that any of them finds.
//
// One rule keeps every part of an input readable apart from the others: what a
// line says depends on the line, on the first lines of the input (which all
// parts are given) and on the options. What is remembered from line to line
// (the last second, names, the shape that fitted last) only saves time.
package log

import (
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Dialect is how one kind of server writes its log: what a reader of logs has
// of its own. Format makes an ingest.Format of it.
type Dialect struct {
	Name, Doc string // as in ingest.Format

	// Yields says what lines are: KindSample, KindPause or both; 0: samples.
	Yields ingest.Kinds

	// General is set where lines tell no particular server: the dialect is asked
	// only about inputs that no other claims.
	General bool
	of      []Dialect // it is Mixed of these

	// Whole is set where what a line says depends on lines before it: inputs are
	// read in one part, and a Reader may keep what it saw. See Ender.
	Whole bool

	// Speaks reports whether a --log-format string is in the language of this
	// server's configuration; nil: it has none.
	Speaks func(logFormat string) bool

	// Claims tells whose a line is. It is pure, and stricter than reading: of
	// each line at most one dialect says Own.
	Claims func(line []byte) Claim

	// Header returns, for a line that says how those below it are written, what
	// tells whether a line is written so: such lines are the server's, although
	// Claims cannot know it of one alone. nil: the line is no such header. Header
	// itself may be nil.
	Header func(line []byte) func(line []byte) bool

	// Knows tells whose an input is by its first lines together, where most of them
	// say nothing alone: entries of several lines. It decides instead of Claims, and
	// is as strict; nil: Claims decides.
	Knows func(lines [][]byte) bool

	// Near tells how a line that nobody claims misses the dialect, or ""; it may
	// be nil.
	Near func(line []byte) string

	// Learn looks at the first lines of an input, up to ingest.HeadSize bytes of
	// them, and at the options, and returns what makes readers of its parts.
	Learn func(head [][]byte, opt ingest.Options) (func() Reader, error)
}

// Claim tells whose a line is.
type Claim uint8

// Claims.
const (
	Foreign Claim = iota // another program's, or nobody's
	Own                  // a request of this server
	Aside                // what this server says beside its requests: a notice, an error, a header
)

// Reader reads the lines of a part of an input. It is used by one goroutine.
type Reader interface {
	// Read reads a line, without what collectors wrapped around it, into e, which
	// is as Reset left it. ErrIgnore: the line is none to be read. Another error: why
	// it is not read; such errors are constants, the line is shown beside them.
	Read(line []byte, e *Entry) error
}

// Ender is a Reader of a Whole dialect whose entries have several lines. End is
// called behind the last line, and gives the entry that it ended, or ErrIgnore;
// again after an entry with More.
// The place of an entry of several lines is that of its first: the Reader sets
// Pos, which must not go back.
type Ender interface {
	End(e *Entry) error
}

// ErrIgnore is what Read returns for lines that say nothing and miss nothing:
// comments, headers.
var ErrIgnore = errors.New("nothing to read")

// Reasons why lines are not read.
var (
	ErrNoStamp   = errors.New("no time stamp in brackets")
	ErrStamp     = errors.New("a time stamp of an unknown layout or zone")
	ErrNoRequest = errors.New("no request in quotes")
	ErrStatus    = errors.New("no status")
	ErrLatency   = errors.New("a latency that is no number")
	ErrGlued     = errors.New("two lines run together")
	ErrLong      = errors.New("more fields than any log has")
	ErrFormat    = errors.New("not of the format given")
	ErrJSON      = errors.New("broken JSON")
	ErrOther     = errors.New("no request")
)

// Entry is what a line says: the sample, and what stamps it.
type Entry struct {
	ingest.Sample

	// Stamp is the time stamp of the line. Start (or End) of the sample follow
	// from it, unless the dialect has set Start itself. A stamp of ZoneNone has no
	// date: it counts from the start of a process (ingest.Relative).
	Stamp Moment

	// Shape says how the line is written. Its Wrapper, Resolution, Zone and
	// counts are filled in elsewhere. Few shapes are shared by all lines.
	Shape *ingest.Shape

	// Pause is set where the line tells of a time in which the server did nothing
	// for anybody, and not of a request: what is yielded is an ingest.Pause of Op,
	// Start and Latency. All is as in ingest.Pause.
	Pause, All bool

	// More is set where the line holds another entry: Read is called again with
	// the same line.
	More bool
}

// Reset makes e ready for a line: nothing known, no latency, an outcome that is OK.
func (e *Entry) Reset(pos ingest.Pos) {
	attempts := e.Attempts[:0]
	*e = Entry{}
	e.Pos, e.Latency, e.Attempts = pos, ingest.NoLatency, attempts
}

// Moment is a time stamp that was read.
type Moment struct {
	Time       ingest.Time   // zero: none
	Resolution time.Duration // one unit of the last digit
	Zone       ingest.Zone
	Twice      bool  // there were two moments with this reading of the clock; Time is the first
	Again      int32 // how many seconds later the second was; 0: there was none
}
