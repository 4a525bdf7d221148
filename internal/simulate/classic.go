package simulate

import (
	"slices"
	"time"
)

// Classic is the deterministic model of fan-outs: node 0…n-1, attempt 0 first
// and 1 for the hedge. One combination of twenty is slow, the others differ by up
// to 9 ms. It is no distribution: which node is slow is fixed, and the second
// attempt at a slow node is a fast one, so results can be checked by hand.
func Classic(node, attempt int) time.Duration {
	r := (3*node + 7*attempt + 17) % 20
	if r == 0 {
		return ClassicSlow
	}
	return time.Duration(10+r%10) * time.Millisecond
}

// ClassicSlow is what a slow call takes in the classic model, and ClassicShare
// is how many of the calls are slow.
const (
	ClassicSlow  = 200 * time.Millisecond
	ClassicShare = 1.0 / 20
)

// ClassicScatter asks n nodes of the classic model. All of it is one request:
// waits, requests sent and answers are exact. Slow is how many of the first
// attempts are slow.
func ClassicScatter(n int, p Policy) (wait time.Duration, sent, answers, slow int) {
	took := make([]time.Duration, n)
	sent, answers = n, n
	for i := range took {
		took[i] = Classic(i, 0)
		if took[i] == ClassicSlow {
			slow++
		}
		second := func() time.Duration { return Classic(i, 1) }
		switch {
		case p.Kind == Hedged && took[i] > p.After:
			sent++
			took[i] = min(took[i], p.After+second())
		case p.Kind == Tied:
			sent++
			took[i] = min(took[i], second())
		}
	}
	slices.Sort(took)
	wait = took[n-1]
	switch p.Kind {
	case FirstK:
		answers = p.K
		wait = took[p.K-1]
	case Deadline:
		for answers > 0 && took[answers-1] > p.After {
			answers--
		}
		wait = min(wait, p.After)
	}
	return wait, sent, answers, slow
}
