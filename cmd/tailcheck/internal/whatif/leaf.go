package whatif

import (
	"fmt"
	"time"

	"github.com/tailcheck/tailcheck/internal/simulate"
)

// Model is a distribution of the time of one call, by parameters.
type Model struct {
	Name  string        // two-point, lognormal, pareto, exponential, classic
	Slow  float64       // two-point: share of slow calls
	Fast  time.Duration // two-point
	Long  time.Duration // two-point: what a slow call takes
	Scale time.Duration // lognormal: median; Pareto: lowest; exponential: mean
	Shape float64       // lognormal: sigma; Pareto: alpha
}

// Models are the names of models.
var Models = []string{"two-point", "lognormal", "pareto", "exponential", "classic"}

// leaf returns the distribution, and from when on one of its calls is slow.
func (m Model) leaf() (simulate.Leaf, time.Duration, error) {
	switch m.Name {
	case "two-point":
		if m.Long < m.Fast {
			return nil, 0, fmt.Errorf("--slow-time %v is below --fast %v", m.Long, m.Fast)
		}
		return simulate.TwoPoint(m.Slow, m.Long, m.Fast), m.Long - time.Microsecond, nil
	case "lognormal":
		l := simulate.LognormalLeaf(m.Scale, m.Shape)
		return l, l.Quantile(slowFrom), nil
	case "pareto":
		l := simulate.ParetoLeaf(m.Scale, m.Shape)
		return l, l.Quantile(slowFrom), nil
	case "exponential":
		l := simulate.ExponentialLeaf(m.Scale)
		return l, l.Quantile(slowFrom), nil
	}
	return nil, 0, fmt.Errorf("--model %q: unknown\nhint: one of two-point, lognormal, pareto, exponential, classic", m.Name)
}

// slowFrom is the quantile of the calls from which on one is called slow, where
// nothing else is said: one in a hundred.
const slowFrom = 0.99

// leafOf describes a distribution.
func leafOf(name string, l simulate.Leaf, slow time.Duration) *Leaf {
	return &Leaf{Name: name, P50: inMs(l.Quantile(0.5)), P95: inMs(l.Quantile(0.95)), P99: inMs(l.Quantile(0.99)),
		SlowOver: inMs(slow), SlowShare: round4(1 - l.Share(slow))}
}
