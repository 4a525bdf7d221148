package log

import (
	"strings"
	"testing"
)

func TestStatements(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT abalance FROM pgbench_accounts WHERE aid = 56632;":               "SELECT pgbench_accounts",
		"select a, (select max(x) from inner_t) from outer_t":                    "SELECT inner_t",
		"SELECT EXTRACT(epoch FROM now()), trim(both 'x' from y) FROM a.b":       "SELECT a.b",
		"SELECT * FROM (SELECT 1 FROM t1 JOIN t2 USING (id)) x":                  "SELECT t1",
		"SELECT * FROM ONLY \"Weird Name\"":                                      "SELECT Weird Name",
		"SELECT 'it''s from nowhere', $1, $$from x$$, $q$ from y $q$ FROM z":     "SELECT z",
		"/* from comment */ -- from line\nSELECT 1 FROM real_t":                  "SELECT real_t",
		"(SELECT a FROM b) UNION (SELECT c FROM d)":                              "SELECT b",
		"WITH wf1 AS ( SELECT id FROM t1) DELETE FROM test WHERE col1 = wf1.id;": "DELETE test",
		"with recursive x(a) as (select 1) select * from x":                      "SELECT x",
		"INSERT INTO pgbench_history (tid) VALUES (2, 1, CURRENT_TIMESTAMP)":     "INSERT pgbench_history",
		"INSERT INTO test SELECT 'data' FROM generate_series(1, 100);":           "INSERT test",
		"insert ignore into `db`.`t` values (1)":                                 "INSERT db.t",
		"UPDATE ONLY metrics_p2026_11 SET x = 1":                                 "UPDATE metrics_{id}_{id}",
		"UPDATE vendor11gonzo SET x=1":                                           "UPDATE vendor{id}",
		"DELETE FROM tmp_9f86d081":                                               "DELETE tmp_{id}",
		"DELETE FROM users2":                                                     "DELETE users2",
		"create table if not exists t(a int)":                                    "CREATE TABLE t",
		"CREATE TEMPORARY TABLE t AS SELECT 1":                                   "CREATE TABLE t",
		"drop table if exists a, b":                                              "DROP TABLE a",
		"alter table pgbench_branches add primary key (bid)":                     "ALTER TABLE pgbench_branches",
		"CREATE UNIQUE INDEX CONCURRENTLY i ON ONLY orders (a)":                  "CREATE INDEX orders",
		"DROP INDEX i": "DROP INDEX",
		"CREATE OR REPLACE FUNCTION f() RETURNS int AS $$ select 1 from x $$":                      "CREATE FUNCTION",
		"REFRESH MATERIALIZED VIEW CONCURRENTLY mv":                                                "REFRESH mv",
		"vacuum analyze pgbench_branches":                                                          "VACUUM pgbench_branches",
		"VACUUM (FULL, VERBOSE) t":                                                                 "VACUUM t",
		"COPY country TO STDOUT (DELIMITER '|');":                                                  "COPY country",
		"COPY (SELECT a FROM b) TO STDOUT":                                                         "COPY b",
		"lock table pgbench_branches in access exclusive mode":                                     "LOCK pgbench_branches",
		"begin; lock table pgbench_branches in access exclusive mode; select pg_sleep(2); commit;": "LOCK pgbench_branches",
		"begin; commit":                       "BEGIN",
		"END;":                                "END",
		"set work_mem to '64kB'":              "SET",
		"DECLARE c CURSOR AS SELECT * FROM t": "DECLARE",
		"FETCH 1 FROM test_curs1;":            "FETCH",
		"select pg_sleep(0.35);":              "SELECT",
		"CALL proc(1)":                        "CALL proc",
		"frobnicate the thing from x":         "(other statement)",
		"":                                    "(no statement)",
		";;":                                  "(no statement)",
		"SELECT x FROM \x01\xff":              "SELECT {text}",
		"SELECT x FROM forêt":                 "SELECT forêt",
		"SELECT x FROM " + strings.Repeat("a", 100): "SELECT {text}",
		strings.Repeat("(", 5000):                   "(no statement)",
		"SELECT " + strings.Repeat("(", 4000):       "SELECT",
		"SELECT 'never closed from x":               "SELECT",
		"SELECT * FROM a.b.c.d":                     "SELECT a.b.c",
		"123":                                       "(other statement)",
	} {
		var s Statements
		for range 2 {
			if op, _ := s.Op("", []byte(text)); op != want {
				t.Errorf("%.80q: %q, want %q", text, op, want)
			}
		}
		if op, _ := s.Op("bind ", []byte(text)); op != "bind "+want {
			t.Errorf("%.80q: %q", text, op)
		}
	}
	mysql := Statements{Backslash: true}
	if op, _ := mysql.Op("", []byte(`SELECT 'it\'s from x' # from y`+"\nFROM z")); op != "SELECT z" {
		t.Error(op)
	}
}

// What is not whole may go on in another line.
func TestWholeStatements(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT a,": false, "SELECT a;": true, "SELECT a FROM b": true, "WITH x AS (": false, "CREATE INDEX i": false, "": false, "begin": true,
		"INSERT INTO": false, "SELECT " + strings.Repeat("a,", MaxStatement): true,
	} {
		var s Statements
		if _, whole := s.Op("", []byte(text)); whole != want {
			t.Errorf("%.40q: whole %v", text, whole)
		}
	}
}

func BenchmarkStatements(b *testing.B) {
	var s Statements
	text := []byte("UPDATE pgbench_tellers SET tbalance = tbalance + -3844 WHERE tid = 9;")
	b.ReportAllocs()
	for b.Loop() {
		s.Op("", text)
	}
}

func FuzzStatements(f *testing.F) {
	f.Add("WITH a AS (SELECT $$x$$ FROM b) SELECT 'x' FROM \"c\".d")
	f.Fuzz(func(t *testing.T, text string) {
		s := Statements{Backslash: len(text)%2 == 0}
		op, _ := s.Op("", []byte(text))
		if again, _ := s.Op("", []byte(text)); again != op || op == "" || len(op) > 250 {
			t.Errorf("%q, then %q", op, again)
		}
	})
}
