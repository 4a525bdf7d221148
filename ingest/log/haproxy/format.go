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

// aliases are those that are read; all others are passed over.
var aliases = map[string]log.Role{
	"tr": log.Time, "t": log.Time, "trl": log.Time, "trg": log.Time, "T": log.Time, "Tl": log.Time, "Ts": log.Epoch,
	"r": log.Request, "HM": log.Method, "HU": log.Target, "HP": log.Target, "HPO": log.Target, "ST": log.StatusCode, "ID": log.RequestID,
	"TR": roleReceive, "Tw": roleWait, "Tc": roleConnect, "Tr": roleResponse, "Ta": log.Latency, "Tt": roleTotal,
	"rc": roleRetries, "tsc": roleState, "ts": roleState, "s": roleServer, "b": roleBackend,
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
		t, err := log.NextHAProxy(s)
		if err != nil {
			return nil, err
		}
		s = s[t.Width:]
		if t.Name == "o" {
			quoted = strings.Contains(t.Arg, "+Q") || quoted && !strings.Contains(t.Arg, "-Q")
			s = strings.TrimPrefix(s, " ")
			continue
		}
		add := log.Part{Role: aliases[t.Name]}
		if strings.Contains(t.Arg, "+Q") || quoted && !strings.Contains(t.Arg, "-Q") && isText(t.Name) {
			parts = append(parts, log.Part{Literal: `"`}, add, log.Part{Literal: `"`})
			continue
		}
		parts = append(parts, add)
		if t.Name == "hr" || t.Name == "hs" || t.Name == "hrl" || t.Name == "hsl" {
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
