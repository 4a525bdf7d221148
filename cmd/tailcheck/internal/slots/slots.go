// Package slots says what a batch of keys costs in a Redis Cluster: the slot and
// primary of each key, the commands that the batch becomes, and hash tags that
// would make it fewer.
package slots

import (
	"fmt"

	"github.com/tailcheck/tailcheck/internal/redisslot"
)

// Schema is the version of the JSON form.
const Schema = "tailcheck-slots/1"

// Tags for each primary, unless it is said: enough to spread keys evenly, few
// enough for a batch to become few commands.
const Tags = 4

// Options say what to work out.
type Options struct {
	Cluster  *redisslot.Cluster // nil: not known
	Even     bool               // the cluster is an assumption: as many primaries with even ranges
	Chunk    int                // keys that the application puts into one command; 0: all
	Template string             // of hash tags; empty: from the keys
	Tags     int                // for each primary; 0: Tags
	Cap      int                // numbers tried at most; 0: as many as package redisslot allows
}

// Key is one key and where it lives.
type Key struct {
	Key     string  `json:"key"`
	Slot    int     `json:"slot"`
	Tag     *string `json:"tag"`     // the part that is hashed; null: the whole key
	Primary *int    `json:"primary"` // number in primaries, from 0; null: not known, or nobody serves the slot
}

// Batch is what reading or writing all keys costs, in commands.
type Batch struct {
	Keys      int      `json:"keys"`
	Distinct  int      `json:"distinct"`
	Slots     int      `json:"slots"`
	Expected  float64  `json:"expected_slots"` // of so many random keys
	Chunk     *int     `json:"chunk"`          // keys in one command of the application; null: all
	Commands  int      `json:"commands"`       // as it stands: each chunk is split by slot
	Grouped   int      `json:"commands_grouped"`
	Pipelined *int     `json:"round_trips_pipelined"` // one for each primary; null: primaries not known
	Tagged    *int     `json:"commands_tagged"`       // with the anchors, at most; null: none, or the keys have tags
	TaggedBy  *float64 `json:"commands_tagged_expected"`
	HaveTags  int      `json:"keys_with_tag"`
	Shared    *string  `json:"shared_tag"` // tag that all keys have; null: none
	Lost      int      `json:"keys_nobody_serves"`
}

// Primary is one primary of the cluster.
type Primary struct {
	Name   *string  `json:"name"` // host:port; null: not known
	ID     *string  `json:"id"`
	Ranges []string `json:"ranges"`
	Slots  int      `json:"slots"`
	Keys   int      `json:"keys"` // of the batch
	Tags   *int     `json:"anchors"`
}

// Anchors are hash tags that reach every primary.
type Anchors struct {
	Template string   `json:"template"`
	Per      int      `json:"per_primary"`
	Tried    int      `json:"tried"`
	Skipped  int      `json:"skipped"`
	Count    []int    `json:"kept_by_primary"`
	Kept     []Anchor `json:"kept"`
	Short    *string  `json:"incomplete"` // why there are too few; null: there are enough
}

// Anchor is one hash tag.
type Anchor struct {
	N       int    `json:"n"`
	Tag     string `json:"tag"`
	Slot    int    `json:"slot"`
	Primary int    `json:"primary"`
}

// Report is all of it; its JSON form is a contract of its own.
type Report struct {
	Schema    string    `json:"schema"`
	From      *Trace    `json:"from"` // where the keys were found; null: they were given
	Batch     *Batch    `json:"batch"`
	Even      bool      `json:"even_ranges"` // the primaries' ranges are an assumption
	Uncovered int       `json:"slots_nobody_serves"`
	Primaries []Primary `json:"primaries"`
	Anchors   *Anchors  `json:"anchors"`
	Keys      []Key     `json:"keys"`
}

// New works out the report. Keys may be none where a template is given.
func New(keys []string, from *Trace, opt Options) (*Report, error) {
	r := &Report{Schema: Schema, From: from, Even: opt.Even, Primaries: []Primary{}, Keys: []Key{}}
	c := opt.Cluster
	if c != nil {
		r.Uncovered = c.Uncovered()
		for _, p := range c.Primaries {
			x := Primary{Name: known(p.Name), ID: known(p.ID), Slots: p.Slots()}
			for _, s := range p.Ranges {
				x.Ranges = append(x.Ranges, s.String())
			}
			r.Primaries = append(r.Primaries, x)
		}
	}
	for _, k := range keys {
		r.Keys = append(r.Keys, r.place(k, c))
	}
	if len(keys) > 0 {
		plan, err := redisslot.Plan(keys, opt.Chunk, c)
		if err != nil {
			return nil, err
		}
		r.Batch = &Batch{Keys: plan.Keys, Distinct: plan.Distinct, Slots: plan.Slots, Expected: redisslot.ExpectedSlots(plan.Distinct), Chunk: known(opt.Chunk),
			Commands: plan.Commands, Grouped: plan.Grouped, HaveTags: plan.Tagged, Lost: plan.Lost}
		if c != nil {
			r.Batch.Pipelined = &plan.Floor
		}
		if tag, ok := redisslot.Shared(keys); ok {
			r.Batch.Shared = &tag
		}
	}
	return r, r.anchors(keys, opt)
}

func (r *Report) place(key string, c *redisslot.Cluster) Key {
	slot := redisslot.Of(key)
	k := Key{Key: key, Slot: int(slot)}
	if tag, ok := redisslot.Tag(key); ok {
		k.Tag = &tag
	}
	if c != nil {
		if owner := c.Owner(slot); owner >= 0 {
			k.Primary = &owner
			r.Primaries[owner].Keys++
		}
	}
	return k
}

// anchors looks for hash tags: those of the template that is given, else of one
// like the keys, unless they have tags already or a single primary needs none.
func (r *Report) anchors(keys []string, opt Options) error {
	given := opt.Template != ""
	switch {
	case given && opt.Cluster == nil:
		return fmt.Errorf("anchors need to know the primaries")
	case given:
	case len(keys) < 2, opt.Cluster == nil, len(opt.Cluster.Primaries) < 2, r.Batch.HaveTags > 0, r.Batch.Slots < 2:
		return nil
	default:
		opt.Template = redisslot.Template(keys[0])
	}
	if opt.Tags == 0 {
		opt.Tags = Tags
	}
	found, err := redisslot.FindAnchors(opt.Template, opt.Cluster, opt.Tags, opt.Cap)
	if err != nil && found.Tried == 0 {
		if given {
			return err
		}
		return nil // too many primaries for four tags each: nobody asked for them
	}
	a := &Anchors{Template: opt.Template, Per: opt.Tags, Tried: found.Tried, Skipped: found.Skipped, Count: found.Count, Kept: []Anchor{}}
	if err != nil {
		why := err.Error()
		a.Short = &why
	}
	for _, k := range found.Kept {
		a.Kept = append(a.Kept, Anchor{k.N, k.Tag, int(k.Slot), k.Primary})
	}
	for i, n := range found.Count {
		r.Primaries[i].Tags = &n
	}
	r.Anchors = a
	if b := r.Batch; b != nil && b.HaveTags == 0 && len(a.Kept) > 0 {
		most := min(len(a.Kept), b.Distinct)
		mean := redisslot.ExpectedServers(len(a.Kept), b.Distinct)
		b.Tagged, b.TaggedBy = &most, &mean
	}
	return nil
}

// known returns nil for what is not known.
func known[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
