package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// bare is text that is text without quotes, in a flow mapping as well.
var bare = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./*+=<>%-]*$`)

// Quote writes text as a scalar of YAML.
func Quote(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return "'" + s + "'"
	}
	if bare.MatchString(s) {
		return s
	}
	if report.Safe(s) == s {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
