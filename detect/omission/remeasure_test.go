package omission_test

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect/omission"
	"github.com/tailcheck/tailcheck/ingest"
)

func TestOpenLoop(t *testing.T) {
	for _, c := range []struct {
		name string
		run  ingest.Run
		want string
	}{
		{"nothing known", ingest.Run{Tool: "hey"}, "wrk2 -t2 -c<connections> -d30s -R<rate> --latency <url>"},
		{"hey, paced", ingest.Run{Tool: "hey", Command: "hey -z 60s -c 10 -q 20 -H 'Accept: text/html' http://127.0.0.1:8080/cart?id=1", Workers: 10, Rate: 200, Elapsed: 60 * time.Second},
			"wrk2 -t2 -c10 -d60s -R200 --latency -H 'Accept: text/html' 'http://127.0.0.1:8080/cart?id=1'"},
		{"wrk2 takes whole rates only", ingest.Run{Tool: "hey", Command: "hey -n 200 -c 1 http://127.0.0.1:8080/", Workers: 1, Interval: 80 * time.Millisecond, Elapsed: 12 * time.Second},
			"echo 'GET http://127.0.0.1:8080/' | vegeta attack -rate=25/2s -duration=30s | vegeta report"},
		{"a body", ingest.Run{Tool: "hey", Command: `hey -c 4 -m POST -T application/json -d '{"a":1}' http://a/x`, Workers: 4, Rate: 100},
			`oha --latency-correction -z 30s -c 4 -q 100 -m POST -H 'Content-Type: application/json' -d '{"a":1}' http://a/x`},
		{"another method", ingest.Run{Tool: "hey", Command: "hey -c 4 -m DELETE http://a/x", Workers: 4, Rate: 100},
			"echo 'DELETE http://a/x' | vegeta attack -rate=100/s -duration=30s | vegeta report"},
		{"wrk, where -d is a length", ingest.Run{Tool: "wrk", Command: "wrk -t 12 -c 400 -d 30s -s post.lua http://127.0.0.1:8080/index.html", Workers: 400, Elapsed: 30 * time.Second},
			"wrk2 -t2 -c400 -d30s -R<rate> --latency -s post.lua http://127.0.0.1:8080/index.html"},
		{"oha", ingest.Run{Tool: "oha", Command: "oha -c 20 -z 10s http://a/", Workers: 20}, "oha --latency-correction -z 30s -c 20 -q <rate> http://a/"},
		{"vegeta", ingest.Run{Tool: "vegeta", Command: "vegeta attack -rate=100/s -max-workers=4", Rate: 100}, "echo 'GET <url>' | vegeta attack -rate=100/s -duration=30s | vegeta report"},
		{"no password and no token", ingest.Run{Tool: "hey", Command: "hey -c 2 -H 'Authorization: Bearer xyz' http://me:secret@a/x", Workers: 2, Rate: 10},
			"wrk2 -t2 -c2 -d30s -R10 --latency -H 'Authorization: <value>' 'http://me:<password>@a/x'"},
		{"an address that would run something", ingest.Run{Tool: "hey", Command: "hey -c 2 'http://a/$(reboot)'\x1b[2J", Workers: 2, Rate: 10},
			"wrk2 -t2 -c2 -d30s -R10 --latency 'http://a/$(reboot)[2J'"},
		{"a quote in it", ingest.Run{Tool: "hey", Command: `hey "http://a/it's"`, Rate: 10}, `wrk2 -t2 -c<connections> -d30s -R10 --latency 'http://a/it'\''s'`},
		{"another command in front", ingest.Run{Tool: "hey", Command: "cd /tmp && hey -c 3 http://a/ > out.txt", Workers: 3, Rate: 10}, "wrk2 -t2 -c3 -d30s -R10 --latency http://a/"},
	} {
		if got := omission.OpenLoop(c.run); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
