package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const (
	progressAfter = time.Second            // work that takes less shows nothing
	progressEvery = 100 * time.Millisecond // how often the bar moves
)

// watch shows on standard error how far reading has come, once it has taken a
// second. It returns the counter of bytes, nil where nobody would look at it, and
// what ends the show and leaves nothing of it behind.
func (s *session) watch(paths []string) (*atomic.Int64, func()) {
	f, ok := s.stderr.(*os.File)
	if !ok || !showsProgress(term.IsTerminal(int(f.Fd())), os.Getenv) {
		return nil, func() {}
	}
	return progress(f, sizeOf(paths), progressAfter)
}

// showsProgress reports whether somebody looks at standard error who has a use
// for a line that changes: a log has not, and CI keeps logs even where it offers a
// terminal.
func showsProgress(terminal bool, env func(string) string) bool {
	return terminal && env("CI") == "" && env("TERM") != "dumb"
}

// progress shows a bar of all bytes, or, where it is not known how many there
// are, how many were read. After the end it is gone.
func progress(w io.Writer, total int64, after time.Duration) (*atomic.Int64, func()) {
	read := new(atomic.Int64)
	bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("reading"),
		progressbar.OptionShowBytes(true), progressbar.OptionShowTotalBytes(total > 0), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(total > 0), progressbar.OptionSetElapsedTime(total <= 0), progressbar.OptionFullWidth(), progressbar.OptionSetSpinnerChangeInterval(0),
		progressbar.OptionSetRenderBlankState(false), progressbar.OptionClearOnFinish())
	bar.StartWithoutRender() // the rate is that of all the time
	stop := make(chan struct{})
	var shown sync.WaitGroup
	shown.Go(func() {
		select {
		case <-stop:
			return
		case <-time.After(after):
		}
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for at := int64(0); ; {
			if now := read.Load(); now > at {
				_ = bar.Add64(now - at)
				at = now
			}
			select {
			case <-stop:
				_ = bar.Clear()
				return
			case <-ticker.C:
			}
		}
	})
	return read, sync.OnceFunc(func() {
		close(stop)
		shown.Wait()
	})
}

// sizeOf is how many bytes will be read, or -1 where that is not known: of a
// stream, and of what has to be decompressed first.
func sizeOf(paths []string) int64 {
	var total int64
	add := func(path string) bool {
		info, err := os.Stat(path)
		if err != nil {
			return true // it will be complained about
		}
		if !info.Mode().IsRegular() || compressed(path) {
			return false
		}
		total += info.Size()
		return true
	}
	for _, path := range paths {
		if path == "-" {
			return -1
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			if !add(path) {
				return -1
			}
			continue
		}
		for _, e := range entries {
			if e.Type().IsRegular() && !add(filepath.Join(path, e.Name())) {
				return -1
			}
		}
	}
	if total == 0 {
		return -1
	}
	return total
}

// compressed reports whether a file begins as gzip, zstd or bzip2 do.
func compressed(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	for _, magic := range []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh"} {
		if bytes.HasPrefix(head[:n], []byte(magic)) {
			return true
		}
	}
	return false
}
