package stall

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// What is found does not depend on how a log was cut nor on the order of its
// parts or lines.
func TestMerge(t *testing.T) {
	for i, sc := range slices.Concat(standing, calm[1:4]) {
		w := &world{r: rand.New(rand.NewPCG(uint64(i), 5))}
		sc.make(w)
		w.fill()
		all := w.run()
		slices.SortStableFunc(all, func(a, b served) int { return cmp.Compare(a.end, b.end) })
		h := writings[i%len(writings)]
		whole := h.log(all, 0)
		want := judgeStalls(whole)
		for range 3 {
			parts := make([]*detect.Table, 1+w.r.IntN(5))
			for i := range parts {
				parts[i] = &detect.Table{}
			}
			order := w.r.Perm(len(all))
			for _, k := range order {
				s := h.sample(all[k], k, 0)
				parts[w.r.IntN(len(parts))].Sample(&s)
			}
			shape := h.shape(len(all))
			parts[0].Add(&ingest.Log{Lines: int64(len(all)), Shapes: []ingest.Shape{shape}})
			for _, p := range parts[1:] {
				p.Settle()
				parts[0].Merge(p)
			}
			parts[0].Finish()
			if got := judgeStalls(parts[0]); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s, in %d parts: %+v, want %+v", sc.name, h.name, len(parts), got, want)
			}
		}
	}
}
