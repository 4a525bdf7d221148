package simulate

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// DeadlinePolicy says what hops below the entry know of its deadline.
type DeadlinePolicy uint8

// Policies of a chain.
const (
	NoDeadline    DeadlinePolicy = iota // nobody has one
	EachDeadline                        // every hop has a budget of its own, as long as the entry's, from when it is called
	PassDeadline                        // the entry's deadline is passed on with every call
	EntryDeadline                       // the entry gives up, and nobody below knows
)

func (p DeadlinePolicy) String() string { return [...]string{"none", "each", "pass", "entry"}[p] }

// Chain is services that call each other one after the other, each of which
// tries a failed call again. Only the leaf takes time, unless Overhead says more.
//
//	call(hop, until):
//	  if hop is the leaf: now += cost; fail while fails are left, else succeed
//	  repeat tries times: if until > 0 and now + cost > until: give up
//	                      if call(hop+1, child(until)): succeed
type Chain struct {
	Tries  []int          // of each calling hop, the entry's first; the leaf comes behind the last. At least one hop, each at least 1
	Budget time.Duration  // of the entry, from 0; 0: none, whatever the policy
	Policy DeadlinePolicy // what comes of Budget below the entry

	// Extensions; their zero values are the model above.
	Overhead []time.Duration // of each calling hop: its own time for each try
	Pause    Backoff         // before each further try
	Share    float64         // retry budget: each calling hop may add this share of further tries to its calls; 0: no limit
	Cut      bool            // a call may begin until its deadline, which then cuts it off; else none begins that cannot end in time
}

// Backoff is the pause before a further try: First before the second, each next
// one Factor times longer. With Jitter it is drawn from 0 to that ("full
// jitter").
type Backoff struct {
	First  time.Duration
	Factor float64 // below 1 counts as 1
	Jitter bool
}

// ChainCase is what happens at the leaf of one request.
type ChainCase struct {
	Cost  time.Duration
	Fails int64         // calls that fail before the first that succeeds; below 0: all
	Steps []int         // of each calling hop: calls that it makes one after the other; below 1, or not there: 1
	Own   time.Duration // what the request takes beside its calls
}

// ChainRun is one request.
type ChainRun struct {
	Leaf     int64         // calls of the leaf
	Distinct int64         // calls of any hop, each counted once
	Elapsed  time.Duration // until the last work has ended
	Waited   time.Duration // by the user, who leaves at the entry's deadline
	Orphaned time.Duration // cost of leaf calls that began when the entry's deadline had passed
	Success  bool          // an answer came, in time
}

// Attempts counts each call of the leaf again as an attempt of its own, as some
// tables do.
func (r ChainRun) Attempts() int64 { return r.Distinct + r.Leaf }

// RetryBudgets are what each calling hop has left of its retry budget: a bucket
// that every call fills by Chain.Share, and from which every further try takes 1
// (Finagle's RetryBudget, Linkerd's retryRatio). The zero value is empty.
type RetryBudgets struct{ tokens []float64 }

// maxTokens bounds what a quiet time saves up.
const maxTokens = 100

// Run makes one request. The source of random numbers is used for jitter only,
// and may be nil without it. Budgets are those of the requests before; nil: this
// is the only one.
func (c *Chain) Run(k ChainCase, r *rand.Rand, budgets *RetryBudgets) ChainRun {
	fails := k.Fails
	return c.run(k, r, budgets, func() bool {
		if fails > 0 {
			fails--
			return true
		}
		return fails < 0
	})
}

func (c *Chain) run(k ChainCase, r *rand.Rand, budgets *RetryBudgets, fails func() bool) ChainRun {
	if budgets == nil {
		budgets = &RetryBudgets{}
	}
	if budgets.tokens == nil {
		budgets.tokens = make([]float64, len(c.Tries))
	}
	x := chainRun{c: c, k: k, r: r, tokens: budgets.tokens, fails: fails}
	if c.Policy != NoDeadline {
		x.deadline = c.Budget
	}
	ok := x.call(0, x.deadline)
	out := x.out
	out.Elapsed, out.Waited = x.now, x.now
	if x.deadline > 0 {
		ok = ok && x.now <= x.deadline
		out.Waited = min(x.now, x.deadline)
	}
	out.Elapsed += k.Own
	out.Waited += k.Own
	out.Success = ok
	return out
}

type chainRun struct {
	c        *Chain
	k        ChainCase
	r        *rand.Rand
	tokens   []float64
	fails    func() bool
	deadline time.Duration // of the entry; 0: none
	now      time.Duration
	out      ChainRun
}

// call is one call of a hop. Depth is bounded by the hops, work by the product
// of their tries.
func (x *chainRun) call(hop int, until time.Duration) bool {
	c := x.c
	if hop == len(c.Tries) {
		return x.leaf(until)
	}
	steps := 1
	if hop < len(x.k.Steps) {
		steps = max(1, x.k.Steps[hop])
	}
	for range steps {
		if !x.tries(hop, until) {
			return false
		}
	}
	return true
}

// tries calls the next hop until it succeeds.
func (x *chainRun) tries(hop int, until time.Duration) bool {
	c := x.c
	for try := range c.Tries[hop] {
		if try > 0 {
			if c.Share > 0 {
				if x.tokens[hop] < 1 {
					return false
				}
				x.tokens[hop]--
			}
			x.now += c.Pause.before(try, x.r)
		}
		if until > 0 && (c.Cut && x.now >= until || !c.Cut && x.now+x.k.Cost > until) {
			return false
		}
		if try == 0 && c.Share > 0 {
			x.tokens[hop] = min(x.tokens[hop]+c.Share, maxTokens)
		}
		x.out.Distinct++
		if hop < len(c.Overhead) {
			x.now += c.Overhead[hop]
		}
		child := time.Duration(0)
		switch {
		case c.Budget <= 0:
		case c.Policy == EachDeadline:
			child = x.now + c.Budget
		case c.Policy == PassDeadline:
			child = until
		}
		if x.call(hop+1, child) {
			return true
		}
	}
	return false
}

func (x *chainRun) leaf(until time.Duration) bool {
	x.out.Leaf++
	if x.deadline > 0 && x.now >= x.deadline {
		x.out.Orphaned += x.k.Cost
	}
	if x.c.Cut && until > 0 && x.now+x.k.Cost > until {
		x.now = max(x.now, until)
		x.fails()
		return false
	}
	x.now += x.k.Cost
	return !x.fails()
}

// before returns the pause before a further try, counted from 1.
func (b Backoff) before(try int, r *rand.Rand) time.Duration {
	d := float64(b.First)
	for range try - 1 {
		d *= max(b.Factor, 1)
	}
	if b.Jitter && r != nil {
		d *= r.Float64()
	}
	return nanoseconds(d)
}

// Work is how many leaf calls a request can become at the most; it stops
// counting at a billion.
func (c *Chain) Work(k ChainCase) int64 {
	n := int64(1)
	for hop, t := range c.Tries {
		n *= int64(min(max(t, 1), 1e9))
		if hop < len(k.Steps) && n <= 1e9 {
			n *= int64(min(max(k.Steps[hop], 1), 1e9))
		}
		if n > 1e9 {
			return 1e9
		}
	}
	return n
}

// ChainMeans are the means of many requests.
type ChainMeans struct {
	Leaf, Attempts, Distinct  Sum
	Elapsed, Waited, Orphaned Sum // milliseconds
	Success                   Sum // share
}

// Add adds one request.
func (m *ChainMeans) Add(r ChainRun) {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	m.Leaf.add(float64(r.Leaf))
	m.Attempts.add(float64(r.Attempts()))
	m.Distinct.add(float64(r.Distinct))
	m.Elapsed.add(ms(r.Elapsed))
	m.Waited.add(ms(r.Waited))
	m.Orphaned.add(ms(r.Orphaned))
	ok := 0.0
	if r.Success {
		ok = 1
	}
	m.Success.add(ok)
}

// Merge adds the requests of o.
func (m *ChainMeans) Merge(o *ChainMeans) {
	m.Leaf.merge(o.Leaf)
	m.Attempts.merge(o.Attempts)
	m.Distinct.merge(o.Distinct)
	m.Elapsed.merge(o.Elapsed)
	m.Waited.merge(o.Waited)
	m.Orphaned.merge(o.Orphaned)
	m.Success.merge(o.Success)
}

// Each makes one request of each case, in their order, with budgets that go on
// from one to the next.
func (c *Chain) Each(cases []ChainCase, seed uint64) *ChainMeans {
	var m ChainMeans
	var b RetryBudgets
	r := random(seed, streamChain)
	for _, k := range cases {
		m.Add(c.Run(k, r, &b))
	}
	return &m
}

// blockRequests is how many requests share retry budgets and a source of random
// numbers.
const blockRequests = 1 << 10

// Draw makes that many requests whose leaf fails with a probability at each
// call, on all cores. Equal arguments give equal results on any number of cores.
func (c *Chain) Draw(draws int64, k ChainCase, failing float64, seed uint64) *ChainMeans {
	blocks := int((draws + blockRequests - 1) / blockRequests)
	parts := make([]ChainMeans, blocks)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range max(1, min(runtime.GOMAXPROCS(0), blocks)) {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= int64(blocks) {
					return
				}
				r := random(seed^mixed(uint64(i)), streamChain)
				var b RetryBudgets
				for range min(blockRequests, draws-i*blockRequests) {
					parts[i].Add(c.run(k, r, &b, func() bool { return r.Float64() < failing }))
				}
			}
		})
	}
	wg.Wait()
	var m ChainMeans
	for i := range parts {
		m.Merge(&parts[i])
	}
	return &m
}
