package calltree

// Counts say what was read of a trace and how complete it is. They are sums:
// those of several traces may be added.
type Counts struct {
	Rows        int64 // spans as read, before any was dropped
	Spans       int64 // spans of the assembled trace
	Stands      int64 // spans that those stand for: more where a collector pruned
	Errors      int64 // rows whose own status is error
	Roots       int64 // spans without a parent; 0: the root is missing
	Orphans     int64 // spans whose parent is missing
	Absent      int64 // parents that are missing
	RepeatedIDs int64 // rows whose id another row of the trace has, for any of the next four reasons

	Duplicates int64 // dropped: same id, kind and times (batches sent twice)
	Partial    int64 // joined: no times of its own, adds to another row of its id
	Halves     int64 // joined: the server's half of a call whose client's half has the same id
	Repeated   int64 // kept: another span with an id that is taken; children may be under the wrong one

	Cut     int64 // loops of parents that were cut open (a span that is its own parent, too)
	Untimed int64 // spans without start or end, or with an end before their start
	Dropped int64 // attributes, events and links that SDKs dropped
	Beyond  int64 // rows left out: the trace has more than MaxTrace
}

// Add adds o.
func (c *Counts) Add(o *Counts) {
	c.Rows += o.Rows
	c.Spans += o.Spans
	c.Stands += o.Stands
	c.Errors += o.Errors
	c.Roots += o.Roots
	c.Orphans += o.Orphans
	c.Absent += o.Absent
	c.RepeatedIDs += o.RepeatedIDs
	c.Duplicates += o.Duplicates
	c.Partial += o.Partial
	c.Halves += o.Halves
	c.Repeated += o.Repeated
	c.Cut += o.Cut
	c.Untimed += o.Untimed
	c.Dropped += o.Dropped
	c.Beyond += o.Beyond
}

// Complete reports whether nothing of the trace is known to be missing or
// doubtful: one root, every parent there, nothing pruned, repeated, cut or left
// out. What a sampler or an SDK dropped without a trace cannot be known.
func (c *Counts) Complete() bool {
	return c.Roots == 1 && c.Orphans == 0 && c.Stands == c.Spans && c.Repeated == 0 && c.Cut == 0 && c.Beyond == 0
}

// InputCounts are the Counts of the spans that one input holds of a trace.
// Absent and Beyond are known of the trace as a whole only, and are 0.
type InputCounts struct {
	Input int32
	Counts
}
