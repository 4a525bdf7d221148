package storm_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/storm"
	"github.com/tailcheck/tailcheck/ingest"
)

const (
	corpus   = "../../../shared/corpus/"
	fixtures = "../../fixtures/"
)

// What the files of the corpus and the fixtures are known to hold, by their
// SOURCES.md and READMEs. Slots were counted with Python's binascii.crc_hqx, and
// the calls of the TrainTicket and Online Boutique tables with a script of its
// own over the rows: parents with at least 5 children of one name that led to
// one operation of another service, which took 10 % of the parent or 100 ms.
var known = map[string][]string{
	corpus + "traces/otlp-json/go-redis-cluster-mget-storm.jsonl": {
		`mget-storm high LoadProfiles {"commands":48,"keys":48,"slots":48,"peers":3,"requests_affected":2}`,
		`n-plus-one high LoadProfiles {"calls":24,"parents":1,"sum_ms":1.587}`,
	},
	corpus + "traces/stdouttrace/go-redis-cluster-mget-storm.pretty.json": {
		`mget-storm high LoadProfiles {"commands":48,"keys":48,"slots":48,"peers":3,"requests_affected":2}`,
		`n-plus-one high LoadProfiles {"calls":24,"parents":1,"sum_ms":1.587}`,
	},
	// two summaries of 24, and one of 45 beside three spans; they show two servers
	corpus + "traces/otlp-json/go-redis-cluster-mget-storm.spanpruning.jsonl": {
		`mget-storm high LoadProfiles {"commands":48,"keys":48,"slots":null,"peers":2,"requests_affected":2}`,
		`n-plus-one high LoadProfiles {"calls":24,"parents":1,"sum_ms":1.587}`,
	},
	corpus + "traces/otlp-json/node-redis-cluster-mget-storm.http-exporter.jsonl": {
		`mget-storm medium GET /profiles {"commands":40,"keys":40,"slots":40,"peers":3,"requests_affected":1}`,
		`mget-storm high GET /profiles {"commands":40,"keys":40,"slots":null,"peers":3,"requests_affected":2}`,
	},
	corpus + "traces/js-console/node-redis-cluster-mget-storm.txt": {
		`mget-storm medium GET /profiles {"commands":40,"keys":40,"slots":40,"peers":3,"requests_affected":1}`,
		`mget-storm high GET /profiles {"commands":40,"keys":40,"slots":null,"peers":3,"requests_affected":2}`,
	},
	// 12 of 40 in one request, 22 of 40 in the other
	corpus + "traces/otlp-json/node-redis-cluster-mget-storm.dropped55.jsonl": {
		`mget-storm medium GET /profiles {"commands":40,"keys":40,"slots":40,"peers":3,"requests_affected":1}`,
		`mget-storm high GET /profiles {"commands":22,"keys":22,"slots":null,"peers":3,"requests_affected":2}`,
	},
	// no finding for: CROSSSLOT, one tag, pipelines, statements off, handshakes, dials
	corpus + "recorded/redis/go-redis-cluster.traces.json": {
		`mget-storm medium 24 gets at once {"commands":24,"keys":24,"slots":24,"peers":3,"requests_affected":3}`,
		`mget-storm high mget grouped by slot by hand {"commands":24,"keys":24,"slots":24,"peers":3,"requests_affected":3}`,
		`n-plus-one high 24 gets in a row {"calls":72,"parents":3,"sum_ms":4.614}`,
	},
	corpus + "recorded/redis/go-redis-cluster.jaeger-api.json": {
		`mget-storm medium 24 gets at once {"commands":24,"keys":24,"slots":24,"peers":3,"requests_affected":3}`,
		`mget-storm high mget grouped by slot by hand {"commands":24,"keys":24,"slots":24,"peers":3,"requests_affected":3}`,
		`n-plus-one high 24 gets in a row {"calls":72,"parents":3,"sum_ms":4.181}`,
	},
	// ioredis' 30 spans are 24 commands; no finding for pipelines and transactions
	corpus + "recorded/redis/node-redis-cluster.traces.json": {
		`mget-storm medium ioredis 24 gets at once {"commands":24,"keys":24,"slots":24,"peers":3,"requests_affected":3}`,
		`mget-storm medium node-redis 24 gets at once {"commands":24,"keys":24,"slots":24,"peers":3,"requests_affected":3}`,
		`mget-storm high node-redis mGet 24 keys, no hash tag {"commands":24,"keys":24,"slots":null,"peers":3,"requests_affected":3}`,
	},
	// seven HTTP POST, of which six ask for seats
	corpus + "traces/csv-nezha/train-ticket.2023-01-29_08_53.csv": {
		`n-plus-one medium RouteController.queryByIds {"calls":110,"parents":22,"sum_ms":115.66}`,
		`n-plus-one medium RouteController.queryByIds {"calls":110,"parents":22,"sum_ms":121.826}`,
		`n-plus-one medium TravelController.queryInfo {"calls":30,"parents":5,"sum_ms":1772.541}`,
	},
	corpus + "traces/otlp-json/train-ticket.2023-01-29_10_22.jsonl": {
		`n-plus-one medium RouteController.queryByIds {"calls":50,"parents":10,"sum_ms":37.786}`,
		`n-plus-one medium RouteController.queryByIds {"calls":50,"parents":10,"sum_ms":38.381}`,
		`n-plus-one medium TravelController.queryInfo {"calls":12,"parents":2,"sum_ms":230.371}`,
	},
	corpus + "traces/csv-nezha/online-boutique.2022-08-22_05_43.first320.csv": {
		`n-plus-one medium hipstershop.CheckoutService/PrepOrderItems {"calls":6,"parents":1,"sum_ms":63.395}`,
		`n-plus-one medium hipstershop.CheckoutService/PrepOrderItems {"calls":6,"parents":1,"sum_ms":35.811}`,
		`n-plus-one medium hipstershop.Frontend/Recv. {"calls":389,"parents":48,"sum_ms":15191.08}`,
		`n-plus-one medium hipstershop.Frontend/Recv. {"calls":1354,"parents":219,"sum_ms":14957.938}`,
	},
	corpus + "traces/zipkin-v1/train-ticket-preserve.json": {
		`n-plus-one high http:/travel/gettripalldetailinfo/ {"calls":8,"parents":1,"sum_ms":200}`,
	},
	// 14 queries of 136 us in a request of 1696 us: below the threshold of
	// n-plus-one, but 13 of them are "select * from test"
	corpus + "traces/jaeger/petclinic-sql-n-plus-one.bare.json": {
		`repeated-call medium GET /owners {"calls":13,"parents":1,"sum_ms":0.299}`,
	},
	// six Ledger/Append one after the other in each of three orders
	corpus + "traces/otlp-json/http-abandoned-work.jsonl": {
		`n-plus-one high POST /orders {"calls":18,"parents":3,"sum_ms":826.752}`,
	},
	corpus + "traces/jaeger/petclinic-parallel-siblings.bare.json":      nil,
	corpus + "traces/jaeger/genai-57-spans.bare.json":                   nil,
	corpus + "traces/otlp-json/tail-fanout-69.jsonl":                    nil,
	corpus + "traces/otlp-json/grpc-retry-3x3x3.jsonl":                  nil,
	corpus + "traces/otlp-proto/grpc-retry-3x3x3.fileexporter.bin":      nil,
	corpus + "traces/otlp-json/grpc-go-native-retrypolicy.jsonl":        nil,
	corpus + "traces/otlp-proto/grpc-native-retrypolicy.nativezstd.zst": nil,
	corpus + "traces/otlp-json/grpc-missing-deadline.jsonl":             nil,
	corpus + "traces/otlp-json/grpc-hedging-abuse.jsonl":                nil,
	corpus + "traces/zipkin-v1/train-ticket-admin-route-fail.json":      nil,
	corpus + "traces/zipkin-v2/yelp.json":                               nil,
	corpus + "traces/zipkin-v2/smartthings-oauth-authorization.json":    nil,
	corpus + "traces/zipkin-v2/messaging-kafka.json":                    nil,
	corpus + "traces/zipkin-v2/messaging.json":                          nil,
	corpus + "traces/zipkin-v2/skew.json":                               nil,
	corpus + "traces/zipkin-v2/simple-db-p6.json":                       nil,
	corpus + "traces/jaeger/api-v3-GetTrace.json":                       nil,
	corpus + "traces/otlp-json/jaeger-otlp-in.json":                     nil,

	fixtures + "trace/redis-mget-48/traces.jsonl": {
		`mget-storm high LoadStock {"commands":48,"keys":48,"slots":48,"peers":3,"requests_affected":5}`,
	},
	fixtures + "trace/redis-mget-tags/traces.jsonl":      nil,
	fixtures + "trace/redis-pipeline/traces.jsonl":       nil,
	fixtures + "trace/redis-pipeline/traces.stdout.json": nil,
	fixtures + "trace/redis-n-plus-one/traces.jsonl": {
		`n-plus-one high LoadStock {"calls":240,"parents":5,"sum_ms":294.727}`,
	},
	fixtures + "trace/fan-out-69/traces.pb.zst":               nil,
	fixtures + "trace/fan-out-69-sequential/traces.jsonl.zst": nil,
	fixtures + "trace/fan-out-8/traces.jsonl.zst":             nil,
	fixtures + "trace/hedging-abuse/traces.jsonl.zst":         nil,
	fixtures + "trace/hedging-healthy/traces.jsonl.zst":       nil,
	fixtures + "trace/retries-3x3x3/traces.jsonl":             nil,
	fixtures + "trace/retries-3x3x3/traces.pb":                nil,
	fixtures + "trace/retries-one-hop/traces.jsonl":           nil,
	fixtures + "trace/grpc-retry/native.jsonl":                nil,
	fixtures + "trace/grpc-retry/otelgrpc.jsonl":              nil,
	fixtures + "trace/deadline-passed/grpc.jsonl":             nil,
	fixtures + "trace/deadline-passed/http.jsonl":             nil,
	fixtures + "clean/traces.jsonl":                           nil,
}

func TestKnown(t *testing.T) {
	for path, want := range known {
		t.Run(strings.NewReplacer("../", "", "/", " ").Replace(path), func(t *testing.T) {
			records := traces(t, read(t, path, 0))
			var got []string
			for _, f := range detecttest.Fold(storm.Detectors, [][]ingest.Record{records}) {
				got = append(got, fmt.Sprintf("%s %v %s %s", f.Detector, f.Confidence, f.Op, detecttest.Numbers(f)))
				if f.Impact <= 0 || len(f.Exemplars) == 0 || len(f.Exemplars) > 5 || !slices.Equal(f.Inputs, []int{0}) {
					t.Errorf("impact %v, exemplars %v, inputs %v", f.Impact, f.Exemplars, f.Inputs)
				}
			}
			slices.Sort(got)
			want = slices.Sorted(slices.Values(want))
			if !slices.Equal(got, want) {
				t.Errorf("found\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
			}
		})
	}
}

// What the finding says of the two requests of which a collector dropped more
// than half.
func TestLowerBound(t *testing.T) {
	found := fold(t, corpus+"traces/otlp-json/node-redis-cluster-mget-storm.dropped55.jsonl")
	f := found[slices.IndexFunc(found, func(f detect.Finding) bool { return strings.Contains(f.Message, "MGET") })]
	if !strings.Contains(f.Message, "at least 22 MGET commands") || f.Evidence[0].Got != "12 to 22" || !strings.Contains(f.Evidence[0].What, "at least") {
		t.Errorf("%s; %+v", f.Message, f.Evidence[0])
	}
}

// The anchors were worked out with Python over slots that are spread evenly:
// numbers of {user:N} until each of three servers has four.
func TestRemedy(t *testing.T) {
	f := fold(t, corpus+"traces/otlp-json/go-redis-cluster-mget-storm.jsonl")[0]
	last := -1
	for _, part := range []string{
		"Group the keys by slot; here all 48 have slots of their own",
		"hash tag of a few, {user:%d}", "numbers 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13 give 4 tags on each of 3 servers",
		"one pipeline: at least 3 round trips instead of 48",
	} {
		at := strings.Index(f.Remedy, part)
		if at <= last {
			t.Errorf("%q is missing, or in another order: %s", part, f.Remedy)
		}
		last = at
	}
}

// However the traces of all files are split and ordered, the findings are the
// same; inputs are those that the spans came from.
func TestSameHoweverFolded(t *testing.T) {
	var records []ingest.Record
	var paths []string
	for path := range known {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for i, path := range paths {
		records = append(records, traces(t, read(t, path, i))...)
	}
	want := detecttest.Fold(storm.Detectors, [][]ingest.Record{records})
	if len(want) < 20 {
		t.Fatalf("%d findings", len(want))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		parts := make([][]ingest.Record, 1+r.IntN(7))
		for _, i := range r.Perm(len(records)) {
			p := r.IntN(len(parts))
			parts[p] = append(parts[p], records[i])
		}
		if got := detecttest.Fold(storm.Detectors, parts); !reflect.DeepEqual(got, want) {
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			t.Fatalf("in %d parts:\n%s\nnot\n%s", len(parts), a, b)
		}
	}
}

func fold(t *testing.T, path string) []detect.Finding {
	t.Helper()
	return detecttest.Fold(storm.Detectors, [][]ingest.Record{traces(t, read(t, path, 0))})
}
