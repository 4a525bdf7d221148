package redisslot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// MaxInput is the longest listing that is read, in bytes. A cluster of 1 000
// nodes with its slots in ten pieces each is about 300 KB.
const MaxInput = 16 << 20

// Parse reads who serves which slot from any of the forms that Redis gives:
// CLUSTER NODES or a nodes.conf file, CLUSTER SLOTS as redis-cli prints it to a
// terminal, into a pipe, or with --json, and CLUSTER SHARDS in the same forms;
// else as ParseRanges does.
func Parse(text []byte) (*Cluster, error) {
	if len(text) > MaxInput {
		return nil, fmt.Errorf("a listing of %d bytes: want at most %d", len(text), MaxInput)
	}
	text = bytes.TrimSpace(text)
	line, _, more := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	switch {
	case len(text) == 0:
		return nil, fmt.Errorf("no slots: want the output of CLUSTER NODES or CLUSTER SLOTS, or ranges such as 0-5460,5461-10922,10923-16383")
	case text[0] == '[' || bytes.HasPrefix(text, []byte("1) 1)")) || more && isNumber(fields) || more && len(fields) == 1 && string(fields[0]) == "slots":
		return ParseSlots(text)
	case len(fields) >= 8 || more && bytes.HasPrefix(line, []byte("vars ")):
		return ParseNodes(text)
	}
	return ParseRanges(string(text))
}

func isNumber(fields [][]byte) bool {
	if len(fields) != 1 {
		return false
	}
	_, err := strconv.Atoi(string(fields[0]))
	return err == nil
}

// ParseNodes reads the output of CLUSTER NODES, or a nodes.conf file: lines of
// id, address, flags, primary, ping, pong, epoch, link state, and slots. Slots
// that are being moved ([93->-id]) belong to who serves them now.
func ParseNodes(text []byte) (*Cluster, error) {
	if len(text) > MaxInput {
		return nil, fmt.Errorf("a listing of %d bytes: want at most %d", len(text), MaxInput)
	}
	var list []Primary
	number := 0
	for line := range bytes.Lines(text) {
		number++
		fields := strings.Fields(strings.Trim(strings.TrimSpace(string(line)), `"`))
		if len(fields) == 0 || fields[0] == "vars" {
			continue
		}
		if len(fields) < 8 {
			return nil, fmt.Errorf("line %d: want id, address, flags, primary, ping, pong, epoch, link and slots, got %q", number, clip(string(line)))
		}
		if !hasFlag(fields[2], "master") {
			continue
		}
		p := Primary{Name: address(fields[1]), ID: fields[0]}
		for _, f := range fields[8:] {
			if f[0] == '[' {
				continue
			}
			r, err := parseRange(f)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			p.Ranges = append(p.Ranges, r)
		}
		list = append(list, p)
	}
	return New(list)
}

func hasFlag(flags, want string) bool {
	for f := range strings.SplitSeq(flags, ",") {
		if f == want {
			return true
		}
	}
	return false
}

// address returns host:port of ip:port@busport,hostname,….
func address(text string) string {
	if i := strings.IndexAny(text, "@,"); i >= 0 {
		return text[:i]
	}
	return text
}

// ParseSlots reads the output of CLUSTER SLOTS, or of CLUSTER SHARDS, as
// redis-cli prints it.
func ParseSlots(text []byte) (*Cluster, error) {
	if len(text) > MaxInput {
		return nil, fmt.Errorf("a listing of %d bytes: want at most %d", len(text), MaxInput)
	}
	text = bytes.TrimSpace(text)
	var w []value
	var err error
	if len(text) > 0 && text[0] == '[' {
		w, err = jsonWords(text)
	} else {
		w, err = textWords(text)
	}
	if err != nil {
		return nil, err
	}
	if len(w) > 0 && !w[0].number && w[0].text == "slots" {
		return shards(w)
	}
	return slotRanges(w)
}

// value is one value of a reply whose nesting was forgotten: it is not needed,
// since a range is two numbers, and a node is a text and a number.
type value struct {
	text   string
	number bool
}

// textWords reads the form with indices and quotes, and the bare form.
func textWords(text []byte) ([]value, error) {
	var out []value
	for line := range bytes.Lines(text) {
		t := strings.TrimSpace(string(line))
		for { // "1) 1) (integer) 0"
			i := strings.Index(t, ") ")
			if i <= 0 {
				break
			}
			if _, err := strconv.ParseUint(t[:i], 10, 32); err != nil {
				break
			}
			t = strings.TrimSpace(t[i+2:])
		}
		switch {
		case t == "" || strings.HasPrefix(t, "(empty"):
			continue
		case strings.HasPrefix(t, "(error)"):
			return nil, fmt.Errorf("the server's answer is an error: %s", clip(strings.TrimSpace(t[len("(error)"):])))
		case strings.HasPrefix(t, "(integer)"):
			out = append(out, value{strings.TrimSpace(t[len("(integer)"):]), true})
		case t[0] == '"':
			s, err := strconv.Unquote(t)
			if err != nil {
				s = strings.Trim(t, `"`)
			}
			out = append(out, value{s, false})
		default:
			_, err := strconv.ParseUint(t, 10, 32)
			out = append(out, value{t, err == nil})
		}
	}
	return out, nil
}

func jsonWords(text []byte) ([]value, error) {
	var out []value
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for depth := 0; ; {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("slots as JSON: %w", err)
		}
		switch v := t.(type) {
		case json.Delim:
			if v == '[' || v == '{' {
				if depth++; depth > 8 {
					return nil, fmt.Errorf("slots as JSON: nested more than 8 deep")
				}
			} else if depth--; depth == 0 {
				return out, nil
			}
		case json.Number:
			out = append(out, value{v.String(), true})
		case string:
			out = append(out, value{v, false})
		case nil: // an address that is not known
			out = append(out, value{"", false})
		}
	}
}

// slotRanges reads [first, last, node, node, …]…, each node a host, a port, an
// id (since Redis 4) and optional pairs of texts (since 7). The first node of a
// range is its primary. How many numbers follow on a text tells what it was:
// one is its port, two are the next range, three are a port and the next range.
func slotRanges(w []value) (*Cluster, error) {
	var list []Primary
	index := map[[2]string]int{}
	for i := 0; i < len(w); {
		if numbers(w[i:]) != 2 || i+2 == len(w) {
			return nil, fmt.Errorf("slots: want first slot, last slot and host at value %d, got %q", i+1, clip(w[i].text))
		}
		r, err := parseRange(w[i].text + "-" + w[i+1].text)
		if err != nil {
			return nil, err
		}
		host := w[i+2].text
		n := numbers(w[i+3:])
		if n != 1 && n != 3 {
			return nil, fmt.Errorf("slots: want a port after %q", clip(host))
		}
		p := Primary{Name: host + ":" + w[i+3].text, Ranges: []Range{r}}
		i += 4
		if n == 1 && i < len(w) && numbers(w[i+1:])%2 == 0 { // else a replica: an old server
			p.ID = w[i].text
		}
		if n == 1 { // skip to the next range
			for ; i < len(w); i++ {
				if n := numbers(w[i:]); n >= 2 {
					i += n - 2
					break
				}
			}
		}
		key := [2]string{p.Name, p.ID}
		if at, ok := index[key]; ok {
			list[at].Ranges = append(list[at].Ranges, r)
			continue
		}
		index[key] = len(list)
		list = append(list, p)
	}
	return New(list)
}

// numbers returns how many of the next words are numbers, 4 for more than 3.
func numbers(w []value) int {
	for n := range min(len(w), 4) {
		if !w[n].number {
			return n
		}
	}
	return min(len(w), 4)
}
