package check

import "testing"

func TestRemedyNamesTheInput(t *testing.T) {
	j := &judge{inputs: []*input{{path: "a b's.jsonl"}, {path: "-"}, {path: "x\x1b.json"}, {path: "-t.json"}}}
	text := "Do this. FILE\n$ tailcheck slots --from FILE --primaries 3"
	for _, c := range []struct {
		inputs []int
		want   string
	}{
		{[]int{0}, "Do this. FILE\n$ tailcheck slots --from 'a b'\\''s.jsonl' --primaries 3"},
		{[]int{3}, "Do this. FILE\n$ tailcheck slots --from ./-t.json --primaries 3"},
		{[]int{1}, text}, {[]int{2}, text}, {[]int{0, 3}, text}, {nil, text}, {[]int{9}, text},
	} {
		if got := j.remedy(text, c.inputs); got != c.want {
			t.Errorf("%v: %q", c.inputs, got)
		}
	}
	if got := j.remedy("nothing of FILE", []int{0}); got != "nothing of FILE" {
		t.Error(got)
	}
}
