package redis

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// ops makes operations of commands.
type ops struct {
	names log.Names
	buf   []byte
}

// Bounds of what goes into an operation.
const (
	maxCommand  = 24 // bytes
	maxParts    = 6  // parts of a key
	maxPart     = 24 // bytes of a part
	longHex     = 8  // hex digits from which a part is an id
	noOperation = "(no command)"
)

// containers are the commands whose first argument is a subcommand.
var containers = words("ACL CLIENT CLUSTER COMMAND CONFIG DEBUG FUNCTION LATENCY MEMORY MODULE OBJECT PUBSUB SCRIPT SENTINEL SLOWLOG XGROUP XINFO")

// keyless are those whose first argument is neither that nor a key: scripts,
// cursors, sections, secrets.
var keyless = words("AUTH BGREWRITEAOF BGSAVE DBSIZE ECHO EVAL EVALSHA EVALSHA_RO EVAL_RO EXEC FCALL FCALL_RO FLUSHALL FLUSHDB HELLO INFO MONITOR MULTI PING PSYNC QUIT REPLCONF REPLICAOF RESET ROLE SAVE SCAN SELECT SHUTDOWN SLAVEOF SWAPDB SYNC TIME UNWATCH WAIT WAITAOF")

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range bytes.Fields([]byte(s)) {
		m[string(w)] = true
	}
	return m
}

// op returns the operation of a command and its first argument.
func (o *ops) op(name, arg []byte) string {
	b := o.buf[:0]
	for _, c := range name {
		if c-'a' < 26 {
			c -= 'a' - 'A'
		}
		if c-'A' >= 26 && c-'0' > 9 && c != '.' && c != '_' && c != '-' {
			return noOperation
		}
		b = append(b, c)
	}
	if len(name) == 0 || len(name) > maxCommand {
		return noOperation
	}
	switch {
	case len(arg) == 0 || keyless[string(b)]:
	case containers[string(b)]:
		if sub := bytes.ToUpper(arg); isWord(sub) {
			b = append(append(b, ' '), sub...)
		}
	default:
		b = fold(append(b, ' '), arg)
	}
	o.buf = b
	return o.names.Intern(b)
}

func isWord(b []byte) bool {
	for _, c := range b {
		if c-'A' >= 26 && c != '-' && c != '_' {
			return false
		}
	}
	return len(b) <= maxCommand
}

// fold appends a key with what varies folded away: parts between separators
// that have a digit, or are hex, become {id}; long ones and bytes that are no
// text {text}.
func fold(dst, key []byte) []byte {
	for n := 0; len(key) > 0; n++ {
		if n == maxParts {
			return append(dst, "…"...)
		}
		end, digit, hex, text := 0, false, true, true
		for end < len(key) && !separates(key[end]) {
			c := key[end]
			isDigit := c-'0' <= 9
			digit = digit || isDigit
			hex = hex && (isDigit || c|0x20 >= 'a' && c|0x20 <= 'f')
			text = text && (isDigit || c|0x20-'a' < 26 || c == '*' || c == '?' || c == '[' || c == ']' || c == '^')
			end++
		}
		switch part := key[:end]; {
		case !text || end > maxPart && !digit:
			dst = append(dst, "{text}"...)
		case digit || hex && end >= longHex:
			dst = append(dst, "{id}"...)
			if part[end-1] == '*' {
				dst = append(dst, '*')
			}
		default:
			dst = append(dst, part...)
		}
		if key = key[end:]; len(key) > 0 {
			dst = append(dst, key[0])
			key = key[1:]
		}
	}
	return dst
}

func separates(c byte) bool {
	return bytes.IndexByte([]byte(":./-_|,@#{}"), c) >= 0
}
