package sla

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// SyntaxError is the error of Parse. Its text says what is wrong, what was
// wanted, and gives an expression that can be used instead.
type SyntaxError struct {
	Expr    string // as given
	Wrong   string // "the limit has no unit"
	Advice  string // "give a unit"
	Example string // an expression that Parse accepts: "p99<500ms"
	Quote   bool   // the hint shows Example as it is typed in a shell
}

// Error returns the whole sentence.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("objective %q: %s; %s", e.Expr, e.Wrong, e.Hint())
}

// Hint returns the advice alone, for a line of its own: "give a unit: p99<500ms".
func (e *SyntaxError) Hint() string {
	if e.Quote {
		return e.Advice + ": --sla '" + e.Example + "'"
	}
	return e.Advice + ": " + e.Example
}

// signs are the characters of comparisons.
const signs = "<>=≤≥!"

// Parse reads an objective: an optional operation and a colon, a metric (p50,
// p99.9, max, mean, errors, rate), a comparison, and a limit with its unit
// ("500ms", "1%", "100/s"). Blanks do not matter. An operation may hold colons
// and blanks: it ends at the last ": ".
func Parse(expr string) (Objective, error) { return parser{expr: expr}.run() }

// parser parses one expression. A quiet one is asked only whether an example
// can be used: it does not look for advice, and so never calls itself.
type parser struct {
	expr, op string
	quiet    bool
}

func usable(expr string) bool {
	_, err := parser{expr: expr, quiet: true}.run()
	return err == nil
}

func (p parser) run() (Objective, error) {
	var rest string
	p.op, rest = splitOp(p.expr)
	i := strings.IndexAny(rest, signs)
	if i < 0 {
		return p.noSign(rest)
	}
	j := i
	for j < len(rest) {
		r, n := utf8.DecodeRuneInString(rest[j:])
		if !strings.ContainsRune(signs, r) {
			break
		}
		j += n
	}
	return p.parse(strings.TrimSpace(rest[:i]), rest[i:j], strings.TrimSpace(rest[j:]))
}

// splitOp cuts the operation off. Without a blank behind it a colon only ends
// the operation where a metric follows: "GET /cart:p99<300ms".
func splitOp(expr string) (op, rest string) {
	if i := strings.LastIndex(expr, ": "); i >= 0 {
		return strings.TrimSpace(expr[:i]), strings.TrimSpace(expr[i+2:])
	}
	if i := strings.LastIndexByte(expr, ':'); i >= 0 {
		rest = strings.TrimSpace(expr[i+1:])
		if k := strings.IndexAny(rest, signs); k > 0 && isMetric(strings.TrimSpace(rest[:k])) {
			return strings.TrimSpace(expr[:i]), rest
		}
	}
	return "", strings.TrimSpace(expr)
}

// fail returns the error, with the operation put before the example.
func (p parser) fail(wrong, advice, example string) (Objective, error) {
	if p.op != "" {
		example = p.op + ": " + example
	}
	return Objective{}, &SyntaxError{Expr: p.expr, Wrong: wrong, Advice: advice, Example: example}
}

func (p parser) parse(left, sign, right string) (Objective, error) {
	if p.op == "" && strings.HasPrefix(strings.TrimSpace(p.expr), ":") {
		return p.fail("no operation before the colon", "name it, or leave the colon out", "GET /cart: p99<500ms")
	}
	switch several := strings.IndexAny(right, signs); {
	case several == 0 && isMetric(left):
		joined := strings.ToLower(left) + sign + right
		return p.fail("a blank inside the comparison", "write it together", p.fit(joined, joined+"ms", example(strings.ToLower(left))))
	case several >= 0:
		return p.several(left, sign, right, several)
	}
	if !isMetric(left) {
		return p.badMetric(left, sign, right)
	}
	o := Objective{Op: p.op}
	switch name := strings.ToLower(left); name {
	case "max":
		o.Metric = Max
	case "mean":
		o.Metric = Mean
	case "errors":
		o.Metric = Errors
	case "rate":
		o.Metric = Rate
	default:
		v, fine, ok := number(name[1:], Millionths)
		switch {
		case !ok || v > int64(latency.P100):
			return p.badMetric(left, sign, right)
		case !fine:
			return p.fail("a percentile has at most six decimals", "round it", "p99.9"+p.bound(sign, right, "<500ms"))
		case v == 0:
			return p.fail("p0 is no percentile", "want one above 0", "p50"+p.bound(sign, right, "<500ms"))
		case v == int64(latency.P100):
			o.Metric = Max
		default:
			o.Percentile = latency.Percentile(v)
		}
	}
	return p.limit(o, sign, right)
}

// isMetric reports whether s is the name of a metric, or p and a number.
func isMetric(s string) bool {
	s = strings.ToLower(s)
	switch s {
	case "max", "mean", "errors", "rate":
		return true
	}
	if len(s) < 2 || s[0] != 'p' {
		return false
	}
	_, _, ok := number(s[1:], 1)
	return ok
}

// number reads a plain decimal number times scale. fine is false where it has
// more decimals than scale holds; ok is false for anything else.
func number(s string, scale int64) (v int64, fine, ok bool) {
	whole, frac, point := strings.Cut(s, ".")
	if whole == "" || point && frac == "" || len(s) > 40 {
		return 0, false, false
	}
	for _, r := range whole {
		if r < '0' || r > '9' || v > (math.MaxInt64-9)/10 {
			return 0, false, false
		}
		v = v*10 + int64(r-'0')
	}
	if v > math.MaxInt64/4/scale {
		return 0, false, false
	}
	v *= scale
	fine = true
	for _, r := range frac {
		if r < '0' || r > '9' {
			return 0, false, false
		}
		scale /= 10
		v += int64(r-'0') * scale
		fine = fine && (scale > 0 || r == '0')
	}
	return v, fine, true
}
