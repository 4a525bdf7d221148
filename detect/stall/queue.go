package stall

import (
	"fmt"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/words"
)

// QueueNumbers are the numbers of queueing.
type QueueNumbers struct {
	Requests int64   `json:"requests"`
	Queued   int64   `json:"queued"` // of them: those that waited
	P50      float64 `json:"queue_p50_ms"`
	P99      float64 `json:"queue_p99_ms"` // of all requests; those that did not wait count as 0
	Max      float64 `json:"queue_max_ms"`
	Share    float64 `json:"queue_share"` // of the time of all requests
}

// Of queues that are worth a word: one request in 100 waited, for 10 ms and for a
// fifth of what requests take at the same percentile.
const (
	minQueued     = 20
	minQueueShare = 0.2
	minQueueWait  = 10 * time.Millisecond
)

func judgeQueues(t *detect.Table) (out []detect.Finding) {
	for _, in := range t.Inputs() {
		for _, row := range in.Rows() {
			if row.Served() && row.Queued >= minQueued {
				if f := queued(in, row); f != nil {
					out = append(out, *f)
				}
			}
		}
	}
	return append(out, backlogs(t)...)
}

// queued is what a row's own waits say.
func queued(in *detect.Input, row *detect.Row) *detect.Finding {
	n := row.Requests - row.Streams
	p99 := waitOf(row, latency.P99)
	if p99 < int64(minQueueWait) || float64(p99) < minQueueShare*float64(row.Service.Percentile(latency.P99)) {
		return nil
	}
	sum := float64(row.Service.Mean()) * float64(row.Service.Count())
	numbers := QueueNumbers{Requests: n, Queued: row.Queued, P50: words.Millis(time.Duration(waitOf(row, latency.P50))), P99: words.Millis(time.Duration(p99)), Max: words.Millis(time.Duration(row.Queues.Max()))}
	if sum > 0 {
		numbers.Share = float64(int(1000*float64(row.Queue)/sum+0.5)) / 1000
	}
	f := &detect.Finding{Confidence: detect.High, Inputs: []int{in.Index}, Op: row.Op, Impact: row.Queue, Numbers: numbers,
		Message: fmt.Sprintf("%d of %d requests waited for a worker or a connection, up to %s: %s of their time", row.Queued, n, took(time.Duration(row.Queues.Max())), percent(min(numbers.Share, 1))),
		Remedy:  "more workers or connections, or less work for each; a limit on the queue's length and on how long requests may wait, so that those that nobody waits for any more are not worked on"}
	var e evidence
	e.add("p99 of the wait", msOf(time.Duration(p99)), fmt.Sprintf("p99 of the whole request: %s", msOf(time.Duration(row.Service.Percentile(latency.P99)))))
	if w := worstWindow(row); w != nil {
		e.add("worst time", fmt.Sprintf("from %s on: %d of %d waited, %s each", at(ingest.Time(w.Number*int64(in.Window)), in.Window), w.Queued, w.Requests, took(w.Queue/time.Duration(w.Queued))), "")
	}
	f.Evidence = e
	return f
}

// waitOf is a percentile of the waits of all requests of a row.
func waitOf(row *detect.Row, p latency.Percentile) int64 {
	n := row.Requests - row.Streams
	rank := p.Rank(n) - (n - row.Queues.Count())
	if rank <= 0 {
		return 0
	}
	return row.Queues.At(rank)
}

func worstWindow(row *detect.Row) (worst *detect.Window) {
	for _, w := range row.Windows() {
		if w.Queued > 0 && (worst == nil || w.Queue > worst.Queue) {
			worst = w
		}
	}
	return worst
}
