package lab

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/internal/simulate"
)

func rowsForFiles() []Row {
	return []Row{
		{Due: 0, Start: 37 * time.Microsecond, End: 51_356_500, Status: 200, Connect: 300 * time.Microsecond, Delay: 50_500 * time.Microsecond, Read: 200 * time.Microsecond},
		{Due: 80 * ms, Start: 80_459_499, End: 2081 * ms, Status: 200, Write: 60 * time.Microsecond},
		{Due: 160 * ms, Start: 160 * ms, End: 211 * ms, Status: 200},
	}
}

func TestWriteHeyCSV(t *testing.T) {
	var b strings.Builder
	if err := WriteHeyCSV(&b, rowsForFiles()); err != nil {
		t.Fatal(err)
	}
	want := `response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset
0.0513,0.0003,0.0000,0.0000,0.0505,0.0002,200,0.0000
0.0510,0.0000,0.0000,0.0000,0.0000,0.0000,200,0.1600
2.0005,0.0000,0.0000,0.0001,0.0000,0.0000,200,0.0805
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// The header and the number formats are those of a file that hey wrote.
func TestWriteHeyCSVLikeHey(t *testing.T) {
	recorded, err := os.ReadFile("../../../../../shared/corpus/recorded/lab/hey-c1.csv")
	if err != nil {
		t.Skip("the corpus is not there: ", err)
	}
	lines := strings.Split(string(recorded), "\n")
	var rows []Row
	for _, line := range lines[1 : len(lines)-1] {
		cells := strings.Split(line, ",")
		at := func(i int) time.Duration {
			ten, err := strconv.Atoi(strings.Replace(cells[i], ".", "", 1))
			if err != nil {
				t.Fatal(err)
			}
			return time.Duration(ten) * 100 * time.Microsecond
		}
		rows = append(rows, Row{Start: at(7), End: at(7) + at(0), Connect: at(1), Write: at(3), Delay: at(4), Read: at(5), Status: 200})
	}
	var b strings.Builder
	if err := WriteHeyCSV(&b, rows); err != nil || b.String() != string(recorded) {
		t.Errorf("the file of hey does not come back, %v:\n%s", err, b.String())
	}
}

func TestWriteCSV(t *testing.T) {
	var b strings.Builder
	if err := WriteCSV(&b, rowsForFiles()); err != nil {
		t.Fatal(err)
	}
	want := `due_s,start_s,end_s,latency_s,status
0.000000,0.000037,0.051357,0.051320,200
0.080000,0.080459,2.081000,2.000541,200
0.160000,0.160000,0.211000,0.051000,200
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestWriteRules(t *testing.T) {
	closed, open := Lab{}.Ideal()
	rows := func(requests []simulate.Request) (out []Row) {
		for _, r := range requests {
			out = append(out, Row{Due: r.Due, Start: r.Start, End: r.End, Status: 200})
		}
		return out
	}
	filled := &Figures{Count: 224, Over: 19, P50: 50e6, P90: 240e6, P99: 1840e6, Max: 2e9, Limit: limit}
	for _, tt := range []struct {
		name      string
		lab       Lab
		filled    *Figures
		want, not []string
	}{
		{"serial", Lab{}, filled, []string{
			"| 200 | 1 | 50.0 ms | 50.0 ms | 50.0 ms | 2000.0 ms | pass |",
			"| 200 | 51 | 50.0 ms | 1400.0 ms | 1940.0 ms | 2000.0 ms | **fail** |",
			"| 224 | 19 | 50.0 ms | 240.0 ms | 1840.0 ms | 2000.0 ms | **fail** |",
			"24 more were due", "1 request in 200", "1 / (12.5/s) = 80ms", "the p99 of 200 on 2.", "12.5/s x 2s = 25.", "-rate=200/16s -duration=16s",
			"check --interval 80ms --sla 'p99<500ms' closed.csv",
		}, []string{"divided by", "wrong here"}},
		{"not filled", Lab{}, nil, []string{"24 more were due"}, []string{"filled at", "The fill puts"}},
		{"isolated, fast", Lab{Server: Isolated, Scale: 10}, filled, []string{"divided by 10", "wrong here", "125/s x 200ms = 25."}, []string{"more were due"}},
	} {
		var b strings.Builder
		if err := tt.lab.WriteRules(&b, rows(closed), rows(open), tt.filled); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for _, s := range tt.want {
			if !strings.Contains(text, s) {
				t.Errorf("%s: %q is missing from\n%s", tt.name, s, text)
			}
		}
		for _, s := range append(tt.not, "{{", "<no value>", "\n\n\n") {
			if strings.Contains(text, s) {
				t.Errorf("%s: %q is in\n%s", tt.name, s, text)
			}
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 9 {
				t.Errorf("%s: %d bars in %q", tt.name, strings.Count(line, "|"), line)
			}
		}
	}
}
