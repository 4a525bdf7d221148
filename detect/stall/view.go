package stall

import (
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// view is one log, or several that are of the same server and are looked at as
// one: rotated files, and those of servers behind one balancer.
type view struct {
	inputs     []*detect.Input
	bins       []detect.Bin // by time
	width      time.Duration
	resolution time.Duration // of the moments at which requests ended
	ends       int64
	first      ingest.Time   // first end; 0: nothing ended
	last       ingest.Time   // last end
	slow       []detect.Slow // by end
	typical    map[string]time.Duration
	step       time.Duration // below which latencies are cut, where that is more than a millisecond
	pauses     []ingest.Pause
	gaps       []gap         // in which nothing ended, by time
	rare       time.Duration // which only the few longest gaps pass
	stalls     []*stall
}

// isLog reports whether an input is a server's log.
func isLog(in *detect.Input) bool {
	return len(in.Log.Shapes) > 0 || in.Pauses.Count > 0 || !in.Timeline.Empty()
}

// kin names what logs have in common that may be looked at as one.
type kin struct {
	layout  string
	vantage ingest.Vantage
}

func kinOf(in *detect.Input) kin {
	k := kin{}
	most := int64(0)
	for i := range in.Log.Shapes {
		if s := &in.Log.Shapes[i]; s.Requests > most {
			k.layout, most = s.Layout, s.Requests
		}
	}
	if rows := in.Rows(); len(rows) > 0 {
		k.vantage = rows[0].Vantage
	}
	return k
}

// views returns the logs of a table: those together that may be, and then each.
func views(t *detect.Table) (all []*view) {
	together := map[kin][]*detect.Input{}
	var kins []kin
	for _, in := range t.Inputs() {
		if !isLog(in) {
			continue
		}
		k := kinOf(in)
		if together[k] == nil {
			kins = append(kins, k)
		}
		together[k] = append(together[k], in)
	}
	for _, k := range kins {
		if len(together[k]) > 1 {
			all = append(all, viewOf(together[k]))
		}
	}
	for _, k := range kins {
		for _, in := range together[k] {
			all = append(all, viewOf([]*detect.Input{in}))
		}
	}
	return all
}

func viewOf(inputs []*detect.Input) *view {
	v := &view{inputs: inputs, typical: map[string]time.Duration{}}
	line := detect.Timeline{}
	for _, in := range inputs {
		line.Merge(&in.Timeline)
		if !slices.ContainsFunc(in.Log.Shapes, func(s ingest.Shape) bool { return s.Assumed != 0 }) { // latencies in a unit that is not known prove nothing
			v.slow = append(v.slow, in.Slowest...)
		}
		v.pauses = append(v.pauses, in.Pauses.Longest...)
		v.resolution = max(v.resolution, resolution(in))
		for i := range in.Log.Shapes {
			if s := in.Log.Shapes[i].Step; s > time.Millisecond {
				v.step = max(v.step, s)
			}
		}
	}
	line.Sort()
	v.bins, v.width = line.Bins(), line.Width()
	for i := range v.bins {
		v.ends += v.bins[i].Ends
		if v.first == 0 {
			v.first = v.bins[i].FirstEnd
		}
		v.last = max(v.last, v.bins[i].LastEnd)
	}
	v.slow = slices.DeleteFunc(v.slow, func(s detect.Slow) bool { return s.Start == 0 })
	if most := 4 * detect.MaxSlowest; len(v.slow) > most { // of hundreds of files
		slices.SortFunc(v.slow, func(a, b detect.Slow) int {
			return cmp.Or(cmp.Compare(b.Latency, a.Latency), a.Pos.Compare(b.Pos))
		})
		v.slow = v.slow[:most]
	}
	slices.SortFunc(v.slow, func(a, b detect.Slow) int {
		return cmp.Or(cmp.Compare(endOf(a), endOf(b)), a.Pos.Compare(b.Pos))
	})
	slices.SortFunc(v.pauses, func(a, b ingest.Pause) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), a.Pos.Compare(b.Pos))
	})
	return v
}

func endOf(s detect.Slow) ingest.Time { return s.Start.Add(s.Latency) }

// resolution returns how exactly it is known when requests of a log ended.
func resolution(in *detect.Input) (r time.Duration) {
	for i := range in.Log.Shapes {
		s := &in.Log.Shapes[i]
		if s.Stamp == ingest.StampNone {
			continue
		}
		r = max(r, s.Resolution)
		if s.Stamp == ingest.StampStart { // the end follows from the latency
			r = max(r, s.Step)
		}
	}
	return max(r, time.Millisecond)
}

// usual returns the median latency of an operation in all inputs of the view.
func (v *view) usual(op string) time.Duration {
	if d, ok := v.typical[op]; ok {
		return d
	}
	most, d := int64(0), time.Duration(0)
	for _, in := range v.inputs {
		for _, row := range in.Rows() {
			if n := row.Service.Count(); row.Op == op && n > most {
				most, d = n, time.Duration(row.Service.At((n+1)/2))
			}
		}
	}
	v.typical[op] = d
	return d
}

// endsIn counts the requests that ended after one moment and until another, as
// finely as bins tell.
func (v *view) endsIn(from, to ingest.Time) (n int64) {
	i, _ := slices.BinarySearchFunc(v.bins, int64(from)/int64(v.width)-1, func(b detect.Bin, n int64) int { return cmp.Compare(b.Number, n) })
	for ; i < len(v.bins); i++ {
		b := &v.bins[i]
		switch {
		case b.Ends == 0 || b.LastEnd <= from:
		case b.FirstEnd > to:
			if ingest.Time(b.Number*int64(v.width)) > to {
				return n
			}
		case b.FirstEnd > from && b.LastEnd <= to:
			n += b.Ends
		default: // some of them: those spread evenly
			span := max(b.LastEnd.Sub(b.FirstEnd), 1)
			part := min(to, b.LastEnd).Sub(max(from, b.FirstEnd))
			n += int64(float64(b.Ends) * float64(max(part, 0)) / float64(span))
		}
	}
	return n
}

// rate returns how many requests ended in a second, in a stretch of time.
func (v *view) rate(from, to ingest.Time) float64 {
	if to <= from {
		return 0
	}
	return float64(v.endsIn(from, to)) / to.Sub(from).Seconds()
}

// indexes returns the numbers of the view's inputs.
func (v *view) indexes() (all []int) {
	for _, in := range v.inputs {
		all = append(all, in.Index)
	}
	return all
}

// tells reports whether requests that wait are long in the log: a proxy's clock
// starts when a request has come, and all of its lines have a latency.
func (v *view) tells() bool {
	var timed, all int64
	for _, in := range v.inputs {
		for _, row := range in.Rows() {
			if row.Vantage != ingest.Proxy {
				return false
			}
			timed += row.Service.Count()
			all += row.Requests - row.Streams
		}
	}
	return all > 0 && 10*timed >= 9*all && len(v.slow) > 0
}
