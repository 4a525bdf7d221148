package storm

import (
	"strings"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/redisslot"
)

// command says what a Redis command does with its keys.
type command uint8

const (
	otherCommand command = iota
	readMany             // reads as many keys as it is given
	readOne              // reads one key
	deleteMany           // deletes as many keys as it is given
	writeMany            // writes as many keys as it is given
	writeOne             // writes one key
	expireOne            // sets when one key expires
	queueCommand         // works on queues, streams, scripts and messages: no reading or writing of values by key
)

// commands are the commands of Redis 7 that programs use to read and write
// values by key, and those that queues and schedulers live on.
var commands = func() map[string]command {
	m := map[string]command{}
	for c, names := range map[command]string{
		readMany:   "MGET",
		readOne:    "GET EXISTS TOUCH GETRANGE STRLEN TTL PTTL TYPE HGET HMGET HGETALL HEXISTS HKEYS HVALS HLEN SMEMBERS SISMEMBER SMISMEMBER SCARD ZSCORE ZMSCORE ZRANGE ZREVRANGE ZRANGEBYSCORE ZRANK ZCARD LRANGE LINDEX GEOPOS JSON.GET",
		deleteMany: "DEL UNLINK",
		writeMany:  "MSET MSETNX",
		writeOne:   "SET SETEX PSETEX SETNX GETSET APPEND INCR INCRBY INCRBYFLOAT DECR DECRBY HSET HMSET HSETNX HDEL HINCRBY SADD SREM JSON.SET JSON.DEL",
		expireOne:  "EXPIRE PEXPIRE EXPIREAT PEXPIREAT PERSIST",
		queueCommand: "BLPOP BRPOP BLMOVE BRPOPLPUSH BLMPOP BZPOPMIN BZPOPMAX BZMPOP LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LLEN LREM LTRIM LSET LINSERT LMOVE RPOPLPUSH LMPOP " +
			"ZADD ZREM ZINCRBY ZPOPMIN ZPOPMAX ZMPOP ZREMRANGEBYSCORE ZREMRANGEBYRANK ZCOUNT SPOP XADD XREAD XREADGROUP XACK XDEL XLEN XRANGE XTRIM XCLAIM XAUTOCLAIM XPENDING XGROUP " +
			"EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO SCRIPT PUBLISH SPUBLISH SUBSCRIBE PSUBSCRIBE WAIT MULTI EXEC WATCH UNWATCH DISCARD SCAN",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = c
		}
	}
	return m
}()

// many reports whether a command takes as many keys as it is given.
func (c command) many() bool { return c == readMany || c == deleteMany || c == writeMany }

// writes reports whether a command changes values.
func (c command) writes() bool {
	return c == deleteMany || c == writeMany || c == writeOne || c == expireOne
}

// commandOf returns what a span does to a store that speaks Redis' protocol.
func commandOf(s *ingest.Span) command {
	if s.Store == nil || !redisLike(s.Store.System) {
		return otherCommand
	}
	return commands[s.Store.Op]
}

func redisLike(system string) bool {
	switch system {
	case "redis", "valkey", "keydb", "dragonfly", "garnet":
		return true
	}
	return false
}

// visibleKeys appends the keys that a statement shows. all is false where it
// may name others.
func visibleKeys(dst []string, d *ingest.Datastore) (keys []string, all bool) {
	keys = redisslot.StatementKeys(dst, d.Op, d.Statement, d.Cut)
	n := len(keys) - len(dst)
	return keys, n > 0 && n == d.Keys
}
