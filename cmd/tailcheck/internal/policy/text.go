package policy

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/internal/words"
)

// Text writes the report for a person: the worst case first.
func (r *Report) Text(o report.Options) string {
	p := report.NewPaper(o)
	p.Text(0, 2, r.verdict())
	r.chain(p)
	r.mean(p)
	for _, f := range r.Findings {
		p.Section()
		p.Severe(f.Severity, f.Rule+", confidence "+f.Confidence)
		p.Text(2, 0, f.Message+".")
		p.Text(2, 2, "at "+strings.Join(f.At, ", "))
		p.Advice(2, f.Remedy)
	}
	if len(r.Findings) == 0 {
		p.Section()
		p.Text(0, 2, "Nothing stands against these settings.")
	}
	seen := map[string]bool{}
	for _, n := range r.Notes {
		line := fmt.Sprintf("%s: %s.", n.At, n.Message)
		if seen[line] {
			continue
		}
		if len(seen) == 0 {
			p.Section()
		}
		seen[line] = true
		p.Severe("note", line)
	}
	return p.String()
}

func (r *Report) verdict() string {
	w := r.reckoned
	last := r.Chain[len(r.Chain)-1].Name
	var tries []string
	for _, h := range r.Chain {
		tries = append(tries, strconv.Itoa(h.Usable*h.CallsOf))
	}
	made := ""
	if len(tries) > 1 {
		made = " (" + strings.Join(tries, " × ") + ")"
	}
	s := fmt.Sprintf("Worst case for one request: %s of %s%s", count(w.LeafCalls, "call"), last, made)
	switch {
	case w.Waits == Forever:
		s += "; and it may wait for ever"
	default:
		s += "; it waits up to " + say(w.Waits)
	}
	switch {
	case w.Deadline == Forever:
		return s + ": no deadline ends it."
	case !w.Given && w.Works > w.Deadline && w.Works < Forever:
		s += fmt.Sprintf(", and work below may go on until %s", say(w.Works))
	case w.Given && w.Waits <= w.Deadline:
		s += fmt.Sprintf(", within the deadline of %s", say(w.Deadline))
	case w.Given:
		s += fmt.Sprintf(", but the deadline is %s", say(w.Deadline))
	}
	return s + "."
}

func (r *Report) chain(p *report.Paper) {
	var rows [][]string
	for i, h := range r.Chain {
		x := r.reckoned.Hops[i]
		tries := strconv.Itoa(h.Tries)
		if h.Usable < h.Tries {
			tries = fmt.Sprintf("%d of %d", h.Usable, h.Tries)
		}
		if h.Hedge {
			tries += " hedged"
		}
		timeout := say(x.Policy.Timeout)
		if x.Policy.Timeout == Forever {
			timeout = "none"
		} else if h.Default {
			timeout += " default"
		}
		each := ""
		if x.Policy.PerTry < Forever {
			each = say(x.Policy.PerTry)
		}
		rows = append(rows, []string{fmt.Sprintf("%d %s", i+1, h.Name), tries, each, timeout, say(x.Waits), count(h.Reach, "call")})
	}
	p.Section()
	p.Table(2, []string{"call of", "tries", "one try", "timeout", "waits up to", "at worst"}, rows, 0)
	for i, h := range r.Chain {
		var parts []string
		if h.Others > 0 {
			parts = append(parts, fmt.Sprintf("the worst of %d in its file (--chain picks another)", h.Others+1))
		}
		if h.Budget != nil {
			parts = append(parts, *h.Budget)
		}
		if h.PassesOn {
			parts = append(parts, "the callee keeps the deadline")
		}
		text := fmt.Sprintf("%d %s, %s", i+1, h.System, h.At)
		if len(parts) > 0 {
			text += ": " + strings.Join(parts, "; ")
		}
		p.Text(2, 2, text)
	}
}

func (r *Report) mean(p *report.Paper) {
	if r.Worst.LeafCalls < 2 {
		return
	}
	var parts []string
	for _, e := range r.Expected {
		parts = append(parts, fmt.Sprintf("%s at %s", strconv.FormatFloat(e.LeafCalls, 'f', -1, 64), words.Percent(e.FailureRate)))
	}
	p.Text(2, 2, "Calls of the last service on average, where each hop's calls fail by themselves: "+strings.Join(parts, ", ")+".")
}
