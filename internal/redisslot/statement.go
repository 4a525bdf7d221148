package redisslot

import "strings"

// which says which arguments of a command are keys.
type which uint8

const (
	noKeys    which = iota
	firstKey        // the first
	everyKey        // all of them
	everyPair       // every other one, from the first
)

// keysOf are the commands of Redis 7 that read and write values by key, by their
// keys (first, last and step of COMMAND INFO). Commands that are not here name
// keys where only their own syntax tells (EVAL, XREADGROUP), or none.
var keysOf = func() map[string]which {
	m := map[string]which{}
	for w, names := range map[which]string{
		firstKey: "GET SET SETEX PSETEX SETNX GETSET GETDEL GETEX GETRANGE SETRANGE STRLEN APPEND INCR INCRBY INCRBYFLOAT DECR DECRBY " +
			"EXPIRE PEXPIRE EXPIREAT PEXPIREAT TTL PTTL PERSIST TYPE DUMP GETBIT SETBIT BITCOUNT " +
			"HGET HSET HSETNX HMGET HMSET HGETALL HDEL HEXISTS HINCRBY HINCRBYFLOAT HKEYS HVALS HLEN HSTRLEN HSCAN " +
			"LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LRANGE LINDEX LLEN LSET LREM LTRIM LINSERT " +
			"SADD SREM SMEMBERS SISMEMBER SMISMEMBER SCARD SPOP SRANDMEMBER SSCAN " +
			"ZADD ZREM ZRANGE ZRANGEBYSCORE ZREVRANGE ZREVRANGEBYSCORE ZRANK ZREVRANK ZSCORE ZMSCORE ZCARD ZCOUNT ZINCRBY ZPOPMIN ZPOPMAX ZSCAN " +
			"GEOADD GEOPOS GEODIST GEOHASH PFADD XADD XLEN XRANGE XDEL JSON.GET JSON.SET JSON.DEL",
		everyKey:  "MGET DEL UNLINK EXISTS TOUCH WATCH PFCOUNT SINTER SUNION SDIFF",
		everyPair: "MSET MSETNX",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = w
		}
	}
	return m
}()

// StatementKeys appends the keys that the statement of a command shows, as
// instrumentations write it: "mget a b", "MGET ? ?", "MGET [2 other arguments]",
// "MGET". op is the command in upper case; the statement of another command, or
// of several (a pipeline), shows none. cut says that the end of the statement
// is missing: its last word may be half of one.
func StatementKeys(dst []string, op, statement string, cut bool) []string {
	name, rest := word(strings.TrimSpace(statement))
	w := keysOf[op]
	if w == noKeys || !strings.EqualFold(name, op) || strings.IndexByte(statement, '\n') >= 0 {
		return dst
	}
	for i := 0; rest != ""; i++ {
		if strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, " other arguments]") {
			break
		}
		var arg string
		arg, rest = word(rest)
		if cut && rest == "" {
			break
		}
		if arg != "?" && (i == 0 || w == everyKey || w == everyPair && i%2 == 0) {
			dst = append(dst, arg)
		}
		if w == firstKey {
			break
		}
	}
	return dst
}

func word(t string) (first, rest string) {
	first, rest, _ = strings.Cut(t, " ")
	return first, strings.TrimLeft(rest, " ")
}

// Template returns a template for hash tags of keys like the given one: what it
// begins with, up to the first separator or digit, and a number: "user:%d" of
// "user:36:profile". Where that says nothing it is "group:%d".
func Template(key string) string {
	i := strings.IndexAny(key, ":/.|#-_{}%\"0123456789")
	if i <= 0 || i > 32 {
		return "group:%d"
	}
	for _, c := range key[:i] {
		if c < '!' || c > '~' {
			return "group:%d"
		}
	}
	return key[:i] + ":%d"
}
