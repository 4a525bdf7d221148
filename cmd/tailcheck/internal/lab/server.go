package lab

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// server answers every request after the service time, and the Held-th to
// arrive after the stall.
type server struct {
	Lab
	turn chan struct{} // Serial: holds one token while a request is worked on

	mu   sync.Mutex
	seen int
	held chan struct{} // Pause: closed when the held request has ended; nil: none is held
}

func newServer(l Lab) *server { return &server{Lab: l, turn: make(chan struct{}, 1)} }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.work(r.Context()) == nil {
		_, _ = io.WriteString(w, "ok\n")
	}
}

// work returns when a request has been worked on, or with the error of a
// client that has gone.
func (s *server) work(ctx context.Context) error {
	switch s.Server {
	case Serial:
		// Senders that wait for a channel get on in the order in which they
		// came: a FIFO queue, which a mutex is not.
		select {
		case s.turn <- struct{}{}:
			defer func() { <-s.turn }()
		case <-ctx.Done():
			return ctx.Err()
		}
		return sleep(ctx, s.next())
	case Pause:
		return s.pausing(ctx)
	}
	return sleep(ctx, s.next())
}

// next counts a request and returns what it takes.
func (s *server) next() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen++; s.seen == Held {
		return s.Stall()
	}
	return s.Service()
}

func (s *server) pausing(ctx context.Context) error {
	s.mu.Lock()
	s.seen++
	wait := s.held
	if s.seen == Held {
		end := make(chan struct{})
		s.held = end
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			s.held = nil
			s.mu.Unlock()
			close(end)
		}()
		return sleep(ctx, s.Stall())
	}
	s.mu.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return sleep(ctx, s.Service())
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listen serves on a free port of the loopback interface. It returns the
// address and what ends the serving.
func (s *server) listen() (addr string, stop func(), err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	// A client that goes away in the middle is no news.
	h := &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = h.Serve(ln) // always an error: that it was closed
	}()
	return ln.Addr().String(), func() { _ = h.Close(); <-done }, nil
}
