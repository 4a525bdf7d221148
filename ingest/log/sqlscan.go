package log

import (
	"bytes"
	"unicode/utf8"
)

// verb says where the table of a statement is.
type verb uint8

const (
	verbNone   verb = iota
	verbPlain       // it has none
	verbFrom        // behind FROM
	verbTarget      // behind the verb
	verbDefine      // behind what kind of thing it is
	verbWith        // behind the queries comes the verb
)

// verbs are the words that statements begin with, of PostgreSQL, MySQL and
// MariaDB.
var verbs = func() map[string]verb {
	m := map[string]verb{"SELECT": verbFrom, "DELETE": verbFrom, "WITH": verbWith}
	for v, words := range map[verb]string{
		verbTarget: "INSERT REPLACE UPDATE MERGE TRUNCATE LOCK COPY VACUUM ANALYZE OPTIMIZE REINDEX REFRESH CLUSTER CALL EXECUTE CHECK CHECKSUM REPAIR HANDLER",
		verbDefine: "CREATE ALTER DROP",
		verbPlain: "ABORT BEGIN BINLOG CHANGE CHECKPOINT CLOSE COMMENT COMMIT DEALLOCATE DECLARE DESC DESCRIBE DISCARD DO END EXPLAIN FETCH FLUSH GRANT HELP IMPORT " +
			"INSTALL KILL LISTEN LOAD MOVE NOTIFY PREPARE PURGE REASSIGN RELEASE RENAME RESET RESTART REVOKE ROLLBACK SAVEPOINT SECURITY SET SHOW SHUTDOWN SIGNAL " +
			"START STOP TABLE UNINSTALL UNLISTEN UNLOCK USE VALUES XA",
	} {
		for _, w := range bytes.Fields([]byte(words)) {
			m[string(w)] = v
		}
	}
	return m
}()

// things are what is created, altered and dropped beside tables, views and indexes.
var things = wordSet("AGGREGATE CAST COLLATION CONVERSION DATABASE DOMAIN EVENT EXTENSION FUNCTION GROUP LANGUAGE LOGFILE OPERATOR OWNED POLICY PROCEDURE PUBLICATION ROLE RULE SCHEMA SEQUENCE SERVER STATISTICS SUBSCRIPTION SYSTEM TABLESPACE TEXT TRANSFORM TRIGGER TYPE USER")

// between are the words between a verb and its table.
var between = wordSet("INTO TABLE TABLES ONLY IF NOT EXISTS LOW_PRIORITY HIGH_PRIORITY DELAYED IGNORE CONCURRENTLY FULL FREEZE VERBOSE ANALYZE MATERIALIZED VIEW INDEX LOCAL NO_WRITE_TO_BINLOG LATERAL OVERWRITE")

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range bytes.Fields([]byte(s)) {
		m[string(w)] = true
	}
	return m
}

// token is a kind of what SQL is made of.
type token uint8

const (
	tokenEnd   token = iota // of the text
	tokenClose              // a semicolon
	tokenOpen               // (
	tokenShut               // )
	tokenWord               // a keyword or a name
	tokenName               // a name in quotes
	tokenOther
)

// sqlScanner cuts SQL into tokens. It takes no part of a string for one.
type sqlScanner struct {
	text      []byte
	at        int
	backslash bool
	last      token
	word      []byte // of tokenWord and tokenName
	caps      [24]byte
}

// upper returns the word in capitals; nothing, where it is longer than any keyword.
func (s *sqlScanner) upper() []byte {
	if len(s.word) > len(s.caps) {
		return nil
	}
	for i, c := range s.word {
		if c-'a' < 26 {
			c -= 'a' - 'A'
		}
		s.caps[i] = c
	}
	return s.caps[:len(s.word)]
}

func isWord(c byte) bool {
	return c|0x20-'a' < 26 || c == '_' || c-'0' <= 9 || c >= 0x80
}

// next reads a token.
func (s *sqlScanner) next() token {
	s.last = s.read()
	return s.last
}

func (s *sqlScanner) read() token {
	for s.at < len(s.text) {
		c := s.text[s.at]
		from := s.at
		s.at++
		switch {
		case c <= ' ':
		case c|0x20-'a' < 26, c == '_', c >= 0x80:
			for s.at < len(s.text) && (isWord(s.text[s.at]) || s.text[s.at] == '$') {
				s.at++
			}
			s.word = s.text[from:s.at]
			return tokenWord
		case c-'0' <= 9:
			for s.at < len(s.text) && (isWord(s.text[s.at]) || s.text[s.at] == '.') {
				s.at++
			}
			return tokenOther
		case c == '\'':
			s.quoted('\'', s.backslash)
			return tokenOther
		case c == '"', c == '`':
			s.word = s.quoted(c, false)
			return tokenName
		case c == '-' && s.peek() == '-', c == '#' && s.backslash:
			s.past([]byte("\n"))
		case c == '/' && s.peek() == '*':
			s.at++
			s.past([]byte("*/"))
		case c == '$':
			s.dollar(from)
			return tokenOther
		case c == '(':
			return tokenOpen
		case c == ')':
			return tokenShut
		case c == ';':
			return tokenClose
		default:
			return tokenOther
		}
	}
	return tokenEnd
}

func (s *sqlScanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// past goes behind the next end, or to the end of the text.
func (s *sqlScanner) past(end []byte) {
	i := bytes.Index(s.text[s.at:], end)
	if i < 0 {
		s.at = len(s.text)
		return
	}
	s.at += i + len(end)
}

// quoted reads up to the closing quote; two of them are one that is meant.
func (s *sqlScanner) quoted(quote byte, backslash bool) []byte {
	from := s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '\\' && backslash:
			s.at = min(s.at+1, len(s.text))
		case c == quote && s.peek() == quote:
			s.at++
		case c == quote:
			return s.text[from : s.at-1]
		}
	}
	return s.text[from:s.at]
}

// dollar reads a parameter ($1) or a string in dollars ($$…$$, $tag$…$tag$).
func (s *sqlScanner) dollar(from int) {
	i := s.at
	for i < len(s.text) && isWord(s.text[i]) {
		i++
	}
	if i == len(s.text) || s.text[i] != '$' || s.text[s.at]-'0' <= 9 {
		s.at = i
		return
	}
	s.at = i + 1
	s.past(s.text[from : i+1])
}

// Bounds of a table's name, in bytes, and in parts: database, schema, table.
const (
	maxTable      = 64
	maxTableParts = 3
)

// table appends the name of the table that comes next, behind words that are
// none, and reports whether there is one.
func (s *Statements) table() bool {
	for range 8 {
		switch s.next() {
		case tokenWord:
			if between[string(s.upper())] {
				continue
			}
		case tokenName:
		default:
			return false
		}
		s.buf = append(s.buf, ' ')
		for n := 1; ; n++ {
			s.buf = foldTable(s.buf, s.word)
			if n == maxTableParts || s.peek() != '.' {
				return true
			}
			s.at++
			if t := s.next(); t != tokenWord && t != tokenName {
				return true
			}
			s.buf = append(s.buf, '.')
		}
	}
	return false
}

// foldTable appends a name with what varies folded away.
func foldTable(dst, name []byte) []byte {
	if len(name) > maxTable || !utf8.Valid(name) {
		return append(dst, "{text}"...)
	}
	for n := 0; ; n++ {
		end := bytes.IndexByte(name, '_')
		word := name
		if end >= 0 {
			word = name[:end]
		}
		digits, letters, hex := 0, 0, true
		for i, c := range word {
			k := kinds[c]
			if k == byteDigit {
				digits++
			} else if letters == i {
				letters++
			}
			hex = hex && k&(byteDigit|byteHex) != 0
		}
		switch {
		case digits < 2 && (digits+letters < 8 || !hex || digits == 0):
			for _, c := range word {
				if c < ' ' || c == 0x7f {
					c = '?'
				}
				dst = append(dst, c)
			}
		case letters >= 3 && !hex:
			dst = append(append(dst, word[:letters]...), "{id}"...)
		default:
			dst = append(dst, "{id}"...)
		}
		if end < 0 {
			return dst
		}
		dst = append(dst, '_')
		name = name[end+1:]
	}
}
