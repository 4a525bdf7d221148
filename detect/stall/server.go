package stall

import (
	"fmt"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/words"
)

// maxStalls is how many stalls are findings of their own: the longest. What is
// left is counted with the last.
const maxStalls = 20

// StallNumbers are the numbers of server-stall, as the contract has them.
type StallNumbers struct {
	Duration float64 `json:"duration_ms"`
	Seen     int64   `json:"seen"` // requests that waited for its end
	Due      int64   `json:"due"`  // requests that would have met it at the rate around it
}

// Of requests that waited for the same moment while others were answered: so
// many that it was no single client, and so many of their operations' requests
// that it was the operation that stood still.
const (
	sureHeld   = 15
	mostOthers = 0.5
)

// confidence says how sure it is that a stall is one.
func (s *stall) confidence() detect.Confidence {
	all := slices.ContainsFunc(s.pauses, func(p ingest.Pause) bool { return p.All })
	switch {
	case all, s.burst > 0 && s.silence:
		return detect.High
	case s.silence && len(s.held) >= minHeld:
		return detect.High
	case !s.silence && len(s.held) > 0: // others were answered meanwhile: how many of their own kind?
		switch {
		case float64(len(s.held)) < mostOthers*s.due0:
			return detect.Low
		case len(s.held) < sureHeld:
			return detect.Medium
		}
		return detect.High
	case len(s.held) > 0, len(s.pauses) > 0:
		return detect.Medium
	}
	return detect.Low
}

func judgeStalls(t *detect.Table) (out []detect.Finding) {
	f := find(t)
	worst := slices.Clone(f.stalls)
	slices.SortStableFunc(worst, func(a, b *stall) int { return int(min(max(b.length()-a.length(), -1), 1)) })
	left := worst[min(len(worst), maxStalls):]
	for _, s := range f.stalls {
		if slices.Contains(left, s) {
			continue
		}
		out = append(out, s.finding())
	}
	if len(left) > 0 {
		total := time.Duration(0)
		inputs := []int(nil)
		for _, s := range left {
			total += s.length()
			inputs = union(inputs, s.inputs)
		}
		out = append(out, detect.Finding{Confidence: left[0].confidence(), Inputs: inputs, Impact: total,
			Message: fmt.Sprintf("%s more, the longest of %s, %s in all", plural(int64(len(left)), "stall", "stalls"), took(left[0].length()), took(total)),
			Remedy:  "look at a shorter time with --since and --until",
			Numbers: StallNumbers{Duration: words.Millis(left[0].length())}})
	}
	return out
}

func (s *stall) finding() detect.Finding {
	n := StallNumbers{Duration: words.Millis(s.length()), Seen: int64(len(s.held)), Due: s.due()}
	f := detect.Finding{Confidence: s.confidence(), Inputs: s.inputs, Numbers: n}
	// Those that met it came one after the other, and waited for half of it on average.
	if f.Confidence > detect.Low { // what may be none has cost nobody anything
		f.Impact = time.Duration(max(n.Due, n.Seen)) * s.length() / 2
	}
	f.Message = s.sentence()
	var e evidence
	if s.silence {
		e.add("no request ended", "for "+took(s.length()), fmt.Sprintf("%.0f would have, at %s around it", s.rate*s.length().Seconds(), rateOf(s.rate)))
	}
	if s.burst > 0 {
		e.add("requests that ended at once behind it", fmt.Sprint(s.burst), fmt.Sprintf("%d waited, if they came all the time", s.due()))
	}
	if len(s.held) > 0 {
		worst := s.worst()
		e.add("requests that waited for its end", fmt.Sprintf("%d, the longest %s", len(s.held), took(worst.Latency)), "")
		e.place(worst.Pos)
	}
	if len(s.held) > 0 && s.others > 0 && !s.silence {
		e.add("others that were answered meanwhile", fmt.Sprint(s.others), "none, if all of the server had stood still")
	}
	for i, p := range s.pauses {
		if i == 3 {
			e.add("more pauses in it", fmt.Sprint(len(s.pauses)-i), "")
			break
		}
		e.add("pause: "+p.Op, took(p.Length), "")
		e.place(p.Pos)
	}
	f.Evidence = e
	switch {
	case len(s.pauses) > 0 && s.pauses[0].All:
		f.Remedy = "the pause is the cause: shorten it (collector, heap, the command that ran), or keep traffic away from it; p99 of the log alone does not show it"
	case f.Confidence == detect.Low && !s.silence:
		f.Remedy = "look whether they are of one client or one page whose network came back (their addresses), or share a lock, a connection or a dependency"
	case f.Confidence == detect.Low:
		f.Remedy = "ask what sent the requests whether it paused; a log with latencies, or one of what is behind the server, would tell"
	default:
		f.Remedy = "look at what the server waited for in that time: collections, locks, disk, a dependency; give the logs of those beside this one"
	}
	return f
}

func were(others int64) string {
	switch others {
	case 0:
		return "no others were"
	case 1:
		return "1 other was"
	}
	return fmt.Sprintf("%d others were", others)
}

func (s *stall) worst() (w detect.Slow) {
	for _, x := range s.held {
		if x.Latency > w.Latency {
			w = x
		}
	}
	return w
}

func (s *stall) sentence() string {
	when := fmt.Sprintf("from %s to %s, for %s", at(s.from, s.blur), clock(s.to, s.blur), took(s.length()))
	if s.blur >= time.Second {
		when = fmt.Sprintf("for %s, from %s to %s, give or take a second", took(s.length()), at(s.from, s.blur), clock(s.to, s.blur))
	}
	if len(s.pauses) > 0 && s.pauses[0].Start == 0 && !s.silence && len(s.held) == 0 {
		when = "for " + took(s.length()) + " (the log has no time stamps)"
	}
	switch {
	case s.silence && s.burst > 0:
		return fmt.Sprintf("nothing was answered %s, then %s at once: about %s waited", when, plural(s.burst, "request", "requests"), plural(s.due(), "request", "requests"))
	case s.silence && len(s.held) > 0:
		verb := "were"
		if len(s.held) == 1 {
			verb = "was"
		}
		return fmt.Sprintf("nothing was answered %s; %s %s waiting, %d were due at the rate around it", when, plural(int64(len(s.held)), "request", "requests"), verb, s.due())
	case len(s.held) > 0:
		return fmt.Sprintf("%d requests waited for the same moment, %s, while %s answered", len(s.held), when, were(s.others))
	case len(s.pauses) > 0:
		return fmt.Sprintf("%s stopped the server %s", s.pauses[0].Op, when)
	}
	return fmt.Sprintf("nothing was answered %s, where %d requests were due; a pause of the load looks the same", when, s.due())
}

// Unseen says of a log what it cannot know of its own stalls, or "": that most
// of the requests that would have met the longest one are not in it.
func Unseen(t *detect.Table, input int) string {
	var worst *stall
	for _, s := range find(t).stalls {
		if slices.Contains(s.inputs, input) && s.confidence() >= detect.Medium && 2*int64(len(s.held)) < s.due() && (worst == nil || s.due() > worst.due()) {
			worst = s
		}
	}
	if worst == nil {
		return ""
	}
	return fmt.Sprintf("the server stood still for %s, and of about %s that would have met it the log shows %d", took(worst.length()), plural(worst.due(), "request", "requests"), len(worst.held))
}
