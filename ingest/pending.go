package ingest

import (
	"fmt"
	"slices"
)

// Pending holds the records of a report that has to be read to its end before
// the first of them is complete, and hands them out by position. The zero value
// is empty.
type Pending struct {
	records  []Record
	problems int
	last     Pos // of the last problem
}

// maxPending is how many problems a Pending keeps apart; the rest of a report
// that is broken throughout becomes one that counts them, so that memory stays
// bounded.
const maxPending = 100

// Add keeps a record, which the reader must not write to again.
func (p *Pending) Add(r Record) { p.records = append(p.records, r) }

// Problem keeps a problem.
func (p *Pending) Problem(at Pos, format string, args ...any) {
	p.problems++
	p.last = at
	if p.problems <= maxPending {
		p.Add(&Problem{Pos: at, Err: fmt.Errorf(format, args...)})
	}
}

// Yield hands the records out in order of their positions, those of one
// position as they were added, then err if it is one. It reports whether the
// receiver wants more.
func (p *Pending) Yield(yield func(Record, error) bool, err error) bool {
	if p.problems > maxPending {
		p.Add(&Problem{Pos: p.last, Err: fmt.Errorf("%d more parts could not be read", p.problems-maxPending)})
	}
	slices.SortStableFunc(p.records, func(a, b Record) int { return a.Where().Compare(b.Where()) })
	for _, r := range p.records {
		if !yield(r, nil) {
			return false
		}
	}
	return err == nil || yield(nil, err)
}
