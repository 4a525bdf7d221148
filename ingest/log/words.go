package log

import (
	"fmt"
	"strings"
)

// escaped are the escape sequences in quoted words of servers' configurations.
var escaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`, `\t`, "\t", `\r`, "\r", `\n`, "\n")

// Unquote resolves the escape sequences of a text copied out of quotes.
func Unquote(s string) string { return escaped.Replace(s) }

// CutWord cuts the first word off a server's configuration: up to a blank, or
// what is in quotes, without them and with its escape sequences resolved.
func CutWord(s string) (word, rest string, err error) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		end := strings.IndexAny(s, " \t\r\n")
		if end < 0 {
			end = len(s)
		}
		return s[:end], strings.TrimSpace(s[end:]), nil
	}
	end := 1
	for end < len(s) && s[end] != s[0] {
		if s[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s) {
		return "", "", fmt.Errorf("--log-format: a quote that is not closed: %s", s)
	}
	return Unquote(s[1:end]), strings.TrimSpace(s[end+1:]), nil
}
