package samples

import (
	"bytes"
	"errors"
	"strings"
)

// splitter cuts lines of a CSV into fields, which are valid until the next line.
type splitter struct {
	fields  [][]byte
	scratch []byte // of fields that hold doubled quotes
	most    int    // fields wanted; a line with more is cut no further; 0: all
}

var (
	errOpenQuote   = errors.New("a quote is not closed on its line")
	errBehindQuote = errors.New("text behind a closing quote")
	errTooMany     = errors.New("a row of more columns than the header has")
)

// split cuts a line into its fields. A field may be quoted; a quote in it is
// doubled.
func (sp *splitter) split(line []byte) error {
	sp.fields, sp.scratch = sp.fields[:0], sp.scratch[:0]
	for {
		if sp.most > 0 && len(sp.fields) == sp.most {
			return errTooMany
		}
		if len(line) == 0 || line[0] != '"' {
			i := bytes.IndexByte(line, ',')
			if i < 0 {
				sp.fields = append(sp.fields, line)
				return nil
			}
			sp.fields = append(sp.fields, line[:i])
			line = line[i+1:]
			continue
		}
		value, rest, err := sp.quoted(line[1:])
		if err != nil {
			return err
		}
		sp.fields = append(sp.fields, value)
		if len(rest) == 0 {
			return nil
		}
		if rest[0] != ',' {
			return errBehindQuote
		}
		line = rest[1:]
	}
}

// quoted reads a field behind its opening quote.
func (sp *splitter) quoted(b []byte) (value, rest []byte, err error) {
	i := bytes.IndexByte(b, '"')
	if i < 0 {
		return nil, nil, errOpenQuote
	}
	if i+1 == len(b) || b[i+1] != '"' {
		return b[:i], b[i+1:], nil
	}
	from := len(sp.scratch)
	for {
		sp.scratch = append(sp.scratch, b[:i]...)
		b = b[i+1:]
		if len(b) == 0 || b[0] != '"' {
			return sp.scratch[from:], b, nil
		}
		sp.scratch = append(sp.scratch, '"')
		b = b[1:]
		if i = bytes.IndexByte(b, '"'); i < 0 {
			return nil, nil, errOpenQuote
		}
	}
}

// excerpt returns the start of a text for a message.
func excerpt(b []byte) string {
	const most = 60
	s := strings.ToValidUTF8(string(b[:min(len(b), most)]), "\uFFFD")
	if len(b) > most {
		s += "…"
	}
	return s
}
