package ingest

import "testing"

func TestSplitCut(t *testing.T) {
	for _, test := range []struct {
		split Split
		in    string
		want  int
	}{
		{SplitNever, "a\nb\n", 0},
		{SplitLines, "", 0},
		{SplitLines, "abc", 0},
		{SplitLines, "ab\ncd\nef", 6},
		{SplitLines, "ab\n", 3},
		{SplitFrames, "", 0},
		{SplitFrames, "\x00\x00\x00", 0},
		{SplitFrames, "\x00\x00\x00\x02ab", 6},
		{SplitFrames, "\x00\x00\x00\x02ab\x00\x00\x00\x03cd", 6},
		{SplitFrames, "\x00\x00\x00\x00\x00\x00\x00\x01x", 9},
		{SplitFrames, "\xff\xff\xff\xffabc", 0},
	} {
		if got := test.split.Cut([]byte(test.in)); got != test.want {
			t.Errorf("split %d cuts %q at %d, want %d", test.split, test.in, got, test.want)
		}
	}
}

func TestSplitOf(t *testing.T) {
	f := Format{Split: SplitLines}
	if got := f.SplitOf(nil); got != SplitLines {
		t.Errorf("SplitOf without SplitFor = %d", got)
	}
	f.SplitFor = func(head []byte) Split {
		if len(head) > 0 && head[0] == 0 {
			return SplitFrames
		}
		return SplitNever
	}
	if got := f.SplitOf([]byte{0}); got != SplitFrames {
		t.Errorf("SplitOf by head = %d", got)
	}
}
