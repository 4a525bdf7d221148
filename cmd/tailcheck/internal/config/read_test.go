package config_test

import (
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/config"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

func known() config.Known {
	k := config.Known{Formats: suite.Formats, Detectors: suite.Detectors}
	for _, r := range suite.Renderers {
		k.Renderers = append(k.Renderers, r.Name)
	}
	return k
}

func parse(text string) (*config.File, error) {
	return config.Parse("tailcheck.yaml", []byte(text), known())
}

// valid are files that say something, each key in every form that it may have.
var valid = map[string]string{
	"least": "version: 1\n",
	"all": `# what is asked
version: 1
objectives:
  - p99<500ms
  - 'GET /cart: p99<300ms'
  - sla: errors<1%
    files: load/*.csv
  - {sla: p99.9<1s, op: "GET /a: b", files: [load/**, '-']}
plans:
  - files: load/hey-*.csv
    rate: 12.5/s
    workers: 10
  - {interval: 80ms}
  - {rate: 200}
  - {rate: 12.5, workers: 1, interval: 80ms}
reading:
  - files: logs/access.log*
    log-format: '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_time'
    tz: Europe/Berlin
  - {files: own.csv, columns: {start: sent_ms, latency: took_ms}, unit: ms}
  - {files: x.txt, format: hey}
skip:
  - detector: cold-start
    reason: the first minute warms the caches, OPS-112
    until: 2026-12-31
    files: load/*.csv
  - {detector: small-sample, reason: 'nightly', until: "2030-01-01"}
fail-on: warning
inconclusive: fail
strict: true
reports:
  junit: out/tailcheck.xml
  github: "-"
`,
	"nothing below":    "version: 1\nobjectives:\nplans:\nreading:\nskip:\nreports:\n",
	"anchors":          "version: 1\nobjectives:\n  - &a {sla: p99<1s, files: &f [a.csv, b.csv]}\n  - {sla: p50<1s, files: *f}\n  - *a\n",
	"json":             `{"version": 1, "objectives": ["p99<500ms"], "strict": false, "reports": {"sarif": "a.sarif"}}`,
	"byte order mark":  "\ufeffversion: 1\n",
	"marks around":     "---\nversion: 1\n...\n",
	"day in quotes":    "version: 1\nskip: [{detector: hot-peer, reason: r, until: '2026-02-28'}]\n",
	"offset of a zone": "version: 1\nreading: [{tz: +02:00}]\n",
}

// invalid are files that are refused: where, and in what words. A schema cannot
// tell those of onlyReader.
var invalid = []struct {
	name, text, want string
	onlyReader       bool
}{
	{"empty", "", "tailcheck.yaml: is empty", true},
	{"comments", "# version: 1\n", "tailcheck.yaml: says nothing", true},
	{"not YAML", "version: 1\nobjectives: [\n", "tailcheck.yaml:2: not YAML: ", true},
	{"tabs", "version: 1\nplans:\n\t- rate: 1\n", "not YAML", true},
	{"a list", "- p99<500ms\n", "tailcheck.yaml:1:1: the settings: want a mapping of version, ", false},
	{"a word", "hello\n", "tailcheck.yaml:1:1: the settings: want a mapping of version, objectives, plans, reading, skip, fail-on, inconclusive, strict, reports, got the text \"hello\"", false},
	{"two documents", "version: 1\n---\nversion: 1\n", "tailcheck.yaml:3:1: a second document", true},
	{"no version", "objectives: [p99<1s]\n", "tailcheck.yaml:1:1: no version: want version: 1", false},
	{"next version", "version: 2\nnovel: true\n", "tailcheck.yaml:1:10: version 2 is not known here: want 1", false},
	{"version of text", "version: \"1\"\n", "tailcheck.yaml:1:10: version: want the number 1, got the text \"1\"", false},
	{"unknown key", "version: 1\nobjektives: [p99<1s]\n", "tailcheck.yaml:2:1: unknown key \"objektives\" in the settings, did you mean \"objectives\"? (there are version, ", false},
	{"unknown key below", "version: 1\nplans:\n  - files: a\n    rates: 5/s\n", "tailcheck.yaml:4:5: unknown key \"rates\" in a plan, did you mean \"rate\"?", false},
	{"flag that is no setting", "version: 1\nsince: 2026-01-01\n", "tailcheck.yaml:2:1: unknown key \"since\"", false},
	{"twice", "version: 1\nstrict: true\nplans: []\nstrict: false\n", "tailcheck.yaml:4:1: strict stands twice: first in line 2", true},
	{"key of a number", "version: 1\n1: 2\n", "tailcheck.yaml:2:1: a key that is no name, but the number \"1\"", false},
	{"merge", "version: 1\nplans:\n  - &a {rate: 1}\n  - {<<: *a, workers: 2}\n", "tailcheck.yaml:4:6: a merge key", true},
	{"tag", "version: !!int 1\n", "tailcheck.yaml:1:10: a tag, \"!!int\"", true},
	{"own tag", "version: 1\nreports: !x {}\n", "a tag, \"!x\"", true},

	{"objectives of text", "version: 1\nobjectives: p99<500ms\n", "tailcheck.yaml:2:13: objectives: want a list, got the text \"p99<500ms\"", false},
	{"objective without unit", "version: 1\nobjectives:\n  - p99<500\n", "tailcheck.yaml:3:5: objective \"p99<500\": the limit has no unit; give a unit: p99<500ms", true},
	{"objective of a number", "version: 1\nobjectives: [99]\n", "tailcheck.yaml:2:14: an objective: want a text, got the number \"99\": put it in quotes", false},
	{"objective with a colon", "version: 1\nobjectives:\n  - GET /cart: p99<300ms\n", "tailcheck.yaml:3:5: objective \"GET /cart: p99<300ms\": the colon makes a mapping of it; put it in quotes", false},
	{"no expression", "version: 1\nobjectives: [{files: a.csv}]\n", "tailcheck.yaml:2:14: an objective without sla", false},
	{"two operations", "version: 1\nobjectives:\n  - {sla: 'a: p99<1s', op: b}\n", "tailcheck.yaml:3:11: objective \"a: p99<1s\" names an operation, and op does", true},
	{"operation of a number", "version: 1\nobjectives: [{sla: p99<1s, op: 404}]\n", "op: want a text, got the number \"404\": put it in quotes", false},
	{"nothing for an operation", "version: 1\nobjectives: [{sla: p99<1s, op: }]\n", "op: want a text, got nothing", false},
	{"files of nothing", "version: 1\nobjectives: [{sla: p99<1s, files: []}]\n", "files: an empty list covers nothing", false},
	{"files of numbers", "version: 1\nobjectives: [{sla: p99<1s, files: [1]}]\n", "tailcheck.yaml:2:36: files: want a text, got the number \"1\"", false},
	{"pattern", "version: 1\nplans: [{rate: 1, files: 'a[.csv'}]\n", "tailcheck.yaml:2:26: files: the pattern \"a[.csv\" is no pattern", true},
	{"folder", "version: 1\nplans: [{rate: 1, files: load/}]\n", "ends with a slash: want what is in the folder, load/**", false},

	{"rate of nothing", "version: 1\nplans: [{rate: 0}]\n", "tailcheck.yaml:2:16: rate: want requests of all workers together a time, like 12.5/s, got the number \"0\"", false},
	{"rate below nothing", "version: 1\nplans: [{rate: -5/s}]\n", "got the text \"-5/s\"", false},
	{"rate of no end", "version: 1\nplans: [{rate: .inf}]\n", "rate: want", true},
	{"workers of parts", "version: 1\nplans: [{workers: 1.5}]\n", "workers: want the number of connections, a whole number like 10, got the number \"1.5\"", false},
	{"workers of text", "version: 1\nplans: [{workers: \"10\"}]\n", "got the text \"10\"", false},
	{"workers of many", "version: 1\nplans: [{workers: 1000001}]\n", "workers: want", false},
	{"interval without unit", "version: 1\nplans: [{interval: 80}]\n", "interval: want a text, got the number \"80\": put it in quotes", false},
	{"interval of nothing", "version: 1\nplans: [{interval: 0ms}]\n", "interval: want the planned time", true},
	{"interval of words", "version: 1\nplans: [{interval: soon}]\n", "interval: want the planned time between requests of one worker, with its unit, from 1us to 24h, like 80ms, got the text \"soon\"", false},
	{"plan of nothing", "version: 1\nplans: [{files: a.csv}]\n", "tailcheck.yaml:2:9: a plan that says nothing", false},
	{"plan against itself", "version: 1\nplans: [{rate: 12.5/s, workers: 2, interval: 80ms}]\n", "2 workers at 12.5/s are an interval of 160ms, and not of 80ms", true},
	{"plan of text", "version: 1\nplans: [12.5/s]\n", "a plan: want a mapping of files, rate, workers, interval, got the text \"12.5/s\"", false},

	{"format", "version: 1\nreading: [{format: heyy}]\n", "tailcheck.yaml:2:20: format: there is no \"heyy\", did you mean \"hey\"?", false},
	{"unit", "version: 1\nreading: [{unit: m}]\n", "unit: there is no \"m\", did you mean \"ms\"? (there are ns, us, ms, s", false},
	{"zone", "version: 1\nreading: [{tz: Europe/Atlantis}]\n", "tz: want the zone", true},
	{"log format of none", "version: 1\nreading: [{log-format: hello}]\n", "log-format is in no server's language", true},
	{"columns of a list", "version: 1\nreading: [{columns: [start=a]}]\n", "columns: want a mapping of due, start, end, latency, status, op, got a list", false},
	{"column", "version: 1\nreading: [{columns: {begin: a}}]\n", "unknown key \"begin\" in columns", false},
	{"no column", "version: 1\nreading: [{columns: {}}]\n", "columns: none are named", false},
	{"reading of nothing", "version: 1\nreading: [{files: a}]\n", "reading that says nothing", false},

	{"detector", "version: 1\nskip: [{detector: coldstart, reason: r}]\n", "detector: there is no \"coldstart\", did you mean \"cold-start\"?", false},
	{"no reason", "version: 1\nskip: [{detector: cold-start}]\n", "tailcheck.yaml:2:8: a skip without reason: want why, for who reads it in a year", false},
	{"reason of nothing", "version: 1\nskip: [{detector: cold-start, reason: ' '}]\n", "reason is empty", false},
	{"no detector", "version: 1\nskip: [{reason: r}]\n", "a skip without detector", false},
	{"skip of text", "version: 1\nskip: [cold-start]\n", "a skip: want a mapping of detector, reason, until, files, got the text \"cold-start\"", false},
	{"day", "version: 1\nskip: [{detector: cold-start, reason: r, until: 31.12.2026}]\n", "until: want a day like 2026-12-31, got the text \"31.12.2026\"", false},
	{"moment", "version: 1\nskip: [{detector: cold-start, reason: r, until: 2026-12-31T10:00:00Z}]\n", "until: want a day", false},
	{"day that is none", "version: 1\nskip: [{detector: cold-start, reason: r, until: 2026-02-30}]\n", "until: want a day", true},

	{"fail-on", "version: 1\nfail-on: warnings\n", "tailcheck.yaml:2:10: fail-on: there is no \"warnings\", did you mean \"warning\"? (there are error, warning, note, never", false},
	{"inconclusive", "version: 1\ninconclusive: 3\n", "inconclusive: want a text, got the number \"3\"", false},
	{"strict", "version: 1\nstrict: yes\n", "strict: want true or false, got the text \"yes\"", false},
	{"report", "version: 1\nreports: {junti: a.xml}\n", "tailcheck.yaml:2:11: unknown key \"junti\" in reports, did you mean \"junit\"?", false},
	{"report in a list", "version: 1\nreports: [junit]\n", "reports: want a mapping of text, ", false},
	{"report elsewhere", "version: 1\nreports: {junit: /etc/passwd}\n", "junit: want a file below the working directory, got \"/etc/passwd\": --report junit=FILE writes anywhere", false},
	{"report above", "version: 1\nreports: {junit: a/../../b.xml}\n", "below the working directory", false},
	{"report of nothing", "version: 1\nreports: {junit: }\n", "junit: want a text, got nothing", false},
}

func TestValid(t *testing.T) {
	for name, text := range valid {
		if _, err := parse(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInvalid(t *testing.T) {
	for _, c := range invalid {
		_, err := config.Read("tailcheck.yaml", open(c.text), known())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}
