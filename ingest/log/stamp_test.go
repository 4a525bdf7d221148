package log

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/tailcheck/tailcheck/ingest"
)

func TestStamps(t *testing.T) {
	at := time.Date(2026, 11, 29, 20, 16, 22, 0, time.UTC)
	for _, c := range []struct {
		in         string
		plus       time.Duration // beyond 20:16:22 UTC
		resolution time.Duration
		zone       ingest.Zone
	}{
		{"29/Nov/2026:21:16:22 +0100", 0, time.Second, ingest.ZoneStated},
		{"29/Nov/2026:14:46:22 -0530", 0, time.Second, ingest.ZoneStated},
		{"29/Nov/2026:21:16:22.034 +0100", 34 * time.Millisecond, time.Millisecond, ingest.ZoneStated},
		{"29/Nov/2026:20:16:22.034", 34 * time.Millisecond, time.Millisecond, ingest.ZoneUnknown},
		{"29/Nov/2026:20:16:22", 0, time.Second, ingest.ZoneUnknown},
		{"2026-11-29T20:16:22Z", 0, time.Second, ingest.ZoneStated},
		{"2026-11-29T21:16:22+01:00", 0, time.Second, ingest.ZoneStated},
		{"2026-11-29T21:16:22.123456789+01", 123456789, 1, ingest.ZoneStated},
		{"2026-11-29T21:16:22.1234567891+01", 123456789, 1, ingest.ZoneStated},
		{"2026-11-29 20:16:22,034", 34 * time.Millisecond, time.Millisecond, ingest.ZoneUnknown},
		{"2026-11-29 20:16:22.034 +0000", 34 * time.Millisecond, time.Millisecond, ingest.ZoneStated},
		{"2026/11/29 20:16:22.1", 100 * time.Millisecond, 100 * time.Millisecond, ingest.ZoneUnknown},
		{"2026-11-29 21:16:22.034 CET", 34 * time.Millisecond, time.Millisecond, ingest.ZoneStated},
		{"2026-11-29 23:16:22 MSK", 0, time.Second, ingest.ZoneStated},
		{"2026-11-30 02:16:22 NZST", -6 * time.Hour, time.Second, ingest.ZoneStated}, // 02:16 +12:00 is 14:16 UTC
		{"Sun Nov 29 20:16:22 2026", 0, time.Second, ingest.ZoneUnknown},
		{"Sun, 29 Nov 2026 20:16:22 GMT", 0, time.Second, ingest.ZoneStated},
		{"29 Nov 2026 20:16:22.500", 500 * time.Millisecond, 100 * time.Millisecond / 100, ingest.ZoneUnknown},
		{"1795983382", 0, time.Second, ingest.ZoneUTC},
		{"1795983382.034", 34 * time.Millisecond, time.Millisecond, ingest.ZoneUTC},
		{"1795983382034", 34 * time.Millisecond, time.Millisecond, ingest.ZoneUTC},
		{"1795983382034567", 34567 * time.Microsecond, time.Microsecond, ingest.ZoneUTC},
		{"1795983382034567891", 34567891, 1, ingest.ZoneUTC},
	} {
		var clock Clock
		for range 2 { // the second time by what is remembered
			m, ok := clock.Read([]byte(c.in))
			if !ok || m.Time != ingest.Time(at.Add(c.plus).UnixNano()) || m.Zone != c.zone || m.Resolution != c.resolution || m.Twice {
				t.Errorf("%s: %v, %+v; want %v", c.in, ok, m, at.Add(c.plus))
			}
		}
	}
}

func TestNoStamps(t *testing.T) {
	for _, in := range []string{
		"", "-", "29/Nov/2026", "29/Nov/2026:21:16", "31/Nov/2026:21:16:22 +0100", "29/Feb/2026:21:16:22 +0100", "29/XYZ/2026:21:16:22 +0100", "29/Nov/1969:21:16:22 +0100",
		"29/Nov/2026:24:16:22 +0100", "29/Nov/2026:21:16:22 +9900", "29/Nov/2026:21:16:22 0100", "29/Nov/2026:21:16:22 +0100 x",
		"2026-13-29T21:16:22Z", "2026-11-29T21:16:22.Z", "2026-11-29T21:16:22.12x", "9999-11-29T21:16:22Z",
		"2026-11-29 21:16:22 IST", "2026-11-29 21:16:22 CST", "2026-11-29 21:16:22 XYZ", // several offsets, or none known
		"12345678", "123456789012", "1795983382034567891234", "-1795983382", "99999999999999999999999999",
		"Nov 29 21:16:22", "2026-11-29T21:16:22+01:00\x00", "::::::::::::::::::::",
	} {
		var clock Clock
		if m, ok := clock.Read([]byte(in)); ok {
			t.Errorf("%q is read as %+v", in, m)
		}
	}
}

// Every second around both changes of Berlin's clocks, against time.Time.
func TestZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []time.Time{time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC), time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC)} {
		given, stated := Clock{Zone: berlin}, Clock{}
		for at := change.Add(-3 * time.Hour); at.Before(change.Add(3 * time.Hour)); at = at.Add(7 * time.Second) {
			want := ingest.Time(at.UnixNano())
			local := at.In(berlin)
			if m, ok := stated.Read([]byte(local.Format("02/Jan/2006:15:04:05 -0700"))); !ok || m.Time != want {
				t.Fatalf("%v: %+v", local, m)
			}
			if m, ok := stated.Read([]byte(local.Format("2006-01-02 15:04:05.000 MST"))); !ok || m.Time != want {
				t.Fatalf("%v: %+v", local, m)
			}
			m, ok := given.Read([]byte(local.Format("2006-01-02 15:04:05")))
			twice := change.Month() == time.October && !at.Before(change.Add(-time.Hour)) && at.Before(change.Add(time.Hour))
			if twice && !at.Before(change) {
				want -= ingest.Time(time.Hour) // the first of the two
			}
			if !ok || m.Time != want || m.Twice != twice || m.Zone != ingest.ZoneGiven {
				t.Fatalf("%v without its offset: %+v, want %v, twice %v", local, m, want, twice)
			}
		}
	}
	// The hour that the clocks pass over: a clock that was not put forward.
	clock := Clock{Zone: berlin}
	if m, ok := clock.Read([]byte("2026-03-29 02:30:00")); !ok || m.Time != ingest.Time(time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC).UnixNano()) {
		t.Errorf("%+v", m)
	}
	// A name that only the given zone explains.
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	clock = Clock{Zone: kolkata}
	if m, ok := clock.Read([]byte("2026-11-29 21:16:22 IST")); !ok || m.Time != ingest.Time(time.Date(2026, 11, 29, 15, 46, 22, 0, time.UTC).UnixNano()) {
		t.Errorf("%+v", m)
	}
}

// What is remembered must not show: stamps in turn, all days of some years.
func TestDays(t *testing.T) {
	var clock Clock
	for at := time.Date(1999, 12, 25, 23, 59, 59, 0, time.UTC); at.Year() < 2105; at = at.Add(31*time.Hour + 7*time.Minute) {
		for _, layout := range []string{"02/Jan/2006:15:04:05 -0700", "2006-01-02T15:04:05Z07:00", "Mon Jan _2 15:04:05 2006"} {
			if m, ok := clock.Read([]byte(at.Format(layout))); !ok || m.Time != ingest.Time(at.UnixNano()) {
				t.Fatalf("%s: %+v", at.Format(layout), m)
			}
		}
	}
}
