package log

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// plainMatch is what Match does, without what makes it fast: usual lengths, words
// compared at once, one byte searched for instead of the literal.
func plainMatch(p *Pattern, line []byte, f *Fields) bool {
	rest, ok := bytes.CutPrefix(line, p.lead)
	if !ok {
		return false
	}
	for i := range p.steps {
		s := &p.steps[i]
		if i == len(p.steps)-1 {
			value, ok := bytes.CutSuffix(rest, s.stop)
			f[s.role] = value
			switch {
			case !ok:
				return false
			case len(s.stop) == 0:
				return s.list || bytes.Count(value, []byte(" ")) == s.in
			case s.stop[0] == '"' && s.role != Skip:
				return !bytes.Contains(value, []byte(`"`))
			}
			return true
		}
		n := plainEnd(s, rest)
		if n < 0 {
			return false
		}
		f[s.role] = rest[:n]
		rest = rest[n+len(s.stop):]
	}
	return true
}

// plainEnd returns where a field ends, place by place.
func plainEnd(s *step, b []byte) int {
	bare := false
	for at := 0; at+len(s.stop) <= len(b); at++ {
		if s.stop[0] == ' ' && bytes.Count(b[:at], []byte(" ")) < s.in {
			continue
		}
		if !bytes.HasPrefix(b[at:], s.stop) {
			bare = bare || b[at+s.pivot] == s.char
			continue
		}
		behind := b[at+len(s.stop):]
		switch {
		case s.stop[0] == '"' && escapes(b[:at])%2 == 1:
		case s.list && s.listGoesOn(b, at):
		case s.stamp && !beginsStamp(behind) && !beginsCtime(behind):
		case bare && s.stop[0] == '"' && bytes.Contains(b[:at], []byte(`] "`)):
			return -1
		default:
			return at
		}
	}
	return -1
}

// patterns are formats of the family, with all that a pattern can have.
func patterns(t testing.TB) (all []*Pattern) {
	lit := func(s string) Part { return Part{Literal: s} }
	combined := []Part{{}, lit(" ["), {Role: Time}, lit(`] "`), {Role: Request}, lit(`" `), {Role: StatusCode}, lit(" "), {}, lit(` "`), {}, lit(`" "`), {}, lit(`"`)}
	for _, parts := range [][]Part{
		combined,
		append(combined[:len(combined)-1:len(combined)-1], lit(`" `), Part{Role: Latency}),
		append(combined[:len(combined)-1:len(combined)-1], lit(`" rt=`), Part{Role: Latency}, lit(` uct="`), Part{Role: UpstreamOther, List: true}, lit(`" uht="`),
			Part{Role: UpstreamOther2, List: true}, lit(`" urt="`), Part{Role: Upstream, List: true}, lit(`" ua="`), Part{List: true}, lit(`" us="`), Part{Role: UpstreamStatus, List: true}, lit(`"`)),
		append(combined[:len(combined)-1:len(combined)-1], lit(`" `), Part{}, lit(" "), Part{Role: Latency}, lit(" ["), Part{}, lit("] ["), Part{}, lit("] "),
			Part{Role: UpstreamPeer, List: true}, lit(" "), Part{List: true}, lit(" "), Part{Role: Upstream, List: true}, lit(" "), Part{Role: UpstreamStatus, List: true}, lit(" "), Part{Role: RequestID}),
		{lit("["), {Role: Time}, lit("] "), {}, lit(" "), {Role: Request, Blanks: 2}, lit(" "), {Role: StatusCode}, lit(" ("), {Role: Latency}, lit(" ms)")},
		{lit("[pid: "), {}, lit("] "), {}, lit(") {"), {}, lit("} ["), {Role: Time}, lit("] "), {Role: Method}, lit(" "), {Role: Target}, lit(" => "), {}, lit(" in "), {Role: Latency}, lit(" msecs ("), {List: true}},
	} {
		p, err := Compile(parts)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// agree fails the test where the two read a line in different ways.
func agree(t *testing.T, patterns []*Pattern, line []byte) {
	t.Helper()
	for i, p := range patterns {
		var fast, plain Fields
		got, want := p.Match(line, &fast), plainMatch(p, line, &plain)
		plain[Skip], fast[Skip] = nil, nil
		if p.Has(Time) && !readable(fast[Time]) && !readable(plain[Time]) {
			continue // refused either way, wherever the stamp is taken to end
		}
		if got != want || got && fmt.Sprintf("%q", fast) != fmt.Sprintf("%q", plain) {
			t.Fatalf("pattern %d of %q: %v %q, want %v %q", i, line, got, fast, want, plain)
		}
	}
}

func readable(stamp []byte) bool {
	var c Clock
	_, ok := c.Read(stamp)
	return ok
}

// The fast path reads all lines of the corpus as the plain one does, whole, cut
// and with bytes exchanged.
func TestMatch(t *testing.T) {
	all := patterns(t)
	lines := [][]byte{
		[]byte(`203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET /a\"b HTTP/1.1" 200 41 "-" "a"b" 0.005`),
		[]byte(`203.0.113.9 - x [ y [29/Nov/2026:21:16:22 +0100] "" 400 0 "-" "\\" 0.000`),
		[]byte(`[29/Nov/2026:21:16:22 +0100] 203.0.113.9 GET /a HTTP/1.1 200 (5 ms)`),
		[]byte(`203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET / HTTP/1.1" 200 41 "-" "c" 7 0.006 [x] [] 10.0.0.1:80, unix:/x 0, 9 0.001 : 0.004 502, 200 c75c`),
	}
	for _, glob := range []string{"recorded/[abce]_*/*.log", "nginx/*", "uwsgi/*", "tomcat/*", "kubernetes/*"} {
		files, _ := filepath.Glob(filepath.Join("../../../shared/corpus/logs", glob))
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range bytes.Split(data, []byte("\n")) {
				if i%11 < 2 {
					lines = append(lines, line)
				}
			}
		}
	}
	for i, line := range lines {
		agree(t, all, line)
		for _, cut := range []int{i % 7, len(line) / 2, len(line) - i%40} {
			if cut >= 0 && cut <= len(line) {
				agree(t, all, line[:cut])
			}
		}
		for j, c := range []byte(`" [\-:,`) {
			if len(line) > 0 {
				changed := bytes.Clone(line)
				changed[(i*31+j*17)%len(line)] = c
				agree(t, all, changed)
			}
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add([]byte(`203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET / HTTP/1.1" 200 41 "-" "c" rt=0.005 uct="0.001, -" uht="-" urt="0.001 : 0.004" ua="x" us="502, 200"`))
	f.Add([]byte(`[29/Nov/2026:21:16:22 +0100] 203.0.113.9 GET /a HTTP/1.1 200 (5 ms)`))
	all := patterns(f)
	f.Fuzz(func(t *testing.T, line []byte) { agree(t, all, line) })
}
