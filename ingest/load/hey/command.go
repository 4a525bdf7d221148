package hey

import (
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// What hey does without the flag (hey.go).
const (
	defaultWorkers = 50
	defaultTimeout = 20 * time.Second
	defaultsFact   = ingest.Fact("hey's default")
)

// valued are hey's flags that take a value, of every version; the others are
// switches.
var valued = map[string]bool{
	"n": true, "c": true, "q": true, "z": true, "t": true, "o": true, "m": true, "H": true, "h": true, "A": true,
	"d": true, "D": true, "T": true, "U": true, "a": true, "x": true, "host": true, "cpus": true,
}

var switches = map[string]bool{
	"h2": true, "disable-compression": true, "disable-keepalive": true, "disable-redirects": true,
	"more": true, "readall": true, "allow-insecure": true,
}

// planned is what a command line of hey says.
type planned struct {
	from     ingest.Fact
	command  string
	flags    map[string]string
	complete bool // the line was understood up to its address, so that a missing flag means the default
	boom     bool
}

// plan reads the command line above the report. Its zero value says nothing.
func plan(in ingest.Input) planned {
	p := planned{from: in.CommandFrom, command: in.Command}
	if in.Command == "" {
		return p
	}
	if p.from == "" {
		p.from = "command line"
	}
	args := ingest.SplitCommand(in.Command)
	at := program(args)
	if at < 0 {
		return p
	}
	p.boom = strings.HasPrefix(base(args[at]), "boom")
	p.flags = map[string]string{}
	args = args[at+1:]
	known := true
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if len(arg) < 2 || arg[0] != '-' {
			// Go's flag package stops at the first argument that is no flag:
			// what follows the address has no effect.
			p.complete = known
			return p
		}
		if arg == "--" {
			p.complete = known && len(args) > 0
			return p
		}
		name, value, has := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		switch {
		case has || switches[name]:
		case valued[name] || len(args) > 1 && !strings.HasPrefix(args[0], "-"):
			if len(args) == 0 {
				return p
			}
			value, args = args[0], args[1:]
		}
		known = known && (valued[name] || switches[name])
		p.flags[name] = value
	}
	return p // the line was cut off before the address
}

// apply writes what the command line says into the run.
func (p planned) apply(run *ingest.Run) {
	run.Command = p.command
	if p.flags == nil {
		return
	}
	if text, given := p.flags["c"]; given {
		if c, err := strconv.ParseInt(text, 0, 32); err == nil && c > 0 {
			run.Workers, run.WorkersFrom = int(c), p.from
		}
	} else if p.complete {
		run.Workers, run.WorkersFrom = defaultWorkers, defaultsFact
	}
	if text, given := p.flags["t"]; given {
		// boom's -t was in milliseconds and bounded only the TLS handshake.
		if t, err := strconv.ParseInt(text, 0, 32); err == nil && t > 0 && !p.boom {
			run.Timeout = time.Duration(t) * time.Second
		}
	} else if p.complete && !p.boom {
		run.Timeout = defaultTimeout
	}
	if z, err := time.ParseDuration(p.flags["z"]); err == nil && z > 0 {
		run.Planned = z
	}
	// -q is the rate of each worker, and its ticks are whole microseconds
	// (requester.go, runWorker). A number of requests (-n) is no length of the
	// run: a worker that was held up sends its share later.
	q, err := strconv.ParseFloat(p.flags["q"], 64)
	if err != nil || !(q > 0) || math.IsInf(q, 0) {
		return
	}
	micros := 1e6 / q
	if micros < 1 || micros > math.MaxInt64/1e3 {
		return
	}
	run.Interval, run.IntervalFrom = time.Duration(micros)*time.Microsecond, p.from
	if run.Workers > 0 {
		run.Rate, run.RateFrom = q*float64(run.Workers), p.from
	}
}

// program returns the index of the program's name: the first word that is one
// and goes on with a flag or an address ("docker run --name hey rakyll/hey -n 9 …"),
// else the first that is one; -1 for none.
func program(args []string) int {
	first := -1
	for i, arg := range args {
		b := base(arg)
		if b != "hey" && b != "boom" && !strings.HasPrefix(b, "hey_") { // released as hey_linux_amd64
			continue
		}
		if i+1 < len(args) && (strings.HasPrefix(args[i+1], "-") || strings.Contains(args[i+1], "://")) {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

func base(arg string) string {
	return strings.TrimSuffix(path.Base(arg), ".exe")
}
