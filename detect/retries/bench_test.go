package retries_test

import (
	"testing"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/retries"
)

// benchTraces are requests as they mostly are: four services, a dozen calls,
// one in ten with a try that failed.
func benchTraces(b *testing.B) (traces []*calltree.Trace, spans int) {
	records, err := detecttest.Parse(`
trace 1 x200 seed=1
span root parent=- service=edge op="POST /checkout" kind=server http=POST target=/checkout
span c1 parent=root service=edge op=Orders/Place kind=client rpc=Orders/Place peer=10.0.0.1:80
span s1 parent=c1 service=orders op=Orders/Place kind=server rpc=Orders/Place start=100us
span bad parent=s1 service=orders op=Stock/Reserve kind=client rpc=Stock/Reserve for=3ms outcome=failed status=14 chance=10%
span c2 parent=s1 service=orders op=Stock/Reserve kind=client rpc=Stock/Reserve after=1ms x3
span s2 parent=c2 service=stock op=Stock/Reserve kind=server rpc=Stock/Reserve start=100us
span db parent=s2 service=stock op=SELECT kind=client store=postgresql cmd=SELECT template="SELECT ?" for=1ms after=0ms x3
span par parent=root service=edge op=Price/Get kind=client rpc=Price/Get for=2ms..6ms x4
`)
	if err != nil {
		b.Fatal(err)
	}
	for _, rec := range records {
		t := rec.(*calltree.Trace)
		traces = append(traces, t)
		spans += len(t.Spans)
	}
	return traces, spans
}

func BenchmarkAdd(b *testing.B) {
	traces, spans := benchTraces(b)
	for _, t := range traces { // what all detectors share
		for p := range t.Parents() {
			t.Groups(p)
			break
		}
	}
	for _, d := range retries.Detectors {
		b.Run(d.Name, func(b *testing.B) {
			b.ReportAllocs()
			tally := d.New()
			for b.Loop() {
				for _, t := range traces {
					tally.Add(t)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*spans), "ns/span")
		})
	}
}
