package calltree

import (
	"encoding/binary"

	"github.com/tailcheck/tailcheck/ingest"
)

// idTable is a hash table from span ids to numbers.
type idTable struct {
	ids   []ingest.SpanID
	value []int32 // plus one; 0: free
}

// reset empties the table for up to n ids.
func (h *idTable) reset(n int) {
	size := 8
	for size < 2*n {
		size *= 2
	}
	h.ids, h.value = resize(h.ids, size), resize(h.value, size)
	clear(h.value)
}

func (h *idTable) slot(id ingest.SpanID) int {
	mask := len(h.value) - 1
	i := int(mix(binary.BigEndian.Uint64(id[:]))) & mask
	for h.value[i] != 0 && h.ids[i] != id {
		i = (i + 1) & mask
	}
	return i
}

// put sets the number of an id and returns the one before; -1: none.
func (h *idTable) put(id ingest.SpanID, v int32) int32 {
	i := h.slot(id)
	before := h.value[i] - 1
	h.ids[i], h.value[i] = id, v+1
	return before
}

// get returns the number of an id; -1: none.
func (h *idTable) get(id ingest.SpanID) int32 { return h.value[h.slot(id)] - 1 }
