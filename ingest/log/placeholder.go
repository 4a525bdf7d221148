package log

import (
	"fmt"
	"strings"
)

// ParsePlaceholders takes a format string with %(name) in it apart, as Python
// and uWSGI have them. behind is what each placeholder ends with: "s" in
// Python. mean says what a name logs.
func ParsePlaceholders(s, behind string, mean func(name string) Role) (parts []Part, err error) {
	for s != "" {
		i := strings.Index(s, "%(")
		if i < 0 {
			return append(parts, Part{Literal: s}), nil
		}
		if i > 0 {
			parts = append(parts, Part{Literal: s[:i]})
		}
		s = s[i+2:]
		n := strings.IndexByte(s, ')')
		if n < 0 {
			return nil, fmt.Errorf("--log-format: %%(%s is not closed", s)
		}
		parts = append(parts, Part{Role: mean(s[:n])})
		s = strings.TrimPrefix(s[n+1:], behind)
	}
	return parts, nil
}
