package check

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// ticks is how many percentiles are written each time the distance to 100 %
// halves: HdrHistogram's own default.
const ticks = 5

// WriteHgrm writes the corrected distribution in HdrHistogram's layout (Java's
// outputPercentileDistribution, in milliseconds), which its plotters read.
func (o *Outcome) WriteHgrm(w io.Writer) error {
	var f correct.Figures
	for _, r := range o.repairs {
		if r == nil {
			continue
		}
		if f != nil {
			return errors.New("--hgrm: there are several corrected distributions; give one report with one operation")
		}
		f = r
	}
	if f == nil {
		return errors.New("--hgrm: nothing was corrected, so there is nothing to write")
	}
	if _, bounded := f.(*correct.Bounded); bounded || f.Count() == 0 {
		return errors.New("--hgrm: the corrected percentiles are only bounded; per-request data is needed (hey -o csv)")
	}
	if _, err := fmt.Fprintf(w, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)"); err != nil {
		return err
	}
	n := f.Count()
	for q := 0.0; ; {
		p := latency.PercentileOf(100 * q)
		rank := p.Rank(n)
		v := float64(f.Percentile(p).Low) / 1e6
		if rank == n {
			break
		}
		if _, err := fmt.Fprintf(w, "%12.3f %2.12f %10d %14.2f\n", v, q, rank, 1/(1-q)); err != nil {
			return err
		}
		half := math.Exp2(math.Floor(math.Log2(1/(1-q))) + 1) // ticks halve their step each time the rest halves
		q += 1 / (ticks * half)
	}
	if _, err := fmt.Fprintf(w, "%12.3f %2.12f %10d\n", float64(f.Max().Low)/1e6, 1.0, n); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "#[Mean    = %12.3f, StdDeviation   = %12s]\n#[Max     = %12.3f, Total count    = %12d]\n", float64(f.Mean().Low)/1e6, "nan", float64(f.Max().Low)/1e6, n)
	return err
}
