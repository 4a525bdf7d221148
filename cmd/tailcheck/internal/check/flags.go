package check

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones of --tz, where the system has none

	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Flags are the options as they stand on a command line.
type Flags struct {
	SLA                  []string
	Rate, Interval, Unit string
	Workers              int
	Format, FailOn       string
	Inconclusive         string
	Only, Skip, Columns  []string
	Strict               bool
	Jobs                 int
	Since, Until         string
	Service, Op, Trace   string
	LogFormat, Zone      string
	Memory               string
}

// Options returns what the flags say, or what is wrong with them. Formats and
// detectors are those of the suite.
func (f Flags) Options(formats []ingest.Format, detectors []detect.Detector) (Options, error) {
	o := Options{Formats: formats, Detectors: detectors, Format: f.Format, Strict: f.Strict, Jobs: f.Jobs}
	var err error
	for _, s := range f.SLA {
		x, err := sla.Parse(s)
		if e := (*sla.SyntaxError)(nil); errors.As(err, &e) {
			return o, fmt.Errorf("objective %q: %s\nhint: %s", e.Expr, e.Wrong, e.Hint())
		} else if err != nil {
			return o, err
		}
		if !slices.Contains(o.Objectives, x) {
			o.Objectives = append(o.Objectives, x)
		}
	}
	if f.Rate != "" {
		if o.Plan.Rate, err = parseRate(f.Rate); err != nil {
			return o, err
		}
	}
	if f.Interval != "" {
		d, err := time.ParseDuration(f.Interval)
		if err != nil || d < time.Microsecond || d > maxInterval {
			return o, fmt.Errorf("--interval %q: want the planned time between requests of one worker, with its unit, from 1us to 24h\nhint: --interval 80ms", f.Interval)
		}
		o.Plan.Interval = d
	}
	if f.Workers < 0 || f.Workers > maxWorkers {
		return o, fmt.Errorf("--workers %d: want the number of connections, up to %d", f.Workers, maxWorkers)
	}
	o.Plan.Workers = f.Workers
	if f.Jobs < 0 {
		return o, fmt.Errorf("--jobs %d: want a number of cores, or 0 for all", f.Jobs)
	}
	if f.Format != "" && !slices.ContainsFunc(formats, func(x ingest.Format) bool { return x.Name == f.Format }) {
		var names []string
		for _, x := range formats {
			names = append(names, x.Name)
		}
		return o, fmt.Errorf("--format %q: unknown%s\nhint: one of %s", f.Format, nearest(f.Format, names), strings.Join(names, ", "))
	}
	if f.Unit != "" {
		u, ok := ingest.UnitByName(f.Unit)
		if !ok || u > time.Second { // "m" is a slip for ms
			return o, fmt.Errorf("--unit %q: want ns, us, ms or s", f.Unit)
		}
		o.Reading.Unit = u
	}
	if o.Reading.Zone, err = parseZone(f.Zone); err != nil {
		return o, err
	}
	if f.LogFormat != "" {
		if o.Speaks, err = speaks(formats, f.LogFormat, f.Format); err != nil {
			return o, err
		}
		o.Reading.LogFormat = f.LogFormat
	}
	if o.Reading.Columns, err = parseColumns(f.Columns); err != nil {
		return o, err
	}
	if len(o.Reading.Columns) > 0 && o.Format == "" {
		o.Format = "csv" // whose columns are named is a plain CSV
	}
	switch f.FailOn {
	case "error", "":
		o.FailOn = detect.Error
	case "warning":
		o.FailOn = detect.Warning
	case "note":
		o.FailOn = detect.Note
	case "never":
		o.NeverFail = true
	default:
		return o, fmt.Errorf("--fail-on %q: want error, warning, note or never", f.FailOn)
	}
	switch f.Inconclusive {
	case "fail", "":
	case "pass":
		o.Lenient = true
	default:
		return o, fmt.Errorf("--inconclusive %q: want fail (exit code 3) or pass", f.Inconclusive)
	}
	if o.Filter, err = f.filter(); err != nil {
		return o, err
	}
	if o.Memory, err = parseBytes(f.Memory); err != nil {
		return o, err
	}
	return o, o.choose(detectors, SplitList(f.Only), SplitList(f.Skip))
}

func (f Flags) filter() (x Filter, err error) {
	x.Service, x.Op = f.Service, f.Op
	if f.Trace != "" {
		if x.Trace, err = parseTraceID(f.Trace); err != nil {
			return x, err
		}
	}
	if x.Since, err = parseTime("--since", f.Since); err != nil {
		return x, err
	}
	if x.Until, err = parseTime("--until", f.Until); err != nil {
		return x, err
	}
	if x.Since != 0 && x.Until != 0 && x.Until <= x.Since {
		return x, fmt.Errorf("--until %s is not after --since %s", f.Until, f.Since)
	}
	return x, nil
}

// parseTime reads a moment; empty: 0. Without a zone it is UTC.
func parseTime(flag, s string) (ingest.Time, error) {
	if s == "" {
		return 0, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1970 && t.Year() < 2262 {
			return ingest.Time(t.UnixNano()), nil
		}
	}
	return 0, fmt.Errorf("%s %q: want a moment\nhint: %s 2026-01-02T15:04:05Z", flag, s, flag)
}

// parseZone reads a time zone: a name of the IANA database, UTC, or an offset;
// empty: nil.
func parseZone(s string) (*time.Location, error) {
	if s == "" {
		return nil, nil
	}
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, s); err == nil {
			_, offset := t.Zone()
			return time.FixedZone(s, offset), nil
		}
	}
	if s == "Z" {
		return time.UTC, nil
	}
	if zone, err := time.LoadLocation(s); err == nil && s != "Local" {
		return zone, nil
	}
	return nil, fmt.Errorf("--tz %q: want the zone of stamps that have none\nhint: --tz Europe/Berlin, --tz UTC or --tz +02:00", s)
}

// speaks returns the name of the format whose server's language a format string
// is in.
func speaks(formats []ingest.Format, logFormat, asked string) (string, error) {
	var names []string
	for _, x := range formats {
		if x.Speaks != nil && x.Speaks(logFormat) && (asked == "" || asked == x.Name) {
			names = append(names, x.Name)
		}
	}
	switch {
	case len(names) == 1:
		return names[0], nil
	case len(names) > 1:
		return "", fmt.Errorf("--log-format could be that of %s\nhint: say whose it is, like --format %s", strings.Join(names, " or "), names[0])
	case asked != "":
		return "", fmt.Errorf("--log-format is not in the language of %s\nhint: give it as it stands in the server's own configuration", asked)
	}
	return "", errors.New("--log-format is in no server's language that is known\nhint: give it as it stands in the configuration of nginx, Apache, HAProxy, Envoy or gunicorn: '$remote_addr - …', '%h %l …'")
}

// parseBytes reads a size like 512M or 2GiB; empty: 0.
func parseBytes(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	num := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(s)), "B"), "I")
	shift := 0
	if n := len(num); n > 0 {
		if i := strings.IndexByte("KMGT", num[n-1]); i >= 0 {
			shift, num = 10*(i+1), num[:n-1]
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	if err != nil || !(v > 0) || v*float64(int64(1)<<shift) > 1<<50 {
		return 0, fmt.Errorf("--memory %q: want a size\nhint: --memory 2GiB", s)
	}
	return int64(v * float64(int64(1)<<shift)), nil
}

// SplitList takes lists with commas apart.
func SplitList(list []string) (out []string) {
	for _, s := range list {
		for _, x := range strings.Split(s, ",") {
			if x = strings.TrimSpace(x); x != "" {
				out = append(out, x)
			}
		}
	}
	return out
}

func parseRate(s string) (float64, error) {
	num, per := strings.TrimSpace(s), time.Second
	if i := strings.IndexByte(num, '/'); i >= 0 {
		unit := strings.TrimSpace(num[i+1:])
		num = strings.TrimSpace(num[:i])
		d, err := time.ParseDuration(unit)
		if err != nil {
			d, err = time.ParseDuration("1" + unit)
		}
		if err != nil || d <= 0 {
			return 0, fmt.Errorf("--rate %q: want requests of all workers together a time\nhint: --rate 12.5/s", s)
		}
		per = d
	}
	v, err := strconv.ParseFloat(num, 64)
	if err != nil || !(v > 0) || v > 1e12 {
		return 0, fmt.Errorf("--rate %q: want requests of all workers together a time\nhint: --rate 12.5/s", s)
	}
	return v / per.Seconds(), nil
}

// Roles are what a column of a plain CSV may be.
var Roles = []string{"due", "start", "end", "latency", "status", "op"}

func parseColumns(list []string) (map[string]string, error) {
	var out map[string]string
	for _, s := range SplitList(list) {
		role, name, ok := strings.Cut(s, "=")
		if !ok || !slices.Contains(Roles, role) || name == "" {
			return nil, fmt.Errorf("--columns %q: want ROLE=NAME with a role of %s\nhint: --columns start=sent_ms,latency=took_ms", s, strings.Join(Roles, ", "))
		}
		if out == nil {
			out = map[string]string{}
		}
		out[role] = name
	}
	return out, nil
}

// choose takes the detectors that are asked for.
func (o *Options) choose(all []detect.Detector, only, skip []string) error {
	var names []string
	for _, d := range all {
		names = append(names, d.Name)
	}
	for _, n := range slices.Concat(only, skip) {
		if !slices.Contains(names, n) {
			return fmt.Errorf("no detector is named %q%s\nhint: tailcheck rules lists them", n, nearest(n, names))
		}
	}
	o.Detectors = all
	for _, n := range names {
		if len(only) > 0 && !slices.Contains(only, n) || slices.Contains(skip, n) {
			o.Mute(n)
		}
	}
	return nil
}

// Mute leaves out what a detector finds. What an objective's verdict rests on is
// looked for all the same: whoever does not want to read of a suspicion has not
// done away with it.
func (o *Options) Mute(name string) {
	o.Detectors = slices.DeleteFunc(slices.Clone(o.Detectors), func(d detect.Detector) bool { return d.Name == name && !vouches(d) })
	o.muted = append(slices.Clone(o.muted), name)
}

// vouches reports whether a verdict on a load report or a log rests on a detector.
func vouches(d detect.Detector) bool {
	return d.Judge != nil && d.New == nil && d.Reads&ingest.Load != 0
}

// nearest returns ", did you mean NAME" for the name that a slip of the keys is
// nearest to, or "".
func nearest(s string, names []string) string {
	best, dist := "", 1+len(s)/3
	for _, n := range names {
		if d := Distance(s, n); d <= dist {
			best, dist = n, d-1
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// Distance is the Levenshtein distance of two words, in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
