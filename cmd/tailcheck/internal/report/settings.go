package report

import "fmt"

// sentence says a setting, and whether it counts.
func (s *Setting) sentence() string {
	what, where := s.Name+" "+s.Value, s.From
	if s.Until != nil {
		where += ", until " + *s.Until
	}
	if s.Files != "" {
		what += " for " + s.Files
	}
	switch {
	case s.Overruled != nil:
		return fmt.Sprintf("%s (%s): not so, %s says otherwise", what, where, *s.Overruled)
	case s.Reason != nil:
		return fmt.Sprintf("%s (%s): %s", what, where, *s.Reason)
	}
	return fmt.Sprintf("%s (%s)", what, where)
}

// origin says where an objective stands, unless it was given by a flag: who gave
// it knows.
func (o *Objective) origin() string {
	if o.From == nil || *o.From == "--sla" {
		return ""
	}
	return " (" + *o.From + ")"
}

// settings prints what tailcheck.yaml says beside objectives and plans, which
// stand where they count.
func (t text) settings() {
	n := len(t.r.Settings)
	if n == 0 {
		return
	}
	t.section()
	t.text(0, 2, "settings")
	for i := range t.r.Settings {
		if i == maxProblems {
			t.text(2, 2, fmt.Sprintf("and %d more; --output json lists them", n-i))
			break
		}
		t.text(2, 2, t.r.Settings[i].sentence())
	}
}
