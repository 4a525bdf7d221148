package log

// Statements turns SQL into the names of operations: what is done and the first
// table, "SELECT orders", "CREATE INDEX orders", "COMMIT"; never a literal. The
// name follows from the text alone, and costs no allocation when it is known.
// The rules:
//
//   - comments, strings and parameters are passed over; WITH is what follows its
//     queries; of several statements in one text the first that has a table counts;
//   - the first table is that behind FROM, INTO, UPDATE and the like, in a query
//     before those around it; FROM in EXTRACT(… FROM …) is none;
//   - of the words of a table's name, between underscores, those with two digits or
//     more become {id}, behind three letters or more, which stay:
//     metrics_p2026_11 is metrics_{id}_{id}, vendor11 is vendor{id};
//   - a verb that no server has is "(other statement)".
//
// The zero value is ready, and reads PostgreSQL's strings.
type Statements struct {
	Backslash bool // in strings a backslash escapes, as in MySQL

	names Names
	buf   []byte
	sqlScanner
}

// NoStatement is the operation where there is no text, otherStatement where its
// verb is unknown.
const (
	NoStatement    = "(no statement)"
	otherStatement = "(other statement)"
)

// MaxStatement is how much of a text is looked at, in bytes.
const MaxStatement = 4096

// Op returns the operation of a text, behind prefix. whole is false where the
// text ends before the table that its verb can have: more lines may hold it.
func (s *Statements) Op(prefix string, text []byte) (op string, whole bool) {
	cut := len(text) > MaxStatement
	s.text, s.at, s.backslash = text[:min(len(text), MaxStatement)], 0, s.Backslash
	s.buf = append(s.buf[:0], prefix...)
	first, known := len(s.buf), 0
	for range maxStatements {
		s.buf = s.buf[:max(first, known)]
		from := len(s.buf)
		end := s.statement()
		if end.table || end.seeks {
			s.buf = append(s.buf[:first], s.buf[from:]...)
			return s.names.Intern(s.buf), end.table || end.closed || cut
		}
		if known == 0 {
			known = len(s.buf)
		}
		if !end.closed {
			break
		}
	}
	s.buf = s.buf[:max(first, known)]
	if len(s.buf) == first {
		s.buf = append(s.buf, NoStatement...)
		return s.names.Intern(s.buf), cut
	}
	return s.names.Intern(s.buf), true
}

// maxStatements is how many statements of one text are looked at.
const maxStatements = 16

// ending is how the reading of a statement ended.
type ending struct {
	table  bool // with its table
	seeks  bool // without, although its verb can have one
	closed bool // at its semicolon
}

// statement appends the operation of the next statement to buf: nothing, where
// there is none.
func (s *Statements) statement() ending {
	t := s.next()
	for t == tokenOpen {
		t = s.next() // (SELECT …) UNION …
	}
	switch t {
	case tokenEnd:
		return ending{}
	case tokenClose: // a stray semicolon
		return ending{closed: true}
	case tokenWord:
	default:
		s.buf = append(s.buf, otherStatement...)
		return ending{closed: s.skip()}
	}
	v := verbs[string(s.upper())]
	if v == verbWith {
		if v = s.with(); v == verbNone {
			return ending{seeks: true}
		}
	}
	switch v {
	case verbNone:
		s.buf = append(s.buf, otherStatement...)
		return ending{closed: s.skip()}
	case verbPlain:
		s.buf = append(s.buf, s.upper()...)
		return ending{closed: s.skip()}
	case verbDefine:
		return s.define()
	}
	s.buf = append(s.buf, s.upper()...)
	if v == verbFrom {
		return s.from()
	}
	return s.target()
}

// skip passes over the rest of a statement and reports whether it was closed.
func (s *Statements) skip() bool {
	for {
		switch s.next() {
		case tokenEnd:
			return false
		case tokenClose:
			return true
		}
	}
}

// with passes over the queries of WITH, to the verb that they are for.
func (s *Statements) with() verb {
	for depth := 0; ; {
		switch s.next() {
		case tokenEnd, tokenClose:
			s.buf = append(s.buf, "WITH"...)
			return verbNone
		case tokenOpen:
			depth++
		case tokenShut:
			depth--
		case tokenWord:
			if depth > 0 {
				continue
			}
			switch v := verbs[string(s.upper())]; v {
			case verbFrom, verbTarget:
				return v
			}
		}
	}
}

// from looks for the first FROM of a query and reads the table behind it.
func (s *Statements) from() ending {
	const most = 64
	queries, depth := uint64(1), 0 // bit d: what is between parentheses at depth d is a query
	first := false                 // the last token opened them
	for {
		t := s.next()
		opened := first
		first = false
		switch t {
		case tokenEnd:
			return ending{seeks: true}
		case tokenClose:
			return ending{seeks: true, closed: true}
		case tokenOpen:
			if depth++; depth >= most {
				return ending{seeks: true, closed: true}
			}
			queries &^= 1 << depth
			first = true
		case tokenShut:
			if depth > 0 {
				depth--
			}
		case tokenWord:
			switch string(s.upper()) {
			case "SELECT", "WITH":
				if opened {
					queries |= 1 << depth
				}
			case "FROM":
				if queries&(1<<depth) != 0 && s.table() {
					return ending{table: true}
				}
			}
		}
	}
}

// target reads the table behind a verb and words that are none.
func (s *Statements) target() ending {
	if s.table() {
		return ending{table: true}
	}
	if s.last == tokenOpen { // COPY (SELECT …), VACUUM (FULL) t
		return s.behind()
	}
	return ending{seeks: true, closed: s.last == tokenClose || s.skip()}
}

// behind reads a query in parentheses, or the table behind a list of options.
func (s *Statements) behind() ending {
	if s.next() == tokenWord {
		if v := verbs[string(s.upper())]; v == verbFrom || v == verbWith {
			return s.from()
		}
	}
	for depth := 1; ; {
		switch s.last {
		case tokenEnd:
			return ending{seeks: true}
		case tokenClose:
			return ending{seeks: true, closed: true}
		case tokenOpen:
			depth++
		case tokenShut:
			if depth--; depth == 0 {
				if s.table() {
					return ending{table: true}
				}
				return ending{seeks: true, closed: s.last == tokenClose || s.skip()}
			}
		}
		s.next()
	}
}

// define reads CREATE, ALTER and DROP: what kind of thing, and for tables, views
// and indexes which.
func (s *Statements) define() ending {
	from := len(s.buf)
	s.buf = append(s.buf, s.upper()...)
	create := string(s.buf[from:]) == "CREATE"
	for range 8 {
		if s.next() != tokenWord {
			return ending{closed: s.last == tokenClose || s.skip()}
		}
		kind := s.upper()
		switch string(kind) {
		case "TABLE", "VIEW":
			s.buf = append(append(s.buf, ' '), kind...)
			return s.target()
		case "INDEX":
			s.buf = append(append(s.buf, ' '), kind...)
			if !create {
				return ending{closed: s.skip()}
			}
			for {
				switch s.next() {
				case tokenEnd:
					return ending{seeks: true}
				case tokenClose:
					return ending{seeks: true, closed: true}
				case tokenWord:
					if string(s.upper()) == "ON" {
						return s.target()
					}
				}
			}
		}
		if things[string(kind)] {
			s.buf = append(append(s.buf, ' '), kind...)
			return ending{closed: s.skip()}
		}
	}
	return ending{closed: s.skip()}
}
