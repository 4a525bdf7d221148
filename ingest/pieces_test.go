package ingest

import (
	"strings"
	"testing"
)

func TestPiece(t *testing.T) {
	for in, want := range map[string]struct {
		stream  byte
		partial bool
	}{
		"2026-11-29T21:16:22.5Z stdout F x":            {'o', false},
		"2026-11-29T21:16:22.5+01:00 stderr P x":       {'e', true},
		"2026-11-29T21:16:22Z stdout P":                {'o', true},
		"2026-11-29T21:16:22Z stdout ":                 {},
		"2026-11-29T21:16:22Z x F":                     {},
		"127.0.0.1 - - [29/Nov/2026:21:16:22]":         {},
		"":                                             {},
		`{"log":"x\n","stream":"stdout","time":"z"}`:   {'o', false},
		`{"log":"x","stream":"stderr","time":"z"}`:     {'e', true},
		`{"log":"","stream":"stderr","time":"z"}`:      {'e', true},
		`{"log":"x\\n","stream":"stdout","time":"z"}`:  {'o', true},
		`{"log":"x\\\n","stream":"stdout","time":"z"}`: {'o', false},
		`{"log":"x`:                     {},
		`{"log":"x\n","stream":"std`:    {},
		`{"a":"x\n","stream":"stdout"}`: {},
	} {
		if stream, partial := Piece([]byte(in)); stream != want.stream || partial != want.partial {
			t.Errorf("%s: %c %v", in, stream, partial)
		}
	}
}

func TestSplitPieces(t *testing.T) {
	p, f := "2026-11-29T21:16:22Z stdout P x\n", "2026-11-29T21:16:22Z stdout F x\n"
	e := "2026-11-29T21:16:22Z stderr P x\n"
	for in, want := range map[string]string{
		f + f:                          f + f,
		f + p:                          f,
		f + p + p:                      f,
		p + f + p:                      p + f,
		p + p:                          "",
		f + p + f[:20]:                 f,
		"plain\n" + p:                  "plain\n",
		strings.Repeat(p, MaxPieces):   strings.Repeat(p, MaxPieces),
		strings.Repeat(p, MaxPieces+1): strings.Repeat(p, MaxPieces),
		strings.Repeat(p+e, MaxPieces): strings.Repeat(p+e, MaxPieces-1) + p,
		strings.Repeat(p+e, 3) + f:     strings.Repeat(p+e, 3) + f,
		"no line feed":                 "",
	} {
		if got := SplitPieces.Cut([]byte(in)); in[:got] != want {
			t.Errorf("%.60q of %d bytes is cut behind %d", in, len(in), got)
		}
	}
}
