package trace

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// The forms are those that exporters print; values by Go's time package.
func TestParseStamp(t *testing.T) {
	at := func(year int, month time.Month, day, hour, minute, second, nanos int) ingest.Time {
		return ingest.Time(time.Date(year, month, day, hour, minute, second, nanos, time.UTC).UnixNano())
	}
	for text, want := range map[string]ingest.Time{
		"2026-11-29T21:29:22.879416003Z":          at(2026, 11, 29, 21, 29, 22, 879416003),
		"2026-11-29T21:29:22Z":                    at(2026, 11, 29, 21, 29, 22, 0),
		"2020-12-24T02:48:10.826740Z":             at(2020, 12, 24, 2, 48, 10, 826740000),
		"2026-11-29T22:29:22.5+01:00":             at(2026, 11, 29, 21, 29, 22, 500000000),
		"2026-11-29T16:29:22-05:00":               at(2026, 11, 29, 21, 29, 22, 0),
		"2025-11-18 23:27:00.123456789":           at(2025, 11, 18, 23, 27, 0, 123456789),
		"2025-11-18 23:27:00":                     at(2025, 11, 18, 23, 27, 0, 0),
		"2021-02-02 13:24:36.25349814 +0100 CET":  at(2021, 2, 2, 12, 24, 36, 253498140),
		"2022-08-25 19:50:19.89690875 +0000 UTC":  at(2022, 8, 25, 19, 50, 19, 896908750),
		"2022-08-25 19:50:19 +0000 UTC m=+0.0123": at(2022, 8, 25, 19, 50, 19, 0),
		"1970-01-01 00:00:00 +0000 UTC":           0,
		"":                                        0,
		" 2025-11-18 23:27:00.1234567891234 ":     at(2025, 11, 18, 23, 27, 0, 123456789),
	} {
		got, ok := ParseStamp([]byte(text))
		if !ok || got != want {
			t.Errorf("%q: %d, %t; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"x", "2026-11-29", "2026-11-29T", "2026-11-29X21:29:22Z", "2026-13-29T21:29:22Z", "2026-11-29T21:29", "2026-11-29T21:29:22 CET2", "1969-12-31T23:59:59Z",
		"9999-12-31T23:59:59Z", "2026-11-29T21:29:22+99:00", "2026-11-29T21:29:22+1", "1795988072206831"} {
		if got, ok := ParseStamp([]byte(text)); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		text string
		unit time.Duration
		want ingest.Time
		ok   bool
	}{
		{"1470150004008761", time.Microsecond, 1470150004008761000, true},
		{"1596566305.535414", time.Second, 1596566305535414000, true},
		{"1.478293361271E9", time.Second, 1478293361270999808, true}, // by way of a float, as Python: int(float("1.478293361271E9")*1e9)
		{"34984.407", time.Microsecond, 34984407, true},
		{"", time.Second, 0, true}, {"0", time.Second, 0, true}, {"0.0", time.Second, 0, true},
		{"-1", time.Second, 0, false}, {"9999999999999", time.Second, 0, false}, {"1e300", time.Second, 0, false}, {"NaN", time.Second, 0, false}, {"12x", time.Second, 0, false},
	} {
		if got, ok := ParseTicks([]byte(test.text), test.unit); got != test.want || ok != test.ok {
			t.Errorf("%q: %d, %t; want %d, %t", test.text, got, ok, test.want, test.ok)
		}
	}
	if end, ok := After(1000, []byte("5"), time.Microsecond); end != 6000 || !ok {
		t.Error(end, ok)
	}
	if end, ok := After(0, []byte("5"), time.Microsecond); end != 0 || !ok {
		t.Error(end, ok)
	}
	if _, ok := After(1<<62, []byte("9223372036854775807"), 1); ok {
		t.Error("a duration that goes beyond all time is read")
	}
}

func TestFeed(t *testing.T) {
	var got []ingest.Record
	f := NewFeed(ingest.Input{Index: 2, Offset: 100}, func(r ingest.Record, err error) bool {
		if err != nil {
			t.Error(err)
		}
		switch r := r.(type) {
		case *ingest.Span:
			c := *r
			got = append(got, &c)
		case *ingest.Problem:
			c := *r
			got = append(got, &c)
		}
		return len(got) < 4
	})
	f.Finish(&ingest.Span{}, 5, []byte("x")) // no trace
	f.Finish(&ingest.Span{Trace: ingest.TraceID{1}}, 9, []byte("x"))
	f.Once(3, ErrID) // positions do not go back
	f.Once(11, ErrID)
	f.Problem(20, ErrTime)
	f.Problem(30, ErrTime) // the receiver has heard enough
	f.Fail(ErrTime)
	if len(got) != 4 || !f.Halted() {
		t.Fatalf("%d records", len(got))
	}
	for i, want := range []int64{105, 109, 109, 120} {
		if p := got[i].Where(); p.Offset != want || p.Input != 2 {
			t.Errorf("record %d at %v, want %d", i, p, want)
		}
	}
}
