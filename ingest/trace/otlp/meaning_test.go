package otlp

import (
	"slices"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// What the corpus says about its files in words (SOURCES.md, README.md), in the
// terms of the record.
func TestCorpusMeaning(t *testing.T) {
	spans := func(name string, want func(*ingest.Span) bool) (out []ingest.Span) {
		for _, s := range read(t, JSON, corpusFile(t, name)).spans {
			if want(&s) {
				out = append(out, s)
			}
		}
		return out
	}
	number := func(what string, got []ingest.Span, want int) {
		t.Helper()
		if len(got) != want {
			t.Errorf("%s: %d, want %d", what, len(got), want)
		}
	}
	client := func(s *ingest.Span) bool { return s.Kind == ingest.ClientSpan }

	const storm = "traces/otlp-json/go-redis-cluster-mget-storm.jsonl"
	mget := func(s *ingest.Span) bool {
		return s.Store != nil && s.Store.Op == "MGET" && s.Store.Keys == 1 && !s.Error
	}
	number("single-key mget: two storms of 48, a control of one, and two outside any request", spans(storm, mget), 99)
	number("dials", spans(storm, func(s *ingest.Span) bool { return s.Op == "redis.dial" && s.Setup }), 36)
	number("errors that are none of the handshake's", spans(storm, func(s *ingest.Span) bool { return s.Error && !s.Setup }), 2)
	pipelines := spans(storm, func(s *ingest.Span) bool { return s.Store != nil && s.Store.Pipelined && !s.Setup })
	number("pipelines", pipelines, 3)
	commands := 0
	for _, s := range pipelines {
		commands += s.Store.Batch
	}
	if commands != 48 {
		t.Errorf("%d commands in pipelines, want 48", commands)
	}

	var stands []int64
	for _, s := range spans("traces/otlp-json/go-redis-cluster-mget-storm.spanpruning.jsonl", mget) {
		if stands = append(stands, s.Stands); s.Stands > 1 && (s.Rare == nil || s.Rare.Max < s.Rare.Min || s.Rare.Total < s.Rare.Max) {
			t.Errorf("durations of a summary: %+v", s.Rare)
		}
	}
	slices.Sort(stands)
	if !slices.Equal(stands, []int64{1, 1, 1, 1, 1, 1, 24, 24, 45}) {
		t.Errorf("mget spans stand for %v", stands)
	}

	const node = "traces/otlp-json/node-redis-cluster-mget-storm.http-exporter.jsonl"
	number("hidden single-key MGETs", spans(node, func(s *ingest.Span) bool { return mget(s) && s.Args == 0 }), 80)
	number("connects", spans(node, func(s *ingest.Span) bool { return s.Setup }), 4)

	const native = "traces/otlp-json/grpc-go-native-retrypolicy.jsonl"
	for attempt, want := range []int{4, 3, 3, 3} { // three calls of four attempts, and one that met its deadline
		number("attempts", spans(native, func(s *ingest.Span) bool { return s.Resend == int32(attempt) }), want)
	}
	number("calls that met their deadline", spans(native, func(s *ingest.Span) bool { return client(s) && s.Outcome == ingest.TimedOut }), 1)

	const abandoned = "traces/otlp-json/http-abandoned-work.jsonl"
	number("calls that the gateway gave up", spans(abandoned, func(s *ingest.Span) bool {
		return client(s) && s.Service == "gateway" && (s.Outcome == ingest.TimedOut || s.Outcome == ingest.Canceled)
	}), 3)
	number("answers 504", spans(abandoned, func(s *ingest.Span) bool { return s.Status == 504 && s.Outcome == ingest.Failed }), 3)

	const hedged = "traces/otlp-json/grpc-hedging-abuse.jsonl"
	number("losers", spans(hedged, func(s *ingest.Span) bool { return client(s) && s.Outcome == ingest.Canceled && s.Error }), 57)
	number("attempts", spans(hedged, client), 120)

	const deadline = "traces/otlp-json/grpc-missing-deadline.jsonl"
	number("calls that met their deadline", spans(deadline, func(s *ingest.Span) bool {
		return client(s) && s.Outcome == ingest.TimedOut && s.Service == "search-api"
	}), 8)
	number("servers that were canceled without an error", spans(deadline, func(s *ingest.Span) bool {
		return s.Kind == ingest.ServerSpan && s.Outcome == ingest.Canceled && s.Error
	}), 0)

	const retries = "traces/otlp-json/grpc-retry-3x3x3.jsonl"
	number("leaf calls", spans(retries, func(s *ingest.Span) bool {
		return client(s) && s.Call != nil && s.Call.Method == "acme.storage.v1.Storage/Read" && s.Status == 14 && s.Outcome == ingest.Failed
	}), 54)

	const shards = "traces/otlp-json/tail-fanout-69.jsonl"
	peers := map[string]bool{}
	for _, s := range spans(shards, client) {
		peers[s.Peer] = true
	}
	if len(peers) != 69 {
		t.Errorf("%d peers, want 69", len(peers))
	}
}
