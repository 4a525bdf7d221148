package suite_test

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// said is a finding that must come out: its rule, its operation and some of its
// numbers as JSON. Numbers that were measured are right to 0.1 %.
type said struct{ rule, op, numbers string }

// traceFile is what is true about a file of spans: rows, traces, roots, orphans,
// repeated ids and errors as its SOURCES.md or README counts them (none of them
// by tailcheck), and all findings but low-visibility.
type traceFile struct {
	rows, traces, roots, orphans, repeated, errors int64
	findings                                       []said
}

const (
	published = "../shared/corpus/traces/"
	recorded  = "../shared/corpus/recorded/redis/"
	own       = "fixtures/trace/"
)

// Calls and parents of N+1s were counted over the rows of the files; sizes of
// storms, hops and numbers of spans are those of the programs that were recorded.
var (
	timeline = []said{
		{"mget-storm", "LoadProfiles", `{"commands":48,"keys":48,"slots":48,"peers":3,"requests_affected":2}`},
		{"n-plus-one", "LoadProfiles", `{"calls":24,"parents":1}`},
	}
	profiles = []said{
		{"mget-storm", "GET /profiles", `{"commands":40,"keys":40,"slots":40,"requests_affected":1}`},
		{"mget-storm", "GET /profiles", `{"commands":40,"keys":40,"slots":null,"requests_affected":2}`},
	}
	pricing = []said{ // not the one with a hash tag, the pipelines, dials and handshakes, nor where keys are hidden
		{"mget-storm", "24 gets at once", `{"commands":24,"keys":24,"slots":24,"peers":3,"requests_affected":3}`},
		{"mget-storm", "mget grouped by slot by hand", `{"commands":24,"keys":24,"slots":24,"peers":3,"requests_affected":3}`},
		{"n-plus-one", "24 gets in a row", `{"calls":72,"parents":3}`},
	}
	chain    = []said{{"retry-multiplication", "edge POST /checkout", `{"hops":[3,3,3],"product":27,"leaf_calls_max":27,"leaf_calls_mean":27}`}}
	checkout = []said{{"retry-multiplication", "storefront POST /checkout", `{"hops":[3,3,3],"product":27,"leaf_calls_max":27}`}}
	native   = []said{{"retry-multiplication", "cart acme.pricing.v1.Pricing.Quote", `{"hops":[4],"product":4,"leaf_calls_max":4}`}}
	deadline = []said{
		{"orphaned-work", "search-api acme.ranker.v1.Ranker/Rank", `{"spans":6,"traces":3}`},
		{"deadline-not-propagated", "search-api acme.ranker.v1.Ranker/Rank", `{"gave_up":8,"went_on":3}`},
	}
)

var traceFiles = map[string]traceFile{
	published + "otlp-json/proto-example-trace.json":           {1, 1, 0, 1, 0, 0, nil},
	published + "otlp-json/jaeger-otlp-in.json":                {2, 1, 0, 2, 1, 0, nil},
	published + "otlp-json/jaeger-otlp-multi-in.jsonl":         {4, 1, 1, 0, 0, 0, nil},
	published + "otlp-json/jaeger-otlp-multi-in-combined.json": {4, 1, 1, 0, 0, 0, nil},
	published + "otlp-json/otel-traces-link-attributes.json":   {1, 1, 1, 0, 0, 0, nil},
	published + "otlp-json/otel-demo-envoy.base64ids.json":     {2, 1, 0, 1, 0, 0, nil},
	published + "otlp-json/invalid-kind.json":                  {1, 1, 1, 0, 0, 0, nil},

	published + "otlp-json/go-redis-cluster-mget-storm.jsonl": {260, 48, 48, 0, 0, 44, timeline},
	published + "otlp-json/go-redis-cluster-mget-storm.spanpruning.jsonl": {101, 48, 48, 0, 0, 21, []said{
		{"mget-storm", "LoadProfiles", `{"commands":48,"keys":48,"slots":null,"requests_affected":2}`},
		{"n-plus-one", "LoadProfiles", `{"calls":24,"parents":1}`},
	}},
	published + "otlp-json/node-redis-cluster-mget-storm.http-exporter.jsonl": {127, 7, 7, 0, 0, 0, profiles},
	published + "otlp-json/node-redis-cluster-mget-storm.dropped55.jsonl": {81, 7, 7, 0, 0, 0, []said{
		{"mget-storm", "GET /profiles", `{"commands":22,"keys":22,"slots":null,"requests_affected":2}`},
		{"mget-storm", "GET /profiles", `{"commands":40,"keys":40,"slots":40,"requests_affected":1}`},
	}},
	published + "otlp-json/grpc-retry-3x3x3.jsonl":           {158, 2, 2, 0, 0, 158, chain},
	published + "otlp-json/grpc-go-native-retrypolicy.jsonl": {34, 4, 4, 0, 0, 22, native},
	published + "otlp-json/http-abandoned-work.jsonl": {45, 3, 3, 0, 0, 6, []said{
		{"orphaned-work", "gateway HTTP POST /orders", `{"spans":18,"traces":3}`},
		{"deadline-not-propagated", "gateway HTTP POST /orders", `{"gave_up":3,"went_on":3,"calls":9}`},
		{"n-plus-one", "POST /orders", `{"calls":18,"parents":3}`},
	}},
	published + "otlp-json/grpc-missing-deadline.jsonl":                {46, 8, 8, 0, 0, 25, deadline},
	published + "otlp-json/grpc-missing-deadline.nativezstd.jsonl.zst": {46, 8, 8, 0, 0, 25, deadline},
	published + "otlp-json/grpc-hedging-abuse.jsonl": {300, 60, 60, 0, 0, 57, []said{
		{"hedge-overload", "frontend acme.catalog.v1.Catalog/Get", `{"hedge_share":1,"load_factor":2}`},
	}},
	published + "otlp-json/tail-fanout-69.jsonl": {6300, 90, 90, 0, 0, 0, []said{
		{"tail-amplification", "feed-api GET /feed", `{"fan_out":69,"leaf_quantile_at_root_median":0.989,"expected_quantile":0.990}`},
	}},
	published + "otlp-json/train-ticket.2023-01-29_10_22.jsonl": {1328, 36, 36, 0, 0, 0, []said{
		{"n-plus-one", "RouteController.queryByIds", `{"calls":50,"parents":10}`},
		{"n-plus-one", "RouteController.queryByIds", `{"calls":50,"parents":10}`},
		{"n-plus-one", "TravelController.queryInfo", `{"calls":12,"parents":2}`},
	}},
	published + "otlp-proto/otel-demo-envoy.pb":                       {2, 1, 0, 1, 0, 0, nil},
	published + "otlp-proto/grpc-retry-3x3x3.fileexporter.bin":        {158, 2, 2, 0, 0, 158, chain},
	published + "otlp-proto/grpc-native-retrypolicy.nativezstd.zst":   {34, 4, 4, 0, 0, 22, native},
	published + "jaeger/petclinic-sql-n-plus-one.bare.json":           {17, 1, 1, 0, 0, 0, []said{{"repeated-call", "GET /owners", `{"calls":13,"parents":1}`}}},
	published + "jaeger/petclinic-parallel-siblings.bare.json":        {8, 1, 1, 0, 0, 0, nil},
	published + "jaeger/children-longer-than-parent.bare.json":        {4, 1, 1, 0, 0, 0, nil},
	published + "jaeger/genai-57-spans.bare.json":                     {57, 1, 1, 0, 0, 1, nil},
	published + "jaeger/otlp-converted-multi-out.json":                {4, 1, 1, 0, 0, 0, nil},
	published + "jaeger/api-v3-GetTrace.json":                         {1, 1, 1, 0, 0, 1, nil},
	published + "jaeger/es-document.json":                             {1, 1, 0, 1, 0, 1, nil},
	published + "jaeger/crisp/10.json":                                {4, 1, 1, 0, 0, 0, nil},
	published + "jaeger/crisp/12.json":                                {4, 1, 1, 0, 0, 0, nil},
	published + "jaeger/crisp/15.json":                                {7, 1, 1, 0, 0, 1, nil},
	published + "jaeger/crisp/18.json":                                {9, 1, 1, 0, 0, 1, nil},
	published + "jaeger/crisp/23.json":                                {9, 1, 1, 0, 0, 0, nil},
	published + "jaeger/crisp/err_pattern1-err1.json":                 {2, 1, 1, 0, 0, 2, nil},
	published + "jaeger/crisp/err_pattern3-err1.json":                 {3, 1, 1, 0, 0, 2, nil},
	published + "jaeger/crisp/err_pattern4-err2.json":                 {3, 1, 1, 0, 0, 2, nil},
	published + "zipkin-v2/yelp.json":                                 {16, 1, 1, 0, 3, 0, nil},
	published + "zipkin-v2/smartthings-oauth-authorization.json":      {175, 1, 1, 0, 45, 2, nil},
	published + "zipkin-v2/messaging-kafka.json":                      {28, 1, 1, 0, 0, 3, nil},
	published + "zipkin-v2/messaging.json":                            {4, 1, 1, 0, 0, 0, nil},
	published + "zipkin-v2/skew.json":                                 {4, 1, 1, 0, 1, 0, nil},
	published + "zipkin-v2/envoy.json":                                {1, 1, 1, 0, 0, 0, nil},
	published + "zipkin-v2/simple-db-p6.json":                         {5, 1, 1, 0, 0, 0, nil},
	published + "zipkin-v2/single-object.json":                        {1, 1, 0, 1, 0, 0, nil},
	published + "zipkin-v1/train-ticket-admin-route-fail.json":        {2, 1, 1, 0, 0, 2, nil},
	published + "zipkin-v1/train-ticket-preserve.json":                {79, 1, 1, 0, 0, 0, []said{{"n-plus-one", "http:/travel/gettripalldetailinfo/", `{"calls":8,"parents":1}`}}},
	published + "stdouttrace/go-redis-cluster-mget-storm.pretty.json": {260, 48, 48, 0, 0, 44, timeline},
	published + "js-console/node-redis-cluster-mget-storm.txt":        {127, 7, 7, 0, 0, 0, profiles},
	published + "xray/ddb-sample.trimmed.json":                        {15, 1, 1, 0, 0, 4, nil},
	published + "csv-nezha/train-ticket.2023-01-29_08_53.csv": {2853, 42, 42, 0, 0, 0, []said{
		{"n-plus-one", "RouteController.queryByIds", `{"calls":110,"parents":22}`},
		{"n-plus-one", "RouteController.queryByIds", `{"calls":110,"parents":22}`},
		{"n-plus-one", "TravelController.queryInfo", `{"calls":30,"parents":5}`},
	}},
	published + "csv-nezha/online-boutique.2022-08-22_05_43.first320.csv": {15022, 320, 320, 0, 0, 0, []said{
		{"n-plus-one", "hipstershop.CheckoutService/PrepOrderItems", `{"calls":6,"parents":1}`},
		{"n-plus-one", "hipstershop.CheckoutService/PrepOrderItems", `{"calls":6,"parents":1}`},
		{"n-plus-one", "hipstershop.Frontend/Recv.", `{"calls":389,"parents":48}`},
		{"n-plus-one", "hipstershop.Frontend/Recv.", `{"calls":1354,"parents":219}`},
	}},

	recorded + "go-redis-cluster.traces.json":            {370, 64, 64, 0, 0, 40, pricing},
	recorded + "go-redis-cluster.traces.pb":              {370, 64, 64, 0, 0, 40, pricing},
	recorded + "go-redis-cluster.traces.json.zst-frames": {370, 64, 64, 0, 0, 40, pricing},
	recorded + "go-redis-cluster.traces.pb.zst-frames":   {370, 64, 64, 0, 0, 40, pricing},
	recorded + "go-redis-cluster.native.traces.json.zst": {372, 65, 65, 0, 0, 40, pricing},
	recorded + "go-redis-cluster.native.traces.pb.zst":   {372, 65, 65, 0, 0, 40, pricing},
	recorded + "go-redis-cluster.jaeger-api.json":        {372, 65, 65, 0, 0, 40, pricing},
	recorded + "go-redis-cluster.jaeger-v3-otlp.json":    {372, 65, 65, 0, 0, 40, pricing},
	recorded + "node-redis-cluster.traces.json": {415, 29, 29, 0, 0, 8, []said{ // ioredis' 30 spans are 24 commands
		{"mget-storm", "ioredis 24 gets at once", `{"commands":24,"keys":24,"slots":24,"requests_affected":3}`},
		{"mget-storm", "node-redis 24 gets at once", `{"commands":24,"keys":24,"slots":24,"requests_affected":3}`},
		{"mget-storm", "node-redis mGet 24 keys, no hash tag", `{"commands":24,"keys":24,"slots":null,"requests_affected":3}`},
	}},

	own + "redis-mget-48/traces.jsonl":             {354, 36, 36, 0, 0, 42, []said{{"mget-storm", "LoadStock", `{"commands":48,"keys":48,"slots":48,"peers":3,"requests_affected":5}`}}},
	own + "redis-mget-tags/traces.jsonl":           {39, 9, 9, 0, 0, 6, nil},
	own + "redis-pipeline/traces.jsonl":            {45, 11, 11, 0, 0, 8, nil},
	own + "redis-pipeline/traces.stdout.json":      {45, 11, 11, 0, 0, 8, nil},
	own + "redis-n-plus-one/traces.jsonl":          {269, 9, 9, 0, 0, 6, []said{{"n-plus-one", "LoadStock", `{"calls":240,"parents":5}`}}},
	own + "fan-out-69/traces.pb.zst":               {14000, 200, 200, 0, 0, 0, []said{{"tail-amplification", "search GET /search", `{"fan_out":69,"expected_quantile":0.990}`}}},
	own + "fan-out-69-sequential/traces.jsonl.zst": {2800, 40, 40, 0, 0, 0, []said{{"serial-fan-out", "search GET /search", `{"calls":2760,"parents":40}`}}},
	own + "fan-out-8/traces.jsonl.zst":             {1800, 200, 200, 0, 0, 0, nil},
	own + "retries-3x3x3/traces.jsonl":             {358, 10, 10, 0, 0, 316, checkout},
	own + "retries-3x3x3/traces.pb":                {358, 10, 10, 0, 0, 316, checkout},
	own + "retries-one-hop/traces.jsonl":           {426, 60, 60, 0, 0, 6, nil},
	own + "grpc-retry/native.jsonl":                {42, 6, 6, 0, 0, 18, []said{{"retry-multiplication", "cart shop.pricing.v1.Pricing.Quote", `{"hops":[4],"product":4,"leaf_calls_max":4,"leaf_calls_mean":2.5}`}}},
	own + "grpc-retry/native.sdk.pb":               {42, 6, 6, 0, 0, 18, []said{{"retry-multiplication", "cart shop.pricing.v1.Pricing.Quote", `{"hops":[4],"product":4,"leaf_calls_max":4,"leaf_calls_mean":2.5}`}}},
	own + "grpc-retry/otelgrpc.jsonl":              {36, 6, 6, 0, 0, 18, []said{{"retry-multiplication", "cart shop.pricing.v1.Pricing/Quote", `{"hops":[4],"product":4,"leaf_calls_max":4,"leaf_calls_mean":2.5}`}}},
	own + "abandoned/http.jsonl": {120, 8, 8, 0, 0, 8, []said{ // 40: those that start over 5 ms after
		{"orphaned-work", "gateway HTTP POST /place", `{"spans":40,"traces":4}`},
		{"deadline-not-propagated", "gateway HTTP POST /place", `{"gave_up":4,"went_on":4,"calls":20}`},
		{"n-plus-one", "POST /place", `{"calls":40,"parents":4}`},
	}},
	own + "abandoned/grpc.jsonl": {120, 8, 8, 0, 0, 9, []said{
		{"orphaned-work", "gateway shop.orders.v1.Orders/Place", `{"spans":40,"traces":4}`},
		{"deadline-not-propagated", "gateway shop.orders.v1.Orders/Place", `{"gave_up":4,"went_on":4,"calls":20}`},
		{"n-plus-one", "shop.orders.v1.Orders/Place", `{"calls":40,"parents":4}`},
	}},
	own + "deadline-passed/http.jsonl":       {72, 8, 8, 0, 0, 16, nil},
	own + "deadline-passed/grpc.jsonl":       {72, 8, 8, 0, 0, 15, nil},
	own + "hedging-healthy/traces.jsonl.zst": {914, 300, 300, 0, 0, 7, nil},
	own + "hedging-abuse/traces.jsonl.zst":   {500, 100, 100, 0, 0, 98, []said{{"hedge-overload", "frontend shop.catalog.v1.Catalog/Get", `{"hedge_share":1,"load_factor":2}`}}},
	"fixtures/clean/traces.jsonl":            {234, 52, 52, 0, 0, 13, nil},
}

// Every published and recorded file of spans says what it holds, through the
// whole pipeline, and nothing else; none of them is missing in the table.
func TestTraceFiles(t *testing.T) {
	for path, want := range traceFiles {
		t.Run(strings.ReplaceAll(strings.TrimPrefix(path, "../shared/"), "/", " "), func(t *testing.T) {
			file := filepath.Join(root, path)
			if _, err := os.Stat(file); err != nil && strings.HasPrefix(path, "..") {
				t.Skip("no corpus beside the project")
			}
			out := judged(t, check.Flags{}, file)
			if len(out.Inputs) != 1 || out.Inputs[0].Trace == nil {
				t.Fatalf("inputs %+v, problems %+v", out.Inputs, out.Problems)
			}
			in := out.Inputs[0]
			got := traceFile{in.Records.Spans, in.Trace.Traces, in.Trace.Roots, in.Trace.Orphans, in.Trace.RepeatedIDs, in.Trace.Errors, nil}
			counts := want
			counts.findings = nil
			// rows that say the same twice are one span
			if twice := in.Records.Spans - in.Trace.Spans; got.orphans > 0 && twice > 0 {
				got.orphans += twice
			}
			if !equal(got, counts) {
				t.Errorf("got %+v, want %+v", got, counts)
			}
			compare(t, out.Findings, want.findings)
		})
	}
	for _, dir := range []string{published, recorded, own} {
		if _, err := os.Stat(filepath.Join(root, dir)); err != nil {
			continue
		}
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() != "src" {
				return err
			}
			if d.IsDir() {
				return filepath.SkipDir
			}
			name, _ := filepath.Rel(root, path)
			if _, ok := traceFiles[filepath.ToSlash(name)]; !ok && filepath.Ext(name) != ".md" {
				t.Errorf("%s is not in the table", name)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func equal(a, b traceFile) bool {
	return a.rows == b.rows && a.traces == b.traces && a.roots == b.roots && a.orphans == b.orphans && a.repeated == b.repeated && a.errors == b.errors
}

// compare pairs the findings with those that must come out.
func compare(t *testing.T, got []report.Finding, want []said) {
	t.Helper()
	left := slices.Clone(got)
	left = slices.DeleteFunc(left, func(f report.Finding) bool { return f.Rule == "low-visibility" })
	for _, w := range want {
		i := slices.IndexFunc(left, func(f report.Finding) bool { return f.Rule == w.rule && f.Op == w.op && holds(t, f, w.numbers) })
		if i < 0 {
			t.Errorf("missing: %v", w)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, f := range left {
		numbers, _ := json.Marshal(f.Numbers)
		t.Errorf("unexpected: %s of %q: %s %s", f.Rule, f.Op, f.Message, numbers)
	}
}

// holds reports whether the numbers of a finding contain those given.
func holds(t *testing.T, f report.Finding, numbers string) bool {
	var got, want map[string]any
	b, err := json.Marshal(f.Numbers)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	if err := json.Unmarshal([]byte(numbers), &want); err != nil {
		t.Fatalf("%s: %v", numbers, err)
	}
	for k, w := range want {
		g, ok := got[k]
		if !ok || !same(g, w) {
			return false
		}
	}
	return true
}

func same(got, want any) bool {
	switch w := want.(type) {
	case nil:
		return got == nil
	case float64:
		g, ok := got.(float64)
		return ok && math.Abs(g-w) <= 0.001*math.Abs(w)*boolFloat(w != math.Trunc(w))
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(g, w, same)
	}
	return false
}

func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Where spans are missing without a word, numbers are lower bounds and say so:
// 12 and 22 of 40 commands are left.
func TestDroppedSpansAreAtLeast(t *testing.T) {
	dir := corpus(t, "traces/otlp-json")
	out := judged(t, check.Flags{}, filepath.Join(dir, "node-redis-cluster-mget-storm.dropped55.jsonl"))
	for _, f := range out.Findings {
		if f.Rule != "mget-storm" || !holds(t, f, `{"commands":22}`) {
			continue
		}
		if e := f.Evidence[0]; !strings.Contains(f.Message, "at least 22 ") || !strings.Contains(e.What, "at least") || e.Got != "12 to 22" {
			t.Errorf("%s; %+v", f.Message, e)
		}
		return
	}
	t.Error("not found")
}
