package trace

import (
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// Sources: what the instrumentations of clients write (their source), and
// the attributes in the recorded files of the corpus.
func TestDatastore(t *testing.T) {
	store := func(system, op string, keys, batch int, pipelined bool) ingest.Datastore {
		return ingest.Datastore{System: system, Op: op, Keys: keys, Batch: batch, Pipelined: pipelined}
	}
	for _, test := range []struct {
		name     string
		span     string
		attrs    attrs
		want     ingest.Datastore // Statement and Template are compared apart
		template string
		args     bool // visible
		setup    bool
	}{
		{"go-redis, one key", "mget", attrs{"db.system", "redis", "db.statement", "mget user:36:profile"}, store("redis", "MGET", 1, 0, false), "MGET user:{}:profile", true, false},
		{"go-redis, three keys", "mget", attrs{"db.system", "redis", "db.statement", "mget a:1 a:2 a:3"}, store("redis", "MGET", 3, 0, false), "MGET a:{}", true, false},
		{"go-redis, statement off", "mget", attrs{"db.system", "redis"}, store("redis", "MGET", -1, 0, false), "", false, false},
		{"go-redis, single-key command without statement", "get", attrs{"db.system", "redis"}, store("redis", "GET", 1, 0, false), "", false, false},
		{"go-redis pipeline", "redis.pipeline get", attrs{"db.system", "redis", "db.redis.num_cmd", 2, "db.statement", "get a:1\nget a:2"}, store("redis", "GET", 2, 2, true), "GET a:{}", true, false},
		{"go-redis pipeline, statement off", "redis.pipeline get", attrs{"db.system", "redis", "db.redis.num_cmd", 19}, store("redis", "GET", -1, 19, true), "", false, false},
		{"go-redis mixed pipeline", "redis.pipeline get set", attrs{"db.system", "redis", "db.redis.num_cmd", 2, "db.statement", "get a\nset b 1"}, store("redis", "PIPELINE", -1, 2, true), "PIPELINE", true, false},
		{"go-redis handshake", "redis.pipeline client", attrs{"db.system", "redis", "db.redis.num_cmd", 2, "db.statement", "client setinfo LIB-NAME go-redis\nclient setinfo LIB-VER 9.23.0"}, store("redis", "CLIENT", 0, 2, true), "CLIENT", true, true},
		{"go-redis dial", "redis.dial", attrs{"db.system", "redis"}, store("redis", "", -1, 0, false), "", false, true},
		{"go-redis hello", "hello", attrs{"db.system", "redis", "db.statement", "hello 3"}, store("redis", "HELLO", 0, 0, false), "HELLO", true, true},
		{"go-redis cluster slots", "cluster slots", attrs{"db.system", "redis", "db.statement", "cluster slots"}, store("redis", "CLUSTER", 0, 0, false), "CLUSTER", true, true},
		{"go-redis, a port as number", "get", attrs{"db.system", "redis", "db.statement", "get a", "server.port", 7101}, store("redis", "GET", 1, 0, false), "GET a", true, false},
		{"node-redis MGET", "redis-MGET", attrs{"db.system.name", "redis", "db.operation.name", "MGET", "db.query.text", "MGET [1 other arguments]"}, store("redis", "MGET", 1, 0, false), "MGET", false, false},
		{"node-redis GET", "redis-GET", attrs{"db.system.name", "redis", "db.operation.name", "GET", "db.query.text", "GET user:0:profile"}, store("redis", "GET", 1, 0, false), "GET user:{}:profile", true, false},
		{"node-redis connect", "redis-connect", attrs{"db.system.name", "redis"}, store("redis", "CONNECT", 0, 0, false), "", false, true},
		{"node-redis multi", "redis-GET", attrs{"db.system.name", "redis", "db.operation.name", "MULTI GET", "db.query.text", "GET a"}, store("redis", "GET", 1, 0, true), "GET a", true, false},
		{"ioredis mget", "mget", attrs{"db.system.name", "redis", "db.operation.name", "mget", "db.query.text", "mget [24 other arguments]"}, store("redis", "MGET", 24, 0, false), "MGET", false, false},
		{"ioredis pipeline", "get", attrs{"db.system.name", "redis", "db.operation.name", "PIPELINE get", "db.query.text", "get price:{eu}:1003"}, store("redis", "GET", 1, 0, true), "GET price:{eu}:{}", true, false},
		{"ioredis connect", "connect", attrs{"db.system.name", "redis", "db.query.text", "connect"}, store("redis", "CONNECT", 0, 0, false), "CONNECT", false, true},
		{"ioredis info", "info", attrs{"db.system.name", "redis", "db.query.text", "info", "db.operation.name", "info"}, store("redis", "INFO", 0, 0, false), "INFO", false, true},
		{"redis-py", "MGET", attrs{"db.system", "redis", "db.statement", "MGET ? ? ?", "db.redis.args_length", 4}, store("redis", "MGET", 3, 0, false), "MGET", false, false},
		{"redis-py, cut text", "MGET", attrs{"db.system", "redis", "db.statement", "MGET ? ?", "db.redis.args_length", 501}, store("redis", "MGET", 500, 0, false), "MGET", false, false},
		{"redis-py pipeline", "GET GET", attrs{"db.system", "redis", "db.statement", "GET ?\nGET ?", "db.redis.pipeline_length", 2}, store("redis", "GET", 2, 2, true), "GET", false, false},
		{".NET, command only", "MGET", attrs{"db.system", "redis", "db.statement", "MGET"}, store("redis", "MGET", -1, 0, false), "MGET", false, false},
		{"Lettuce, new conventions", "MGET", attrs{"db.system.name", "redis", "db.query.text", "MGET k1 k2", "db.operation.name", "MGET"}, store("redis", "MGET", 2, 0, false), "MGET k{}", true, false},
		{"Lettuce pipeline", "PIPELINE GET", attrs{"db.system.name", "redis", "db.operation.name", "PIPELINE GET", "db.operation.batch.size", 24}, store("redis", "GET", -1, 24, true), "", false, false},
		{"both conventions", "get", attrs{"db.system", "redis", "db.system.name", "redis", "db.statement", "get old", "db.query.text", "get new"}, store("redis", "GET", 1, 0, false), "GET new", true, false},
		{"MSET", "mset", attrs{"db.system", "redis", "db.statement", "mset a 1 b 2"}, store("redis", "MSET", 2, 0, false), "MSET a", true, false},
		{"EVAL", "eval", attrs{"db.system", "redis", "db.statement", "eval script 2 a b 1"}, store("redis", "EVAL", 2, 0, false), "EVAL", true, false},
		{"an unknown command", "ft.search", attrs{"db.system", "redis", "db.statement", "ft.search idx x"}, store("redis", "FT.SEARCH", -1, 0, false), "FT.SEARCH idx", true, false},
		{"failed go-redis command", "mget", attrs{"db.system", "redis", "db.statement", "mget a b: CROSSSLOT Keys in request"}, store("redis", "MGET", 2, 0, false), "MGET a", true, false},
		{"SQL", "SELECT", attrs{"db.system", "postgresql", "db.statement", "SELECT * FROM t1 WHERE id = 42 AND n IN (1, 2, 3) -- x"}, store("postgresql", "SELECT", -1, 0, false), "SELECT * FROM t1 WHERE id = ? AND n IN (?)", true, false},
		{"sanitised SQL", "SELECT", attrs{"db.system.name", "mysql", "db.query.text", "SELECT a FROM b WHERE id = ?", "db.query.summary", "SELECT b", "db.operation.name", "SELECT"}, store("mysql", "SELECT", -1, 0, false), "SELECT a FROM b WHERE id = ?", false, false},
		{"sqlcommenter", "q", attrs{"db.system", "postgresql", "db.statement", "SELECT 1 /*traceparent='00-aa-bb-01'*/"}, store("postgresql", "SELECT", -1, 0, false), "SELECT ?", true, false},
		{"summary only", "SELECT orders", attrs{"db.system.name", "postgresql", "db.query.summary", "SELECT orders"}, store("postgresql", "SELECT", -1, 0, false), "SELECT orders", false, false},
		{"renamed system", "q", attrs{"db.system", "mssql", "db.operation", "SELECT"}, store("microsoft.sql_server", "SELECT", -1, 0, false), "", false, false},
		{"DynamoDB", "DynamoDB.BatchGetItem", attrs{"db.system", "dynamodb", "db.operation", "BatchGetItem", "aws.dynamodb.table_names", "orders"}, store("aws.dynamodb", "BATCHGETITEM", -1, 0, false), "BATCHGETITEM orders", false, false},
		{"MongoDB", "orders.find", attrs{"db.system", "mongodb", "db.operation", "find", "db.statement", `{"find": "orders", "filter": {"_id": "5f1e"}}`}, store("mongodb", "FIND", -1, 0, false), `{"find": ?, "filter": {"_id": ?}}`, true, false},
		{"memcached", "get_many", attrs{"db.system", "memcached", "db.operation", "get_many", "db.statement", "get_many a b c"}, store("memcached", "GET_MANY", 3, 0, false), "get_many a b c", true, false},
		{"JDBC batch", "BATCH INSERT t", attrs{"db.system.name", "mysql", "db.operation.name", "BATCH INSERT", "db.operation.batch.size", 50}, store("mysql", "INSERT", -1, 50, true), "", false, false},
		{"Hikari tag", "executeQuery", attrs{"sql", "select name from owners where id=7"}, store("", "SELECT", -1, 0, false), "select name from owners where id=?", true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			code := 0
			if strings.HasPrefix(test.name, "failed") {
				code = 2
			}
			b := NewBuilder()
			s := build(t, b, ingest.ClientSpan, code, "", test.span, test.attrs)
			if s.Store == nil {
				t.Fatal("no datastore")
			}
			got := *s.Store
			if got.Template != test.template {
				t.Errorf("template %q, want %q", got.Template, test.template)
			}
			got.Statement, got.Template = "", ""
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
			if (s.Args != 0) != test.args || s.Setup != test.setup {
				t.Errorf("args visible %t, setup %t; want %t, %t", s.Args != 0, s.Setup, test.args, test.setup)
			}
			if again := build(t, b, ingest.ClientSpan, code, "", test.span, test.attrs); again.Store != s.Store || again.Args != s.Args {
				t.Error("the same attributes give another datastore")
			}
		})
	}
}

func TestFold(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"SELECT a, b FROM t2 WHERE x = 'it''s' AND y = \"Col\"", "SELECT a, b FROM t2 WHERE x = ? AND y = \"Col\""},
		{"SELECT  *\n\tFROM t\nWHERE id IN (1,2, 3 , 4)", "SELECT * FROM t WHERE id IN (?)"},
		{"INSERT INTO t (a, b) VALUES ($1, $2);", "INSERT INTO t (a, b) VALUES (?)"},
		{"UPDATE t SET a = a + 1.5e3, b = -2 -- why\nWHERE c = 0xff", "UPDATE t SET a = a + ?, b = -? WHERE c = ?"},
		{"SELECT 1 /* a /* b */ FROM x", "SELECT ? FROM x"},
		{"SELECT 'unterminated", "SELECT ?"},
		{"/* unterminated", ""},
		{"call p('a', 'b')", "call p(?)"},
	} {
		if got := string(fold(nil, []byte(test.in), false)); got != test.want {
			t.Errorf("%q folds to %q, want %q", test.in, got, test.want)
		}
	}
}

func TestLongStatement(t *testing.T) {
	long := "mget" + strings.Repeat(" key", 1000)
	s := build(t, NewBuilder(), ingest.ClientSpan, 0, "", "mget", attrs{"db.system", "redis", "db.statement", long})
	other := build(t, NewBuilder(), ingest.ClientSpan, 0, "", "mget", attrs{"db.system", "redis", "db.statement", long + "x"})
	if s.Store.Keys != 1000 || len(s.Store.Statement) != MaxStatement || !s.Store.Cut || s.Args == other.Args {
		t.Errorf("keys %d, %d bytes, cut %t, same %t", s.Store.Keys, len(s.Store.Statement), s.Store.Cut, s.Args == other.Args)
	}
}
