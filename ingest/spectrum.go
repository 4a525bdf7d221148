package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Spectrum reads a percentile spectrum, the table that every HdrHistogram
// prints: the value at each percentile, the number of samples up to it, and a
// footer.
//
//	     Value   Percentile   TotalCount 1/(1-Percentile)
//
//	     0.921     0.000000            1         1.00
//	    12.503     1.000000        39500          inf
//	#[Mean    =        6.602, StdDeviation   =        1.919]
//	#[Max     =       12.496, Total count    =        39500]
//
// Sources: outputPercentileDistribution in HdrHistogram (Java), whose last row
// has three columns or, in CSV, Infinity; hdr_percentiles_print in
// HdrHistogram_c (wrk2, memtier); PercentilesPrint in hdrhistogram-go; the
// hdrplot report of vegeta, which names the unit, computes the counts from the
// percentiles and has no footer; output_percentile_distribution in
// HdrHistogram_py. A value is the highest of its histogram bucket, and a row is
// the first bucket at which the share of samples reaches the percentile: the
// nearest rank, whatever rule the library has for single percentiles.
type Spectrum struct {
	Unit   time.Duration // of the value column; the header's own where it names one
	Stated bool          // the header names the unit: "Value(ms)"
	Digits int           // decimals of the first row's percentile: 12 in Java and Python, 6 in the others
	Python bool          // the footer is HdrHistogram_py's

	Rows      int // accepted
	Quantiles []Quantile
	Buckets   []Bucket
	Count     int64 // samples up to the last row
	Whole     bool  // the rows run from the lowest value to 100 %

	Total             int64         // samples by the footer; -1: not printed
	Mean, Stddev, Max time.Duration // by the footer; -1: not printed
	Resolution        time.Duration // one unit in the last printed digit of those; 0: none printed

	value      time.Duration // of the last row
	percentile float64
	fromZero   bool // the first row is at percentile 0
}

// maxSpectrum is the most rows of one spectrum: 20 times what the finest
// setting in use (100 rows per half of the rest) prints for 10^9 samples.
const maxSpectrum = 1 << 16

// maxCount is the highest count that is believed: more than any run can send.
const maxCount = 1e15

// Reset makes s an empty spectrum of values in a unit.
func (s *Spectrum) Reset(unit time.Duration) {
	*s = Spectrum{Unit: unit, Total: -1, Mean: -1, Stddev: -1, Max: -1}
}

// Line reads one line. It reports whether the line belongs to a spectrum at
// all, and what is wrong with it if it does; at is its position in the input.
func (s *Spectrum) Line(line []byte, at int64) (bool, error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return false, nil
	}
	switch c := line[0]; {
	case c == '#':
		return s.footer(line)
	case c == 'V' || c == '"':
		return s.header(line), nil
	}
	var columns [5][]byte
	n := columnsOf(line, &columns)
	if n != 3 && n != 4 {
		return false, nil
	}
	p, step, ok := ParseDecimal(columns[1], 1e12)
	count, err := strconv.ParseInt(string(columns[2]), 10, 64)
	if !ok || p < 0 || p > 1e12 || err != nil {
		return false, nil
	}
	r := spectrumRow{percentile: float64(p) / 1e10, count: count, at: at}
	if i := bytes.IndexByte(columns[1], '.'); i >= 0 {
		r.digits = len(columns[1]) - i - 1
	}
	if p == 1e12 && n == 3 {
		r.end = true
	} else if n == 3 || !s.rest(&r, columns[3], p == 1e12, float64(step)/2e10) {
		return false, nil
	}
	value, digit, ok := ParseDecimal(columns[0], int64(s.Unit))
	if !ok || value < 0 {
		return true, fmt.Errorf("%q is not a duration", columns[0])
	}
	r.value, r.unit = time.Duration(value), time.Duration(digit)
	return true, s.row(r)
}

// columnsOf cuts a row at blanks, or at the commas of the CSV flavour, and
// returns how many columns it has, counting no further than one too many.
func columnsOf(line []byte, columns *[5][]byte) int {
	n := 0
	for n < len(columns) && len(line) > 0 {
		i := bytes.IndexAny(line, ", \t")
		if i < 0 {
			i = len(line)
		}
		columns[n] = line[:i]
		n++
		comma := i < len(line) && line[i] == ','
		line = bytes.TrimLeft(line[min(i+1, len(line)):], " \t")
		if comma && len(line) == 0 {
			return 0
		}
	}
	return n
}

type spectrumRow struct {
	percentile  float64
	value, unit time.Duration
	count, at   int64
	digits      int
	end         bool // 100 %
}

// rest reads the last column, 1/(1-percentile), and reports whether it agrees
// with the percentile, which was rounded by up to slack. It tells 100 % (whole)
// from what was rounded to it, and the percentile more exactly than six decimals.
func (s *Spectrum) rest(r *spectrumRow, column []byte, whole bool, slack float64) bool {
	switch string(column) {
	case "inf", "Infinity", "+Inf", "Inf", "∞":
		r.end = whole
		return whole
	}
	micro, step, ok := ParseDecimal(column, 1e6)
	if !ok || micro < 0.99e6 {
		return false
	}
	if whole && s.Stated { // vegeta prints 10000000 for infinity
		r.end = true
		return true
	}
	x, half := float64(micro)/1e6, float64(step)/2e6
	exact := 100 * (1 - 1/x)
	if math.Abs(exact-r.percentile) > slack+100*1.1*half/(x*x)+1e-3 {
		return false
	}
	if x >= 1000 && r.digits <= 6 {
		r.percentile = math.Round(exact*1e9) / 1e9
	}
	return true
}

func (s *Spectrum) row(r spectrumRow) error {
	switch {
	case r.count < 0 || r.count > maxCount:
		return fmt.Errorf("a count of %d", r.count)
	case r.count < s.Count:
		return fmt.Errorf("the count goes back from %d to %d", s.Count, r.count)
	case s.Rows > 0 && r.value < s.value:
		return fmt.Errorf("the value goes back from %s to %s", s.value, r.value)
	case s.Rows > 0 && r.percentile < s.percentile-1e-4:
		return fmt.Errorf("the percentile goes back from %.10g to %.10g", s.percentile, r.percentile)
	case s.Rows == maxSpectrum:
		return fmt.Errorf("more than %d rows", maxSpectrum)
	}
	if s.Rows == 0 {
		s.Digits = r.digits
		s.fromZero = r.percentile == 0
		if s.value = -1; r.count == 0 {
			s.value = max(r.value-r.unit, -1) // the least value, printed above no sample: it is one itself
		} else if r.value > 0 {
			s.value = 0
		}
	}
	if n := len(s.Quantiles); n == 0 || r.percentile > s.Quantiles[n-1].Percentile {
		s.Quantiles = append(s.Quantiles, Quantile{Percentile: r.percentile, Value: r.value, Unit: r.unit, Pos: r.at})
	}
	n := len(s.Buckets)
	switch {
	case n > 0 && (r.value == s.Buckets[n-1].High || r.count == s.Count):
		// The same printed value, or a count computed by vegeta that a higher
		// value shares: the samples reach up to it.
		s.Buckets[n-1].High = r.value
		s.Buckets[n-1].Count += r.count - s.Count
		s.value = r.value
	case r.count > s.Count:
		s.Buckets = append(s.Buckets, Bucket{Low: s.value, High: r.value, Unit: r.unit, Count: r.count - s.Count})
		s.value = r.value
	}
	s.Rows++
	s.Count, s.percentile = r.count, r.percentile
	s.Whole = r.end && s.fromZero
	return nil
}

// header reads the line of column names and reports whether it is one.
func (s *Spectrum) header(line []byte) bool {
	name := bytes.Trim(line[:max(0, bytes.IndexAny(line, " \t,"))], `"`)
	rest, ok := bytes.CutPrefix(name, []byte("Value"))
	if !ok || !bytes.Contains(line, []byte("Percentile")) || !bytes.Contains(line, []byte("TotalCount")) {
		return false
	}
	if len(rest) > 2 && rest[0] == '(' && rest[len(rest)-1] == ')' {
		if u, ok := UnitByName(string(rest[1 : len(rest)-1])); ok {
			s.Unit, s.Stated = u, true
		}
	}
	return true
}

// footer reads a line like "#[Max     =       12.496, Total count    =        39500]".
func (s *Spectrum) footer(line []byte) (bool, error) {
	body, ok := bytes.CutPrefix(line, []byte("#["))
	if !ok || !bytes.HasPrefix(body, []byte("Mean ")) && !bytes.HasPrefix(body, []byte("Max ")) && !bytes.HasPrefix(body, []byte("Buckets ")) {
		return false, nil
	}
	var wrong error
	for _, pair := range bytes.Split(bytes.TrimSuffix(body, []byte("]")), []byte(",")) {
		key, v, _ := bytes.Cut(pair, []byte("="))
		key, v = bytes.TrimSpace(key), bytes.TrimSpace(v)
		var figure *time.Duration
		switch string(key) {
		case "Mean":
			figure = &s.Mean
		case "StdDeviation":
			figure = &s.Stddev
		case "Max":
			figure = &s.Max
		case "Total count", "TotalCount":
			n, _, ok := ParseDecimal(v, 1)
			if !ok || n < 0 {
				wrong = fmt.Errorf("a total count of %q", v)
				continue
			}
			s.Total, s.Python = n, string(key) == "TotalCount"
			continue
		default:
			continue
		}
		x, digit, ok := ParseDecimal(v, int64(s.Unit))
		if figure == &s.Stddev && bytes.EqualFold(v, []byte("nan")) {
			continue // a writer that does not know it: tailcheck's own, of a corrected spectrum
		}
		if !ok || x < 0 {
			wrong = fmt.Errorf("%s of %q is not a duration", key, v)
			continue
		}
		*figure = time.Duration(x)
		s.Resolution = max(s.Resolution, time.Duration(digit))
	}
	return true, wrong
}

// Check says what of the spectrum contradicts itself, or nil.
func (s *Spectrum) Check() error {
	switch {
	case s.Rows == 0:
		return errors.New("a percentile spectrum without a row")
	case s.Total >= 0 && s.Whole && s.Total != s.Count:
		return fmt.Errorf("the rows hold %d samples, the footer says %d", s.Count, s.Total)
	case s.Total >= 0 && s.Total < s.Count:
		return fmt.Errorf("the rows hold %d samples, more than the %d of the footer", s.Count, s.Total)
	case s.Max >= 0 && s.Max > s.value+s.Resolution && s.Whole:
		return fmt.Errorf("a maximum of %s above the last row's %s", s.Max, s.value)
	}
	return nil
}

// Fill puts the spectrum into an aggregate: buckets, count, and what the footer
// says. Quantiles are left to the caller.
func (s *Spectrum) Fill(a *Aggregate) {
	a.Buckets, a.Complete = s.Buckets, s.Whole
	if s.Total >= 0 && !s.Whole {
		a.Count = s.Total
	} else if s.Rows > 0 {
		a.Count = s.Count
	}
	if s.Mean >= 0 {
		a.Mean = s.Mean
	}
	if s.Max >= 0 {
		a.Max = s.Max
	} else if s.Whole {
		a.Max = s.value
	}
	if s.Stddev >= 0 && !s.Python { // HdrHistogram_py does not scale it to the unit of the others
		a.Stddev = s.Stddev
	}
	if s.Resolution > 0 {
		a.Unit = s.Resolution
	} else if n := len(s.Buckets); n > 0 {
		a.Unit = s.Buckets[n-1].Unit
	}
}
