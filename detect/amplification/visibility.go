package amplification

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// LowVisibility says how much of the traces is missing.
var LowVisibility = detect.Detector{
	Name: "low-visibility", Severity: detect.Note, Reads: ingest.KindTrace | ingest.KindProblem,
	Doc: `Part of the traces is missing, so that numbers are lower bounds

What other checks say about calls, attempts and fan-outs is "at least" where
spans are missing, and what has no parent in the file cannot be told from what
nobody called. This note gives the shares, for each input: spans whose parent is
not there (orphans), traces without a root, spans that a collector replaced by
summaries, spans that say that attributes, events or links were dropped, spans
without times, ids that are taken twice, loops of parents, traces too large to
be read whole, and answers of a trace store that are marked as partial.

It is given for anything that is missing in at least one span or trace of a
hundred, and for summaries, partial answers and traces cut short always. All of
it is counted, so confidence is high.

Not reported: traces of a single span or without a server span, which are normal
(redis.dial, a job); client and server spans that share an id; rows that were
sent twice. Spans that were dropped without a trace (by a sampler, an exporter's
full queue, short spans that were filtered) cannot be seen: that nothing is
reported does not prove that all is there.`,
	New: func() detect.Tally { return &visibility{} },
}

// VisibilityNumbers are the numbers of a low-visibility finding.
type VisibilityNumbers struct {
	Spans     int64 `json:"spans"`
	Traces    int64 `json:"traces"`
	Orphans   int64 `json:"orphans"`
	Rootless  int64 `json:"traces_without_root"`
	Summaries int64 `json:"spans_summarised"` // that summaries stand for
	Dropped   int64 `json:"spans_with_drops"` // attributes, events or links
	Untimed   int64 `json:"spans_without_times"`
	Repeated  int64 `json:"repeated_ids"`
	Cut       int64 `json:"loops"`
	Beyond    int64 `json:"spans_left_out"`
	Partial   int64 `json:"partial_answers"`
}

// missingShare: fewer of a thing than one in so many are not worth a note.
const missingShare = 100

// visibility is the tally of what is missing, by input.
//
// As a grouping: spans by input, with count(*), those whose parent is no span
// of their trace, those that stand for others with the sum of what they stand
// for, and so on; traces by input, with count(*) and those without a root.
type visibility struct {
	of map[int32]*missing
}

type missing struct {
	VisibilityNumbers
	stands int64 // spans, those of summaries included
	worst  worst // traces by spans that are orphans or summarised
}

func (v *visibility) input(n int32) *missing {
	m := v.of[n]
	if m == nil {
		m = &missing{}
		if v.of == nil {
			v.of = map[int32]*missing{}
		}
		v.of[n] = m
	}
	return m
}

func (v *visibility) Add(r ingest.Record) {
	switch r := r.(type) {
	case *calltree.Trace:
		for i := range r.Inputs {
			v.input(r.Inputs[i].Input).add(r, &r.Inputs[i])
		}
	case *ingest.Problem:
		if errors.Is(r.Err, ingest.ErrPartial) {
			v.input(r.Input).Partial++
		}
	}
}

func (m *missing) add(t *calltree.Trace, c *calltree.InputCounts) {
	m.Traces++
	m.Spans += c.Spans
	m.stands += c.Stands
	m.Orphans += c.Orphans
	m.Untimed += c.Untimed
	m.Repeated += c.Repeated
	m.Cut += c.Cut
	if t.Counts.Roots == 0 {
		m.Rootless++
	}
	if i := t.Inputs[0].Input; i == c.Input { // known of the trace only
		m.Beyond += t.Counts.Beyond
	}
	lost := c.Orphans
	if c.Stands > c.Spans || c.Dropped > 0 {
		for i := range t.Spans {
			s := &t.Spans[i]
			if s.Input != c.Input {
				continue
			}
			if s.Stands > 1 {
				m.Summaries += s.Stands
				lost += s.Stands
			}
			if s.Rare != nil && s.Rare.Dropped > 0 {
				m.Dropped++
			}
		}
	}
	if lost > 0 {
		m.worst.add(exemplar{lost, t.ID})
	}
}

func (v *visibility) Merge(other detect.Tally) {
	for n, x := range other.(*visibility).of {
		m := v.input(n)
		m.Spans += x.Spans
		m.stands += x.stands
		m.Traces += x.Traces
		m.Orphans += x.Orphans
		m.Rootless += x.Rootless
		m.Summaries += x.Summaries
		m.Dropped += x.Dropped
		m.Untimed += x.Untimed
		m.Repeated += x.Repeated
		m.Cut += x.Cut
		m.Beyond += x.Beyond
		m.Partial += x.Partial
		m.worst.merge(&x.worst)
	}
}

func (v *visibility) Findings() []detect.Finding {
	var out []detect.Finding
	for n, m := range v.of {
		if f := m.finding(); f != nil {
			f.Inputs = []int{int(n)}
			out = append(out, *f)
		}
	}
	slices.SortFunc(out, func(a, b detect.Finding) int { return a.Inputs[0] - b.Inputs[0] })
	return out
}

func (m *missing) finding() *detect.Finding {
	var said []string
	f := &detect.Finding{Confidence: detect.High, Exemplars: m.worst.ids(), Numbers: m.VisibilityNumbers}
	e := (*evidence)(&f.Evidence)
	note := func(always bool, n, of int64, what string) {
		if n == 0 || !always && n < (of+missingShare-1)/missingShare {
			return
		}
		got := fmt.Sprint(n)
		if of > 0 {
			got = fmt.Sprintf("%d of %d (%s)", n, of, percent(ratio(n, of)))
		}
		e.add(what, got, "")
		if len(said) < 3 {
			said = append(said, got+" "+what)
		}
	}
	partial := "answers marked as partial"
	if m.Partial == 1 {
		partial = "answer marked as partial"
	}
	note(true, m.Partial, 0, partial)
	note(false, m.Rootless, m.Traces, "traces without a root")
	note(false, m.Orphans, m.Spans, "spans without their parent")
	note(true, m.Summaries, m.stands, "spans replaced by summaries")
	note(true, m.Beyond, m.Spans+m.Beyond, "spans of traces too large to read whole")
	note(false, m.Repeated, m.Spans, "spans with an id that is taken")
	note(false, m.Untimed, m.Spans, "spans without times")
	loops := "loops of parents" // a trace may have several: they are no share of traces
	if m.Cut == 1 {
		loops = "loop of parents"
	}
	if m.Cut >= (m.Traces+missingShare-1)/missingShare {
		note(true, m.Cut, 0, loops)
	}
	note(false, m.Dropped, m.Spans, "spans with dropped attributes")
	if len(said) == 0 {
		return nil
	}
	f.Message = strings.Join(said, ", ") + ": "
	if m.Partial+m.Rootless+m.Orphans+m.Summaries+m.Beyond > 0 {
		f.Message += "what is counted in these traces is a lower bound"
	} else {
		f.Message += "what should rest on them is left out, or may stand in the wrong place"
	}
	f.Remedy = m.remedy()
	return f
}

func (m *missing) remedy() string {
	switch {
	case m.Partial > 0:
		return "Ask for whole traces: without a filter, and with a higher limit of their size."
	case m.Rootless > 0 || m.Orphans > 0:
		return "Let one decision hold for a whole trace (sample at the root, or in the collector by trace), check exporters for full queues, and export a time range that holds the traces whole."
	case m.Summaries > 0:
		return "Export from before the collector prunes spans, where calls are to be told apart; the numbers that summaries state are counted."
	}
	return "Raise the limits of the SDK (attributes and events of a span), and check what writes the ids."
}
