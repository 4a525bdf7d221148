package apache

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// connection is the role of %X: "X" means that the connection broke before the
// answer was sent.
const connection = log.OwnRole

// compiled is a pattern with what its fields mean.
type compiled struct {
	pattern *log.Pattern
	layout  log.Layout
}

// format is a LogFormat taken apart.
type format struct {
	parts []log.Part
	unit  time.Duration // of the latency; 0: there is none
	end   bool          // the stamp is that of the end
}

// directive is one %…: its condition gone.
type directive struct {
	arg  string // in braces
	name string // "D", "t", "^FB"
	last bool   // %>s
}

// parse takes a LogFormat apart, which may stand in its directive: LogFormat
// "…" nickname, or CustomLog path "…". Sources: mod_log_config, mod_logio.
func parse(s string) (*format, error) {
	s, err := unwrap(strings.TrimSpace(s))
	if err != nil {
		return nil, err
	}
	f := &format{}
	var stamps stamps
	for s != "" {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			f.literal(s[:i])
			s = s[i:]
			continue
		}
		d, rest, err := next(s)
		if err != nil {
			return nil, err
		}
		s = rest
		f.add(d, &stamps)
	}
	stamps.settle(f)
	return f, nil
}

func (f *format) literal(s string) { f.parts = append(f.parts, log.Part{Literal: s}) }

// field adds a field, and makes earlier ones of its role nothing if it is better.
func (f *format) field(r log.Role, better bool) {
	for i := range f.parts {
		if better && f.parts[i].Role == r && f.parts[i].Literal == "" {
			f.parts[i].Role = log.Skip
		}
	}
	f.parts = append(f.parts, log.Part{Role: r})
}

// add adds what a directive logs.
func (f *format) add(d directive, stamps *stamps) {
	switch d.name {
	case "%":
		f.literal("%")
	case "r":
		f.field(log.Request, true)
	case "m":
		f.field(log.Method, true)
	case "U":
		f.field(log.Target, true)
	case "s":
		f.field(log.StatusCode, d.last)
	case "D", "T":
		u := map[string]time.Duration{"D": time.Microsecond, "T": time.Second, "Tms": time.Millisecond, "Tus": time.Microsecond, "Ts": time.Second}[d.name+d.arg]
		if u == 0 {
			f.field(log.Skip, false)
			return
		}
		f.field(log.Latency, f.unit == 0 || u < f.unit)
		if f.unit == 0 || u < f.unit {
			f.unit = u
		}
	case "t":
		stamps.add(f, d.arg)
	case "X":
		f.field(connection, true)
	case "L":
		f.field(log.RequestID, false)
	case "e", "i", "o", "n":
		switch arg := strings.ToLower(d.arg); {
		case arg == "traceparent":
			f.field(log.TraceParent, false)
		case arg == "unique_id", strings.Contains(arg, "request-id"), strings.Contains(arg, "request_id"), strings.Contains(arg, "correlation-id"):
			f.field(log.RequestID, false)
		default:
			f.field(log.Skip, false)
		}
	default:
		f.field(log.Skip, false)
	}
}

// next reads the directive that s begins with.
func next(s string) (d directive, rest string, err error) {
	i := 1
	for i < len(s) && (s[i] == '!' || s[i] == ',' || s[i]-'0' <= 9 || s[i] == '<' || s[i] == '>') {
		d.last = d.last || s[i] == '>'
		i++
	}
	if i < len(s) && s[i] == '{' {
		n := strings.IndexByte(s[i:], '}')
		if n < 0 {
			return d, "", fmt.Errorf("--log-format: %s is not closed", s)
		}
		d.arg = s[i+1 : i+n]
		i += n + 1
	}
	for i < len(s) && (s[i] == '<' || s[i] == '>') {
		d.last = d.last || s[i] == '>'
		i++
	}
	switch {
	case i == len(s):
		return d, "", errors.New("--log-format: a % without a letter at the end")
	case strings.HasPrefix(s[i:], "^FB"), strings.HasPrefix(s[i:], "^ti"), strings.HasPrefix(s[i:], "^to"):
		d.name = s[i : i+3]
	default:
		d.name = s[i : i+1]
	}
	return d, s[i+len(d.name):], nil
}

// unwrap returns the format in a directive, or s.
func unwrap(s string) (string, error) {
	name, rest, _ := strings.Cut(s, " ")
	switch {
	case strings.EqualFold(name, "LogFormat"):
		word, _, err := quoted(strings.TrimSpace(rest))
		return word, err
	case strings.EqualFold(name, "CustomLog"), strings.EqualFold(name, "GlobalLog"):
		_, rest, err := quoted(strings.TrimSpace(rest))
		if err != nil {
			return "", err
		}
		word, _, err := quoted(strings.TrimSpace(rest))
		return word, err
	case strings.HasPrefix(s, `"`):
		if word, rest, err := quoted(s); err == nil && rest == "" {
			return word, nil
		}
	}
	return escapes.Replace(s), nil
}

// quoted cuts the first word off, which may be in quotes.
func quoted(s string) (word, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		word, rest, _ = strings.Cut(s, " ")
		return word, rest, nil
	}
	end := 1
	for end < len(s) && s[end] != '"' {
		if s[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s) {
		return "", "", fmt.Errorf("--log-format: a quote that is not closed: %s", s)
	}
	return escapes.Replace(s[1:end]), s[end+1:], nil
}

// escapes are those of Apache's configuration and of mod_log_config.
var escapes = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\t`, "\t", `\n`, "\n", `\r`, "\r")

// compile makes a pattern of a format.
func compile(name string, f *format, from ingest.Fact, opt ingest.Options) (*compiled, error) {
	p, err := log.Compile(f.parts)
	if err != nil {
		return nil, fmt.Errorf("--log-format: %w", err)
	}
	c := &compiled{p, layout(name, unit{size: f.unit, from: from}, opt)}
	if f.end {
		c.layout.Shape.Stamp = ingest.StampEnd
	}
	c.between()
	return c, nil
}

// between says how latencies are known where only two stamps give them.
func (c *compiled) between() {
	if s := &c.layout.Shape; c.pattern.Has(log.EndTime) && !c.pattern.Has(log.Latency) {
		s.Unit, s.UnitFrom, s.Clock = time.Second, ingest.UnitFromValue, clock
	}
}

// known are formats that say their unit in words.
var known = []*compiled{
	must(`%v %h %l %u %t (%T s) "%r" %>s %b "%{Referer}i" "%{User-agent}i"`), // Gandi's
}

func must(s string) *compiled {
	f, err := parse(s)
	if err != nil {
		panic(err)
	}
	c, err := compile(s, f, ingest.UnitFromValue, ingest.Options{})
	if err != nil {
		panic(err)
	}
	return c
}
