package detecttest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/detect"
)

// want is one wanted finding.
type want struct {
	line       string
	detector   string
	confidence detect.Confidence
	input      int // -1: any
	op         string
	hasOp      bool
	message    []string
	numbers    map[string]string
}

func parseWants(text string) ([]want, error) {
	var out []want
	for line := range strings.Lines(text) {
		fields, err := split(line)
		if err != nil {
			return nil, err
		}
		if len(fields) == 0 || len(fields) == 1 && fields[0].text == "nothing" {
			continue
		}
		w := want{line: strings.TrimSpace(line), detector: fields[0].text, input: -1, numbers: map[string]string{}}
		if len(fields) < 2 {
			return nil, fmt.Errorf("%q: want a detector and its confidence", line)
		}
		switch fields[1].text {
		case "low":
			w.confidence = detect.Low
		case "medium":
			w.confidence = detect.Medium
		case "high":
			w.confidence = detect.High
		default:
			return nil, fmt.Errorf("%q: confidence %q: want low, medium or high", line, fields[1].text)
		}
		for _, f := range fields[2:] {
			key, value, found := strings.Cut(f.text, "=")
			switch {
			case f.quoted:
				w.message = append(w.message, f.text)
			case !found:
				return nil, fmt.Errorf("%q: %q: want name=value or a quoted piece of the message", line, f.text)
			case key == "input":
				if w.input, err = strconv.Atoi(value); err != nil {
					return nil, fmt.Errorf("%q: %w", line, err)
				}
			case key == "op":
				w.op, w.hasOp = value, true
			default:
				w.numbers[key] = value
			}
		}
		out = append(out, w)
	}
	return out, nil
}

func (w want) matches(f detect.Finding) bool {
	if f.Detector != w.detector || f.Confidence != w.confidence || w.input >= 0 && !slices.Contains(f.Inputs, w.input) || w.hasOp && f.Op != w.op {
		return false
	}
	for _, m := range w.message {
		if !strings.Contains(f.Message, m) {
			return false
		}
	}
	var got map[string]any
	if json.Unmarshal([]byte(Numbers(f)), &got) != nil && len(w.numbers) > 0 {
		return false
	}
	for k, v := range w.numbers {
		g, known := got[k]
		if !known || !sameNumber(g, v) {
			return false
		}
	}
	return true
}

// sameNumber compares a number with a wanted one to a thousandth.
func sameNumber(got any, want string) bool {
	if got == nil {
		return want == "null"
	}
	g, isNumber := got.(float64)
	w, err := strconv.ParseFloat(want, 64)
	if !isNumber || err != nil {
		return fmt.Sprint(got) == want
	}
	return math.Abs(g-w) <= 0.001*math.Abs(w)
}

// Numbers returns the numbers of a finding as JSON.
func Numbers(f detect.Finding) string {
	b, err := json.Marshal(f.Numbers)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// compare returns what is wanted and not found, and what is found and not wanted.
func compare(found []detect.Finding, wants []want) []string {
	var out []string
	taken := make([]bool, len(found))
	for _, w := range wants {
		i := slices.IndexFunc(found, func(f detect.Finding) bool { return w.matches(f) })
		for i >= 0 && taken[i] {
			j := slices.IndexFunc(found[i+1:], func(f detect.Finding) bool { return w.matches(f) })
			if j < 0 {
				i = -1
				break
			}
			i += 1 + j
		}
		if i < 0 {
			out = append(out, "missing: "+w.line)
			continue
		}
		taken[i] = true
	}
	for i, f := range found {
		if !taken[i] {
			out = append(out, fmt.Sprintf("surplus: %s %v %s", f.Detector, f.Confidence, f.Message))
		}
	}
	return out
}
