// Package mysql reads the slow query logs of MySQL, MariaDB and Percona Server.
package mysql

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is the format of slow query logs.
var Dialect = log.Dialect{
	Name:   "mysql-slow",
	Yields: ingest.KindPause,
	Whole:  true,
	Doc: `Slow queries of MySQL, MariaDB and Percona Server (slow query log)

    [mysqld]
    slow_query_log      = 1
    slow_query_log_file = /var/log/mysql/slow.log
    long_query_time     = 0.1

An entry becomes a pause, of Query_time seconds: the time in the server from the
parsing on, waits for locks (Lock_time) included, which are not told apart. Waits
for a connection and the network are not in it. It held up its own client, and
whoever waited for its locks.

Operations are the verb and the first table ("UPDATE orders").

Time stamps. With a "# Time:" in ISO 8601 on each entry (MySQL 5.7 and later),
that is the end, to the microsecond. Before, and in MariaDB, "# Time:" is only
written when the second changes, without a zone, so "SET timestamp" is taken where
there is one, seconds since the epoch: the start in MariaDB, the end in MySQL. The
banner tells them apart, MariaDB's QC_hit, or an entry of two seconds and more
that has both. The zone of local stamps follows from entries that have both, else
--tz gives it. An entry without any is a pause without a start.`,
	Claims: claims,
	Knows: func(lines [][]byte) bool {
		begun := false
		for i, line := range lines {
			begun = begun || i < 8 && (begins(line) || isBanner(line))
			if begun && claims(line) == log.Own {
				return true
			}
		}
		return false
	},
	Learn: func(lines [][]byte, opt ingest.Options) (func() log.Reader, error) {
		shapes := newShapes(opt)
		offset, known := offsetOf(lines)
		return func() log.Reader {
			return &reader{
				shapes: shapes, statements: log.Statements{Backslash: true},
				clock: log.Clock{Zone: opt.Zone}, given: opt.Zone != nil, offset: offset, zoned: known,
			}
		}, nil
	},
}

// Format is Dialect as a format.
var Format = Dialect.Format()

var errCut = errors.New("a slow query without its Query_time")

// shapes are those of entries: stamped with the end or the start, times in
// fractions of seconds or in whole ones.
type shapes [2][2]ingest.Shape

func newShapes(opt ingest.Options) *shapes {
	var all shapes
	for i, stamp := range []ingest.Stamp{ingest.StampEnd, ingest.StampStart} {
		for j, step := range []time.Duration{0, time.Second} {
			s := ingest.Shape{
				Layout: "slow query log", Unit: time.Second, UnitFrom: ingest.UnitFromFormat, Step: step,
				Clock: "the server parses the query", Stamp: stamp,
			}
			if opt.Unit != 0 {
				s.Unit, s.UnitFrom, s.Step = opt.Unit, ingest.UnitFromFlag, 0
			}
			all[i][j] = s
		}
	}
	return &all
}

// Beginnings of lines.
var (
	timeMark  = []byte("# Time: ")
	userMark  = []byte("# User@Host: ")
	queryMark = []byte("# Query_time: ")
	adminMark = []byte("# administrator command: ")
)

// begins reports the first line of an entry.
func begins(line []byte) bool {
	return bytes.HasPrefix(line, userMark) || bytes.HasPrefix(line, timeMark) && len(line) > len(timeMark) && line[len(timeMark)]-'0' <= 9
}

// isBanner reports a line of the three that the server writes when it opens its
// log.
func isBanner(line []byte) bool {
	return bytes.HasSuffix(line, []byte(". started with:")) && bytes.Contains(line, []byte(", Version: ")) ||
		bytes.HasPrefix(line, []byte("Tcp port: ")) || bytes.HasPrefix(line, []byte("TCP Port: ")) ||
		bytes.HasPrefix(line, []byte("Time")) && bytes.Contains(line, []byte("Id Command")) && bytes.HasSuffix(line, []byte("Argument"))
}

func claims(line []byte) log.Claim {
	switch {
	case bytes.HasPrefix(line, queryMark):
		if rest := line[len(queryMark):]; len(rest) > 0 && rest[0]-'0' <= 9 && bytes.Contains(rest, []byte("Lock_time: ")) {
			return log.Own
		}
	case begins(line), isBanner(line), bytes.HasPrefix(line, []byte("# ")), bytes.HasPrefix(line, []byte("SET timestamp=")):
		return log.Aside
	}
	return log.Foreign
}
