package storm

import (
	"strings"

	"github.com/tailcheck/tailcheck/ingest"
)

// noItem reports whether a call to a store is none for an item of a list.
func noItem(s *ingest.Span) bool {
	d := s.Store
	if d == nil {
		return false
	}
	if redisLike(d.System) {
		return commands[d.Op] == queueCommand || d.Keys > 1
	}
	switch d.Op {
	case "BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET", "SHOW":
		return true
	case "SELECT":
		if d.Template == "SELECT ?" || d.Template == "select ?" { // is the connection alive?
			return true
		}
	}
	return d.Keys > 1 || listOfValues(d.Statement)
}

// listOfValues reports whether a statement asks for several values at once:
// "… IN (?, ?)".
func listOfValues(q string) bool {
	for len(q) > 0 {
		i := strings.IndexByte(q, '(')
		if i < 0 {
			return false
		}
		before, after := strings.TrimRight(q[:i], " "), q[i+1:]
		if n := len(before); n > 3 && strings.EqualFold(before[n-3:], " in") {
			end := strings.IndexByte(after, ')')
			if end < 0 {
				end = len(after)
			}
			if strings.IndexByte(after[:end], ',') >= 0 {
				return true
			}
		}
		q = after
	}
	return false
}

// hidden reports whether a command shows no key: what it asks for may be
// something else every time.
func hidden(s *ingest.Span) bool {
	if s.Store == nil || !redisLike(s.Store.System) {
		return false
	}
	keys, _ := visibleKeys(nil, s.Store)
	return len(keys) == 0
}

// keyed reports whether a store sends a call where its key is: many servers do
// not make a scatter.
func keyed(s *ingest.Span) bool {
	return s.Store != nil && (redisLike(s.Store.System) || s.Store.System == "memcached")
}
