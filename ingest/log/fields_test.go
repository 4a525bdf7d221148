package log

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

func TestRoutes(t *testing.T) {
	var r Routes
	for in, want := range map[string]string{
		"GET / HTTP/1.1":                                          "GET /",
		"GET /users/17?x=1 HTTP/1.1":                              "GET /users/{id}",
		"GET /users/17/ HTTP/1.1":                                 "GET /users/{id}/",
		"POST /a/b#c HTTP/1.1":                                    "POST /a/b",
		"GET /a;jsessionid=AB12/b HTTP/1.1":                       "GET /a",
		"GET /o/9f1c3a6e-0d0b-4a55-8d3b-7a4a6b1b2c3d HTTP/1.1":    "GET /o/{id}",
		"GET /o/deadbeef HTTP/1.1":                                "GET /o/{id}",
		"GET /o/feedback HTTP/1.1":                                "GET /o/feedback", // k is no hex digit
		"GET /o/facade HTTP/1.1":                                  "GET /o/facade",
		"GET /log/2026-11-29/x HTTP/1.1":                          "GET /log/{id}/x",
		"GET /api/v1/pods HTTP/1.1":                               "GET /api/v1/pods",
		"GET /apis/apps/v1beta1/x HTTP/1.1":                       "GET /apis/apps/v1beta1/x",
		"GET /v2.1/x HTTP/1.1":                                    "GET /v2.1/x",
		"GET /v20261129/x HTTP/1.1":                               "GET /{id}/x",
		"GET /oauth2/token HTTP/1.1":                              "GET /oauth2/token",
		"GET /user17/x HTTP/1.1":                                  "GET /{id}/x",
		"GET /static/style.3f2a9c.css HTTP/1.1":                   "GET /static/{id}.css",
		"GET /static/clip.mp4 HTTP/1.1":                           "GET /static/clip.mp4",
		"GET /image/60844/productModel/200x200 HTTP/1.1":          "GET /image/{id}/productModel/{id}",
		"GET /s/caf%C3%A9 HTTP/1.1":                               "GET /s/{id}",
		"GET /s/caf%e%f HTTP/1.1":                                 "GET /s/{text}",
		"GET /s/how-to-win-friends-and-influence-people HTTP/1.1": "GET /s/{text}",
		"GET http://shop.example/x/1 HTTP/1.1":                    "GET /x/{id}",
		"GET http://shop.example HTTP/1.1":                        "GET /",
		"OPTIONS * HTTP/1.1":                                      "OPTIONS *",
		"CONNECT shop.example:443 HTTP/1.1":                       "CONNECT",
		"GET /a/b/c/d/e/f/g/h/i/j HTTP/1.1":                       "GET /a/b/c/d/e/f/g/h/…",
		"GET //a//1 HTTP/1.1":                                     "GET //a//{id}",
		"GET /old":                                                "GET /old",
		"":                                                        NoRequest,
		"-":                                                       NoRequest,
		"- http://shop.example:80/ -":                             NoRequest,
		"HELP":                                                    NoRequest,
		"GET ":                                                    NoRequest,
		"PATCHp / HTTP/1.1":                                       NoRequest,
		`\x16\x03\x01 /`:                                          NoRequest,
		"M-SEARCH * HTTP/1.1":                                     "M-SEARCH *",
		strings.Repeat("G", 30) + " / HTTP/1.1":                   NoRequest,
	} {
		if got := r.Request([]byte(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	line := []byte("GET /users/17/orders/18/x.png?y=2 HTTP/1.1")
	if n := testing.AllocsPerRun(100, func() { r.Request(line) }); n != 0 {
		t.Errorf("%v allocations for a known operation", n)
	}
}

func TestNames(t *testing.T) {
	var n Names
	for i := range 3 * maxNames { // more than are kept
		b := []byte{byte(i), byte(i >> 8), byte(i >> 16), 'x'}
		if s := n.Intern(b); s != string(b) || n.Intern(b) != s {
			t.Fatalf("%q", s)
		}
	}
	if len(n.table) != maxNames {
		t.Errorf("%d slots", len(n.table))
	}
	var x ids
	var all []string
	for i := range 5000 {
		all = append(all, x.string([]byte(strings.Repeat(string(rune('a'+i%26)), 20+i%50))))
	}
	for i, s := range all {
		if s != strings.Repeat(string(rune('a'+i%26)), 20+i%50) {
			t.Fatalf("%d: %s", i, s)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		in       string
		unit     time.Duration
		want     time.Duration
		explicit bool
	}{
		{"0.042", time.Second, 42 * time.Millisecond, false},
		{"5376", time.Microsecond, 5376 * time.Microsecond, false},
		{"42ms", 0, 42 * time.Millisecond, true},
		{"42ms", time.Second, 42 * time.Millisecond, true},
		{"0.000864s", 0, 864 * time.Microsecond, true},
		{"471.475μs", 0, 471475, true},
		{"471.475µs", 0, 471475, true},
		{"1m2.5s", 0, 62500 * time.Millisecond, true},
		{"1.053089843s", 0, 1053089843, true},
	} {
		if d, _, explicit, ok := Duration([]byte(c.in), c.unit); !ok || d != c.want || explicit != c.explicit {
			t.Errorf("%s: %v %v %v", c.in, d, explicit, ok)
		}
	}
	for _, in := range []string{"", "-", "-1", "x", "5376", "1e99s", "-42ms", "NaN", "+Inf", "9999999999999999999s"} {
		if d, _, _, ok := Duration([]byte(in), 0); ok {
			t.Errorf("%q without a unit: %v", in, d)
		}
	}
	for in, want := range map[string]time.Duration{"0.006": 6 * time.Millisecond, "60.000": time.Minute, "1795987121.610": 1795987121610 * time.Millisecond} {
		if d, ok := Millis([]byte(in)); !ok || d != want {
			t.Errorf("%s: %v %v", in, d, ok)
		}
	}
	for _, in := range []string{"", "-", "0.0", "0.00", ".000", "0.0000", "5", "a.000", "-1.000", "99999999999999.000", "1.0.000"} {
		if d, ok := Millis([]byte(in)); ok {
			t.Errorf("%q: %v", in, d)
		}
	}
}

func TestKeyUnit(t *testing.T) {
	for in, want := range map[string]time.Duration{"duration_ms": time.Millisecond, "elapsedMillis": time.Millisecond, "TimeTakenMS": time.Millisecond, "time-taken-s": time.Second,
		"took.us": time.Microsecond, "durationNs": 1, "duration_seconds": time.Second, "requestTimeSec": time.Second, "p99Us": time.Microsecond} {
		if _, u, ok := KeyUnit([]byte(in)); !ok || u != want {
			t.Errorf("%s: %v %v", in, u, ok)
		}
	}
	for _, in := range []string{"status", "requests", "DNS", "ms", "_s", "bytes", "latencies", "generation_time_milli", "items", "S"} {
		if base, u, ok := KeyUnit([]byte(in)); ok && in != "_s" {
			t.Errorf("%s: %s %v", in, base, u)
		}
	}
}

func TestTries(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	none := ingest.NoLatency
	for _, c := range []struct {
		tries Tries
		want  []ingest.Attempt
	}{
		{Tries{}, nil},
		{Tries{Latency: []byte("-"), Status: []byte("-")}, nil},
		{Tries{Latency: []byte(""), Status: []byte("")}, nil},
		{Tries{Latency: []byte("0.250"), Status: []byte("-")}, []ingest.Attempt{{Latency: ms(250)}}},
		{Tries{Latency: []byte("-, 0.250"), Status: []byte("502, 200")}, []ingest.Attempt{{Latency: none, Status: 502}, {Latency: ms(250), Status: 200}}},
		{Tries{Status: []byte("502, 502 : 200")}, []ingest.Attempt{{Latency: none, Status: 502}, {Latency: none, Status: 502}, {Latency: none, Status: 200, Redirected: true}}},
		{Tries{Latency: []byte("0.001"), Other: [2][]byte{[]byte("-, 0.001 : 0.001")}}, []ingest.Attempt{{Latency: ms(1)}, {Latency: none}, {Latency: none, Redirected: true}}},
		{Tries{Peer: []byte("unix:/x, [::1]:80"), Status: []byte("502, 200")}, []ingest.Attempt{{Peer: "unix:/x", Latency: none, Status: 502}, {Peer: "[::1]:80", Latency: none, Status: 200}}},
	} {
		var names Names
		got, ok := c.tries.attempts(nil, Unit{Millis: true}, &names)
		if !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, want %+v", c.tries, got, c.want)
		}
	}
	var names Names
	for _, in := range []string{"0.0", "x", "0.001, x", "0.001,0.002"} {
		if got, ok := (&Tries{Latency: []byte(in)}).attempts(nil, Unit{Millis: true}, &names); ok {
			t.Errorf("%q: %+v", in, got)
		}
	}
	if got, _ := (&Tries{Status: []byte(strings.Repeat("502, ", 5000))}).attempts(nil, Unit{}, &names); len(got) != maxTries {
		t.Errorf("%d tries", len(got))
	}
}

func TestObject(t *testing.T) {
	walk := func(in string) (out []string, whole bool) {
		var o Object
		for o.Reset([]byte(in)); o.Next(); {
			out = append(out, string(o.Key)+"="+string(o.Text()))
		}
		return out, o.Whole()
	}
	got, whole := walk(`{ "a" : "x\"\\\u00e9\ud83d\ude00\x22" , "b":1.5, "c":{"d":null,"e":{}}, "f":[1,"]",{"g":2}],"h":true }` + "\r")
	want := []string{`a=x"\é😀\x22`, "b=1.5", "d=null", `f=[1,"]",{"g":2}]`, "h=true"}
	if !whole || !reflect.DeepEqual(got, want) {
		t.Errorf("%q %v", got, whole)
	}
	for _, in := range []string{"", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":"x`, `{"a":"x\"}`, `{a:1}`, `{"a":1}}`, `{"a":1} x`, `[1]`, `{"a":[1}`, `{"a":{"b":1}`, strings.Repeat(`{"a":`, 100) + strings.Repeat("}", 100)} {
		if got, whole := walk(in); whole {
			t.Errorf("%s: %q", in, got)
		}
	}
}

func TestTraceID(t *testing.T) {
	want := ingest.TraceID{0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c}
	for _, in := range []string{"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "0af7651916cd43dd8448eb211c80319c"} {
		if got := TraceID([]byte(in)); got != want {
			t.Errorf("%s: %x", in, got)
		}
	}
	for _, in := range []string{"", "-", "00-zz", "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01", "0af7651916cd43dd8448eb211c8031xx"} {
		if got := TraceID([]byte(in)); got != (ingest.TraceID{}) {
			t.Errorf("%s: %x", in, got)
		}
	}
}
