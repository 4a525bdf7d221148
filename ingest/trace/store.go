package trace

import (
	"bytes"
	"hash/maphash"

	"github.com/tailcheck/tailcheck/ingest"
)

// systems are the current names of stores that the stable conventions renamed
// (database migration guide).
var systems = map[string]string{
	"adabas": "softwareag.adabas", "intersystems_cache": "intersystems.cache", "cosmosdb": "azure.cosmosdb", "db2": "ibm.db2",
	"dynamodb": "aws.dynamodb", "h2": "h2database", "hanadb": "sap.hana", "informix": "ibm.informix", "ingres": "actian.ingres",
	"maxdb": "sap.maxdb", "mssql": "microsoft.sql_server", "netezza": "ibm.netezza", "oracle": "oracle.db", "redshift": "aws.redshift", "spanner": "gcp.spanner",
}

// storeKey is everything that a Datastore is made of. The texts are borrowed
// until an entry keeps them.
type storeKey struct {
	system, namespace, op, collection, text, summary, name []byte
	batch, args                                            int64
	failed                                                 bool
}

func (k *storeKey) texts() [7][]byte {
	return [...][]byte{k.system, k.namespace, k.op, k.collection, k.text, k.summary, k.name}
}

// storeEntry is a Datastore with what it was made of.
type storeEntry struct {
	hash        uint64
	raw         string // the texts of the key, one behind the other
	ends        [7]int
	batch, args int64
	failed      bool

	store *ingest.Datastore
	same  uint64 // Span.Args
	setup bool
}

func (e *storeEntry) is(k *storeKey) bool {
	if e.batch != k.batch || e.args != k.args || e.failed != k.failed {
		return false
	}
	at := 0
	for i, t := range k.texts() {
		if e.raw[at:e.ends[i]] != string(t) {
			return false
		}
		at = e.ends[i]
	}
	return true
}

// endStore fills in what a span says about a datastore. The result is looked up
// by the raw texts: a statement is read once, however often it is called.
func (b *Builder) endStore(s *ingest.Span, name []byte) {
	if !b.has(dbSystem) && !b.has(dbText) && !b.has(dbOperation) {
		return
	}
	k := storeKey{
		system: b.text(dbSystem), namespace: b.text(dbNamespace), op: b.text(dbOperation), collection: b.text(dbCollection),
		text: b.text(dbText), summary: b.text(dbSummary), failed: b.code == 2,
	}
	if redisLike(string(k.system)) || len(k.text) == 0 && len(k.op) == 0 {
		k.name = name
	}
	k.batch, _ = b.number(dbBatch)
	k.args, _ = b.number(dbArgs)
	h := uint64(k.batch)*31 + uint64(k.args)
	for _, t := range k.texts() {
		h *= 0x9e3779b97f4a7c15
		if len(t) > 0 {
			h ^= maphash.Bytes(b.seed, t)
		}
	}
	e := b.stores.find(h, &k)
	if e == nil {
		e = b.makeStore(h, &k)
		b.stores.put(e, len(k.text))
	}
	s.Store, s.Setup = e.store, e.setup
	if e.same != 0 {
		s.Args = e.same
	}
}

func (b *Builder) makeStore(h uint64, k *storeKey) *storeEntry {
	e := &storeEntry{hash: h, batch: k.batch, args: k.args, failed: k.failed}
	raw := make([]byte, 0, len(k.text)+len(k.system)+len(k.op)+len(k.name)+len(k.namespace)+len(k.collection)+len(k.summary))
	at := 0
	for i, t := range k.texts() {
		if i == 4 {
			at = len(raw)
		}
		raw = append(raw, t...)
		e.ends[i] = len(raw)
	}
	e.raw = string(raw)
	d := &ingest.Datastore{System: b.Intern(k.system), Namespace: b.Intern(k.namespace), Keys: -1}
	if name, ok := systems[d.System]; ok {
		d.System = name
	}
	text := k.text
	redis := redisLike(d.System)
	if i := bytes.Index(text, []byte(": ")); i > 0 && redis && k.failed {
		text = text[:i] // go-redis writes the error behind the command
	}
	if len(text) > MaxStatement {
		d.Statement, d.Cut = string(text[:MaxStatement]), true
	} else {
		d.Statement = e.raw[at : at+len(text)]
	}
	d.Batch = int(min(max(k.batch, 0), 1<<30))
	d.Pipelined = d.Batch > 0
	visible := len(text) > 0
	if redis {
		visible = b.redisStore(d, k.op, text, k.name, k.args)
		e.setup = commands[d.Op] == setupCmd
	} else {
		visible = visible && !hasPlaceholder(text)
		b.queryStore(d, k, text)
	}
	if visible {
		e.same = hash(text, hash(k.system, 0))
	}
	e.setup = e.setup || string(k.name) == "connect"
	e.store = d
	return e
}

// queryStore fills in what a query says, in SQL or anything else but Redis.
func (b *Builder) queryStore(d *ingest.Datastore, k *storeKey, text []byte) {
	op := k.op
	if rest, ok := cutWord(op, "BATCH"); ok && len(rest) > 0 {
		op, d.Pipelined = rest, true
	}
	for _, t := range [...][]byte{text, k.summary} {
		if w := first(bytes.TrimLeft(t, "( \t\r\n")); len(op) == 0 && isVerb(w) {
			op = w
		}
	}
	b.buf = upper(append(b.buf[:0], op...))
	d.Op = b.Intern(b.buf)
	switch {
	case len(text) > 0:
		b.buf = fold(b.buf[:0], text, text[0] == '{' || text[0] == '[')
		d.Template = b.Intern(b.buf)
	case len(k.summary) > 0:
		d.Template = b.Intern(k.summary)
	case len(op) > 0 && len(k.collection) > 0:
		b.buf = append(append(append(b.buf[:0], d.Op...), ' '), k.collection...)
		d.Template = b.Intern(b.buf)
	}
	if d.System == "memcached" {
		b.memcachedKeys(d, text)
	}
}

// memcachedKeys counts keys: pymemcache lists them behind the command.
func (b *Builder) memcachedKeys(d *ingest.Datastore, text []byte) {
	c := readCommand(text)
	switch d.Op {
	case "GET", "GETS", "SET", "ADD", "REPLACE", "APPEND", "PREPEND", "CAS", "DELETE", "INCR", "DECR", "TOUCH":
		d.Keys = 1
	case "GET_MANY", "GETS_MANY", "GET_MULTI", "GETS_MULTI", "DELETE_MANY", "DELETE_MULTI":
		d.Keys = c.keys(allKeys, c.args)
	}
}

// isVerb reports whether a word can be the verb of a query.
func isVerb(w []byte) bool {
	for _, c := range w {
		if c|0x20-'a' >= 26 {
			return false
		}
	}
	return 0 < len(w) && len(w) <= 16
}

// stores remembers entries in a bounded table, as cache does.
type stores struct{ table []*storeEntry }

func (t *stores) find(h uint64, k *storeKey) *storeEntry {
	if len(t.table) == 0 {
		return nil
	}
	mask := uint64(len(t.table) - 1)
	for i := range uint64(probe) {
		e := t.table[(h>>8+i)&mask]
		if e == nil {
			return nil
		}
		if e.hash == h && e.is(k) {
			return e
		}
	}
	return nil
}

// put remembers an entry, unless its statement is so long that a table of such
// would be large.
func (t *stores) put(e *storeEntry, statement int) {
	if statement > MaxStatement {
		return
	}
	if len(t.table) == 0 {
		t.table = make([]*storeEntry, 256)
	}
	for !t.place(e, false) {
		if len(t.table) >= maxStores {
			t.place(e, true)
			return
		}
		old := t.table
		t.table = make([]*storeEntry, 2*len(old))
		for _, o := range old {
			if o != nil {
				t.place(o, false)
			}
		}
	}
}

func (t *stores) place(e *storeEntry, replace bool) bool {
	mask := uint64(len(t.table) - 1)
	for i := range uint64(probe) {
		if p := &t.table[(e.hash>>8+i)&mask]; *p == nil {
			*p = e
			return true
		}
	}
	if replace {
		t.table[(e.hash>>8+e.hash>>56%probe)&mask] = e
	}
	return replace
}
