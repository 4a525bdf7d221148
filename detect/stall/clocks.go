package stall

import (
	"fmt"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/words"
)

// ClockNumbers are the numbers of clock-disagreement.
type ClockNumbers struct {
	Apart float64 `json:"apart_ms"` // by how much the log's clock is ahead of the other
}

// minApart is from how much on two clocks disagree.
const minApart = 3 * time.Second

func judgeClocks(t *detect.Table) (out []detect.Finding) {
	f := find(t)
	for _, load := range t.Inputs() {
		if isLog(load) || !load.Has {
			continue
		}
		m := align(load, f.views)
		if m == nil || m.byTime || !m.dated || m.apart.Abs() < minApart+2*m.view.resolution {
			continue
		}
		out = append(out, apart(m.load.Index, m.in.Index, m.apart, m.how, m.sure))
	}
	return slices.Concat(out, zones(t, f), joinedClocks(t))
}

// fewStalls is how many stalls two logs may have each of which one of the one is
// laid beside one of the other: nine pairs, of which one in 200 fits by chance.
const fewStalls = 3

// zones finds logs whose stamps have no zone and whose stalls have those of
// another as their doubles, as long and whole quarter hours away.
func zones(t *detect.Table, f *found) (out []detect.Finding) {
	const quarter = 15 * time.Minute
	floating := func(s *stall) bool {
		return len(s.inputs) == 1 && slices.ContainsFunc(t.Input(s.inputs[0]).Log.Shapes, func(x ingest.Shape) bool { return x.Zone == ingest.ZoneUnknown })
	}
	seen := map[[2]int]bool{}
	many := map[int]int{}
	for _, s := range f.stalls {
		if len(s.inputs) == 1 {
			many[s.inputs[0]]++
		}
	}
	// Where both stood still at the same time, their clocks agree; and of many stalls
	// some are quarter hours apart by chance, or because something runs each hour.
	known := func(a, b int) bool {
		return many[a] > fewStalls || many[b] > fewStalls || slices.ContainsFunc(f.stalls, func(s *stall) bool {
			return slices.Contains(s.inputs, a) && slices.ContainsFunc(f.stalls, func(o *stall) bool {
				return slices.Contains(o.inputs, b) && o.meets(s.from, s.to, s.blur)
			})
		})
	}
	for _, a := range f.stalls {
		if !floating(a) || a.from < dated || a.confidence() < detect.Medium {
			continue
		}
		for _, b := range f.stalls {
			if len(b.inputs) != 1 || b.inputs[0] == a.inputs[0] || floating(b) || b.from < dated || b.confidence() < detect.Medium || seen[[2]int{a.inputs[0], b.inputs[0]}] {
				continue
			}
			if known(a.inputs[0], b.inputs[0]) {
				seen[[2]int{a.inputs[0], b.inputs[0]}] = true
				continue
			}
			d := a.to.Sub(b.to)
			off := (d.Abs() + quarter/2) / quarter * quarter
			longest := max(a.length(), b.length())
			if off == 0 || off > 14*time.Hour || (d.Abs()-off).Abs() > longest/5+a.blur+b.blur || (a.length()-b.length()).Abs() > longest/5 {
				continue
			}
			seen[[2]int{a.inputs[0], b.inputs[0]}] = true
			how := fmt.Sprintf("a stall of %s in the one, and of %s in the other", took(a.length()), took(b.length()))
			out = append(out, apart(b.inputs[0], a.inputs[0], d.Round(quarter), how, detect.Medium))
		}
	}
	return out
}

func apart(a, b int, d time.Duration, how string, sure detect.Confidence) detect.Finding {
	ahead := "ahead of"
	if d < 0 {
		ahead = "behind"
	}
	remedy := "compare the clocks of the two hosts; moments of the one are not those of the other"
	const quarter = 15 * time.Minute
	if off := (d.Abs() + quarter/2) / quarter * quarter; off > 0 && (d.Abs()-off).Abs() < 2*time.Second {
		remedy = fmt.Sprintf("%s is a difference of time zones: say with --tz in which zone the stamps are that have none", off.String())
	}
	f := detect.Finding{Confidence: sure, Inputs: union([]int{a}, []int{b}), Numbers: ClockNumbers{words.Millis(d)},
		Message: fmt.Sprintf("the clock of the log is %s %s that of the other input", took(d.Abs()), ahead), Remedy: remedy}
	var e evidence
	e.add("how they belong together", how, "")
	f.Evidence = e
	return f
}

// joinedClocks compares the starts of requests that two inputs saw.
func joinedClocks(t *detect.Table) (out []detect.Finding) {
	inputs := t.Inputs()
	for i, a := range inputs {
		for _, b := range inputs[i+1:] {
			for _, js := range [][2][]detect.Join{{a.ByRequest.All(), b.ByRequest.All()}, {a.ByTrace.All(), b.ByTrace.All()}} {
				d := differences(js[0], js[1])
				if len(d) < minJoined {
					continue
				}
				// Nearly all say the same: that is a clock, and no wait.
				middle, low, high := d[len(d)/2], d[len(d)/20], d[len(d)-1-len(d)/20]
				if slack := 2*max(resolution(a), resolution(b)) + time.Second; middle.Abs() >= minApart+slack && high-low < middle.Abs()/4+slack {
					out = append(out, apart(b.Index, a.Index, middle, fmt.Sprintf("%d requests are in both", len(d)), detect.High))
					break
				}
			}
		}
	}
	return out
}

func differences(as, bs []detect.Join) (d []time.Duration) {
	for i, k := 0, 0; i < len(as) && k < len(bs); {
		switch {
		case as[i].Hash < bs[k].Hash:
			i++
		case as[i].Hash > bs[k].Hash:
			k++
		default:
			if as[i].Start != 0 && bs[k].Start != 0 {
				d = append(d, as[i].Start.Sub(bs[k].Start))
			}
			i++
			k++
		}
	}
	slices.Sort(d)
	return d
}
