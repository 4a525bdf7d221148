package apache

import (
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// compile makes a known format of a LogFormat.
func compile(s string, from ingest.Fact, opt ingest.Options) (log.Known, error) {
	f, err := log.ParseLogFormat(s, nil)
	if err != nil {
		return log.Known{}, err
	}
	if f.Scale.Size != 0 {
		f.Scale.From = from
	}
	return f.Compile(ingest.Shape{Clock: clock, Stamp: ingest.StampStart}, ingest.Server, opt)
}

// known are formats that say their unit in words.
var known = []log.Known{
	must(`%v %h %l %u %t (%T s) "%r" %>s %b "%{Referer}i" "%{User-agent}i"`), // Gandi's
}

func must(s string) log.Known {
	k, err := compile(s, ingest.UnitFromFormat, ingest.Options{})
	if err != nil {
		panic(err)
	}
	k.Layout.Shape.UnitFrom = ingest.UnitFromValue
	return k
}
