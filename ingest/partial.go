package ingest

import "errors"

// ErrPartial is in the error of a Problem that says that an answer of a trace
// store holds only part of what was asked for.
var ErrPartial = errors.New("the answer is partial")
