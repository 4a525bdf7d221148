package report

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// checkCSV reads the table again: as many cells in each row, lines that end in
// CRLF, no cell that a spreadsheet would run, nothing that a terminal would obey.
func checkCSV(t *testing.T, name, s string) []map[string]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(s)).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if n := strings.Count(s, "\n"); n != len(rows) || strings.Count(s, "\r\n") != n {
		t.Errorf("%s: %d rows in %d lines", name, len(rows), n)
	}
	var out []map[string]string
	for i, r := range rows {
		m := map[string]string{}
		for c, cell := range r {
			m[rows[0][c]] = cell
			if Safe(cell) != cell {
				t.Errorf("%s: row %d: not safe: %q", name, i, cell)
			}
			if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" && strings.ContainsAny(strings.TrimLeft(cell, " ")+" ", "=+-@") && strings.IndexAny(strings.TrimLeft(cell, " "), "=+-@") == 0 {
				t.Errorf("%s: row %d: a formula: %q", name, i, cell)
			}
		}
		if i > 0 {
			out = append(out, m)
		}
	}
	return out
}

func TestCSV(t *testing.T) {
	for _, c := range results {
		r := c.make()
		n := map[string]int{}
		for _, x := range checkCSV(t, c.name, render(t, CSV, r, Options{})) {
			n[x["row"]]++
		}
		if n["verdict"] != 1 || n["objective"] != len(r.Objectives) || n["finding"] != len(r.Findings) || n["problem"] != len(r.Problems) || n["skipped"] != len(r.Skipped) {
			t.Errorf("%s: %v", c.name, n)
		}
	}
	for _, s := range []string{"=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "'=1", " =1", "＝1", "a,b\"c\nd", "=HYPERLINK(\"http://evil\")", "|x", "%x", "", "'"} {
		rows := checkCSV(t, s, render(t, CSV, withText(s), Options{}))
		cell := rows[0]["text"]
		if back := strings.TrimPrefix(cell, "'"); back != Safe(s) {
			t.Errorf("%q became %q", s, cell)
		}
	}
	checkCSV(t, "huge", render(t, CSV, huge(1000), Options{}))
}

// Every figure of the JSON is in the table.
func TestCSVLosesNothing(t *testing.T) {
	rows := checkCSV(t, "", render(t, CSV, flips(), Options{}))
	want := map[string][2]string{"p50": {"50.6", "50.6"}, "p75": {"50.6", "50.7"}, "p90": {"50.7", "240.7"}, "p95": {"50.7", "1120.7"}, "p99": {"51.2", "1840.7"}, "p99.9": {"2000.7", "2000.7"},
		"p99.99": {"2000.7", "2000.7"}, "max": {"2000.7", "2000.7"}, "mean": {"60.3", "161.1"}, "min": {"50.4", "50.4"}, "samples": {"200", "224"}}
	for _, r := range rows {
		if r["row"] != "percentile" {
			continue
		}
		if w, ok := want[r["name"]]; !ok || w != [2]string{r["raw"], r["corrected"]} {
			t.Errorf("%s: %s and %s, want %v", r["name"], r["raw"], r["corrected"], w)
		}
		if r["method"] != "fill" || r["interval_ms"] != "80" || r["interval_from"] != "'--interval" || r["raw_kind"] != "raw" {
			t.Errorf("%v", r)
		}
		delete(want, r["name"])
	}
	if len(want) > 0 {
		t.Errorf("without %v", want)
	}
	got := ""
	for _, r := range checkCSV(t, "", render(t, CSV, bounds(), Options{})) {
		if r["name"] == "p99" || r["row"] == "objective" {
			got += fmt.Sprintln(r["input"], r["line"], r["raw"], r["corrected_low"], r["corrected_high"], r["verdict"])
		}
	}
	if want := "ci.log 214 51.2 1680.7 1930.1 \nci.log 214 51.2 1680.7 1930.1 fail\n"; got != want {
		t.Errorf("%s", got)
	}
}
