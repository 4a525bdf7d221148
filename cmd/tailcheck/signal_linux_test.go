package main

import (
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// silent is an input that never says anything. It tells when it is first asked.
type silent struct {
	asked chan struct{}
	once  sync.Once
}

func (s *silent) Read([]byte) (int, error) {
	s.once.Do(func() { close(s.asked) })
	select {}
}

// A signal ends a command also while it waits for an input.
func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		in := &silent{asked: make(chan struct{})}
		code := make(chan int, 1)
		go func() {
			var errs strings.Builder
			code <- run([]string{"tailcheck", "check", "-"}, in, io.Discard, &errs)
		}()
		<-in.asked // by then signals are listened to
		if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-code:
			if got != 130 {
				t.Errorf("%v: exit code %d, want 130", sig, got)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%v: it still waits", sig)
		}
	}
}
