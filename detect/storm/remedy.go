package storm

import (
	"fmt"
	"strings"

	"github.com/tailcheck/tailcheck/internal/redisslot"
)

// Anchors that a remedy names: tags for each server, and how many numbers are
// tried at most. Four for each spread keys evenly enough (amplification rules:
// five primaries, four tags each, 28 numbers tried).
const (
	tagsPerServer = 4
	maxTried      = 1 << 12
	mostServers   = 64 // for more, tags are not worked out here
	mostListed    = 12 // numbers that are written out
)

// remedy says what to do, what costs least first: group by slot, hash tags, one
// pipeline for each server; for writes first one script or pipeline that sets
// value and expiry together.
func (s *mgetSums) remedy() string {
	w := &s.worst
	var say []string
	if s.does.writes() && s.does != deleteMany {
		say = append(say, "Write value and expiry together (SET key value EX seconds), in one script (EVAL) for each slot or one pipeline for each server")
	}
	if s.does == readOne && s.command != "GET" { // there is no command for several keys
		return s.pipeline() + "."
	}
	tag, shared := redisslot.Shared(w.keys)
	group, tagged := "Group the keys by slot", false
	if s.command == "GET" {
		group = "Group the keys by slot and ask for each group with one MGET"
	}
	for _, key := range w.keys {
		if _, ok := redisslot.Tag(key); ok {
			tagged = true
			break
		}
	}
	switch {
	case shared:
		say = append(say, fmt.Sprintf("All keys have the hash tag {%s} already and lie in one slot: put them into one command", clip(tag)))
	case w.all && int64(w.slots) < w.commands:
		say = append(say, fmt.Sprintf("%s: %d commands instead of %d", group, w.slots, w.commands))
	case w.all:
		say = append(say, fmt.Sprintf("%s; here all %d have slots of their own, so that alone saves nothing", group, w.slots))
	case w.named > 0 && w.named < 1<<31:
		say = append(say, fmt.Sprintf("%s; %d random keys have about %s slots, so that alone saves little", group, w.named, short(redisslot.ExpectedSlots(int(w.named)))))
	default:
		say = append(say, group)
	}
	switch {
	case shared:
	case tagged:
		say = append(say, "The keys have hash tags already: put those of one tag into one command, and do not add other tags")
	default:
		say = append(say, s.tags())
	}
	say = append(say, "Or s"+s.pipeline()[1:])
	return strings.Join(say, ". ") + "." + s.slots()
}

func (s *mgetSums) pipeline() string {
	if s.peers == 0 {
		return "Send the commands for each server in one pipeline: one round trip to each"
	}
	return fmt.Sprintf("Send the commands for each server in one pipeline: at least %s instead of %d", count(int64(s.peers), "round trip"), s.worst.commands)
}

// slots is the command that works it out for this input, where keys are visible.
func (s *mgetSums) slots() string {
	if len(s.worst.keys) < 2 {
		return ""
	}
	line := "\n$ tailcheck slots --from FILE"
	if s.peers > 1 {
		line += fmt.Sprintf(" --primaries %d", s.peers)
	}
	return line
}

// tags advises on hash tags that reach every server.
func (s *mgetSums) tags() string {
	template := redisslot.Template("")
	if len(s.worst.keys) > 0 {
		template = redisslot.Template(s.worst.keys[0])
	}
	advice := fmt.Sprintf("Give keys that are read together a hash tag of a few, {%s}, with a number that is a hash of the id", template)
	if s.peers < 2 || s.peers > mostServers {
		return advice + "; with one server, one command for all keys does"
	}
	c, err := redisslot.Even(s.peers)
	if err != nil {
		return advice
	}
	anchors, err := redisslot.FindAnchors(template, c, tagsPerServer, maxTried)
	if err != nil {
		return advice
	}
	var list []string
	for _, a := range anchors.Kept[:min(len(anchors.Kept), mostListed)] {
		list = append(list, fmt.Sprint(a.N))
	}
	if more := len(anchors.Kept) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%s: numbers %s give %d tags on each of %d servers if slots are spread evenly, and at most %d commands; where primaries serve other ranges, other numbers do: tailcheck slots --cluster finds them",
		advice, strings.Join(list, ", "), tagsPerServer, s.peers, len(anchors.Kept))
}
