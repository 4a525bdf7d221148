package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// Requests to 100 leaves of which one in a hundred is slow.
const (
	scatterDraws  = 10_000_000
	scatterLeaves = 100
	scatterSlow   = 0.01
)

// whatif returns the pairs about simulations.
func whatif(_, bin string) ([]pair, error) {
	args := []string{bin, "whatif", "scatter", "--n", fmt.Sprint(scatterLeaves), "--draws", fmt.Sprint(scatterDraws)}
	each := inProcess("a loop that draws each leaf, wait for all only, 2 cores", drawLeaves)
	return []pair{
		{"10 million requests to 100 leaves, wait for all (wanted: under 10 s)", process("whatif scatter --policy all", []int{0}, append(slices.Clone(args), "--policy", "all")...), each, 2, true},
		{"10 million requests to 100 leaves under all five policies (wanted: under 10 s)", process("whatif scatter", []int{0}, args...), each, 0, true},
	}, nil
}

// drawLeaves is the simulation as it would be written in a few lines.
func drawLeaves() error {
	const parts = 2
	var slow [parts]int
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(p)))
			for range scatterDraws / parts {
				wait := 10
				for range scatterLeaves {
					if r.Float64() < scatterSlow {
						wait = 200
					}
				}
				if wait > 10 {
					slow[p]++
				}
			}
		})
	}
	wg.Wait()
	if share := float64(slow[0]+slow[1]) / scatterDraws; share < 0.63 || share > 0.64 {
		return fmt.Errorf("%.4f of the requests meet a slow leaf, want 0.6340", share)
	}
	return nil
}
