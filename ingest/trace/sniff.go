package trace

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Members are the names in an object, in their order.
type Members []string

// Has reports whether all of some names are there.
func (m Members) Has(names ...string) bool {
	for _, n := range names {
		if !slices.Contains(m, n) {
			return false
		}
	}
	return true
}

// maxStarts is how many lines of a head are tried as the start of JSON.
const maxStarts = 16

// Objects looks at the objects in the JSON documents that the head of an input
// holds, among other lines or not, until found says yes to one, and reports
// whether it did. It is asked about inner objects first, and about those that
// the head cuts off by the members that are left.
func Objects(head []byte, found func(Members) bool) bool {
	at := 0
	for range maxStarts {
		start := documentStart(head[at:])
		if start < 0 {
			return false
		}
		at += start
		n, yes := objects(head[at:], found)
		if yes {
			return true
		}
		at += max(n, 1)
	}
	return false
}

// documentStart returns where a document may start: at the first byte that is
// no space, or at a line that begins with a bracket.
func documentStart(b []byte) int {
	t := bytes.TrimLeft(b, " \t\r\n\x1e")
	if len(t) > 0 && (t[0] == '{' || t[0] == '[') {
		return len(b) - len(t)
	}
	for i := 0; ; i++ {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1
		}
		if i += n; i+1 < len(b) && (b[i+1] == '{' || b[i+1] == '[') {
			return i + 1
		}
	}
}

// container is an object or array that is open. An object's names and values
// come in turn.
type container struct {
	object, value bool
	members       Members
}

// objects looks at the documents from the first byte on, up to what is no JSON,
// and returns how far it came.
func objects(b []byte, found func(Members) bool) (int, bool) {
	dec := json.NewDecoder(bytes.NewReader(b))
	var stack []container
	for {
		t, err := dec.Token()
		if err != nil {
			break
		}
		top := len(stack) - 1
		if name, ok := t.(string); ok && top >= 0 && stack[top].object && !stack[top].value {
			stack[top].members = append(stack[top].members, name)
			stack[top].value = true
			continue
		}
		if top >= 0 {
			stack[top].value = false
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			stack = append(stack, container{object: t == json.Delim('{')})
		case json.Delim('}'), json.Delim(']'):
			if c := stack[top]; c.object && found(c.members) {
				return 0, true
			}
			stack = stack[:top]
		}
	}
	for _, c := range slices.Backward(stack) {
		if c.object && found(c.members) {
			return 0, true
		}
	}
	return int(dec.InputOffset()), false
}
