package log

import (
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// counter counts lines by their shape.
type counter struct {
	at    *shapeCount // the last line's
	all   []*shapeCount
	twice int64
}

type shapeCount struct {
	shapeKey
	requests, timed int64
}

// shapeKey is what a line adds to its layout's shape.
type shapeKey struct {
	shape      *ingest.Shape
	wrapper    string
	resolution time.Duration
	zone       ingest.Zone
	stamp      ingest.Stamp
}

func (c *counter) count(e *Entry, stamp ingest.Stamp, wrapper string) {
	k := shapeKey{e.Shape, wrapper, e.Stamp.Resolution, e.Stamp.Zone, stamp}
	if c.at == nil || c.at.shapeKey != k {
		c.find(k)
	}
	c.at.requests++
	if e.Latency >= 0 {
		c.at.timed++
	}
	if e.Stamp.Twice {
		c.twice++
	}
}

func (c *counter) find(k shapeKey) {
	for _, x := range c.all {
		if x.shapeKey == k {
			c.at = x
			return
		}
	}
	c.at = &shapeCount{shapeKey: k}
	c.all = append(c.all, c.at)
}

// report puts the counts into a log's record.
func (c *counter) report(log *ingest.Log) {
	log.Twice = c.twice
	for _, x := range c.all {
		s := *x.shape
		s.Wrapper, s.Resolution, s.Zone, s.Stamp = x.wrapper, x.resolution, x.zone, x.stamp
		s.Requests, s.Timed = x.requests, x.timed
		log.Count(&s)
	}
}
