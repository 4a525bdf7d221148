package sla

import (
	"fmt"
	"strings"
)

// units are those that a limit may have, in nanoseconds. Minutes are left out:
// "500m" is far more often a slip for 500ms than a limit of eight hours, and as
// one it would let everything pass.
var units = map[string]int64{"ns": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}

// slips are other spellings of units, and the right one.
var slips = map[string]string{
	"m": "ms", "msec": "ms", "msecs": "ms", "millis": "ms", "milliseconds": "ms",
	"sec": "s", "secs": "s", "second": "s", "seconds": "s", "usec": "us", "micros": "us", "nanos": "ns",
}

// limit reads the comparison and the limit of o.
func (p parser) limit(o Objective, sign, right string) (Objective, error) {
	name := o.Name()
	more, less := ">", "<"
	if o.Metric == Rate {
		more, less = less, more
	}
	switch sign {
	case less:
		o.Strict = true
	case less + "=", map[string]string{"<": "≤", ">": "≥"}[less]:
	case more, more + "=", map[string]string{"<": "≤", ">": "≥"}[more]:
		better := less
		if sign != more {
			better += "="
		}
		return p.fail("an objective says what is good, and "+name+" is good "+map[string]string{"<": "below", ">": "above"}[less]+" its limit",
			"turn the comparison", p.fit(name+better+right, example(name)))
	default:
		return p.fail(fmt.Sprintf("%q is not a comparison", sign), "want "+less+" or "+less+"=", p.fit(name+less+"="+right, example(name)))
	}
	right = strings.TrimSpace(right)
	i := 0
	for i < len(right) && (right[i] >= '0' && right[i] <= '9' || right[i] == '.') {
		i++
	}
	digits, unit := right[:i], strings.TrimSpace(right[i:])
	head := name + sign
	if digits == "" {
		return p.fail("no number behind "+sign, "want a limit with its unit", example(name))
	}
	if strings.HasPrefix(unit, ",") {
		return p.fail("a comma in the limit", "decimals follow a point, and every objective has an --sla of its own",
			p.fit(head+strings.Replace(right, ",", ".", 1), head+digits+"ms", example(name)))
	}
	switch o.Metric {
	case Errors:
		return p.errors(o, head, digits, unit)
	case Rate:
		return p.rate(o, head, digits, unit)
	}
	scale, ok := units[unit]
	if !ok {
		fixed := unit
		if s, known := slips[strings.ToLower(unit)]; known {
			fixed = s
		} else if _, known := units[strings.ToLower(unit)]; known {
			fixed = strings.ToLower(unit)
		}
		eg := p.fit(head+digits+fixed, head+digits+"ms", example(name))
		if unit == "" {
			return p.fail("the limit has no unit", "give a unit", eg)
		}
		return p.fail(fmt.Sprintf("%q is not a unit of time", unit), "want ns, us, ms or s", eg)
	}
	v, fine, ok := number(digits, scale)
	switch {
	case !ok:
		return p.fail(fmt.Sprintf("%q is not a number that can be used", digits), "want a plain decimal number", example(name))
	case !fine:
		return p.fail("the limit is finer than a nanosecond", "round it", example(name))
	case v == 0:
		return p.fail("nothing is as fast as that", "want a limit above zero", example(name))
	}
	o.Limit = v
	return o, nil
}

func (p parser) errors(o Objective, head, digits, unit string) (Objective, error) {
	v, fine, ok := number(digits, Millionths)
	if unit != "%" {
		// below one it was most likely meant as a share of all requests
		if share, f, k := number(digits, 100*Millionths); k && f && share < 100*Millionths && unit == "" {
			return p.fail("the limit has no unit", "give the share of failed requests in percent", p.fit(head+decimal(share, Millionths)+"%", "errors<1%"))
		}
		if unit == "" {
			return p.fail("the limit has no unit", "give a unit", p.fit(head+digits+"%", "errors<1%"))
		}
		return p.fail(fmt.Sprintf("%q is not a unit of errors", unit), "want a share in percent", p.fit(head+digits+"%", "errors<1%"))
	}
	switch {
	case !ok:
		return p.fail(fmt.Sprintf("%q is not a number that can be used", digits), "want a plain decimal number", "errors<1%")
	case !fine:
		return p.fail("a percentage has at most six decimals", "round it", "errors<1%")
	case v == 0 && o.Strict:
		return p.fail("no share is below zero", "for no errors at all write", "errors<=0%")
	case v > 100*Millionths || v == 100*Millionths && !o.Strict:
		return p.fail("every run has at most 100 % errors, so this never fails", "want a smaller share", "errors<1%")
	}
	o.Limit = v
	return o, nil
}

func (p parser) rate(o Objective, head, digits, unit string) (Objective, error) {
	v, fine, ok := number(digits, Millionths)
	if unit != "/s" {
		eg := p.fit(head+digits+"/s", "rate>=100/s")
		if unit == "" {
			return p.fail("the limit has no unit", "give a unit", eg)
		}
		return p.fail(fmt.Sprintf("%q is not a unit of rate", unit), "want requests a second", eg)
	}
	switch {
	case !ok:
		return p.fail(fmt.Sprintf("%q is not a number that can be used", digits), "want a plain decimal number", "rate>=100/s")
	case !fine:
		return p.fail("a rate has at most six decimals", "round it", "rate>=100/s")
	case v == 0 && !o.Strict:
		return p.fail("every run has at least 0 requests a second, so this never fails", "want a higher rate", "rate>=100/s")
	}
	o.Limit = v
	return o, nil
}
