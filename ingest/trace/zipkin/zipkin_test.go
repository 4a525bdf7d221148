package zipkin

import (
	"slices"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

func TestCorpus(t *testing.T) {
	for name, want := range map[string]struct {
		counts        tracetest.Counts
		after, before int
		root          string
		group         int
		grouped       string
	}{
		"zipkin-v2/yelp.json":                            {tracetest.Counts{Spans: 16, Traces: 1, Roots: 1, Repeated: 3}, 0, 0, "routing post /location/update/v4", 0, ""},
		"zipkin-v2/smartthings-oauth-authorization.json": {tracetest.Counts{Spans: 175, Traces: 1, Roots: 1, Repeated: 45, Errors: 2}, 51, 0, "datamgmt get /oauth/authorize", 6, "auth client-select-by-id"},
		"zipkin-v2/messaging-kafka.json":                 {tracetest.Counts{Spans: 28, Traces: 1, Roots: 1, Errors: 3}, 11, 3, "servicea poll", 0, ""},
		"zipkin-v2/messaging.json":                       {tracetest.Counts{Spans: 4, Traces: 1, Roots: 1}, 2, 0, "frontend get /", 0, ""},
		"zipkin-v2/skew.json":                            {tracetest.Counts{Spans: 4, Traces: 1, Roots: 1, Repeated: 1}, 0, 2, "servicea get", 0, ""},
		"zipkin-v2/envoy.json":                           {tracetest.Counts{Spans: 1, Traces: 1, Roots: 1}, 0, 0, " localhost:10000", 0, ""},
		"zipkin-v2/simple-db-p6.json":                    {tracetest.Counts{Spans: 5, Traces: 1, Roots: 1}, 0, 0, "bootifulmeters http:/book", 0, ""},
		"zipkin-v2/single-object.json":                   {tracetest.Counts{Spans: 1, Traces: 1, Orphans: 1}, 0, 0, "", 0, ""},
		"zipkin-v1/train-ticket-preserve.json":           {tracetest.Counts{Spans: 79, Traces: 1, Roots: 1}, 0, 0, "ts-preserve-service http:/preserve", 8, "ts-ticketinfo-service http:/ticketinfo/queryforstationid"},
		"zipkin-v1/train-ticket-admin-route-fail.json":   {tracetest.Counts{Spans: 2, Traces: 1, Roots: 1, Errors: 2}, 0, 0, "ts-admin-route-service http:/adminroute/upload", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			data := tracetest.Corpus(t, "traces/"+name)
			if !Format.Sniff(data[:min(len(data), ingest.HeadSize)]) {
				t.Error("is not claimed")
			}
			spans := tracetest.Spans(t, &Format, data)
			if got := tracetest.Count(spans); got != want.counts {
				t.Errorf("%+v, want %+v", got, want.counts)
			}
			if after, before := tracetest.Starts(spans); after != want.after || before != want.before {
				t.Errorf("%d start after their parent's end, %d before it; want %d, %d", after, before, want.after, want.before)
			}
			if roots := tracetest.Roots(spans); want.root != "" && roots[want.root] != 1 {
				t.Errorf("roots %v", roots)
			}
			if n, name := tracetest.Siblings(spans); want.group > 0 && (n != want.group || name != want.grouped) {
				t.Errorf("%d x %s, want %d x %s", n, name, want.group, want.grouped)
			}
		})
	}
}

// Services: SOURCES.md, and those of the file itself where it lists eight only.
func TestServices(t *testing.T) {
	for name, want := range map[string][]string{
		"zipkin-v2/yelp.json":                            {"mobile_api", "routing", "spectre", "unknown", "yelp-main", "yelp_main/api_proxy"},
		"zipkin-v2/smartthings-oauth-authorization.json": {"account", "auth", "bouncer", "datamgmt", "dove", "paperboy", "pusher", "stlogin"},
		"zipkin-v2/messaging-kafka.json":                 {"servicea", "serviceb"},
		"zipkin-v1/train-ticket-admin-route-fail.json":   {"ts-admin-route-service", "ts-route-service"},
	} {
		if got := tracetest.Services(tracetest.Spans(t, &Format, tracetest.Corpus(t, "traces/"+name))); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
