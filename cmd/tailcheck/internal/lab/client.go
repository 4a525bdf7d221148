package lab

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// sender sends one request, waits for its answer, and notes in the row all but
// Due, Start and End.
type sender func(context.Context, *Row) error

// live runs a loop against a server of its own. connections: at most so many;
// 0: as many as needed.
func (l Lab) live(ctx context.Context, connections int, loop func(context.Context, sender) ([]Row, error)) ([]Row, error) {
	addr, stop, err := newServer(l).listen()
	if err != nil {
		return nil, err
	}
	defer stop()
	transport := &http.Transport{ // no Proxy: loopback stays loopback, whatever the environment says
		MaxConnsPerHost:     connections,
		MaxIdleConnsPerHost: Requests,
		DisableCompression:  true,
	}
	defer transport.CloseIdleConnections()
	return loop(ctx, over(transport, "http://"+addr+"/"))
}

// closed sends a request when the answer to the one before has come.
func (l Lab) closed(ctx context.Context, send sender) ([]Row, error) {
	rows := make([]Row, Requests)
	origin := time.Now()
	for i := range rows {
		r := &rows[i]
		r.Start = time.Since(origin)
		r.Due = r.Start
		if err := send(ctx, r); err != nil {
			return nil, failed(ctx, i, err)
		}
		r.End = time.Since(origin)
		l.progress(i + 1)
	}
	return rows, nil
}

// open sends a request when it is due, whatever has become of the others.
func (l Lab) open(ctx context.Context, send sender, until waiter) ([]Row, error) {
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rows := make([]Row, Requests)
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		done int
	)
	origin := time.Now()
	for i := range rows {
		r := &rows[i]
		r.Due = time.Duration(i) * l.Interval()
		if until(ctx, origin.Add(r.Due)) != nil {
			break
		}
		wg.Go(func() {
			r.Start = time.Since(origin)
			if err := send(ctx, r); err != nil {
				cancel(failed(outer, i, err)) // the first one counts
				return
			}
			r.End = time.Since(origin)
			mu.Lock()
			defer mu.Unlock()
			done++
			l.progress(done)
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return rows, nil
}

func (l Lab) progress(done int) {
	if l.Progress != nil {
		l.Progress(done, Requests)
	}
}

// failed says which request failed, unless it is the user who had enough.
func failed(ctx context.Context, i int, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("request %d: %w", i+1, err)
}

// waiter returns at a moment, or earlier with the error of a context that ended.
type waiter func(context.Context, time.Time) error

// precision is how long before its time a sleep ends: timers may be a
// millisecond late, which a loop can make up for.
const precision = time.Millisecond

// punctual sleeps until shortly before the moment, then lets others go first
// until it has come.
func punctual(ctx context.Context, t time.Time) error {
	if d := time.Until(t) - precision; d > 0 {
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
	for time.Until(t) > 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		runtime.Gosched()
	}
	return ctx.Err()
}

// over returns the sender that asks for a URL.
func over(transport http.RoundTripper, url string) sender {
	return func(ctx context.Context, r *Row) error {
		// Written by the goroutines of the connection, read when the answer
		// has come: that the request was written may be noted after that.
		var asked, got, written, first atomic.Int64
		origin := time.Now()
		now := func() int64 { return int64(time.Since(origin)) }
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GetConn: func(string) { asked.Store(now()) },
			GotConn: func(c httptrace.GotConnInfo) {
				got.Store(now())
				if c.Reused {
					asked.Store(got.Load())
				}
			},
			WroteRequest:         func(httptrace.WroteRequestInfo) { written.Store(now()) },
			GotFirstResponseByte: func() { first.Store(now()) },
		})
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		end := now()
		_ = resp.Body.Close()
		if err != nil {
			return err
		}
		if r.Status = resp.StatusCode; r.Status != http.StatusOK {
			return fmt.Errorf("status %s", resp.Status)
		}
		a, g, f := asked.Load(), got.Load(), first.Load()
		wrote := min(max(written.Load(), g), f)
		r.Connect, r.Write = time.Duration(g-a), time.Duration(wrote-g)
		r.Delay, r.Read = time.Duration(f-wrote), time.Duration(end-f)
		return nil
	}
}
