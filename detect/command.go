package detect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the longest word of a command, in bytes: operations may be whole
// statements, and nobody copies those.
const maxWord = 200

// Command returns a line for the end of a remedy, a command that looks further
// into what was found: "\n$ tailcheck whatif scatter --from FILE --op 'GET /x'".
// Words are quoted for a shell. FILE stands for the path of the input, which the
// command puts in its place; it comes before all words that inputs wrote. Empty:
// a word cannot be written in a line, and be read there as it is.
func Command(words ...string) string {
	line := "\n$ tailcheck"
	for _, w := range words {
		q, ok := Quote(w)
		if !ok || len(w) > maxWord {
			return ""
		}
		line += " " + q
	}
	return line
}

// Quote writes a text as one word of a shell. False: it holds what a report would
// show in another way than it is, such as control characters.
func Quote(w string) (string, bool) {
	plain := w != ""
	if !utf8.ValidString(w) || strings.Contains(w, "##[") {
		return "", false
	}
	for _, r := range w {
		if !unicode.IsPrint(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			return "", false
		}
		plain = plain && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_./:=@%+,-", r))
	}
	if plain {
		return w, true
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'", true
}
