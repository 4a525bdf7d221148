package suite_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
)

// Inputs with very many operations, or very many printed percentiles, take time
// in proportion: with its square these would take minutes.
func TestManyOfEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("large inputs")
	}
	var operations, rows strings.Builder
	operations.WriteString("start_ms,latency_ms,op\n")
	for i := range 30_000 {
		fmt.Fprintf(&operations, "%d,%d,op%d\n", i, 1+i%7, i)
	}
	rows.WriteString("Running 12s test @ http://127.0.0.1/\n  1 threads and 1 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency    50.40ms   65.03us  2.62s    65.66%\n    Req/Sec    19.51      2.52    20.00     96.04%\n  Latency Distribution\n")
	for i := range 100_000 {
		fmt.Fprintf(&rows, "     %.3f%%   %.2fms\n", float64(i)/1000, 10+float64(i)/100)
	}
	rows.WriteString("  200000 requests in 12.01s, 23.13KB read\nRequests/sec:     16.57\nTransfer/sec:      1.93KB\n")
	for name, input := range map[string]string{"operations": operations.String(), "percentiles": rows.String()} {
		o := options(t, check.Flags{SLA: []string{"p99<500ms", "max<1s"}, Interval: "80ms"}, "-")
		o.Stdin = strings.NewReader(input)
		out, err := check.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Distributions) == 0 {
			t.Errorf("%s: nothing was read: %v", name, out.Problems)
		}
	}
}
