package ingest

import (
	"errors"
	"io"
	"testing"
)

func TestPending(t *testing.T) {
	at := func(offset int64) Pos { return Pos{Input: 1, Offset: offset} }
	var p Pending
	p.Problem(at(30), "late")
	p.Add(&Aggregate{Pos: at(20)})
	p.Problem(at(20), "behind the aggregate of the same place")
	p.Add(&Run{Pos: at(0)})
	var got []int64
	var last error
	p.Yield(func(r Record, err error) bool {
		if err != nil {
			last = err
			return true
		}
		got = append(got, r.Where().Offset)
		if _, ok := r.(*Aggregate); ok && len(got) != 2 {
			t.Errorf("the aggregate is record %d", len(got))
		}
		return true
	}, io.ErrUnexpectedEOF)
	if len(got) != 4 || got[0] != 0 || got[1] != 20 || got[2] != 20 || got[3] != 30 || !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("%v, then %v", got, last)
	}
	if p.Yield(func(Record, error) bool { return false }, nil) {
		t.Error("goes on after the receiver broke out")
	}
}

func TestPendingIsBounded(t *testing.T) {
	var p Pending
	for i := range int64(5000) {
		p.Problem(Pos{Offset: i}, "broken")
	}
	n := 0
	var last *Problem
	p.Yield(func(r Record, err error) bool {
		n++
		last = r.(*Problem)
		return true
	}, nil)
	if n != maxPending+1 || last.Err.Error() != "4900 more parts could not be read" || last.Offset != 4999 {
		t.Errorf("%d problems, the last at %d: %v", n, last.Offset, last.Err)
	}
}
