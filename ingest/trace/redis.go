package trace

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest"
)

// keyed says which arguments of a Redis command are keys.
type keyed uint8

const (
	_        keyed = iota
	oneKey         // the first
	allKeys        // all of them
	pairKeys       // every other one
	numKeys        // as many as the second argument says, behind it
	noKeys         // connection, server, cluster and scripting commands
	setupCmd       // noKeys, and part of opening or keeping a connection
)

// commands are the Redis commands by their keys (COMMAND's first, last and step
// of Redis 7.0).
var commands = func() map[string]keyed {
	m := map[string]keyed{}
	for k, names := range map[keyed]string{
		oneKey: "GET SET SETEX PSETEX SETNX GETSET GETDEL GETEX GETRANGE SETRANGE SUBSTR STRLEN APPEND INCR INCRBY INCRBYFLOAT DECR DECRBY " +
			"GETBIT SETBIT BITCOUNT BITPOS BITFIELD BITFIELD_RO EXPIRE PEXPIRE EXPIREAT PEXPIREAT EXPIRETIME PEXPIRETIME TTL PTTL PERSIST TYPE DUMP RESTORE " +
			"HGET HSET HSETNX HMGET HMSET HGETALL HDEL HEXISTS HINCRBY HINCRBYFLOAT HKEYS HVALS HLEN HSTRLEN HSCAN HRANDFIELD HEXPIRE HPEXPIRE HTTL " +
			"LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LRANGE LINDEX LLEN LSET LREM LTRIM LINSERT LPOS SORT SORT_RO " +
			"SADD SREM SMEMBERS SISMEMBER SMISMEMBER SCARD SPOP SRANDMEMBER SSCAN " +
			"ZADD ZREM ZRANGE ZRANGEBYSCORE ZRANGEBYLEX ZREVRANGE ZREVRANGEBYSCORE ZREVRANGEBYLEX ZRANK ZREVRANK ZSCORE ZMSCORE ZCARD ZCOUNT ZLEXCOUNT ZINCRBY ZPOPMIN ZPOPMAX ZSCAN ZREMRANGEBYRANK ZREMRANGEBYSCORE ZRANDMEMBER " +
			"GEOADD GEOPOS GEODIST GEOHASH GEORADIUS GEOSEARCH PFADD XADD XLEN XRANGE XREVRANGE XDEL XTRIM XACK XCLAIM XAUTOCLAIM XPENDING " +
			"JSON.GET JSON.SET JSON.DEL JSON.TYPE JSON.NUMINCRBY JSON.ARRAPPEND JSON.ARRLEN TS.ADD TS.GET TS.RANGE BF.ADD BF.EXISTS CF.ADD CF.EXISTS",
		allKeys:  "MGET DEL UNLINK EXISTS TOUCH WATCH PFCOUNT PFMERGE SINTER SUNION SDIFF SINTERSTORE SUNIONSTORE SDIFFSTORE RENAME RENAMENX RPOPLPUSH",
		pairKeys: "MSET MSETNX",
		numKeys:  "EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO",
		noKeys:   "PUBLISH SUBSCRIBE PSUBSCRIBE SPUBLISH SCAN KEYS DBSIZE FLUSHDB FLUSHALL TIME SCRIPT FUNCTION MULTI EXEC DISCARD UNWATCH WAIT CONFIG SLOWLOG LATENCY MEMORY MONITOR SAVE BGSAVE RANDOMKEY",
		setupCmd: "HELLO AUTH SELECT CLIENT COMMAND CLUSTER READONLY READWRITE ASKING PING ECHO INFO ROLE QUIT RESET SENTINEL CONNECT DIAL",
	} {
		for name := range bytes.FieldsSeq([]byte(names)) {
			m[string(name)] = k
		}
	}
	return m
}()

// redisLike are stores that speak Redis' protocol.
func redisLike(system string) bool {
	switch system {
	case "redis", "valkey", "keydb", "dragonfly", "garnet":
		return true
	}
	return false
}

// command is what one command line of a statement shows.
type command struct {
	name    []byte // as written
	first   []byte // first argument that is visible; nil: none
	args    int    // -1: the line shows nothing but the name, or is cut
	second  []byte
	visible bool // every argument is
}

// readCommand reads a line as instrumentations write it: "mget a b" (go-redis,
// Lettuce, Jedis), "MGET ? ?" (redis-py, sanitised), "MGET [2 other arguments]"
// (Node.js), "MGET" (.NET).
func readCommand(line []byte) command {
	c := command{visible: true}
	c.name, line = word(line)
	for len(line) > 0 {
		var arg []byte
		if n, ok := others(line); ok {
			c.args += n
			c.visible = false
			break
		}
		arg, line = word(line)
		if len(arg) == 0 {
			break
		}
		if string(arg) == "?" {
			c.visible = false
		} else if c.args == 0 {
			c.first = arg
		}
		if c.args == 1 {
			c.second = arg
		}
		c.args++
	}
	if c.args == 0 {
		c.args, c.visible = -1, false
	}
	return c
}

func word(line []byte) (first, rest []byte) {
	line = bytes.TrimLeft(line, " \t\r")
	if i := bytes.IndexAny(line, " \t\r"); i >= 0 {
		return line[:i], bytes.TrimLeft(line[i:], " \t\r")
	}
	return line, nil
}

// others reads "[24 other arguments]".
func others(rest []byte) (int, bool) {
	if !bytes.HasPrefix(rest, []byte("[")) || !bytes.HasSuffix(rest, []byte(" other arguments]")) {
		return 0, false
	}
	n, _, ok := ingest.ParseDecimal(rest[1:len(rest)-len(" other arguments]")], 1)
	return int(n), ok && 0 <= n && n < 1<<30
}

// keys returns how many keys a command names, -1 if that is not known. args is
// the number of its arguments, -1 if not known.
func (c command) keys(k keyed, args int) int {
	switch {
	case k == oneKey:
		return 1
	case k == noKeys, k == setupCmd:
		return 0
	case args < 0:
		return -1
	case k == allKeys:
		return args
	case k == pairKeys:
		return args / 2
	case k == numKeys && c.second != nil:
		if n, _, ok := ingest.ParseDecimal(c.second, 1); ok && 0 <= n && n < 1<<20 {
			return int(n)
		}
	}
	return -1
}

// redisStore fills in what a statement, an operation or a span name says about
// a Redis command or pipeline, and reports whether every argument is visible.
func (b *Builder) redisStore(d *ingest.Datastore, op, text, name []byte, args int64) bool {
	if rest, ok := cutWord(op, "PIPELINE", "MULTI"); ok {
		op, d.Pipelined = rest, true
	}
	if len(op) == 0 && len(text) == 0 {
		if rest, ok := bytes.CutPrefix(name, []byte("redis.pipeline ")); ok { // go-redis: every command's name once
			op, d.Pipelined = rest, true
		} else if rest, ok := bytes.CutPrefix(name, []byte("redis-")); ok { // node-redis
			op = rest
		} else if rest, ok := cutWord(name, "PIPELINE", "MULTI"); ok {
			op, d.Pipelined = rest, true
		} else if commands[b.upper(first(name))] != 0 {
			op = first(name)
		}
	}
	lines, keys, visible := 0, 0, true
	var cmd, only command
	mixed := bytes.IndexByte(op, ' ') >= 0 && !bytes.HasPrefix(op, []byte("cluster "))
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		cmd = readCommand(line)
		if len(cmd.name) == 0 {
			continue
		}
		if lines++; lines == 1 {
			only = cmd
		} else if !bytes.EqualFold(only.name, cmd.name) {
			mixed = true
		}
		n := cmd.keys(commands[b.upper(cmd.name)], cmd.args)
		if n < 0 || keys < 0 {
			keys = -1
		} else {
			keys += n
		}
		visible = visible && cmd.visible
	}
	d.Pipelined = d.Pipelined || lines > 1 || bytes.HasPrefix(name, []byte("redis.pipeline"))
	if d.Batch == 0 && lines > 1 {
		d.Batch = lines
	}
	if len(op) == 0 || d.Pipelined && lines > 0 {
		op = only.name
	}
	if mixed {
		d.Op, d.Keys = "PIPELINE", -1
	} else {
		if d.Op = b.upper(first(op)); d.Op == "" && d.Pipelined {
			d.Op = "PIPELINE"
		}
		switch kind := commands[d.Op]; {
		case args > 0 && lines <= 1:
			d.Keys = only.keys(kind, int(min(args, 1<<30))-1)
		case lines == 0:
			d.Keys = only.keys(kind, -1)
		default:
			d.Keys = keys
		}
	}
	if d.Keys >= 0 && lines <= 1 && d.Batch > 1 {
		d.Keys = -1 // one line stands for all
	}
	b.buf = append(b.buf[:0], d.Op...)
	if kind := commands[d.Op]; !mixed && only.first != nil && kind != numKeys && kind != noKeys && kind != setupCmd {
		b.buf = foldKey(append(b.buf, ' '), only.first)
	}
	if len(text) > 0 {
		d.Template = b.Intern(b.buf)
	}
	return visible && lines > 0
}

// upper returns a short name in upper case, without keeping it: for looking up.
func (b *Builder) upper(name []byte) string {
	if len(name) > 32 {
		return ""
	}
	b.buf = upper(append(b.buf[:0], name...))
	return b.names.intern(b.buf)
}

func first(t []byte) []byte {
	w, _ := word(t)
	return w
}

// cutWord cuts one of some words, and the blank behind it, off the front.
func cutWord(t []byte, words ...string) ([]byte, bool) {
	for _, w := range words {
		if len(t) >= len(w) && string(t[:len(w)]) == w && (len(t) == len(w) || t[len(w)] == ' ') {
			return bytes.TrimLeft(t[len(w):], " "), true
		}
	}
	return t, false
}

// foldKey appends a key with what numbers it written as {}.
func foldKey(dst, key []byte) []byte {
	for len(key) > 0 && len(dst) < maxTarget {
		i := bytes.IndexAny(key, ":/.|#")
		segment := key
		if i >= 0 {
			segment = key[:i]
		}
		if isID(segment) {
			dst = append(dst, '{', '}')
		} else {
			dst = foldDigits(dst, segment)
		}
		if i < 0 {
			break
		}
		dst, key = append(dst, key[i]), key[i+1:]
	}
	return dst
}

func foldDigits(dst, t []byte) []byte {
	for i := 0; i < len(t); i++ {
		if t[i]-'0' > 9 {
			dst = append(dst, t[i])
			continue
		}
		for i+1 < len(t) && t[i+1]-'0' <= 9 {
			i++
		}
		dst = append(dst, '{', '}')
	}
	return dst
}
