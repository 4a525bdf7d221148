// Package browser holds a test that opens HTML reports in a real browser. It is
// a module of its own, so that the driver is no dependency of tailcheck.
//
//	cd bench/browser && go test ./...
//
// The test needs Chromium in the PATH (apt-get install chromium), or its path in
// CHROMIUM; without one it is skipped, unless CHROMIUM is set. SCREENSHOTS names
// a directory to write pictures of the pages to: desktop and phone, light and
// dark.
package browser
