// Command bench measures tailcheck beside what a user would otherwise run, all
// in one session on one machine, and prints ratios. Run it from this folder:
//
//	go run . [-n runs] [-page ../docs/benchmarks.md]
//
// Every row pairs two ways of doing the same work; they run in turn, A B A B …,
// and the ratio is that of the medians.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// run is one measurement of one way.
type run struct {
	wall time.Duration
	peak int64 // bytes of anonymous memory at most; 0: not measured (in-process)
}

// way does the work once.
type way struct {
	name string
	do   func() (run, error)
}

// pair is one row of the page.
type pair struct {
	title  string
	a, b   way
	target float64 // how many times faster a is to be than b; 0: no target
	once   bool    // one run of each, without one before: b takes too long for more
}

func main() {
	n := flag.Int("n", 5, "runs of each")
	page := flag.String("page", "", "write the results to this Markdown file")
	only := flag.String("only", "", "run only pairs whose title holds this text")
	flag.Parse()
	if err := all(*n, *page, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func all(n int, page, only string) error {
	dir, err := os.MkdirTemp("", "tailcheck-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "tailcheck")
	build := exec.Command("go", "build", "-o", bin, "./cmd/tailcheck")
	build.Dir, build.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	var pairs []pair
	for _, part := range []func(dir, bin string) ([]pair, error){load, trace, logs, whatif} {
		p, err := part(dir, bin)
		if err != nil {
			return err
		}
		pairs = append(pairs, p...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks\n\nMeasured by `bench/` (a module of its own) in one session, the two ways of each row in turn, medians of %d runs after one that is not counted; %s, %d cores, %s. Ratios hold better than times: machines are noisy.\n\n", n, runtime.Version(), runtime.NumCPU(), runtime.GOOS+"/"+runtime.GOARCH)
	b.WriteString("| what | tailcheck | the other | ratio | wanted | peak memory |\n|---|---|---|---:|---:|---|\n")
	for _, p := range pairs {
		if !strings.Contains(p.title, only) {
			continue
		}
		x, y, err := measure(p, n)
		if err != nil {
			return fmt.Errorf("%s: %w", p.title, err)
		}
		ratio := float64(y.wall) / float64(x.wall)
		want, peak := "–", "–"
		if p.target > 0 {
			want = fmt.Sprintf("%.2gx", p.target)
		}
		if x.peak > 0 {
			peak = fmt.Sprintf("%d MiB", x.peak>>20)
			if y.peak > 0 {
				peak += fmt.Sprintf(" against %d MiB", y.peak>>20)
			}
		}
		row := fmt.Sprintf("| %s | %s: %v | %s: %v | %.1fx | %s | %s |\n", p.title, p.a.name, x.wall.Round(100*time.Microsecond), p.b.name, y.wall.Round(100*time.Microsecond), ratio, want, peak)
		b.WriteString(row)
		fmt.Print(row)
	}
	b.WriteString("\nPeak memory is anonymous (RssAnon), looked at every 3 ms. The hlog pair runs once: its peer takes most of a minute.\n")
	if page != "" {
		return os.WriteFile(page, []byte(b.String()), 0o644)
	}
	return nil
}

func measure(p pair, n int) (a, b run, err error) {
	var as, bs []run
	if p.once {
		n = 0
	}
	for i := range n + 1 {
		x, err := p.a.do()
		if err != nil {
			return a, b, fmt.Errorf("%s: %w", p.a.name, err)
		}
		y, err := p.b.do()
		if err != nil {
			return a, b, fmt.Errorf("%s: %w", p.b.name, err)
		}
		if i > 0 || p.once {
			as, bs = append(as, x), append(bs, y)
		}
	}
	return median(as), median(bs), nil
}

func median(runs []run) run {
	slices.SortFunc(runs, func(a, b run) int { return int(a.wall - b.wall) })
	m := runs[len(runs)/2]
	for _, r := range runs {
		m.peak = max(m.peak, r.peak)
	}
	return m
}

// inProcess times a function.
func inProcess(name string, f func() error) way {
	return way{name, func() (run, error) {
		runtime.GC()
		start := time.Now()
		err := f()
		return run{wall: time.Since(start)}, err
	}}
}

// process times a whole command; ok are the exit codes that are no error.
func process(name string, ok []int, args ...string) way {
	return way{name, func() (run, error) {
		cmd := exec.Command(args[0], args[1:]...)
		var errs strings.Builder
		cmd.Stderr = &errs
		start := time.Now()
		if err := cmd.Start(); err != nil {
			return run{}, err
		}
		done, peak := make(chan struct{}), make(chan int64)
		go watch(cmd.Process.Pid, done, peak)
		err := cmd.Wait()
		wall := time.Since(start)
		close(done)
		if !slices.Contains(ok, cmd.ProcessState.ExitCode()) {
			return run{}, fmt.Errorf("%w: %s", err, errs.String())
		}
		return run{wall, <-peak}, nil
	}}
}

// watch looks every few milliseconds how much anonymous memory a process has
// (RssAnon of /proc; the largest resident set that the kernel accounts for a
// child counts its parent's too), and sends the most that it saw.
func watch(pid int, done <-chan struct{}, peak chan<- int64) {
	var most int64
	for {
		select {
		case <-done:
			peak <- most
			return
		case <-time.After(3 * time.Millisecond):
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(status), "RssAnon:")
		var kb int64
		if _, err := fmt.Sscan(rest, &kb); err == nil {
			most = max(most, kb<<10)
		}
	}
}
