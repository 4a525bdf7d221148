package spanscsv

import (
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

func TestCorpus(t *testing.T) {
	for name, want := range map[string]struct {
		counts  tracetest.Counts
		before  int
		root    string
		group   int
		grouped string
	}{
		"traces/csv-nezha/train-ticket.2023-01-29_08_53.csv":             {tracetest.Counts{Spans: 2853, Traces: 42, Roots: 42}, 0, "ts-gateway-service /*", 7, "ts-travel-service HTTP POST"},
		"traces/csv-nezha/online-boutique.2022-08-22_05_43.first320.csv": {tracetest.Counts{Spans: 15022, Traces: 320, Roots: 320}, 8, "frontend hipstershop.Frontend/Recv.", 9, "frontend hipstershop.CurrencyService/Convert"},
	} {
		t.Run(name, func(t *testing.T) {
			data := tracetest.Corpus(t, name)
			if !Format.Sniff(data[:min(len(data), ingest.HeadSize)]) {
				t.Error("is not claimed")
			}
			spans := tracetest.Spans(t, &Format, data)
			if got := tracetest.Count(spans); got != want.counts {
				t.Errorf("%+v, want %+v", got, want.counts)
			}
			if after, before := tracetest.Starts(spans); after != 0 || before != want.before {
				t.Errorf("%d start after their parent's end, %d before it; want 0, %d", after, before, want.before)
			}
			if roots := tracetest.Roots(spans); roots[want.root] != want.counts.Roots {
				t.Errorf("roots %v", roots)
			}
			if n, name := tracetest.Siblings(spans); n != want.group || name != want.grouped {
				t.Errorf("%d x %s, want %d x %s", n, name, want.group, want.grouped)
			}
		})
	}
}
