package storm

import (
	"strings"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// callKind says what a call was recognised by, from least to most.
type callKind uint8

const (
	noCall  callKind = iota
	byName           // the name of the span only
	byChild          // what it led to in another process
	byRoute          // route or procedure
	byQuery          // statement or command
)

// call is what calls are grouped by: equal ones differ in their arguments only.
type call struct {
	service string
	kind    callKind
	name    string // of the span; empty with byRoute and byQuery
	a, b    string // route, query, or service and operation of the child
}

// words names the call, for people.
func (c call) words() string {
	switch c.kind {
	case byQuery, byRoute:
		return strings.TrimSpace(c.a + " " + c.b)
	case byChild:
		if c.b == c.name {
			return c.b
		}
		return c.name + " (" + strings.TrimSpace(c.a+" "+c.b) + ")"
	}
	return c.name
}

// maxWrapped is how many spans of one process may stand around a call: a
// repository, an object-relational mapper, a driver.
const maxWrapped = 4

// describe says what a span calls. What only works in its own process calls
// nothing.
func describe(t *calltree.Trace, n calltree.Node) call {
	s := &t.Spans[n]
	c := call{service: s.Service}
	switch {
	case s.Kind == ingest.ServerSpan && !t.Crosses(n) && t.Span(t.Parent(n)) != nil:
		return call{}
	case dialogue(s):
		return call{}
	}
	at := n
	for range maxWrapped {
		s := &t.Spans[at]
		if d := s.Store; d != nil && d.Op+d.Template != "" {
			c.kind, c.a, c.b = byQuery, "", d.Template
			if c.b == "" {
				c.b = d.Op
			}
			return c
		}
		if h := s.Call; h != nil && h.Target != "" && h.Protocol == ingest.HTTP {
			c.kind, c.a, c.b = byRoute, h.Method, h.Target
			return c
		}
		if h := s.Call; h != nil && h.Method != "" && h.Protocol == ingest.RPC {
			c.kind, c.a, c.b = byRoute, "", h.Method
			return c
		}
		inner := calltree.None
		for _, k := range t.Children(at) {
			switch {
			case t.Spans[k].Setup || t.Spans[k].Async:
			case t.Crosses(k):
				c.kind, c.name, c.a, c.b = byChild, t.Spans[n].Op, t.Spans[k].Service, t.Spans[k].Op
				return c
			case inner == calltree.None:
				inner = k
			default:
				return named(s, t.Spans[n].Op, c)
			}
		}
		if inner == calltree.None {
			return named(s, t.Spans[n].Op, c)
		}
		at = inner
	}
	return call{}
}

// named is a call of which only the name is known, where the name can only be
// that of a call: names that say nothing but the protocol could be of different
// calls, and what has no kind could be work of the process itself.
func named(s *ingest.Span, op string, c call) call {
	switch s.Kind {
	case ingest.Internal:
		return call{}
	case ingest.KindUnspecified:
		if !statement(op) && !procedure(op) {
			return call{}
		}
	}
	if generic(op) {
		return call{}
	}
	c.kind, c.name = byName, op
	return c
}

// statement reports whether a name is that of a query: "SELECT shop.items".
func statement(op string) bool {
	verb, rest, _ := strings.Cut(op, " ")
	switch strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "UPSERT":
		return rest != ""
	}
	return false
}

// procedure reports whether a name is that of a remote procedure:
// "shop.Prices/Get".
func procedure(op string) bool {
	service, method, ok := strings.Cut(op, "/")
	return ok && method != "" && strings.Contains(service, ".") && !strings.ContainsAny(op, " :?")
}

// generic reports whether a name says nothing but the protocol: "GET",
// "HTTP POST", as HTTP instrumentations name spans that know no route.
func generic(op string) bool {
	if p, rest, ok := strings.Cut(op, " "); ok && (p == "HTTP" || p == "HTTPS") {
		op = rest
	}
	switch strings.ToUpper(op) {
	case "", "HTTP", "HTTPS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "REQUEST", "FETCH", "RPC", "GRPC", "QUERY", "EXECUTE":
		return true
	}
	return false
}

// dialogue reports whether a span is a turn of a conversation with a model or
// an agent, each of which depends on the one before: span names of the semantic
// conventions for generative AI, "{operation} {model or agent}".
func dialogue(s *ingest.Span) bool {
	first, rest, _ := strings.Cut(s.Op, " ")
	if rest == "" || s.Store != nil {
		return false
	}
	switch first {
	case "chat", "generate_content", "text_completion", "invoke_agent", "create_agent", "execute_tool":
		return true
	}
	return false
}

// waitedFor reports whether a span is a call of the application that its parent
// waits for: it opens no connection, is no message, and is not answered from a
// cache; one command of a pipeline shares its round trip with the others.
func waitedFor(t *calltree.Trace, n calltree.Node) bool {
	s := &t.Spans[n]
	return t.Timed(n) && !s.Setup && !s.Async && !s.Cached && (s.Store == nil || !s.Store.Pipelined && s.Store.Batch <= 1)
}
