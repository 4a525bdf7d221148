package ingest

import (
	"path"
	"strconv"
	"strings"
	"time"
)

// WrkPlan is what a command line of wrk or wrk2 says about the run. Source:
// parse_args in wg/wrk and giltene/wrk2 src/wrk.c.
type WrkPlan struct {
	Scheduled   bool          // wrk2: the command has a rate, or the program is called so
	Connections int           // 0: not said
	Rate        float64       // requests a second of all connections; 0: not said
	Duration    time.Duration // 0: not said
	Timeout     time.Duration // 0: not said
}

// ParseWrkPlan reads a command line: "wrk2 -t2 -c100 -d30s -R2000 http://…".
func ParseWrkPlan(command string) (p WrkPlan) {
	words := SplitCommand(command)
	if len(words) == 0 {
		return p
	}
	p.Scheduled = path.Base(words[0]) == "wrk2"
	for i := 1; i < len(words) && words[i] != "--"; i++ {
		letters, isOption := strings.CutPrefix(words[i], "-")
		if !isOption || letters == "" {
			continue
		}
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		if name, isLong := strings.CutPrefix(letters, "-"); isLong {
			name, value, has := strings.Cut(name, "=")
			letter := map[string]byte{"connections": 'c', "duration": 'd', "rate": 'R', "timeout": 'T', "threads": 't', "script": 's', "header": 'H'}[name]
			if letter == 0 {
				continue
			}
			if !has {
				value, i = next, i+1
			}
			p.set(letter, value)
			continue
		}
		for j := 0; j < len(letters); j++ { // -Lt2: the value ends the letters
			if strings.IndexByte("cdRTtsH", letters[j]) < 0 {
				continue
			}
			value := letters[j+1:]
			if value == "" {
				value, i = next, i+1
			}
			p.set(letters[j], value)
			break
		}
	}
	return p
}

func (p *WrkPlan) set(letter byte, value string) {
	switch letter {
	case 'c':
		p.Connections = int(min(scanWrk(value, "", 1000, "kMGTP"), 1<<31))
	case 'R':
		p.Scheduled = true
		p.Rate = float64(scanWrk(value, "", 1000, "kMGTP"))
	case 'd':
		p.Duration = wrkSeconds(value)
	case 'T':
		p.Timeout = wrkSeconds(value)
	}
}

func wrkSeconds(value string) time.Duration {
	return time.Duration(min(scanWrk(value, "s", 60, "mh"), 1<<32)) * time.Second
}

// scanWrk reads a whole number with a unit in either case, each scale times the
// one before; 0: it is not one. Source: scan_units in src/units.c.
func scanWrk(s, base string, scale int64, units string) int64 {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	n, err := strconv.ParseInt(s[:end], 10, 64)
	unit := s[end:]
	if err != nil {
		return 0
	}
	if unit == "" || strings.EqualFold(unit, base) {
		return n
	}
	for i := range len(units) {
		if n > 1<<40 {
			return 0
		}
		if n *= scale; strings.EqualFold(unit, units[i:i+1]) {
			return n
		}
	}
	return 0
}

// Plan adds to the run what the command line above the report says, and
// returns it. A command line of another number of connections belongs to
// another run: then it says so, and the plan is empty.
func (r *WrkReport) Plan(in Input) WrkPlan {
	if in.Command == "" {
		return WrkPlan{}
	}
	p := ParseWrkPlan(in.Command)
	if p.Connections > 0 && r.Run.WorkersFrom == "report" && p.Connections != r.Run.Workers {
		r.Problem(r.Run.Pos, "the %s has %d connections, the report %d: it is another run's and is left aside", in.CommandFrom, p.Connections, r.Run.Workers)
		return WrkPlan{}
	}
	r.Run.Command = in.Command
	if r.Run.Workers == 0 && p.Connections > 0 {
		r.Run.Workers, r.Run.WorkersFrom = p.Connections, in.CommandFrom
	}
	if p.Rate > 0 {
		r.Run.Rate, r.Run.RateFrom = p.Rate, in.CommandFrom
	}
	if p.Duration > 0 {
		r.Run.Planned = p.Duration
	}
	return p
}

// Scheduled makes the run and the Thread Stats those of wrk2: timed from a
// schedule that is caught up with, percentiles by HdrHistogram_c. Sources:
// response_complete and check_timeouts in giltene/wrk2 src/wrk.c.
func (r *WrkReport) Scheduled(plan WrkPlan) {
	run := &r.Run
	run.Tool, run.Loop, run.CatchUp = "wrk2", Scheduled, true
	run.Treated, r.Latency.Treated, r.Latency.Rule = FromSchedule, FromSchedule, RuleHdrC
	run.Timeouts = r.lost(plan)
	run.Lost = r.Socket + run.Timeouts
	run.Errors = run.Lost + r.Status
}

// WrkTimeout is the timeout of wrk and wrk2 where --timeout does not set one.
// Source: SOCKET_TIMEOUT_MS in src/wrk.h.
const WrkTimeout = 2 * time.Second

// lost returns how many requests may never have been answered. Every 2 s wrk2
// counts the connections whose last request is older than the timeout: the same
// request again and again, and connections that wait for their next turn too.
// So it is at most one of each connection, and none where the turns of one
// connection come that seldom.
func (r *WrkReport) lost(plan WrkPlan) int64 {
	timeout := plan.Timeout
	if timeout == 0 {
		timeout = WrkTimeout
	}
	rate := r.Run.Rate
	if rate == 0 {
		rate = r.Run.Achieved
	}
	workers := float64(r.Run.Workers)
	if rate > 0 && 2*workers/rate > timeout.Seconds() {
		return 0
	}
	if r.Run.Workers > 0 {
		return min(r.Timeouts, int64(r.Run.Workers))
	}
	return r.Timeouts
}
