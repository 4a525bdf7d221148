package ingest

import "errors"

// ErrPartial is in the error of a Problem that says that an answer of a trace
// store holds only part of what was asked for.
var ErrPartial = errors.New("the answer is partial")

// ErrCut is in the error of a Problem that says that a part of an input is lost
// because it is not whole: a gate that finds nothing in the rest has not passed.
var ErrCut = errors.New("cut off or broken")
