package calltree

import "github.com/tailcheck/tailcheck/ingest"

// Trace assembles one trace; nil: there is none of that id.
func (s *Spans) Trace(id ingest.TraceID) (*Trace, error) {
	for t, err := range s.Traces(partOf(id)) {
		if err != nil {
			return nil, err
		}
		if t.ID == id {
			return t, nil
		}
	}
	return nil, nil
}
