package log

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest"
)

// Tries is what the fields of a line say about upstream tries: lists with ", "
// between tries and " : " between the groups before and behind an internal
// redirect, as nginx writes them. nil: the line has no such field.
type Tries struct {
	Latency, Status, Peer []byte
	Other                 [2][]byte // further lists, which only count: connect and header times
}

// maxTries is how many tries of one line are kept. nginx stops at
// proxy_next_upstream_tries, or at as many as there are servers.
const maxTries = 256

// next cuts the first element off a list. redirected: another group begins
// behind it. A list that ends, or was never there, gives empty elements.
func next(list []byte) (element, rest []byte, redirected bool) {
	for i := 0; ; i++ {
		j := bytes.IndexByte(list[i:], ' ')
		if j < 0 {
			return list, nil, false
		}
		i += j
		switch {
		case i > 0 && list[i-1] == ',':
			return list[:i-1], list[i+1:], false
		case bytes.HasPrefix(list[i:], []byte(" : ")):
			return list[:i], list[i+3:], true
		}
	}
}

// none reports whether an element says that there is nothing.
func none(element []byte) bool {
	return len(element) == 0 || len(element) == 1 && element[0] == '-'
}

// attempts appends the tries of a line, aligned by the longest list. ok is false
// where a latency is no number of the unit.
func (t *Tries) attempts(attempts []ingest.Attempt, unit Unit, peers *Names) (_ []ingest.Attempt, ok bool) {
	lists := [...][]byte{t.Latency, t.Status, t.Peer, t.Other[0], t.Other[1]}
	redirected := false
	for len(attempts) < maxTries {
		a := ingest.Attempt{Latency: ingest.NoLatency, Redirected: redirected}
		redirected = false
		more, any := false, len(attempts) > 0
		for i, list := range lists {
			if list == nil {
				continue
			}
			element, rest, group := next(list)
			lists[i] = rest
			redirected = redirected || group
			more = more || rest != nil
			if none(element) {
				continue
			}
			any = true
			switch i {
			case 0:
				if a.Latency, ok = unit.read(element); !ok {
					return attempts, false
				}
			case 1:
				a.Status, _ = Status(element)
			case 2:
				a.Peer = peers.Intern(element)
			}
		}
		if any || more {
			attempts = append(attempts, a)
		}
		if !more {
			break
		}
	}
	return attempts, true
}
