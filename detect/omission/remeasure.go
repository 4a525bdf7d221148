package omission

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// leastLength is how long the run to measure again with lasts at least: wrk2
// throws the first ten seconds away (its calibration).
const leastLength = 30 * time.Second

// OpenLoop returns the command line that measures again what a run measured,
// with requests sent by the clock however long answers take, for a user of the
// same tool. What is not known stands in angle brackets.
func OpenLoop(run ingest.Run) string {
	c := read(strings.ToLower(run.Tool), run.Command)
	rate := plannedRate(run)
	length := max(run.Planned, run.Elapsed, leastLength).Round(time.Second)
	switch strings.ToLower(run.Tool) {
	case "k6":
		return fmt.Sprintf("k6 run %s  # with executor: 'constant-arrival-rate', rate: %s, timeUnit: '1s', duration: '%s', preAllocatedVUs: %s", c.script("script.js"), inUnits(rate), seconds0(length), "2000")
	case "ghz":
		return fmt.Sprintf("ghz --async --rps %s --duration %s <call>", inUnits(rate), seconds0(length))
	case "vegeta":
		return c.vegeta(rate, length)
	case "oha":
		return c.oha(run, rate, length)
	}
	whole := rate == 0 || rate >= 1 && math.Abs(rate-math.Round(rate)) <= 0.005*rate
	switch {
	case c.body != "":
		return c.oha(run, rate, length) // wrk2 needs a script for a body
	case c.method != "" && !strings.EqualFold(c.method, "GET") || !whole:
		return c.vegeta(rate, length) // wrk2 sends GET, and takes whole rates only
	}
	return c.wrk2(run, rate, length)
}

func plannedRate(run ingest.Run) float64 {
	rate := run.Rate
	if rate <= 0 && run.Interval > 0 && run.Workers > 0 {
		rate = float64(run.Workers) / run.Interval.Seconds()
	}
	if !(rate > 0) || rate > 1e12 {
		return 0
	}
	return rate
}

// command is what a command line says about the requests.
type command struct {
	url, method, body string
	headers           []string
	file              string // script
}

func (c command) wrk2(run ingest.Run, rate float64, length time.Duration) string {
	threads, connections := "2", "<connections>"
	if run.Workers > 0 {
		connections = strconv.Itoa(run.Workers)
		threads = strconv.Itoa(min(2, run.Workers))
	}
	args := []string{"wrk2", "-t" + threads, "-c" + connections, "-d" + seconds0(length), "-R" + inUnits(rate), "--latency"}
	for _, h := range c.headers {
		args = append(args, "-H "+quote(h))
	}
	if c.file != "" {
		args = append(args, "-s "+quote(c.file))
	}
	return strings.Join(append(args, c.address()), " ")
}

func (c command) oha(run ingest.Run, rate float64, length time.Duration) string {
	connections := "<connections>"
	if run.Workers > 0 {
		connections = strconv.Itoa(run.Workers)
	}
	args := []string{"oha", "--latency-correction", "-z " + seconds0(length), "-c " + connections, "-q " + inUnits(math.Ceil(rate))}
	if c.method != "" {
		args = append(args, "-m "+quote(c.method))
	}
	for _, h := range c.headers {
		args = append(args, "-H "+quote(h))
	}
	if c.body != "" {
		args = append(args, c.body)
	}
	return strings.Join(append(args, c.address()), " ")
}

func (c command) vegeta(rate float64, length time.Duration) string {
	method := "GET"
	if c.method != "" {
		method = strings.ToUpper(c.method)
	}
	target := method + " <url>"
	if c.url != "" {
		target = method + " " + c.url
	}
	args := []string{"echo " + quote(target) + " | vegeta attack", "-rate=" + ratio(rate), "-duration=" + seconds0(length)}
	for _, h := range c.headers {
		args = append(args, "-header "+quote(h))
	}
	return strings.Join(args, " ") + " | vegeta report"
}

func (c command) address() string {
	if c.url == "" {
		return "<url>"
	}
	return quote(c.url)
}

func (c command) script(otherwise string) string {
	if c.file != "" {
		return quote(c.file)
	}
	return otherwise
}

// inUnits writes a rate as a whole number a second, or its place.
func inUnits(rate float64) string {
	if rate <= 0 {
		return "<rate>"
	}
	return strconv.FormatFloat(math.Max(1, math.Round(rate)), 'f', 0, 64)
}

// ratio writes a rate as vegeta does: 25/2s for 12.5 a second.
func ratio(rate float64) string {
	if rate <= 0 {
		return "<rate>"
	}
	for _, s := range []float64{1, 2, 3, 4, 5, 6, 10, 20, 30, 60, 100, 600} {
		if n := math.Round(rate * s); n >= 1 && math.Abs(n-rate*s) <= 0.001*n {
			if s == 1 {
				return strconv.FormatFloat(n, 'f', 0, 64) + "/s"
			}
			return fmt.Sprintf("%.0f/%.0fs", n, s)
		}
	}
	return fmt.Sprintf("%.0f/%ds", math.Max(1, math.Round(rate*60)), 60)
}

func seconds0(d time.Duration) string { return fmt.Sprintf("%.0fs", d.Seconds()) }

// address returns the first address in a command line, or "".
func address(line string) string { return read("", line).url }

// bodies are the flags that take a body, or a file that holds it: the same
// letter is a length or a limit elsewhere.
var bodies = map[string]map[string]string{
	"hey":  {"-d": "-d ", "-D": "-D "},
	"boom": {"-d": "-d ", "-D": "-D "},
	"oha":  {"-d": "-d ", "-D": "-D "},
	"ab":   {"-p": "-D ", "-u": "-D "},
}

// read reads what a command line of a tool says about the requests.
func read(tool, line string) command {
	var c command
	words := split(line)
	for i := 0; i < len(words); i++ {
		w := words[i]
		next := func() string {
			if i+1 < len(words) {
				i++
				return words[i]
			}
			return ""
		}
		body := bodies[tool][w]
		switch {
		case body != "":
			c.body = body + quote(next())
		case w == "-H" || w == "--header":
			c.headers = append(c.headers, withoutSecret(next()))
		case w == "-m" || w == "-X" || w == "--method":
			c.method = next()
		case w == "-T" && bodies[tool] != nil:
			c.headers = append(c.headers, "Content-Type: "+next())
		case strings.HasPrefix(w, "-"):
		case strings.Contains(w, "://"):
			if c.url == "" {
				c.url = withoutPassword(w)
			}
		case strings.HasSuffix(w, ".lua") || strings.HasSuffix(w, ".js"):
			c.file = w
		}
	}
	if c.method == "" && c.body != "" {
		c.method = "POST"
	}
	return c
}

// secret are headers whose values are not repeated: a report is passed on.
var secret = []string{"authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token"}

func withoutSecret(header string) string {
	name, _, found := strings.Cut(header, ":")
	for _, s := range secret {
		if found && strings.EqualFold(strings.TrimSpace(name), s) {
			return name + ": <value>"
		}
	}
	return header
}

func withoutPassword(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(host, "@"); at >= 0 {
		if user, _, has := strings.Cut(host[:at], ":"); has {
			return scheme + "://" + user + ":<password>" + rest[at:]
		}
	}
	return url
}

// split cuts a command line into words as a shell does, up to the operator that
// ends the command.
func split(line string) []string {
	var out []string
	var word strings.Builder
	open, q := false, byte(0)
	end := func() {
		if open {
			out = append(out, word.String())
		}
		word.Reset()
		open = false
	}
	for i := 0; i < len(line); i++ {
		b := line[i]
		switch {
		case q != 0 && b == q:
			q = 0
		case b == '\\' && q != '\'' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			open = true
		case q != 0:
			word.WriteByte(b)
		case b == '\'' || b == '"':
			q, open = b, true
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			end()
		case b == '|' || b == '>' || b == '<' || b == ';' || b == '&' && i+1 < len(line) && line[i+1] == '&':
			end()
			if len(out) > 0 && strings.Contains(strings.Join(out, " "), "://") {
				return out
			}
			out = nil // another command in front
		default:
			word.WriteByte(b)
			open = true
		}
	}
	end()
	return out
}

// quote makes a word safe for a shell. Control characters are no part of an
// address or a header, and are left out.
func quote(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	plain := s != ""
	for i := 0; i < len(s) && plain; i++ {
		b := s[i]
		plain = b-'0' <= 9 || b|0x20 >= 'a' && b|0x20 <= 'z' || strings.IndexByte("_./:=@%+,-", b) >= 0
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
