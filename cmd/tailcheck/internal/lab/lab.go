// Package lab makes the stall that load tests miss, live: a server on loopback
// that holds one request, and the same requests sent to it in a closed loop and
// in an open one. Nothing needs to be installed, and nothing leaves the machine.
//
// Client and server share a process and the machine's noise with everything
// else on it. Numbers are what was measured, not what was meant; [Lab.Ideal]
// has those.
package lab

import (
	"context"
	"fmt"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// The experiment at full size. Every time is divided by Lab.Scale.
const (
	Requests = 200                    // sent in each run
	Held     = 150                    // the request that the server holds, counted from 1
	service  = 50 * time.Millisecond  // what every other request takes
	stall    = 2 * time.Second        // what that one takes
	interval = 80 * time.Millisecond  // between due times of the open loop: 12.5 requests a second
	limit    = 500 * time.Millisecond // the objective: p99 below this
)

// Server says who waits while one request is held.
type Server uint8

// Servers.
const (
	Serial   Server = iota // one request at a time: the others queue behind it, and are served one by one
	Pause                  // everything that arrives meanwhile waits for its end, and is then served at once
	Isolated               // nobody: only that request is slow
)

// Servers lists the servers in the order in which they are documented.
var Servers = []Server{Serial, Pause, Isolated}

func (s Server) String() string { return [...]string{"serial", "pause", "isolated"}[s] }

// Behaviour says in a few words what a stall does to this server.
func (s Server) Behaviour() string {
	return [...]string{
		"works on one request at a time, so that the held one holds all behind it",
		"answers nobody while it holds the one request, and then all who waited at once",
		"is slow for the held request only; the others pass it",
	}[s]
}

// ParseServer returns the server of a name.
func ParseServer(name string) (Server, error) {
	for _, s := range Servers {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("no server %q: want serial, pause or isolated", name)
}

// FastScale is the Scale of a quick run: about 3 s for both loops instead of
// 28. A machine's scheduling noise, some tenths of a millisecond, is then ten
// times as large a part of every number.
const FastScale = 10

// Lab is one experiment. The zero value is the serial server at full size.
type Lab struct {
	Server Server
	Scale  int // all times are divided by it; 0 and 1: full size

	// Progress is called after every answer with the number of answers so far
	// and to come in this run, never twice at a time. Nil: nobody is told.
	Progress func(done, total int)
}

func (l Lab) scaled(d time.Duration) time.Duration { return d / time.Duration(max(l.Scale, 1)) }

// Service returns what a request takes that is not held.
func (l Lab) Service() time.Duration { return l.scaled(service) }

// Stall returns what the held request takes.
func (l Lab) Stall() time.Duration { return l.scaled(stall) }

// Interval returns the time between two due times of the open loop: the plan.
func (l Lab) Interval() time.Duration { return l.scaled(interval) }

// Limit returns the limit of the objective that the lab judges: p99 below it.
func (l Lab) Limit() time.Duration { return l.scaled(limit) }

// Rate returns the planned requests a second.
func (l Lab) Rate() float64 { return 1 / l.Interval().Seconds() }

// Row is one request as the client saw it. Times are since the start of its
// run, by the monotonic clock.
type Row struct {
	Due    time.Duration // when the plan wanted it sent; of the closed loop, which has no plan: Start
	Start  time.Duration // when it was sent
	End    time.Duration // when its answer had been read
	Status int           // HTTP status

	// What load generators record beside it.
	Connect time.Duration // until there was a connection; 0: there was one
	Write   time.Duration // from there until the request was written
	Delay   time.Duration // from there until the first byte of the answer
	Read    time.Duration // from there until the last
}

// ServiceTimes sums up the times from the send to the answer: what a load
// generator reports that waits for its turn without counting it.
func ServiceTimes(rows []Row) *latency.Summary {
	var s latency.Summary
	for _, r := range rows {
		s.Record(int64(r.End - r.Start))
	}
	return &s
}

// ResponseTimes sums up the times from the due time to the answer: what those
// waited who wanted the requests sent then.
func ResponseTimes(rows []Row) *latency.Summary {
	var s latency.Summary
	for _, r := range rows {
		s.Record(int64(r.End - r.Due))
	}
	return &s
}

// Closed sends the requests over one connection, each when the answer to the
// one before has come. A request that fails fails the run.
func (l Lab) Closed(ctx context.Context) ([]Row, error) {
	return l.live(ctx, 1, l.closed)
}

// Open sends each request when it is due, over as many connections as are
// needed. A request that fails fails the run.
func (l Lab) Open(ctx context.Context) ([]Row, error) {
	return l.live(ctx, 0, func(ctx context.Context, send sender) ([]Row, error) {
		return l.open(ctx, send, punctual)
	})
}

// Ideal returns both runs as they would be on a machine without any noise.
func (l Lab) Ideal() (closed, open []simulate.Request) {
	server := simulate.Server{Service: simulate.Constant(l.Service())}
	held := simulate.SlowRequest(Held, l.Stall())
	switch l.Server {
	case Serial:
		server.Workers = 1
	case Pause:
		held = simulate.PauseAtRequest(Held, l.Stall())
	}
	server.Stalls = []simulate.Stall{held}
	load := simulate.Load{Loop: simulate.Closed, Interval: l.Interval(), Requests: Requests}
	return simulate.Run(load, server, 0), simulate.Run(load.Open(), server, 0)
}
