package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// HedgeAsk is the question of `whatif hedge`.
type HedgeAsk struct {
	From       *Measured
	N          int             // calls of a request; 0: as recorded, of a load report 1
	Delays     []time.Duration // to look at beside those that are chosen
	Cap        float64         // share of further calls that is allowed; 0: 5 %
	Idempotent bool            // calls may be made twice, whatever their method says
	Draws      int64           // 0: 200 000
	Seed       uint64
}

// HedgeRow is one delay.
type HedgeRow struct {
	Name      string   `json:"name"`      // as recorded, p95 of a call, …
	After     *float64 `json:"after_ms"`  // null: no hedging
	P50       Estimate `json:"p50"`       // of requests
	P99       Estimate `json:"p99"`       //
	P999      Estimate `json:"p99.9"`     //
	Worst     Estimate `json:"p99_worst"` // if every second call met the slowest time of the file
	Worst999  Estimate `json:"p99.9_worst"`
	Extra     float64  `json:"extra"` // second calls, as a share of the first ones
	ExtraErr  float64  `json:"extra_error"`
	ExtraPeak float64  `json:"extra_peak"` // the same in the slowest time of the file
	Chosen    bool     `json:"recommended"`
}

const (
	hedgeDraws  = 200_000
	maxReplayed = 50_000_000 // calls of each row; of more there are fewer draws, which is said
)

// Hedge replays recorded calls with second ones, or says why they are not to be
// hedged.
func Hedge(ask HedgeAsk) (*Answer, error) {
	x := &hedge{HedgeAsk: ask}
	if err := x.prepare(); err != nil {
		return nil, err
	}
	a := &Answer{Schema: Schema, Model: "hedge", Source: &ask.From.Source, Rows: []HedgeRow{}, RestsOn: RestsOn{Seed: ask.Seed, Interval: confidence}}
	a.Leaf = leafOf("as measured", ask.From.Leaf, ask.From.Leaf.Quantile(slowFrom))
	a.Question = fmt.Sprintf("calls of %s that are late were sent once more?", x.name())
	if a.Refused = x.refusals(); len(a.Refused) > 0 {
		a.Answer = "They are not to be hedged."
		a.RestsOn.Assumptions = []string{"signs of overload, methods and second calls in the file"}
		return a, nil
	}
	rows := x.rows()
	a.Rows, a.RestsOn.Draws = rows, x.draws
	a.Answer, a.Knee = x.sentence(rows)
	if chosen := x.chosen(rows); chosen != nil {
		a.Advice = x.advice(time.Duration(math.Round(*chosen.After * 1e6)))
	}
	a.RestsOn.Assumptions = x.assumptions()
	a.table = func(p *printer) { hedgeTable(p, rows) }
	return a, nil
}

type hedge struct {
	HedgeAsk
	replay simulate.Replay
	by     []bucket // by time
	slow   simulate.ReplayBucket
	calm   *simulate.Measured // calls of the calm time
	delay  time.Duration      // recommended; 0: none
	draws  int64
	ranked bool // times are known
}

func (x *hedge) prepare() error {
	if x.From == nil {
		return fmt.Errorf("no file given\nhint: tailcheck whatif hedge --from traces.jsonl")
	}
	if x.N < 0 || x.N > 10_000 {
		return fmt.Errorf("--n %d: want a number of calls from 1 to 10000", x.N)
	}
	if x.Cap == 0 {
		x.Cap = fewExtra
	}
	x.draws = x.Draws
	if x.draws == 0 {
		x.draws = hedgeDraws
	}
	if x.draws < 100 || x.draws > maxDraws {
		return fmt.Errorf("--draws %d: want a number from 100 to %d", x.draws, maxDraws)
	}
	x.collect()
	if n := max(x.N, x.From.Width); x.draws*int64(n) > maxReplayed {
		x.draws = max(100, maxReplayed/int64(n))
	}
	if len(x.replay.Requests) == 0 {
		return fmt.Errorf("%s: holds no calls whose time is known", x.From.Path)
	}
	x.calmTime()
	return nil
}

func (x *hedge) name() string {
	if x.From.Op == "" {
		return "this report"
	}
	return x.From.Op
}

// rows looks at delays: quantiles of a call in the calm time, and those that are
// asked for.
func (x *hedge) rows() []HedgeRow {
	type candidate struct {
		name  string
		after time.Duration
	}
	list := []candidate{{"as recorded", simulate.Never}}
	var chosen time.Duration
	late := func(d time.Duration) float64 { return 1 - x.From.Leaf.Share(d) }
	for _, q := range []struct {
		name string
		q    float64
	}{{"p50", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p95", 0.95}, {"p98", 0.98}, {"p99", 0.99}} {
		d := twoDigits(x.calm.Quantile(q.q))
		if d == 0 {
			continue
		}
		if chosen == 0 && q.q >= 0.95 && late(d) > 0 && late(d) <= x.Cap {
			chosen = d
		}
		name := "calm " + q.name
		if last := &list[len(list)-1]; last.after == d {
			last.name = name
			continue
		}
		list = append(list, candidate{name, d})
	}
	for _, d := range x.Delays {
		if !slices.ContainsFunc(list, func(c candidate) bool { return c.after == d }) {
			list = append(list, candidate{"asked for", d})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.after, b.after) })
	x.delay = chosen
	peak := measuredOf(x.replay.Buckets[x.worst()])
	var rows []HedgeRow
	for _, c := range list {
		got := x.replay.Run(c.after, nil, x.draws, x.Seed)
		r := HedgeRow{Name: c.name, P50: estimate(&got.Took, latency.P50), P99: estimate(&got.Took, latency.P99), P999: estimate(&got.Took, latency.P999)}
		r.Worst, r.Worst999 = r.P99, r.P999
		if c.after >= 0 {
			v := inMs(c.after)
			r.After, r.Chosen = &v, c.after == chosen
			worst := x.replay.Run(c.after, x.slowCalls(c.after), x.draws, x.Seed)
			r.Worst, r.Worst999 = estimate(&worst.Took, latency.P99), estimate(&worst.Took, latency.P999)
			r.Extra, r.ExtraErr = round4(got.Extra.Mean()/got.Calls.Mean()), round4(got.Extra.Error()/got.Calls.Mean())
			r.ExtraPeak = round4(1 - peak.Share(c.after))
		}
		rows = append(rows, r)
	}
	return rows
}

// twoDigits rounds a time up to two digits, three from 100 to 199: a delay is a
// setting that somebody writes down.
func twoDigits(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	unit := time.Duration(1)
	for d/unit >= 200 {
		unit *= 10
	}
	return (d + unit - 1) / unit * unit
}

func (x *hedge) worstCase() string {
	if len(x.by) > 1 {
		return "the slowest time of the file"
	}
	return "a replica that is late as well"
}

func (x *hedge) chosen(rows []HedgeRow) *HedgeRow {
	for i := range rows {
		if rows[i].Chosen {
			return &rows[i]
		}
	}
	return nil
}

// gain is by how much p99 must fall for hedging to be worth its load.
const minGain = 0.1

func (x *hedge) sentence(rows []HedgeRow) (string, *Knee) {
	was, r := &rows[0], x.chosen(rows)
	if r == nil {
		return fmt.Sprintf("No delay up to the p99 of a calm call keeps second calls within %s: slow calls are too many here. Hedging is for the rare ones.", report.Share(x.Cap)), nil
	}
	little := func(now, before Estimate) bool { return now.Value > (1-minGain)*before.Value }
	text := fmt.Sprintf("Hedged after %s, p50 of requests is %s instead of %s, p99 %s instead of %s, and p99.9 %s instead of %s, for %s more calls. In the worst case, where the second call meets %s, p99 is %s and p99.9 %s.",
		clockMs(*r.After), clockMs(r.P50.Value), clockMs(was.P50.Value), clockMs(r.P99.Value), clockMs(was.P99.Value), clockMs(r.P999.Value), clockMs(was.P999.Value), report.Share(r.Extra), x.worstCase(), clockMs(r.Worst.Value), clockMs(r.Worst999.Value))
	switch {
	case little(r.P99, was.P99) && little(r.P999, was.P999):
		r.Chosen = false
		return fmt.Sprintf("No delay that keeps second calls within %s brings much: after %s p99 of requests is %s instead of %s. Slow calls are too many for hedging, come together, or are not what requests wait for.",
			report.Share(x.Cap), clockMs(*r.After), clockMs(r.P99.Value), clockMs(was.P99.Value)), nil
	case little(r.P99, was.P99):
		text += " Only requests beyond p99 gain from it."
	case r.Worst.Value > (1-minGain)*was.P99.Value:
		text += " Then it would bring little: see first that the second call goes to another host."
	}
	for _, f := range x.From.findings {
		if f.Detector == "coordinated-omission" && f.Confidence >= detect.Medium {
			text += " This report shows a stall of everything (coordinated-omission): it would have held second calls as well, so that the worst case is the one to reckon with."
			break
		}
	}
	return text, &Knee{Delay: r.After, Text: fmt.Sprintf("after %s, a fixed delay: the p95 of a call in the calm half of the file, or above it until second calls are at most %s of all. A delay that follows the latencies of the moment sends more the slower the replicas are; allow %s at the most, and cancel the loser.",
		clockMs(*r.After), report.Share(x.Cap), report.Share(x.Cap))}
}

func (x *hedge) assumptions() []string {
	var out []string
	if x.ranked && len(x.by) > 1 {
		out = append(out, fmt.Sprintf("first calls as recorded; a second call is one of another peer (where peers are known) that was recorded at the same time, of %d equal parts of the file", len(x.by)))
		out = append(out, "worst: all second calls come from the slowest of these parts; extra peak (JSON): second calls in that part")
	} else if x.From.log {
		out = append(out, "first calls as recorded; a second call is any of the recorded ones: of a log the latencies are taken, and not the times at which they came, so that slowness that all share is not shared here")
		out = append(out, "worst: second calls take what calls take that are late themselves")
	} else {
		out = append(out, "first calls as recorded; a second call is any of the recorded ones: the file says nothing, or too little, of when they were made")
		out = append(out, "worst: second calls take what calls take that are late themselves")
	}
	if x.replay.Width > 0 {
		out = append(out, fmt.Sprintf("requests of %d calls, all begun at once, drawn from one part of the file each", x.replay.Width))
	}
	out = append(out, "second calls wait in no queue that the first ones did not, and losers are cancelled at once",
		"the client has what second calls need (connections, streams)")
	out = append(out, fmt.Sprintf("requests are those of the file: that it holds only %s of them is not in the intervals", report.Whole(int64(len(x.replay.Requests)))))
	if x.From.fan != nil && x.From.fan.safe == 0 && x.From.fan.unsafe == 0 && !x.Idempotent {
		out = append(out, "the file does not say whether these calls may be made twice: make sure of it")
	}
	if x.From.log && !x.Idempotent {
		out = append(out, "a log does not say whether these requests may be made twice: make sure of it")
	} else if x.From.fan == nil && !x.Idempotent {
		out = append(out, "a load report says neither what is called nor whether it may be called twice: make sure of it")
	}
	return out
}

func hedgeTable(p *printer, rows []HedgeRow) {
	var all []float64
	for _, r := range rows {
		all = append(all, r.P50.Value, r.P99.Value, r.P999.Value, r.Worst.Value, r.Worst999.Value)
	}
	unit, write := report.Times(all)
	var lines [][]string
	for _, r := range rows {
		mark, after := "", "never"
		if r.Chosen {
			mark = "<"
		}
		if r.After != nil {
			after = clockMs(*r.After)
		}
		lines = append(lines, []string{after, r.Name, write(r.P50.Value), write(r.P99.Value), write(r.P999.Value), write(r.Worst.Value), write(r.Worst999.Value), report.Share(r.Extra), mark})
	}
	p.Table([]string{"after", "", "p50 " + unit, "p99", "p99.9", "worst p99", "p99.9", "extra", ""}, lines, []int{1}, []int{1})
}
