package simulate_test

import (
	"fmt"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// One request in 200 takes 2 s. A load generator that waits for every answer
// sees one slow request; users who arrive every 80 ms do not.
func ExampleRun() {
	server := simulate.Server{
		Workers: 1,
		Service: simulate.Constant(50 * time.Millisecond),
		Stalls:  []simulate.Stall{simulate.SlowRequest(150, 2*time.Second)},
	}
	load := simulate.Load{Loop: simulate.Closed, Interval: 80 * time.Millisecond, Requests: 200}

	measured := simulate.ServiceTimes(simulate.Run(load, server, 1))
	truth := simulate.ResponseTimes(simulate.Run(load.Open(), server, 1))
	fmt.Println("p99 measured:", time.Duration(measured.Percentile(latency.P99)))
	fmt.Println("p99 for users:", time.Duration(truth.Percentile(latency.P99)))
	// Output:
	// p99 measured: 50ms
	// p99 for users: 1.94s
}
