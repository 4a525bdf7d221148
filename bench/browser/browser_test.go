package browser

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const root = "../.."

// chromium returns the browser's path; the test is skipped where there is none.
func chromium(t *testing.T) string {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium found: apt-get install chromium, or set CHROMIUM")
	return ""
}

// tailcheck builds the command.
var tailcheck = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tailcheck-browser")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "tailcheck")
	cmd := exec.Command("go", "build", "-o", bin, "./cmd/tailcheck")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return bin, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := tailcheck(); err == nil {
		os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code)
}

// report renders the report of some files, and returns where it is.
func report(t *testing.T, args ...string) string {
	t.Helper()
	args = slices.Clone(args)
	bin, err := tailcheck()
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range args { // a log may be compressed
		if name, ok := strings.CutSuffix(a, "*"); ok {
			all, _ := filepath.Glob(filepath.Join(root, a))
			if len(all) == 0 {
				t.Fatalf("no %s", a)
			}
			args[i] = filepath.Join(filepath.Dir(name), filepath.Base(all[0]))
		}
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if args = append([]string{"check", "--output", "html", "-o", path}, args...); args[5] == "whatif" {
		args = append(args[5:], "--report", "html="+path)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = root
	out, _ := cmd.CombinedOutput() // exit codes are verdicts
	if info, err := os.Stat(path); err != nil {
		t.Fatalf("%v: %s", err, out)
	} else if info.Size() > 2_000_000 {
		t.Errorf("%d bytes: more than 2 MB", info.Size())
	}
	return path
}

// window is a page in a browser, and what went wrong in it.
type window struct {
	context.Context
	t     *testing.T
	mu    sync.Mutex
	wrong []string
}

// browse starts a browser for a test.
func browse(t *testing.T) context.Context {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.Flag("hide-scrollbars", false))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	return ctx
}

// open shows a file in a new page. Whatever the console says, a violation of the
// policy, a dialog, and every request for anything but the file is wrong.
func open(t *testing.T, browser context.Context, path string) *window {
	t.Helper()
	ctx, stop := chromedp.NewContext(browser)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(stop)
	w := &window{Context: ctx, t: t}
	self := (&url.URL{Scheme: "file", Path: path}).String()
	err := chromedp.Listen(ctx, func(ev any) {
		switch e := ev.(type) {
		case *runtime.EventConsoleAPICalled:
			w.fault("console: " + string(e.Type))
		case *runtime.EventExceptionThrown:
			w.fault("exception: " + e.ExceptionDetails.Text + " " + e.ExceptionDetails.Exception.Description)
		case *log.EventEntryAdded: // violations of the policy among them
			if !strings.Contains(e.Entry.Text, "willReadFrequently") { // advice on how this test looks at a canvas
				w.fault("log: " + e.Entry.Text)
			}
		case *page.EventJavascriptDialogOpening:
			w.fault("dialog: " + e.Message)
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; u != self && !strings.HasPrefix(u, self+"#") && !strings.HasPrefix(u, "data:") {
				w.fault("request: " + u)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	call(w, network.Enable, network.EnableParams{})
	call(w, log.Enable, cdp.Empty{})
	w.run(chromedp.EmulateViewport(1200, 900), chromedp.Navigate(self), chromedp.WaitReady("footer"))
	return w
}

// call runs a command of the DevTools protocol.
func call[P, R any](w *window, command cdp.Command[P, R], params P) R {
	w.t.Helper()
	r, err := chromedp.Call(w, command, params)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *window) fault(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = append(w.wrong, s)
}

// quiet fails the test if anything went wrong.
func (w *window) quiet() {
	w.t.Helper()
	time.Sleep(100 * time.Millisecond)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.wrong {
		w.t.Error(s)
	}
	w.wrong = nil
}

func (w *window) run(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := chromedp.Do(w, steps...); err != nil {
		w.t.Fatal(err)
	}
}

// do runs an action that has a value.
func do[T any](w *window, a chromedp.Action[T]) T {
	w.t.Helper()
	v, err := chromedp.Run(w, a)
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

// ask evaluates an expression in the page.
func ask[T any](w *window, expression string) T {
	w.t.Helper()
	return do(w, chromedp.Evaluate[T](expression))
}

// look sets how the page is looked at.
func (w *window) look(width, height int64, phone, dark bool) {
	w.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	scale := 1.0
	if phone {
		scale = 2
	}
	call(w, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: scale, Mobile: phone})
	call(w, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	time.Sleep(300 * time.Millisecond) // charts follow the width and the colours
}

// picture writes a screenshot of all of the page, where those are wanted.
func (w *window) picture(name string) {
	w.t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	png := do(w, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		w.t.Fatal(err)
	}
}
