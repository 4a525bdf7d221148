package trace

import (
	"bytes"
	"encoding/binary"
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

// storeSlots are what a Datastore is made of, beside the span's name and
// whether it failed.
var storeSlots = [...]slot{dbSystem, dbNamespace, dbOperation, dbCollection, dbText, dbSummary, dbBatch, dbArgs}

// storeEntry is a Datastore with what it was made of.
type storeEntry struct {
	raw   string // values of storeSlots and what else counts, as storeKey writes them
	same  uint64 // Span.Args
	setup bool
	store ingest.Datastore
}

// storeKey writes what a Datastore is made of into b.key: each part behind its
// slot and length, so that different parts give different keys.
func (b *Builder) storeKey(name []byte, failed bool) {
	k := b.key[:0]
	for _, s := range storeSlots {
		if !b.has(s) {
			continue
		}
		v := &b.value[s]
		if v.kind != kindString {
			k = append(k, byte(s), v.kind)
			k = binary.LittleEndian.AppendUint64(k, uint64(v.num))
			continue
		}
		k = append(k, byte(s), byte(len(v.str)), byte(len(v.str)>>8), byte(len(v.str)>>16), byte(len(v.str)>>24))
		k = append(k, v.str...)
	}
	if failed {
		k = append(k, 1)
	}
	b.key = append(k, name...)
}

// endStore fills in what a span says about a datastore. The result is looked up
// by the raw values: a statement is read once, however often it is called.
func (b *Builder) endStore(s *ingest.Span, name []byte) {
	if !b.hasAny(1<<dbSystem | 1<<dbText | 1<<dbOperation) {
		return
	}
	if b.has(dbText) && b.has(dbOperation) {
		name = nil // nothing is taken from it then
	}
	failed := b.code == 2
	b.storeKey(name, failed)
	hash := maphash.Bytes(b.seed, b.key)
	e := b.stores.find(hash, b.key)
	if e == nil {
		e = b.makeStore(name, failed)
		if len(b.key) <= 2*MaxStatement { // else a table of such would be large
			e.raw = string(b.key)
			b.stores.put(hash, e)
		}
	}
	s.Store, s.Setup = &e.store, e.setup
	if e.same != 0 {
		s.Args = e.same
	}
}

// makeStore reads the values.
func (b *Builder) makeStore(name []byte, failed bool) *storeEntry {
	e := &storeEntry{}
	d := &e.store
	d.System, d.Namespace, d.Keys = b.Intern(b.text(dbSystem)), b.Intern(b.text(dbNamespace)), -1
	if name, ok := systems[d.System]; ok {
		d.System = name
	}
	text := b.text(dbText)
	redis := redisLike(d.System)
	if i := bytes.Index(text, []byte(": ")); i > 0 && redis && failed {
		text = text[:i] // go-redis writes the error behind the command
	}
	d.Cut = len(text) > MaxStatement
	d.Statement = string(text[:min(len(text), MaxStatement)])
	batch, _ := b.number(dbBatch)
	d.Batch = int(min(max(batch, 0), 1<<30))
	d.Pipelined = d.Batch > 0
	visible := len(text) > 0
	if redis {
		args, _ := b.number(dbArgs)
		visible = b.redisStore(d, b.text(dbOperation), text, name, args)
		e.setup = commands[d.Op] == setupCmd
	} else {
		visible = visible && !hasPlaceholder(text)
		b.queryStore(d, text)
	}
	if visible {
		e.same = hash(text, hash([]byte(d.System), 0))
	}
	e.setup = e.setup || string(name) == "connect"
	return e
}

// queryStore fills in what a query says, in SQL or anything else but Redis.
func (b *Builder) queryStore(d *ingest.Datastore, text []byte) {
	op, summary, collection := b.text(dbOperation), b.text(dbSummary), b.text(dbCollection)
	if rest, ok := cutWord(op, "BATCH"); ok && len(rest) > 0 {
		op, d.Pipelined = rest, true
	}
	for _, t := range [...][]byte{text, summary} {
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
	case len(summary) > 0:
		d.Template = b.Intern(summary)
	case len(op) > 0 && len(collection) > 0:
		b.buf = append(append(append(b.buf[:0], d.Op...), ' '), collection...)
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
type stores struct{ table []storeRow }

type storeRow struct {
	hash uint64
	e    *storeEntry // nil: an empty row
}

func (t *stores) find(hash uint64, raw []byte) *storeEntry {
	if len(t.table) == 0 {
		return nil
	}
	mask := uint64(len(t.table) - 1)
	for i := range uint64(probe) {
		r := &t.table[(hash>>8+i)&mask]
		if r.e == nil {
			return nil
		}
		if r.hash == hash && r.e.raw == string(raw) {
			return r.e
		}
	}
	return nil
}

func (t *stores) put(hash uint64, e *storeEntry) {
	if len(t.table) == 0 {
		t.table = make([]storeRow, 256)
	}
	for !t.place(hash, e) {
		mask := uint64(len(t.table) - 1)
		if len(t.table) >= maxStores {
			t.table[(hash>>8+hash>>56%probe)&mask] = storeRow{hash, e}
			return
		}
		old := t.table
		t.table = make([]storeRow, 2*len(old))
		for _, o := range old {
			if o.e != nil {
				t.place(o.hash, o.e)
			}
		}
	}
}

func (t *stores) place(hash uint64, e *storeEntry) bool {
	mask := uint64(len(t.table) - 1)
	for i := range uint64(probe) {
		if r := &t.table[(hash>>8+i)&mask]; r.e == nil {
			*r = storeRow{hash, e}
			return true
		}
	}
	return false
}
