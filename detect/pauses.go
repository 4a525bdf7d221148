package detect

import (
	"cmp"
	"slices"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// Pauses are the times in which a server did nothing, as its log gives them.
// The zero value is none.
type Pauses struct {
	Count   int64
	Lengths latency.Summary
	Longest []ingest.Pause // up to MaxSlowest, longest first once the table is finished

	First, Last ingest.Time // first start and last end; 0: none has a time
}

func longer(a, b ingest.Pause) int {
	return cmp.Or(cmp.Compare(b.Length, a.Length), a.Pos.Compare(b.Pos), cmp.Compare(a.Op, b.Op))
}

func (p *Pauses) add(x *ingest.Pause) {
	p.Count++
	p.Lengths.Record(int64(x.Length))
	if x.Start != 0 {
		p.First, p.Last = earliest(p.First, x.Start), max(p.Last, x.Start.Add(x.Length))
	}
	p.keep(*x)
}

// keep keeps a pause if it is one of the longest. Twice as many are let in
// before the shortest are dropped.
func (p *Pauses) keep(x ingest.Pause) {
	if p.Longest = append(p.Longest, x); len(p.Longest) >= 2*MaxSlowest {
		p.shorten()
	}
}

func (p *Pauses) shorten() {
	slices.SortFunc(p.Longest, longer)
	p.Longest = p.Longest[:min(len(p.Longest), MaxSlowest)]
}

func (p *Pauses) merge(o *Pauses) {
	p.Count += o.Count
	p.Lengths.Merge(&o.Lengths)
	p.First, p.Last = earliest(p.First, o.First), max(p.Last, o.Last)
	for _, x := range o.Longest {
		p.keep(x)
	}
}
