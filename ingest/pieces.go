package ingest

import "bytes"

// MaxPieces is of how many pieces a line is put together at most; container
// runtimes cut lines at 8 or 16 KiB.
const MaxPieces = 64

// Piece reports to which stream of a container a line belongs, as its runtime
// wrote it ('o' standard output, 'e' standard error, 0: no line of a container
// runtime), and whether the line goes on in the next one of the same stream.
//
// Two layouts are known: the text log of the Container Runtime Interface
// ("2026-11-29T21:16:22.5Z stdout P text", P a piece, F the last of a line), and
// the json-file driver of Docker, in whose pieces the text ends without \n.
func Piece(line []byte) (stream byte, partial bool) {
	if len(line) > 0 && line[0]-'0' <= 9 {
		i := bytes.IndexByte(line[:min(len(line), 40)], ' ')
		if i < len("2006-01-02T15:04:05Z") || line[4] != '-' || line[10] != 'T' || len(line) < i+len(" stdout F") {
			return 0, false
		}
		switch string(line[i : i+8]) {
		case " stdout ":
			return 'o', line[i+8] == 'P'
		case " stderr ":
			return 'e', line[i+8] == 'P'
		}
		return 0, false
	}
	if !bytes.HasPrefix(line, []byte(`{"log":"`)) {
		return 0, false
	}
	const key = `","stream":"std`
	i := bytes.LastIndex(line, []byte(key))
	if i < 0 || len(line) < i+len(key)+3 {
		return 0, false
	}
	text := bytes.TrimSuffix(line[:i], []byte("n"))
	escapes := len(text) - len(bytes.TrimRight(text, `\`))
	return line[i+len(key)], len(text) == i || escapes%2 == 0
}

// cutPieces returns the end of the last line in b after which no line of a
// container is left in pieces.
func cutPieces(b []byte) int {
	end, run, last := 0, 0, byte(0)
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return end
		}
		stream, partial := Piece(b[at : at+i])
		if run > 0 && stream != last {
			run, end = 0, at // the other stream's line does not go on
		}
		at += i + 1
		if !partial {
			run, end = 0, at
			continue
		}
		run++
		last = stream
		if run == MaxPieces {
			run, end = 0, at
		}
	}
}
