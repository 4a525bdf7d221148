package log

import "bytes"

// civil is a date and a time of day.
type civil struct{ year, month, day, hour, minute, second int }

// seconds returns the seconds since the epoch, were it UTC. A leap second is
// the second after it.
func (d *civil) seconds() int64 {
	// Days since 1970-01-01 in the Gregorian calendar, with years that begin in
	// March, so that the leap day is the last of its year.
	y, m := int64(d.year), int64(d.month)
	if m <= 2 {
		y--
		m += 12
	}
	days := 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + int64(d.day) - 1 - 719468
	return days*86400 + int64(d.hour)*3600 + int64(d.minute)*60 + int64(d.second)
}

var daysIn = [...]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func (d *civil) valid() bool {
	if d.year < minYear || d.year > maxYear || d.month < 1 || d.month > 12 || d.day < 1 || d.day > daysIn[d.month] {
		return false
	}
	if d.month == 2 && d.day == 29 && (d.year%4 != 0 || d.year%100 == 0 && d.year%400 != 0) {
		return false
	}
	return d.hour < 24 && d.minute < 60 && d.second <= 60
}

// read reads date and time of day up to the seconds. Of layouts that end in the
// year, rest begins with it, and is cut.
func (d *civil) read(b []byte, rest *[]byte) bool {
	ok := false
	switch {
	case len(b) == 20 && b[2] == '/' && b[6] == '/' && (b[11] == ':' || b[11] == ' '): // 29/Nov/2026:21:16:22
		ok = digits(b[:2], &d.day) && month(b[3:6], &d.month) && digits(b[7:11], &d.year) && d.clock(b[12:])
	case len(b) == 19 && isDigit(b[0]) && (b[4] == '-' || b[4] == '/') && b[7] == b[4] && (b[10] == 'T' || b[10] == ' ' || b[10] == 't' || b[10] == '_'): // 2026-11-29T21:16:22
		ok = digits(b[:4], &d.year) && digits(b[5:7], &d.month) && digits(b[8:10], &d.day) && d.clock(b[11:])
	case len(b) == 19 && b[3] == ' ' && b[7] == ' ' && b[10] == ' ' && isLetters(b[:3]): // Sun Nov 29 21:16:22, and a year behind
		ok = month(b[4:7], &d.month) && digits(bytes.TrimLeft(b[8:10], " "), &d.day) && d.clock(b[11:]) && behind(rest, &d.year)
	case len(b) > 5 && b[3] == ',' && b[4] == ' ' && isLetters(b[:3]): // Sun, 29 Nov 2026 21:16:22
		return d.read(b[5:], rest)
	case len(b) == 20 && b[2] == ' ' && b[6] == ' ' && b[11] == ' ': // 29 Nov 2026 21:16:22
		ok = digits(bytes.TrimLeft(b[:2], " "), &d.day) && month(b[3:6], &d.month) && digits(b[7:11], &d.year) && d.clock(b[12:])
	}
	return ok && d.valid()
}

// clock reads 21:16:22.
func (d *civil) clock(b []byte) bool {
	return len(b) == 8 && b[2] == ':' && b[5] == ':' && digits(b[:2], &d.hour) && digits(b[3:5], &d.minute) && digits(b[6:], &d.second)
}

// behind reads a year behind the time of day: " 2026".
func behind(rest *[]byte, year *int) bool {
	r := *rest
	if len(r) < 5 || r[0] != ' ' || !digits(r[1:5], year) {
		return false
	}
	*rest = r[5:]
	return true
}

func digits(b []byte, v *int) bool {
	n := 0
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
		n = n*10 + int(c-'0')
	}
	*v = n
	return len(b) > 0
}

// month reads a month's English name of three letters.
func month(b []byte, v *int) bool {
	const names = "JanFebMarAprMayJunJulAugSepOctNovDec"
	i := bytes.Index([]byte(names), b)
	*v = i/3 + 1
	return len(b) == 3 && i >= 0 && i%3 == 0
}
