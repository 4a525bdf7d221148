package stall

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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
		var rows []*detect.Row
		for _, row := range in.Rows() {
			if row.Served() && row.Queued >= minQueued && waits(row) {
				rows = append(rows, row)
			}
		}
		if len(rows) > 0 {
			out = append(out, queued(in, rows))
		}
	}
	return append(out, backlogs(t)...)
}

// waits reports whether the wait of a row's requests is worth a word.
func waits(row *detect.Row) bool {
	p99 := waitOf(row, latency.P99)
	return p99 >= int64(minQueueWait) && float64(p99) >= minQueueShare*float64(row.Service.Percentile(latency.P99))
}

// queued is what the rows of a log whose requests wait say together.
func queued(in *detect.Input, rows []*detect.Row) detect.Finding {
	all, op := &detect.Row{}, rows[0].Op
	for _, row := range rows {
		all.Add(row)
	}
	if len(rows) > 1 {
		op = ""
	}
	n := all.Requests - all.Streams
	p99 := waitOf(all, latency.P99)
	sum := float64(all.Service.Mean()) * float64(all.Service.Count())
	numbers := QueueNumbers{Requests: n, Queued: all.Queued, P50: words.Millis(time.Duration(waitOf(all, latency.P50))), P99: words.Millis(time.Duration(p99)), Max: words.Millis(time.Duration(all.Queues.Max()))}
	if sum > 0 {
		numbers.Share = min(1, math.Round(1000*float64(all.Queue)/sum)/1000)
	}
	f := detect.Finding{Confidence: detect.High, Inputs: []int{in.Index}, Op: op, Impact: all.Queue, Numbers: numbers,
		Message: fmt.Sprintf("%d of %d requests waited for a worker or a connection, up to %s: %s of their time", all.Queued, n, took(time.Duration(all.Queues.Max())), percent(numbers.Share)),
		Remedy:  "more workers or connections, or less work for each; a limit on the queue's length and on how long requests may wait, so that those that nobody waits for any more are not worked on"}
	var e evidence
	e.add("p99 of the wait", msOf(time.Duration(p99)), fmt.Sprintf("p99 of the whole request: %s", msOf(time.Duration(all.Service.Percentile(latency.P99)))))
	slices.SortStableFunc(rows, func(a, b *detect.Row) int { return cmp.Compare(b.Queue, a.Queue) })
	for i, row := range rows {
		if i == 3 {
			e.add("other routes that wait", fmt.Sprint(len(rows)-i), "")
			break
		}
		got := fmt.Sprintf("%d of %d waited, p99 %s", row.Queued, row.Requests-row.Streams, msOf(time.Duration(waitOf(row, latency.P99))))
		if w := worstWindow(row); w != nil {
			got += fmt.Sprintf("; most from %s on, %s each", at(ingest.Time(w.Number*int64(in.Window)), in.Window), took(w.Queue/time.Duration(w.Queued)))
		}
		e.add(row.Op, got, "")
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
