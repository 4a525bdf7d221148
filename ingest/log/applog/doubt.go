package applog

import (
	"strconv"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// doubtLines is how many requests of the first lines are asked.
const doubtLines = 256

// doubtful reports whether most of the whole numbers that slog or logrus wrote in
// the first lines of an input would be below 1 µs, were they a time.Duration: no
// request is answered in that. They are an application's own numbers then, of
// milliseconds mostly (took.Milliseconds()), and nothing tells their unit.
func doubtful(head [][]byte) bool {
	r := newReader(ingest.Options{})
	asked, below := 0, 0
	for _, line := range head {
		if len(line) == 0 || line[0] != '{' || asked == doubtLines {
			continue
		}
		var e log.Entry
		e.Reset(ingest.Pos{})
		if r.json(line, &e) != nil || r.facts.unit != 0 || r.facts.explicit {
			continue
		}
		if k := r.facts.kind(); k != slogJSON && k != logrusJSON {
			continue
		}
		if n, err := strconv.ParseInt(string(r.facts.v[latency]), 10, 64); err == nil {
			asked++
			if n < 1000 {
				below++
			}
		}
	}
	return 2*below > asked
}
