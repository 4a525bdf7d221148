package log

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// LogFormat is a format string in the language of Apache's LogFormat, taken
// apart. Tomcat, Jetty, Varnish, lighttpd and Undertow took the language over,
// with meanings of their own here and there.
type LogFormat struct {
	Parts []Part
	Scale Scale // of the latency
	End   bool  // the stamp is that of the end

	text   string
	stamps stamps
}

// Scale is the unit of numbers, and how it is known.
type Scale struct {
	Size  time.Duration // 0: there are no latencies
	From  ingest.Fact   // empty: it is not known, and Size is assumed
	Other time.Duration // what it could be as well; 0: nothing
}

// Layout returns how lines are to be understood whose latencies have the scale.
// What shape says of unit and step is filled in.
func (u Scale) Layout(shape ingest.Shape, v ingest.Vantage, opt ingest.Options) Layout {
	if u.Size == 0 {
		shape.Clock = ""
		return NewLayout(shape, v, opt)
	}
	shape.Step, shape.UnitFrom = u.Size, u.From
	if u.From == "" {
		shape.Assumed, shape.Other = u.Size, u.Other
	} else {
		shape.Unit = u.Size
	}
	return NewLayout(shape, v, opt)
}

// Directive is one %… of a format string.
type Directive struct {
	Arg  string // in braces
	Name string // "D", "t", "^FB"
	Last bool   // %>s: of the last request, where there were internal redirects
}

// Meaning is what a directive logs.
type Meaning struct {
	Role  Role
	Scale Scale // of a latency
}

// ParseLogFormat takes a format string apart, which may stand in its directive:
// LogFormat "…" nickname, or CustomLog path "…". Sources: mod_log_config,
// mod_logio, mod_unique_id. own gives the meanings that a server has of its own;
// ok is false for those that are Apache's. It may be nil.
func ParseLogFormat(s string, own func(d *Directive) (m Meaning, ok bool)) (*LogFormat, error) {
	s, err := unwrap(strings.TrimSpace(s))
	if err != nil {
		return nil, err
	}
	f := &LogFormat{text: s}
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
		d, rest, err := nextDirective(s)
		if err != nil {
			return nil, err
		}
		s = rest
		if own != nil {
			if m, ok := own(&d); ok {
				f.add(m, d.Last)
				continue
			}
		}
		switch d.Name {
		case "%":
			f.literal("%")
		case "t":
			f.stamps.add(f, d.Arg)
		default:
			f.add(meaning(&d), d.Last)
		}
	}
	f.stamps.settle(f)
	return f, nil
}

func (f *LogFormat) literal(s string) { f.Parts = append(f.Parts, Part{Literal: s}) }

// field adds a field, and makes earlier ones of its role nothing if it is better.
func (f *LogFormat) field(r Role, better bool) {
	for i := range f.Parts {
		if better && f.Parts[i].Role == r && f.Parts[i].Literal == "" {
			f.Parts[i].Role = Skip
		}
	}
	p := Part{Role: r}
	if r == Request {
		p.Blanks = 2 // METHOD TARGET PROTOCOL, where it is not in quotes
	}
	f.Parts = append(f.Parts, p)
}

// add adds what a directive logs. Of several latencies that in the finest unit
// counts, of several statuses the last request's.
func (f *LogFormat) add(m Meaning, last bool) {
	better := true
	switch m.Role {
	case Latency:
		better = f.Scale.Size == 0 || m.Scale.Size < f.Scale.Size
		if better {
			f.Scale = m.Scale
		}
	case StatusCode:
		better = last
	case RequestID, TraceParent:
		better = false
	}
	f.field(m.Role, better)
}

// meaning is what a directive logs in Apache.
func meaning(d *Directive) Meaning {
	switch d.Name {
	case "r":
		return Meaning{Role: Request}
	case "m":
		return Meaning{Role: Method}
	case "U":
		return Meaning{Role: Target}
	case "s":
		return Meaning{Role: StatusCode}
	case "D", "T":
		u := map[string]time.Duration{"D": time.Microsecond, "T": time.Second, "Tms": time.Millisecond, "Tus": time.Microsecond, "Ts": time.Second}[d.Name+d.Arg]
		if u != 0 {
			return Meaning{Latency, Scale{Size: u, From: ingest.UnitFromFormat}}
		}
	case "X":
		return Meaning{Role: Connection}
	case "L":
		return Meaning{Role: RequestID}
	case "e", "i", "o", "n":
		switch arg := strings.ToLower(d.Arg); {
		case arg == "traceparent":
			return Meaning{Role: TraceParent}
		case arg == "unique_id", strings.Contains(arg, "request-id"), strings.Contains(arg, "request_id"), strings.Contains(arg, "correlation-id"):
			return Meaning{Role: RequestID}
		}
	}
	return Meaning{}
}

// nextDirective reads the directive that s begins with.
func nextDirective(s string) (d Directive, rest string, err error) {
	i := 1
	for i < len(s) && (s[i] == '!' || s[i] == ',' || s[i]-'0' <= 9 || s[i] == '<' || s[i] == '>') {
		d.Last = d.Last || s[i] == '>'
		i++
	}
	if i < len(s) && s[i] == '{' {
		n := strings.IndexByte(s[i:], '}')
		if n < 0 {
			return d, "", fmt.Errorf("--log-format: %s is not closed", s)
		}
		d.Arg = s[i+1 : i+n]
		i += n + 1
	}
	for i < len(s) && (s[i] == '<' || s[i] == '>') {
		d.Last = d.Last || s[i] == '>'
		i++
	}
	switch {
	case i == len(s):
		return d, "", errors.New("--log-format: a % without a letter at the end")
	case strings.HasPrefix(s[i:], "^FB"), strings.HasPrefix(s[i:], "^ti"), strings.HasPrefix(s[i:], "^to"):
		d.Name = s[i : i+3]
	default:
		d.Name = s[i : i+1]
	}
	return d, s[i+len(d.Name):], nil
}

// unwrap returns the format in a directive, or s.
func unwrap(s string) (string, error) {
	name, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case strings.EqualFold(name, "LogFormat"):
		word, _, err := CutWord(rest)
		return word, err
	case strings.EqualFold(name, "CustomLog"), strings.EqualFold(name, "GlobalLog"):
		_, rest, err := CutWord(rest)
		if err != nil {
			return "", err
		}
		word, _, err := CutWord(rest)
		return word, err
	case strings.HasPrefix(s, `"`):
		if word, rest, err := CutWord(s); err == nil && rest == "" {
			return word, nil
		}
	}
	return Unquote(s), nil
}

// Compile makes a known format of it, shown as it was given. What shape says of
// unit, step and stamp is filled in: a stamp is the start unless the format says
// that it is the end.
func (f *LogFormat) Compile(shape ingest.Shape, v ingest.Vantage, opt ingest.Options) (Known, error) {
	p, err := Compile(f.Parts)
	if err != nil {
		return Known{}, fmt.Errorf("--log-format: %w", err)
	}
	if f.End {
		shape.Stamp = ingest.StampEnd
	}
	if shape.Layout == "" {
		shape.Layout = f.text
	}
	k := Known{p, f.Scale.Layout(shape, v, opt)}
	k.Between(shape.Clock)
	return k, nil
}

// Between says how latencies are known where only two stamps give them.
func (k *Known) Between(clock string) {
	if s := &k.Layout.Shape; k.Pattern.Has(EndTime) && !k.Pattern.Has(Latency) {
		s.Unit, s.UnitFrom, s.Clock = time.Second, ingest.UnitFromValue, clock
	}
}

// Broken takes note of Connection: the client left before the answer was sent, so
// that the latency is a lower bound.
func (f *Fields) Broken(e *Entry) {
	if v := f[Connection]; len(v) == 1 && v[0] == 'X' && e.Outcome != ingest.TimedOut {
		e.Outcome = ingest.Canceled
	}
}

// IsTomcatFormat reports whether a format string in the language of Apache's is
// one of Tomcat's: it has directives that Apache lacks.
func IsTomcatFormat(s string) bool {
	for _, own := range [...]string{"}s", "}r", "}c", "%I", "%F", "%S", "fracsec}T", "ns}T"} {
		if strings.Contains(s, own) {
			return IsLogFormat(s) && !strings.Contains(s, "%O") && !strings.Contains(s, "%>")
		}
	}
	return false
}

// IsVarnishFormat reports whether a format string in the language of Apache's is
// one of varnishncsa.
func IsVarnishFormat(s string) bool {
	return strings.Contains(s, "%{Varnish:") || strings.Contains(s, "%{VSL:") || strings.Contains(s, "%{VCL_Log:")
}

// IsLogFormat reports whether a format string is in the language of Apache's
// LogFormat, whichever server it is of.
func IsLogFormat(s string) bool {
	return strings.Contains(s, "%") && !strings.Contains(s, "%(") && !strings.Contains(s, "$") && !IsEnvoyFormat(s) && !IsHAProxyFormat(s)
}
