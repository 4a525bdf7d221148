package applog

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// text is the reading of a line of text.
type text struct {
	line      []byte
	at        int
	words     int    // words that were passed
	pairs     int    // of them key=value
	before    []byte // the word before
	from      int    // where the message begins: behind the level
	to        int    // where it ends: at the latency, at members; 0: at the end
	verb      []byte // a method without a target behind it: that may stand further on
	behind    int    // words behind the target, or that method; 0: there is none yet
	did       bool   // a word tells of something done: loaded, completed
	candidate []byte // a number with a unit that no word explains
	several   bool   // there are more of those
}

// words takes note of what a line of text says, and returns which logger wrote it.
func (r *reader) words(line []byte) kind {
	f := &r.facts
	if bytes.HasPrefix(line, []byte("[GIN] ")) && r.gin(line) {
		r.spoke = true
		return gin
	}
	n := 0
	f.v[stamp], n = leadingStamp(line)
	k := console
	t := text{line: line, at: n, from: n}
	for t.next() {
		end := t.end()
		word := t.line[t.at:end]
		switch c := word[0]; {
		case c == '{' && line[len(line)-1] == '}' && t.words > 0:
			t.stop()
			if bytes.IndexByte(line[:t.at], '\t') > 0 {
				k = zapConsole
			}
			r.walk(line[t.at:])
			end = len(line)
		case c|0x20-'a' < 26 && pairLength(word) > 0:
			if t.words == 0 && n == 0 {
				k = logfmt
			}
			end = r.pair(&t, pairLength(word))
		case c == '[' && len(word) > 12 && word[3] == '/' && f.v[stamp] == nil && len(line)-t.at > 28 && line[t.at+27] == ']':
			f.v[stamp] = line[t.at+1 : t.at+27]
			end = t.at + 28
		case f.v[level] == nil && t.words < 6 && isLevel(word):
			f.v[level] = bytes.Trim(word, "[]:|")
			t.from = end
			if n > 0 && t.words == 0 && len(f.v[level]) == 3 && string(f.v[level]) != "ERR" {
				k = zerologConsole
			} else if n > 0 && t.words == 0 && string(f.v[level]) == "ERR" && k == console && line[n] == ' ' {
				k = zerologConsole
			}
		case f.v[method] == nil && isVerb(word):
			end = t.request(f, end)
		case c == '/' && f.v[method] == nil && t.verb != nil && t.behind < maxApart:
			f.v[method], f.v[target] = t.verb, bytes.TrimRight(word, `"'])},;:`)
		default:
			end = t.plain(f, word, end)
		}
		t.words++
		if t.behind > 0 {
			t.behind++
		}
		t.before = word
		t.at = end
	}
	if f.v[latency] == nil && t.candidate != nil && !t.several && f.v[method] != nil {
		t.took(f, t.candidate)
	}
	if t.to == 0 {
		t.to = len(line)
	}
	if t.to > t.from {
		f.wordsFrom = bytes.TrimSpace(line[t.from:t.to])
		if i := bytes.LastIndexByte(f.wordsFrom, '\t'); i >= 0 {
			f.wordsFrom = f.wordsFrom[i+1:] // behind logger and caller
		}
	}
	r.spoke = r.spoke || f.v[level] != nil && (n > 0 || k == logfmt || t.from > 0 && t.from < 12)
	return k
}

// maxApart is how many words may stand between a method and its target, as in
// "GET 200 260.403 ms 2048 kB 15.36% /list" of PHP-FPM.
const maxApart = 10

// next goes to the next word.
func (t *text) next() bool {
	for t.at < len(t.line) && (t.line[t.at] == ' ' || t.line[t.at] == '\t') {
		t.at++
	}
	return t.at < len(t.line)
}

// end returns where the word ends.
func (t *text) end() int {
	i := t.at
	for i < len(t.line) && t.line[i] != ' ' && t.line[i] != '\t' {
		i++
	}
	return i
}

// stop ends the message at this word.
func (t *text) stop() {
	if t.to == 0 {
		t.to = t.at
	}
}

// took takes note of a latency in words.
func (t *text) took(f *facts, value []byte) {
	m := meaning{role: latency}
	last := value
	if i := bytes.LastIndexByte(value, ' '); i >= 0 {
		last = value[i+1:]
	}
	if bytes.HasPrefix(last, []byte("milli")) {
		value, m.unit = value[:len(value)-len(last)-1], time.Millisecond
	}
	f.putLatency(m, value, 1)
}

// request reads a method and the target behind it, and returns where they end.
func (t *text) request(f *facts, end int) int {
	i := end
	for i < len(t.line) && (t.line[i] == ' ' || t.line[i] == '"') {
		i++
	}
	rest := t.line[i:]
	if !isTarget(rest) {
		t.verb, t.behind = bytes.Trim(t.line[t.at:end], `"'[(`), 1
		return end
	}
	n := bytes.IndexAny(rest, " \t\"")
	if n < 0 {
		n = len(rest)
	}
	f.v[method] = bytes.Trim(t.line[t.at:end], `"'[(`)
	f.v[target] = bytes.TrimRight(rest[:n], "'])},;:")
	t.behind = 1
	return i + n
}

// plain reads any other word, and returns where what it says ends.
func (t *text) plain(f *facts, word []byte, end int) int {
	switch lower := bytes.TrimRight(word, ":=,"); {
	case isTimeWord(lower) || string(lower) == "in" && t.counts(f):
		if value, n := quantity(t.line[end:]); n > 0 {
			t.stop()
			t.took(f, value)
			f.took = f.took || string(word) == "took"
			return end + n
		}
		if f.v[method] != nil && string(lower) != "in" {
			if n := number(t.line[end:]); n > 0 && f.v[latency] == nil {
				t.stop()
				f.putLatency(meaning{role: latency}, bytes.TrimLeft(t.line[end:end+n], " "), 1)
				return end + n
			}
		}
	case word[0]-'0' <= 9, word[0] == '(' && len(word) > 3 && word[1]-'0' <= 9:
		if value, n := quantity(t.line[t.at:]); n > 0 {
			t.several = t.candidate != nil
			t.candidate = value
			return t.at + n
		}
		if w := bytes.Trim(word, `,;:"|()]`); t.behind > 0 && t.behind < 5 && f.v[status] == nil && len(w) == 3 && w[0]-'1' < 5 {
			f.v[status] = w
		}
	case bytes.HasSuffix(lower, []byte("ed")) && !stillToCome[string(lower)]:
		t.did = true
	}
	return end
}

// counts reports whether "in" is followed by how long something took, and not by
// when it will be: something was requested or done, and the word before is none
// of waiting.
func (t *text) counts(f *facts) bool {
	if f.v[method] != nil {
		return true
	}
	return t.did && !bytes.HasSuffix(t.before, []byte("ing")) && !stillToCome[string(t.before)]
}

var stillToCome = map[string]bool{
	"again": true, "expires": true, "due": true, "starts": true, "timeout": true, "retry": true, "started": true, "Started": true, "scheduled": true, "Scheduled": true, "delayed": true,
	"reconnect": true, "wait": true, "try": true, "failed": true, "Failed": true,
}

func isTimeWord(w []byte) bool {
	switch string(w) {
	case "took", "Took", "elapsed", "Elapsed", "duration", "Duration", "latency", "Latency", "time", "Time", "spent", "cost":
		return true
	}
	return false
}

// pair reads key=value or key="value", and returns where it ends.
func (r *reader) pair(t *text, n int) int {
	key := t.line[t.at : t.at+n]
	from := t.at + n + 1
	m := r.pairKeys.At(t.pairs, key)
	t.pairs++
	t.stop()
	end := from
	var value []byte
	if from < len(t.line) && t.line[from] == '"' {
		end++
		for end < len(t.line) && t.line[end] != '"' {
			if t.line[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(t.line) {
			return len(t.line) // cut off
		}
		value = t.line[from+1 : end]
		end++
		if m.role != skip && bytes.IndexByte(value, '\\') >= 0 {
			at := len(r.text)
			r.text = log.Unescape(r.text, value)
			value = r.text[at:]
		}
	} else {
		for end < len(t.line) && t.line[end] != ' ' && t.line[end] != '\t' {
			end++
		}
		value = t.line[from:end]
		if m.role != target {
			value = bytes.TrimRight(value, ",;)]")
		}
	}
	r.facts.put(m, key, value, true, 1)
	return end
}

// gin reads a line of gin's own logger:
//
//	[GIN] 2026/11/29 - 21:16:22 | 200 |    9.220019ms |    203.0.113.9 | GET      "/a/17"
func (r *reader) gin(line []byte) bool {
	f := &r.facts
	var part [5][]byte
	rest := line[len("[GIN] "):]
	for i := range part {
		var more bool
		part[i], rest, more = bytes.Cut(rest, []byte("|"))
		part[i] = bytes.TrimSpace(part[i])
		if !more && i < 4 {
			return false
		}
	}
	day, at, ok := bytes.Cut(part[0], []byte(" - "))
	verb, path, quoted := bytes.Cut(part[4], []byte(" "))
	if !ok || !quoted {
		return false
	}
	r.stamp = append(append(append(r.stamp[:0], day...), ' '), at...)
	f.v[stamp], f.v[status], f.v[method] = r.stamp, part[1], verb
	f.v[target] = bytes.Trim(path, ` "`)
	if len(part[2]) > 0 {
		f.putLatency(meaning{role: latency}, part[2], 1)
	}
	return true
}
