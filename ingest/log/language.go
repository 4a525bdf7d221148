package log

import (
	"fmt"
	"strings"
)

// A --log-format string tells by itself whose language it is in. Those of HAProxy
// and of Envoy can be told for certain, which is why they are told here: the
// others with a % (Apache's and its kin) are whatever these two are not.

// FormatToken is one % of a format string.
type FormatToken struct {
	Name  string // "TR", "REQ"; empty: an expression of HAProxy, %[…]
	Arg   string // in HAProxy's braces, in Envoy's parentheses
	Width int    // bytes
}

// haproxyAliases are all names that HAProxy has behind a %. Source:
// logformat_aliases in src/log.c, up to version 3.3.
var haproxyAliases = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields("o OG B CC CS H HM HP HPO HQ HU HV ID ST T Ta Tc Td Th Ti Tl Tq Tr TR Ts Tt Tu Tw U " +
		"ac b bc bi bp bq ci cp f fc fi fp ft hr hrl hs hsl lc ms pid r rc rt s sc si sp sq sslc sslv t tr trg trl ts tsc") {
		all[name] = true
	}
	return all
}()

// NextHAProxy reads the token at the beginning of s, which is a %:
// %{flags}alias, %(name:type)alias, %{flags}[expression].
func NextHAProxy(s string) (t FormatToken, err error) {
	for i := 1; ; {
		to := byte(0)
		if i < len(s) {
			to = map[byte]byte{'{': '}', '(': ')', '[': ']'}[s[i]]
		}
		if to == 0 {
			for n := 4; n > 0; n-- {
				if i+n <= len(s) && haproxyAliases[s[i:i+n]] {
					t.Name, t.Width = s[i:i+n], i+n
					return t, nil
				}
			}
			return t, fmt.Errorf("--log-format: HAProxy has no %s", s[:min(len(s), i+3)])
		}
		n := strings.IndexByte(s[i:], to)
		if n < 0 {
			return t, fmt.Errorf("--log-format: %s is not closed", s)
		}
		if to == '}' {
			t.Arg += s[i+1 : i+n]
		}
		i += n + 1
		if to == ']' {
			t.Width = i
			return t, nil
		}
	}
}

// NextEnvoy reads the token at the beginning of s, which is a %: %NAME%,
// %NAME(argument):length%.
func NextEnvoy(s string) (t FormatToken, err error) {
	i := 1
	for i < len(s) && (s[i] == '_' || s[i]-'A' < 26 || isDigit(s[i])) {
		i++
	}
	t.Name = s[1:i]
	if len(t.Name) < 3 || t.Name[0]-'A' >= 26 {
		return t, fmt.Errorf("--log-format: Envoy has no %s", s[:min(len(s), i+1)])
	}
	if i < len(s) && s[i] == '(' {
		n := strings.IndexByte(s[i:], ')')
		if n < 0 {
			return t, fmt.Errorf("--log-format: %%%s( is not closed", t.Name)
		}
		t.Arg = s[i+1 : i+n]
		i += n + 1
	}
	if i < len(s) && s[i] == ':' {
		for i++; i < len(s) && isDigit(s[i]); i++ {
		}
	}
	if i >= len(s) || s[i] != '%' {
		return t, fmt.Errorf("--log-format: no %% behind %%%s", t.Name)
	}
	t.Width = i + 1
	return t, nil
}

// IsEnvoyFormat reports whether a format string is Envoy's: every % begins an
// operator, and there is one.
func IsEnvoyFormat(s string) bool {
	n := 0
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return n > 0
		}
		s = s[i:]
		if strings.HasPrefix(s, "%%") {
			s = s[2:]
			continue
		}
		t, err := NextEnvoy(s)
		if err != nil {
			return false
		}
		s = s[t.Width:]
		n++
	}
}

// IsHAProxyFormat reports whether a format string is HAProxy's: all of it can be
// read so, and something in it means nothing to other servers: an expression, or
// a name of several letters, except %Ts, Apache's %T with an s behind.
func IsHAProxyFormat(s string) bool {
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
		t, err := NextHAProxy(s)
		if err != nil {
			return false
		}
		s = s[t.Width:]
		sure = sure || t.Name == "" || len(t.Name) > 1 && t.Name != "Ts"
		// %START_TIME% and %BYTES_SENT% of Envoy begin like aliases.
		if t.Name != "" && len(s) > 0 && (s[0]-'A' < 26 || s[0] == '_' || s[0] == '(') {
			return false
		}
	}
}
