package tomcat

import (
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Fields of Tomcat's own.
const (
	commit  = log.OwnRole + iota // %F: milliseconds to the first byte of the answer
	seconds                      // %T, beside %D
	thread                       // %I
)

// aliases are the names that stand for patterns.
var aliases = map[string]string{
	"common":   `%h %l %u %t "%r" %s %b`,
	"combined": `%h %l %u %t "%r" %s %b "%{Referer}i" "%{User-Agent}i"`,
}

// ends says in Apache's language that stamps are the end where Tomcat has them
// so: %t, and %{format}t without begin:.
func ends(pattern string) string {
	pattern = strings.ReplaceAll(pattern, "%t", "[%{end:clf}t]")
	var b strings.Builder
	for {
		i := strings.Index(pattern, "%{")
		if i < 0 {
			break
		}
		n := strings.IndexByte(pattern[i:], '}')
		if n < 0 || i+n+1 >= len(pattern) {
			break
		}
		arg, letter := pattern[i+2:i+n], pattern[i+n+1]
		b.WriteString(pattern[:i+2])
		if letter == 't' && !strings.HasPrefix(arg, "begin:") && !strings.HasPrefix(arg, "end:") {
			b.WriteString("end:")
		}
		b.WriteString(pattern[i+2 : i+n+2])
		pattern = pattern[i+n+2:]
	}
	return b.String() + pattern
}

// given compiles the pattern that the user gives. The first lines may tell the
// unit of its %D.
func given(head [][]byte, opt ingest.Options) (log.Known, error) {
	pattern := strings.TrimSpace(opt.LogFormat)
	if a, ok := aliases[pattern]; ok {
		pattern = a
	}
	pattern = strings.ReplaceAll(pattern, "&quot;", `"`)
	beside := strings.Contains(pattern, "%D")
	f, err := log.ParseLogFormat(ends(pattern), func(d *log.Directive) (log.Meaning, bool) {
		known := func(u time.Duration) (log.Meaning, bool) {
			return log.Meaning{Role: log.Latency, Scale: log.Scale{Size: u, From: ingest.UnitFromFormat}}, true
		}
		switch d.Name + d.Arg {
		case "D":
			return log.Meaning{Role: log.Latency, Scale: assumed}, true
		case "T", "Tfracsec":
			if beside {
				return log.Meaning{Role: seconds}, true
			}
			return known(time.Second)
		case "Tns":
			return known(time.Nanosecond)
		case "F":
			return log.Meaning{Role: commit}, true
		case "I":
			return log.Meaning{Role: thread}, true
		}
		return log.Meaning{}, false
	})
	if err != nil {
		return log.Known{}, err
	}
	if f.Scale == assumed {
		p, err := log.Compile(f.Parts)
		if err == nil {
			var v evidence
			for _, line := range head {
				var l log.Fields
				if p.Match(line, &l) {
					v.add(&l)
				}
			}
			f.Scale = v.Scale(assumed)
		}
	}
	return f.Compile(ingest.Shape{Layout: opt.LogFormat, Clock: clock, Stamp: ingest.StampStart}, ingest.Server, opt)
}

// evidence tells the unit of %D by what stands beside it. That a thread serves
// one request after the other tells nothing: not where servlets are asynchronous.
type evidence struct{ log.Evidence }

func (v *evidence) add(f *log.Fields) {
	value := f[log.Latency]
	if !log.Whole(value) {
		return
	}
	v.Line()
	if ms, _, _, ok := log.Duration(f[commit], time.Millisecond); ok {
		v.AtLeast(value, ms-time.Millisecond) // both are rounded
	}
	if t, step, _, ok := log.Duration(f[seconds], time.Second); ok {
		v.About(value, t, step)
	}
}
