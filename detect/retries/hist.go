package retries

import (
	"math/bits"
	"time"
)

// hist counts durations in buckets of less than 0.8 % (128 to a doubling): a
// table of a kilobyte for each doubling that occurs, where a summary
// of exact values for every operation would be too much. The zero value is
// empty.
type hist struct {
	n         int64
	low, high time.Duration // of what was added
	octaves   [64 - histBits]*[1 << histBits]int64
}

const histBits = 7

func (h *hist) add(d time.Duration) {
	d = max(d, 0)
	h.extend(d, d)
	v := uint64(d)
	octave, bucket := 0, v
	if v >= 1<<histBits {
		octave = bits.Len64(v) - histBits
		bucket = v>>(octave-1) - 1<<histBits
	}
	if h.octaves[octave] == nil {
		h.octaves[octave] = new([1 << histBits]int64)
	}
	h.octaves[octave][bucket]++
	h.n++
}

// extend makes room for durations from low to high.
func (h *hist) extend(low, high time.Duration) {
	if h.n == 0 {
		h.low, h.high = low, high
	}
	h.low, h.high = min(h.low, low), max(h.high, high)
}

func (h *hist) merge(o *hist) {
	if o.n == 0 {
		return
	}
	h.extend(o.low, o.high)
	for i, from := range o.octaves {
		if from == nil {
			continue
		}
		if h.octaves[i] == nil {
			h.octaves[i] = new([1 << histBits]int64)
		}
		for k, c := range from {
			h.octaves[i][k] += c
		}
	}
	h.n += o.n
}

// percentile returns the middle of the bucket that holds the percentile by
// nearest rank, or the lowest or highest of all where that is nearer; 0: there
// are no durations.
func (h *hist) percentile(percent int64) time.Duration {
	return min(max(h.middle(percent), h.low), h.high)
}

func (h *hist) middle(percent int64) time.Duration {
	rank := max(1, (times(h.n, percent)+99)/100)
	var seen int64
	for octave, t := range h.octaves {
		if t == nil {
			continue
		}
		for bucket, c := range t {
			if seen += c; seen < rank || c == 0 {
				continue
			}
			if octave == 0 {
				return time.Duration(bucket)
			}
			low := (uint64(bucket) + 1<<histBits) << (octave - 1)
			return time.Duration(low + 1<<(octave-1)/2)
		}
	}
	return 0
}
