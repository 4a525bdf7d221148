package redisslot

import (
	"slices"
	"strings"
	"testing"
)

func TestStatementKeys(t *testing.T) {
	for _, c := range []struct {
		op, statement string
		cut           bool
		want          string // joined by blanks
	}{
		{"MGET", "mget a b  c", false, "a b c"},
		{"MGET", "MGET ? ?", false, ""},
		{"MGET", "MGET a [2 other arguments]", false, "a"},
		{"MGET", "MGET", false, ""},
		{"MGET", "mget aa bb cc", true, "aa bb"},
		{"MSET", "mset a 1 b 2", false, "a b"},
		{"SET", "set k v ex 60", false, "k"},
		{"DEL", "del a b", false, "a b"},
		{"GET", "get a\nget b", false, ""},
		{"GET", "mget a", false, ""},
		{"EVALSHA", "evalsha x 1 k", false, ""},
		{"HELLO", "hello 3", false, ""},
		{"", "", false, ""},
	} {
		if got := StatementKeys(nil, c.op, c.statement, c.cut); strings.Join(got, " ") != c.want {
			t.Errorf("%s %q: %q, want %q", c.op, c.statement, got, c.want)
		}
	}
	if got := StatementKeys([]string{"x"}, "GET", "get a", false); !slices.Equal(got, []string{"x", "a"}) {
		t.Errorf("%q", got)
	}
}

func TestTemplate(t *testing.T) {
	for key, want := range map[string]string{"user:36:profile": "user:%d", "price17": "price:%d", "": "group:%d", "{a}": "group:%d", "é:1": "group:%d", "plain": "group:%d", strings.Repeat("a", 40) + ":1": "group:%d"} {
		if got := Template(key); got != want {
			t.Errorf("%q: %s, want %s", key, got, want)
		}
	}
}
