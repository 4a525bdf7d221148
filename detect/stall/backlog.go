package stall

import (
	"fmt"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/words"
)

// Of the joins of two logs: so many requests of both, and so much more time at
// the one that is before the other.
const (
	minJoined  = 20
	minBacklog = 50 * time.Millisecond
)

// BacklogNumbers are the numbers of queueing between two observers.
type BacklogNumbers struct {
	Joined int64   `json:"joined"` // requests found in both
	P50    float64 `json:"before_p50_ms"`
	P99    float64 `json:"before_p99_ms"`
	Max    float64 `json:"before_max_ms"`
}

// backlogs lays inputs side by side that saw the same requests: a proxy's log and
// that of the application behind it, or traces. What the first took longer was
// spent before the second's clock started, or on the way.
func backlogs(t *detect.Table) (out []detect.Finding) {
	inputs := t.Inputs()
	for _, a := range inputs {
		for _, b := range inputs {
			if a == b || vantageOf(a) != ingest.Proxy || vantageOf(b) == ingest.Proxy {
				continue
			}
			f := backlog(a, b, a.ByRequest.All(), b.ByRequest.All(), "request id")
			if f == nil {
				f = backlog(a, b, a.ByTrace.All(), b.ByTrace.All(), "trace id")
			}
			if f != nil {
				out = append(out, *f)
			}
		}
	}
	return out
}

func vantageOf(in *detect.Input) ingest.Vantage {
	if rows := in.Rows(); len(rows) > 0 {
		return rows[0].Vantage
	}
	return ingest.VantageUnknown
}

func backlog(a, b *detect.Input, as, bs []detect.Join, by string) *detect.Finding {
	var before latency.Summary
	var worst detect.Join
	most := time.Duration(-1)
	for i, k := 0, 0; i < len(as) && k < len(bs); {
		switch {
		case as[i].Hash < bs[k].Hash:
			i++
			continue
		case as[i].Hash > bs[k].Hash:
			k++
			continue
		}
		// An id that one of them has several times tells nothing.
		onceA := (i+1 == len(as) || as[i+1].Hash != as[i].Hash) && (i == 0 || as[i-1].Hash != as[i].Hash)
		onceB := (k+1 == len(bs) || bs[k+1].Hash != bs[k].Hash) && (k == 0 || bs[k-1].Hash != bs[k].Hash)
		if onceA && onceB {
			d := max(0, as[i].Latency-bs[k].Latency)
			before.Record(int64(d))
			if d > most {
				most, worst = d, as[i]
			}
		}
		i++
		k++
	}
	n := before.Count()
	p99 := time.Duration(before.Percentile(latency.P99))
	if n < minJoined || p99 < minBacklog || p99 < 2*time.Duration(before.Percentile(latency.P50)) {
		return nil
	}
	p50 := time.Duration(before.Percentile(latency.P50))
	f := &detect.Finding{Confidence: detect.High, Inputs: []int{a.Index, b.Index}, Impact: time.Duration(before.Mean()) * time.Duration(n),
		Numbers: BacklogNumbers{Joined: n, P50: words.Millis(p50), P99: words.Millis(p99), Max: words.Millis(time.Duration(before.Max()))},
		Message: fmt.Sprintf("requests waited before the application's clock started: %s at p99, where half of them waited no longer than %s (%d requests in both logs, by %s)", took(p99), msOf(p50), n, by),
		Remedy:  "the application's own log does not show this time: it is spent in the backlog before a worker takes the request (or on the way); more workers, shorter requests, or a limit of what may wait"}
	var e evidence
	e.add("longest wait before the application", took(most), "")
	e.place(worst.Pos)
	f.Evidence = e
	return f
}
