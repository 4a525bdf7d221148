package slots

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/internal/words"
)

// Shown is how many keys and primaries the text lists, unless it is said.
const Shown = 20

// Text writes the report for a person: what the batch costs first. top is how
// many keys and primaries are listed; 0: all.
func (r *Report) Text(o report.Options, top int) string {
	p := report.NewPaper(o)
	if r.Batch != nil {
		p.Text(0, 2, r.verdict())
		r.source(p)
		r.ways(p)
	}
	r.anchorsText(p)
	r.primaries(p, top)
	r.keys(p, top)
	return p.String()
}

func count(n int, one string) string { return words.Count(int64(n), one) }

// command names what the keys are asked for with.
func (r *Report) command() string {
	if r.From != nil {
		return r.From.Command
	}
	return "MGET"
}

func (r *Report) verdict() string {
	b := r.Batch
	verb := "are"
	if b.Keys == 1 {
		verb = "is"
	}
	s := fmt.Sprintf("%s %s %s", count(b.Keys, "key"), verb, count(b.Slots, "slot"))
	if b.Keys > b.Distinct {
		s = fmt.Sprintf("%s (%d different) %s %s", count(b.Keys, "key"), b.Distinct, verb, count(b.Slots, "slot"))
	}
	if b.Pipelined != nil {
		s += fmt.Sprintf(" on %d of %s", *b.Pipelined, primaries(len(r.Primaries)))
	}
	how := "one " + r.command() + " for all"
	switch {
	case b.Keys == 1:
		how = "one " + r.command()
	case b.Chunk != nil:
		how = fmt.Sprintf("one %s for %s", r.command(), count(*b.Chunk, "key"))
	case b.Commands == b.Distinct && b.Slots > 1:
		how = "one " + r.command() + " each"
	}
	s += fmt.Sprintf(": %s → %s; grouped by slot %d", how, count(b.Commands, "command"), b.Grouped)
	if b.Pipelined != nil && len(r.Primaries) > 0 && b.Slots > 1 {
		s += fmt.Sprintf("; pipelined %s", count(*b.Pipelined, "round trip"))
	}
	switch {
	case b.Shared != nil:
		s += fmt.Sprintf("; all have the hash tag {%s}, so one command does", *b.Shared)
	case b.Tagged != nil:
		s += fmt.Sprintf("; with %s at most %d", count(len(r.Anchors.Kept), "hash tag"), *b.Tagged)
	case b.Slots > 1 && b.HaveTags == 0:
		s += "; with one hash tag for all 1"
	}
	return s + "."
}

// Brief is the report in two lines, for a finding that it is about.
func (r *Report) Brief() []string {
	if r.Batch == nil {
		return nil
	}
	what, ways, found := strings.Cut(r.verdict(), ": ")
	if !found {
		return []string{report.Safe(what)}
	}
	if r.From != nil {
		what += ", sent as " + words.Count(r.From.Sent, "command")
	}
	return []string{report.Safe(what + "."), report.Safe(strings.ToUpper(ways[:1]) + ways[1:])}
}

func (r *Report) source(p *report.Paper) {
	f := r.From
	if f == nil {
		return
	}
	caller := "a span that is not in the file"
	if f.Caller != nil {
		caller = *f.Caller
	}
	if f.Service != nil {
		caller += " of " + *f.Service
	}
	others := ""
	if f.Batches > 1 {
		others = fmt.Sprintf(", the largest of %d batches", f.Batches)
	}
	p.Text(0, 2, fmt.Sprintf("Keys of %s: %s under %s, trace %s%s; sent there as %s.", f.Path, f.Command, caller, f.Trace, others, words.Count(f.Sent, "command")))
	if f.Hidden > 0 {
		p.Text(0, 2, fmt.Sprintf("%d of %d Redis statements show no key: there may be larger batches.", f.Hidden, f.Statements))
	}
	if f.Problems > 0 {
		p.Text(0, 2, fmt.Sprintf("%s of the file could not be read.", words.Count(f.Problems, "part")))
	}
	if f.Beyond > 0 {
		p.Text(0, 2, fmt.Sprintf("%d statements were not looked at: the file names more keys than are held at once.", f.Beyond))
	}
}

// ways is the table of what can be done, from what costs least to change.
func (r *Report) ways(p *report.Paper) {
	b := r.Batch
	if b.Keys < 2 {
		return
	}
	trips := func(commands int) string {
		if b.Pipelined == nil {
			return ""
		}
		return strconv.Itoa(min(commands, *b.Pipelined))
	}
	stands := "as it stands"
	if b.Chunk != nil {
		stands = fmt.Sprintf("as it stands, in chunks of %d", *b.Chunk)
	}
	rows := [][]string{
		{stands, strconv.Itoa(b.Commands), strconv.Itoa(b.Commands), ""},
		{"grouped by slot", strconv.Itoa(b.Grouped), strconv.Itoa(b.Grouped), words.Short(b.Expected)},
	}
	if b.Pipelined != nil {
		rows = append(rows, []string{"one pipeline for each primary", strconv.Itoa(b.Grouped), trips(b.Grouped), ""})
	}
	if b.Tagged != nil {
		rows = append(rows, []string{"with hash tags {" + r.Anchors.Template + "}", "at most " + strconv.Itoa(*b.Tagged), "at most " + trips(*b.Tagged), words.Short(*b.TaggedBy)})
	}
	p.Section()
	p.Table(2, []string{"", "commands", "round trips", "if keys are random"}, rows, 0)
	if b.Lost > 0 {
		p.Text(2, 2, fmt.Sprintf("%s in slots that no primary serves: such commands fail (CLUSTERDOWN).", count(b.Lost, "key")))
	}
}

func (r *Report) anchorsText(p *report.Paper) {
	a := r.Anchors
	if a == nil {
		return
	}
	p.Section()
	p.Text(0, 2, fmt.Sprintf("Hash tags {%s}: %s, %d for each of %s; %d numbers tried, %d skipped: %s.",
		a.Template, count(len(a.Kept), "tag"), a.Per, primaries(len(r.Primaries)), a.Tried, a.Skipped, numbers(a.Kept)))
	if a.Short != nil {
		p.Text(0, 2, "There are too few: "+*a.Short+".")
	}
	if r.Even {
		p.Text(0, 2, "The ranges of the primaries are taken to be even; where they are not, other numbers reach them: give --cluster FILE.")
	}
}

// numbers writes runs of numbers: "0-17, 23, 27".
func numbers(kept []Anchor) string {
	const most = 40
	var out []string
	for i := 0; i < len(kept); {
		j := i
		for j+1 < len(kept) && kept[j+1].N == kept[j].N+1 {
			j++
		}
		if len(out) == most {
			return strings.Join(out, ", ") + fmt.Sprintf(" and %d more (--output json has all)", len(kept)-i)
		}
		if j == i {
			out = append(out, strconv.Itoa(kept[i].N))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", kept[i].N, kept[j].N))
		}
		i = j + 1
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

func primaries(n int) string {
	if n == 1 {
		return "1 primary"
	}
	return strconv.Itoa(n) + " primaries"
}

func (r *Report) primary(i int) string {
	if n := r.Primaries[i].Name; n != nil {
		return *n
	}
	return "primary " + strconv.Itoa(i+1)
}

func (r *Report) primaries(p *report.Paper, top int) {
	if len(r.Primaries) == 0 {
		return
	}
	header := []string{"primary", "slots", "ranges", "keys"}
	if r.Anchors != nil {
		header = append(header, "tags")
	}
	var rows [][]string
	for i, x := range r.Primaries {
		if top > 0 && i == top {
			break
		}
		ranges := strings.Join(x.Ranges[:min(len(x.Ranges), 8)], " ")
		if len(x.Ranges) > 8 {
			ranges += fmt.Sprintf(" and %d more", len(x.Ranges)-8)
		}
		row := []string{r.primary(i), strconv.Itoa(x.Slots), ranges, strconv.Itoa(x.Keys)}
		if x.Tags != nil {
			row = append(row, strconv.Itoa(*x.Tags))
		}
		rows = append(rows, row)
	}
	p.Section()
	p.Table(2, header, rows, 2, 2)
	more(p, len(r.Primaries)-len(rows))
	if r.Uncovered > 0 {
		p.Text(2, 2, fmt.Sprintf("%s served by nobody.", count(r.Uncovered, "slot")))
	}
}

func (r *Report) keys(p *report.Paper, top int) {
	if len(r.Keys) == 0 {
		return
	}
	var rows [][]string
	for i, k := range r.Keys {
		if top > 0 && i == top {
			break
		}
		row := []string{k.Key, strconv.Itoa(k.Slot), "", ""}
		if k.Tag != nil {
			row[2] = *k.Tag
		}
		if k.Primary != nil {
			row[3] = r.primary(*k.Primary)
		} else if len(r.Primaries) > 0 {
			row[3] = "nobody"
		}
		rows = append(rows, row)
	}
	header := []string{"key", "slot", "hash tag", "primary"}
	for _, i := range []int{3, 2} {
		empty := true
		for _, row := range rows {
			empty = empty && row[i] == ""
		}
		if !empty {
			continue
		}
		header = append(header[:i:i], header[i+1:]...)
		for j, row := range rows {
			rows[j] = append(row[:i:i], row[i+1:]...)
		}
	}
	p.Section()
	p.Table(2, header, rows, 0, 2, 3)
	more(p, len(r.Keys)-len(rows))
}

func more(p *report.Paper, n int) {
	if n > 0 {
		p.Text(2, 2, fmt.Sprintf("and %d more (--top 0 lists all)", n))
	}
}
