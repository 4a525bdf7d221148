package redisslot

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits of the search for anchors.
const (
	// MaxTries is the highest cap: even a primary that serves a single slot is
	// found about 64 times in as many tries.
	MaxTries = 1 << 20

	// MaxAnchors is how many tags may be asked for in all.
	MaxAnchors = 1 << 16
)

// Anchor is a hash tag whose slot a wanted primary serves.
type Anchor struct {
	N       int    // the number in the tag
	Tag     string // a key is "{" + Tag + "}" + anything
	Slot    Slot
	Primary int // index in the cluster
}

// Anchors is the outcome of a search.
type Anchors struct {
	Kept    []Anchor // by rising number
	Tried   int      // numbers looked at: 0 to Tried-1
	Skipped int      // of them, those of a primary that had enough, or of nobody
	Count   []int    // kept, by primary
}

// FindAnchors looks for hash tags that reach every primary: it writes 0, 1, 2,
// … for the %d of the template and keeps the first per tags of each primary.
// Spreading keys over the tags by a hash of their own then spreads them over
// all primaries, and all keys of one tag can be read by one command. Equal
// arguments give equal anchors.
//
// Of "user:{group:%d}:x" the part in braces is the tag; without braces the
// whole text is. The search ends after limit numbers; 0: MaxTries. When it ends
// without enough, what was found is returned with the error.
func FindAnchors(template string, c *Cluster, per, limit int) (Anchors, error) {
	before, after, err := splitTemplate(template)
	if err != nil {
		return Anchors{}, err
	}
	if per < 1 || per > MaxAnchors/len(c.Primaries) {
		return Anchors{}, fmt.Errorf("%d tags for each of %d primaries: want at least 1 each and at most %d in all", per, len(c.Primaries), MaxAnchors)
	}
	if limit == 0 {
		limit = MaxTries
	}
	if limit < 1 || limit > MaxTries {
		return Anchors{}, fmt.Errorf("a cap of %d tries: want 1 to %d", limit, MaxTries)
	}
	out := Anchors{Count: make([]int, len(c.Primaries))}
	tag := []byte(before)
	for missing := per * len(c.Primaries); missing > 0; out.Tried++ {
		if out.Tried == limit {
			return out, fmt.Errorf("%d numbers tried in %q, and %s", limit, clip(template), lacking(c, out.Count, per))
		}
		tag = append(strconv.AppendInt(tag[:len(before)], int64(out.Tried), 10), after...)
		slot := Slot(CRC16(string(tag)) % Count)
		owner := c.Owner(slot)
		if owner < 0 || out.Count[owner] == per {
			out.Skipped++
			continue
		}
		out.Count[owner]++
		out.Kept = append(out.Kept, Anchor{out.Tried, string(tag), slot, owner})
		missing--
	}
	return out, nil
}

// splitTemplate returns the tag before and after its number.
func splitTemplate(template string) (before, after string, err error) {
	if len(template) > 1024 {
		return "", "", fmt.Errorf("a template of %d bytes: want at most 1024", len(template))
	}
	if n := strings.Count(template, "%d"); n != 1 {
		return "", "", fmt.Errorf("template %q has %d times %%d: want it once, where the number goes", clip(template), n)
	}
	tag, tagged := Tag(template)
	if !tagged && strings.ContainsAny(template, "{}") {
		return "", "", fmt.Errorf("template %q has braces, but no text between the first { and the next }", clip(template))
	}
	before, after, ok := strings.Cut(tag, "%d")
	if !ok {
		return "", "", fmt.Errorf("the number of template %q is outside its hash tag {%s}: all its keys have one slot", clip(template), clip(tag))
	}
	return before, after, nil
}

// lacking says which primary has too few anchors.
func lacking(c *Cluster, count []int, per int) string {
	n, first := 0, -1
	for i, have := range count {
		if have < per {
			if n++; first < 0 {
				first = i
			}
		}
	}
	return fmt.Sprintf("%d of %d primaries have too few tags: %s has %d of %d", n, len(count), c.name(first), count[first], per)
}
