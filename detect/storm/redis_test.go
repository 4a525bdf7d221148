package storm

import (
	"slices"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

func TestVisibleKeys(t *testing.T) {
	for _, c := range []struct {
		d    ingest.Datastore
		keys []string
		all  bool
	}{
		{ingest.Datastore{Op: "MGET", Statement: "mget a b  c", Keys: 3}, []string{"a", "b", "c"}, true},
		{ingest.Datastore{Op: "MGET", Statement: "MGET ? ?", Keys: 2}, nil, false},
		{ingest.Datastore{Op: "MGET", Statement: "MGET [2 other arguments]", Keys: 2}, nil, false},
		{ingest.Datastore{Op: "MGET", Statement: "MGET", Keys: -1}, nil, false},
		{ingest.Datastore{Op: "MGET", Keys: 1}, nil, false},
		{ingest.Datastore{Op: "MGET", Statement: "mget aa bb cc", Cut: true, Keys: 3}, []string{"aa", "bb"}, false},
		{ingest.Datastore{Op: "MSET", Statement: "mset a 1 b 2", Keys: 2}, []string{"a", "b"}, true},
		{ingest.Datastore{Op: "MSET", Statement: "mset a ? b ?", Keys: 2}, []string{"a", "b"}, true},
		{ingest.Datastore{Op: "SET", Statement: "set k v ex 60", Keys: 1}, []string{"k"}, true},
		{ingest.Datastore{Op: "GET", Statement: "GET ?", Keys: 1}, nil, false},
		{ingest.Datastore{Op: "GET", Statement: "get a\nget b", Keys: 2}, nil, false},
		{ingest.Datastore{Op: "GET", Statement: "mget a", Keys: 1}, nil, false},
		{ingest.Datastore{Op: "EXPIRE", Statement: "expire k 60", Keys: 1}, []string{"k"}, true},
	} {
		keys, all := visibleKeys(nil, &c.d)
		if !slices.Equal(keys, c.keys) || all != c.all {
			t.Errorf("%+v: %q %v", c.d, keys, all)
		}
	}
}

func TestListOfValues(t *testing.T) {
	for q, want := range map[string]bool{
		"SELECT a FROM b WHERE c IN (?, ?)":          true,
		"select a from b where c in ($1,$2)":         true,
		"SELECT a FROM b WHERE c IN  (1, 2, 3":       true, // cut
		"SELECT a FROM b WHERE c IN (?)":             false,
		"SELECT min(a, b) FROM c WHERE d = ?":        false,
		"INSERT INTO t (a, b) VALUES (?, ?)":         false,
		"SELECT a FROM (SELECT b, c FROM d) WHERE (": false,
		"": false,
	} {
		if listOfValues(q) != want {
			t.Errorf("%q: %v", q, !want)
		}
	}
}

func TestIndex(t *testing.T) {
	var x index[int]
	for range 3 {
		x.reset()
		for i := range 100 {
			if got := x.of(i * 7); got != i {
				t.Fatalf("%d is number %d", i*7, got)
			}
			if got := x.of(i / 2 * 7); got != i/2 {
				t.Fatalf("%d is number %d", i/2*7, got)
			}
		}
		if len(x.keys) != 100 {
			t.Fatal(len(x.keys))
		}
	}
}

func TestGeneric(t *testing.T) {
	for op, want := range map[string]bool{"GET": true, "HTTP POST": true, "https get": false, "": true, "query": true, "GET /users": false, "shard.Query": false, "SELECT a": false} {
		if generic(op) != want {
			t.Errorf("%q: %v", op, !want)
		}
	}
	for op, want := range map[string]bool{"SELECT shop.items": true, "select x": true, "SELECT": false, "selection": false} {
		if statement(op) != want {
			t.Errorf("%q: %v", op, !want)
		}
	}
	for op, want := range map[string]bool{"shop.Prices/Get": true, "/api/v1.0/x": false, "GET a.b/c": false, "a.B/": false} {
		if procedure(op) != want {
			t.Errorf("%q: %v", op, !want)
		}
	}
}
