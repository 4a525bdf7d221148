package haproxy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// Roles of HAProxy's own.
const (
	roleReceive  = log.OwnRole + iota // %TR
	roleWait                          // %Tw
	roleConnect                       // %Tc
	roleResponse                      // %Tr
	roleTotal                         // %Tt
	roleRetries                       // %rc
	roleState                         // %tsc, %ts
	roleServer                        // %s
	roleBackend  = log.UpstreamPeer   // %b
)

// aliases are all names behind a %, and what they say. Source: logformat_aliases
// in src/log.c, up to version 3.3.
var aliases = func() map[string]log.Role {
	all := map[string]log.Role{
		"tr": log.Time, "t": log.Time, "trl": log.Time, "trg": log.Time, "T": log.Time, "Tl": log.Time, "Ts": log.Epoch,
		"r": log.Request, "HM": log.Method, "HU": log.Target, "HP": log.Target, "HPO": log.Target, "ST": log.StatusCode, "ID": log.RequestID,
		"TR": roleReceive, "Tw": roleWait, "Tc": roleConnect, "Tr": roleResponse, "Ta": log.Latency, "Tt": roleTotal,
		"rc": roleRetries, "tsc": roleState, "ts": roleState, "s": roleServer, "b": roleBackend,
	}
	for _, name := range strings.Fields("o OG B CC CS H Th Ti Tq Td Tu U ac bc bi bp bq ci cp f fc fi fp ft hr hrl hs hsl HQ HV lc ms pid rt sc si sp sq sslc sslv") {
		all[name] = log.Skip
	}
	return all
}()

// hint are aliases that no other server's format strings can hold: those with
// one letter mean something to Apache too, %Ts is its %T with an s behind.
func hint(name string) bool {
	return len(name) > 1 && name != "Ts"
}

// token is one % of a format.
type token struct {
	name  string // empty: an expression, %[…]
	flags string
	width int // bytes
}

// next reads the token at the beginning of s, which is a %:
// %{flags}alias, %(name:type)alias, %{flags}[expression].
func next(s string) (t token, err error) {
	i := 1
	for i < len(s) {
		var to byte
		switch s[i] {
		case '{':
			to = '}'
		case '(':
			to = ')'
		case '[':
			to = ']'
		}
		if to == 0 {
			break
		}
		n := strings.IndexByte(s[i:], to)
		if n < 0 {
			return t, fmt.Errorf("--log-format: %s is not closed", s)
		}
		if to == '}' {
			t.flags += s[i+1 : i+n]
		}
		i += n + 1
		if to == ']' {
			t.width = i
			return t, nil
		}
	}
	for n := 4; n > 0; n-- {
		if i+n <= len(s) {
			if _, ok := aliases[s[i:i+n]]; ok {
				t.name, t.width = s[i:i+n], i+n
				return t, nil
			}
		}
	}
	return t, fmt.Errorf("--log-format: HAProxy has no %s", s[:min(len(s), i+3)])
}

// speaks reports whether a format string is HAProxy's: all of it can be read so,
// and something in it means nothing to other servers.
func speaks(s string) bool {
	if strings.HasPrefix(strings.TrimSpace(s), "log-format ") {
		return true
	}
	sure := false
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return sure
		}
		s = s[i:]
		if strings.HasPrefix(s, "%%") {
			s = s[2:]
			continue
		}
		t, err := next(s)
		if err != nil {
			return false
		}
		sure = sure || t.name == "" || hint(t.name)
		if s = s[t.width:]; t.name == "" && strings.HasPrefix(s, "%") {
			continue
		}
		// %REQ(…)% and %DURATION% of Envoy begin with letters too.
		if t.name != "" && len(s) > 0 && (s[0]-'A' < 26 || s[0] == '_' || s[0] == '(') {
			return false
		}
	}
}

// parse takes a log-format apart, which may stand in its directive and in quotes.
func parse(s string) ([]log.Part, error) {
	s, err := unwrap(strings.TrimSpace(s))
	if err != nil {
		return nil, err
	}
	var parts []log.Part
	quoted := false // by %{+Q}o
	for s != "" {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			parts = append(parts, log.Part{Literal: s[:i]})
			s = s[i:]
			continue
		}
		if strings.HasPrefix(s, "%%") {
			parts = append(parts, log.Part{Literal: "%"})
			s = s[2:]
			continue
		}
		t, err := next(s)
		if err != nil {
			return nil, err
		}
		s = s[t.width:]
		if t.name == "o" {
			quoted = strings.Contains(t.flags, "+Q") || quoted && !strings.Contains(t.flags, "-Q")
			s = strings.TrimPrefix(s, " ")
			continue
		}
		add := log.Part{Role: aliases[t.name]}
		if strings.Contains(t.flags, "+Q") || quoted && !strings.Contains(t.flags, "-Q") && isText(t.name) {
			parts = append(parts, log.Part{Literal: `"`}, add, log.Part{Literal: `"`})
			continue
		}
		parts = append(parts, add)
		if t.name == "hr" || t.name == "hs" || t.name == "hrl" || t.name == "hsl" {
			s = headers(s)
		}
	}
	if len(parts) == 0 {
		return nil, errors.New("--log-format: nothing in it")
	}
	return parts, nil
}

// headers drops the blank behind captured headers where another field with a
// beginning of its own follows: HAProxy writes no second blank if there are none.
func headers(s string) string {
	rest := strings.TrimLeft(s, " ")
	for _, p := range []string{"%hr", "%hs", "%{+Q}", `"`, "%{+Q", "{"} {
		if strings.HasPrefix(rest, p) {
			return rest
		}
	}
	return s
}

// isText reports whether %{+Q}o puts an alias in quotes: those that are neither
// numbers nor dates nor states.
func isText(name string) bool {
	switch name {
	case "r", "ft", "f", "b", "s", "CC", "CS", "HM", "HU", "HP", "HPO", "HQ", "HV", "H", "ID", "sslc", "sslv", "ci", "fi", "bi", "si":
		return true
	}
	return false
}

// unwrap returns the format in a directive, free of quotes and escapes.
func unwrap(s string) (string, error) {
	s = strings.TrimSpace(strings.TrimPrefix(s, "log-format "))
	if s == "" {
		return "", errors.New("--log-format: nothing in it")
	}
	if q := s[0]; q == '\'' || q == '"' && strings.HasSuffix(s, `"`) && len(s) > 1 && !strings.HasPrefix(s, `"%`+"{+Q}r") {
		if len(s) < 2 || s[len(s)-1] != q {
			return "", fmt.Errorf("--log-format: a quote that is not closed: %s", s)
		}
		s = s[1 : len(s)-1]
		if q == '\'' {
			return s, nil
		}
	}
	return escapes.Replace(s), nil
}

// escapes are those of HAProxy's configuration.
var escapes = strings.NewReplacer(`\\`, `\`, `\ `, " ", `\"`, `"`, `\#`, "#", `\n`, "\n", `\t`, "\t", `\r`, "\r")

// clf is what option httplog clf writes: clf_http_log_format in src/log.c.
var clf = func() *log.Pattern {
	parts, err := parse(`%ci - - [%trg] "%r" %ST %B "" "" %cp %ms "%ft" "%b" "%s" %TR %Tw %Tc %Tr %Ta %tsc %ac %fc %bc %sc %rc %sq %bq %CC`)
	if err != nil {
		panic(err)
	}
	parts[len(parts)-1].List = true // what follows has blanks in it
	p, err := log.Compile(parts)
	if err != nil {
		panic(err)
	}
	return p
}()

// isCLF reports whether a line is one of option httplog clf, and cuts it up.
func isCLF(line []byte, f *log.Fields) bool {
	if bytes.Count(line[:min(len(line), 64)], []byte(" - - [")) == 0 {
		return false
	}
	clear(f[:])
	return clf.Match(line, f) && isState(f[roleState]) && len(f[roleState]) == 4
}
