package log

// zoneNames are the abbreviations of the tz database that name one offset, in
// seconds east of UTC. Those that name several are missing on purpose: CST
// (Chicago, Shanghai), IST (Dublin, Jerusalem, Kolkata), BST (London, Dhaka), AST
// (Halifax, Riyadh), SST. Go's time.Parse would take every unknown name for an
// offset of zero.
var zoneNames = map[string]int64{
	"Z": 0, "z": 0, "UTC": 0, "GMT": 0, "WET": 0,
	"CET": 1 * 3600, "MET": 1 * 3600, "WEST": 1 * 3600, "WAT": 1 * 3600,
	"CEST": 2 * 3600, "MEST": 2 * 3600, "EET": 2 * 3600, "SAST": 2 * 3600, "CAT": 2 * 3600,
	"EEST": 3 * 3600, "MSK": 3 * 3600, "EAT": 3 * 3600, "MSD": 4 * 3600,
	"PKT": 5 * 3600, "WIB": 7 * 3600, "HKT": 8 * 3600, "AWST": 8 * 3600, "WITA": 8 * 3600,
	"JST": 9 * 3600, "KST": 9 * 3600, "WIT": 9 * 3600, "ACST": 9*3600 + 1800, "ACDT": 10*3600 + 1800,
	"AEST": 10 * 3600, "AEDT": 11 * 3600, "NZST": 12 * 3600, "NZDT": 13 * 3600,
	"NST": -(3*3600 + 1800), "NDT": -(2*3600 + 1800), "ADT": -3 * 3600,
	"EDT": -4 * 3600, "EST": -5 * 3600, "CDT": -5 * 3600, "MDT": -6 * 3600, "MST": -7 * 3600,
	"PDT": -7 * 3600, "PST": -8 * 3600, "AKDT": -8 * 3600, "AKST": -9 * 3600, "HST": -10 * 3600,
}

// zoneOffset reads an offset ("+0100", "-05:00", "+01") or the name of a zone.
func zoneOffset(b []byte) (seconds int64, ok bool) {
	if len(b) == 0 {
		return 0, false
	}
	if b[0] != '+' && b[0] != '-' {
		seconds, ok = zoneNames[string(b)]
		return seconds, ok
	}
	var h, m int
	switch {
	case len(b) == 3:
		ok = digits(b[1:], &h)
	case len(b) == 5:
		ok = digits(b[1:3], &h) && digits(b[3:], &m)
	case len(b) == 6 && b[3] == ':':
		ok = digits(b[1:3], &h) && digits(b[4:], &m)
	}
	if !ok || h > 14 || m > 59 {
		return 0, false
	}
	seconds = int64(h)*3600 + int64(m)*60
	if b[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}
