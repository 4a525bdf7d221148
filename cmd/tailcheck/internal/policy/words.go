package policy

import (
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/internal/words"
)

// say writes a time as people set it: "300 ms", "1.5 s", "2 min"; Forever is
// "no end".
func say(d time.Duration) string {
	number := func(v float64, decimals int) string {
		s := strconv.FormatFloat(v, 'f', decimals, 64)
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	switch {
	case d == Forever:
		return "no end"
	case d >= 10*time.Minute:
		return number(d.Minutes(), 1) + " min"
	case d >= time.Second:
		return number(d.Seconds(), 3) + " s"
	}
	return number(float64(d)/1e6, 3) + " ms"
}

func count(n int64, one string) string {
	if n >= MostCalls {
		return "9 007 199 254 740 992 " + one + "s or more"
	}
	return words.Count(n, one)
}

func list(items []string) string {
	switch n := len(items); {
	case n == 0:
		return ""
	case n == 1:
		return items[0]
	case n > 6:
		return strings.Join(items[:5], ", ") + " and " + strconv.Itoa(n-5) + " more"
	default:
		return strings.Join(items[:n-1], ", ") + " and " + items[n-1]
	}
}
