package trace

import "encoding/binary"

// A Key names one thing that an attribute says, whatever the attribute is
// called. Zero: nothing that a detector reads.
type Key uint16 // slot<<8 | rank

// slot is the thing; rank orders the names that it goes by: where several are
// present (semantic conventions switched to "/dup" write the old and the new)
// the lowest counts, and it counts once.
type slot uint8

const (
	_ slot = iota
	serviceName
	podName
	serviceInstance
	hostName
	containerID

	dbSystem
	dbNamespace
	dbOperation
	dbCollection
	dbText
	dbSummary
	dbBatch
	dbArgs // arguments of the command, its name counted

	serverAddress
	serverPort
	peerName

	httpMethod
	httpStatus
	urlFull
	urlPath
	route

	rpcSystem
	rpcService
	rpcMethod
	rpcStatus

	resendCount
	innerRetries
	innerHedges

	errorType
	errorTag
	statusTag
	statusText
	kindTag
	responseFlags
	canceledTag

	messagingSystem
	messagingOperation

	budgetMillis
	budgetGRPC
	cached

	isSummary
	spanCount
	durationMin
	durationMax
	durationTotal

	slots
)

const _ = uint(63 - slots) // Builder.set has a bit for each

func (k Key) slot() slot  { return slot(k >> 8) }
func (k Key) rank() uint8 { return uint8(k) }

// attributes are the names by slot and rank. Sources: the semantic conventions
// registry and its deprecated part (v1.20 to v1.41) for db, http, url, rpc,
// server, network, messaging; the migration guides for the pairs; redisotel,
// redis-py and grpc-go (gRFC A72) for their own; Envoy's tracing tags; Brave
// and OpenTracing for Zipkin and Jaeger; see docs/formats.
var attributes = []struct {
	slot slot
	name string
	rank uint8
}{
	{serviceName, "service.name", 0},
	{podName, "k8s.pod.name", 0},
	{serviceInstance, "service.instance.id", 0},
	{hostName, "host.name", 0}, {hostName, "hostname", 1},
	{containerID, "container.id", 0},

	{dbSystem, "db.system.name", 0}, {dbSystem, "db.system", 1}, {dbSystem, "db.type", 2},
	{dbNamespace, "db.namespace", 0}, {dbNamespace, "db.name", 1}, {dbNamespace, "db.redis.database_index", 2}, {dbNamespace, "db.mssql.instance_name", 3}, {dbNamespace, "db.instance", 4},
	{dbOperation, "db.operation.name", 0}, {dbOperation, "db.operation", 1}, {dbOperation, "redis.command", 2},
	{dbCollection, "db.collection.name", 0}, {dbCollection, "db.sql.table", 1}, {dbCollection, "db.cassandra.table", 2}, {dbCollection, "db.mongodb.collection", 3}, {dbCollection, "db.cosmosdb.container", 4}, {dbCollection, "aws.dynamodb.table_names", 5},
	{dbText, "db.query.text", 0}, {dbText, "db.statement", 1}, {dbText, "sql.query", 2}, {dbText, "cassandra.query", 3}, {dbText, "redis.raw_command", 4}, {dbText, "sql", 5},
	{dbSummary, "db.query.summary", 0},
	{dbBatch, "db.operation.batch.size", 0}, {dbBatch, "db.redis.num_cmd", 1}, {dbBatch, "db.redis.pipeline_length", 2},
	{dbArgs, "db.redis.args_length", 0},

	// a port counts with an address of its own rank or above: the socket's port
	// is not the port of a name
	{serverAddress, "server.address", 0}, {serverAddress, "net.peer.name", 1}, {serverAddress, "network.peer.address", 2}, {serverAddress, "net.sock.peer.addr", 3}, {serverAddress, "net.peer.ip", 4}, {serverAddress, "upstream_address", 5}, {serverAddress, "peer.hostname", 6}, {serverAddress, "peer.ipv4", 7}, {serverAddress, "peer.address", 8},
	{serverPort, "server.port", 0}, {serverPort, "net.peer.port", 1}, {serverPort, "network.peer.port", 2}, {serverPort, "net.sock.peer.port", 3}, {serverPort, "peer.port", 6},
	{peerName, "peer.service", 0}, {peerName, "service.peer.name", 0}, {peerName, "upstream_cluster.name", 1}, {peerName, "upstream_cluster", 2}, {peerName, "messaging.destination.name", 3}, {peerName, "messaging.destination", 4},

	{httpMethod, "http.request.method", 0}, {httpMethod, "http.method", 1},
	{httpStatus, "http.response.status_code", 0}, {httpStatus, "http.status_code", 1},
	{urlFull, "url.full", 0}, {urlFull, "http.url", 1},
	{urlPath, "url.path", 0}, {urlPath, "http.target", 1}, {urlPath, "http.path", 2},
	{route, "http.route", 0}, {route, "url.template", 1},

	{rpcSystem, "rpc.system.name", 0}, {rpcSystem, "rpc.system", 1},
	{rpcService, "rpc.service", 0},
	{rpcMethod, "rpc.method", 0},
	{rpcStatus, "rpc.status_code", 0}, {rpcStatus, "rpc.response.status_code", 1}, {rpcStatus, "rpc.grpc.status_code", 2}, {rpcStatus, "grpc.status_code", 3}, {rpcStatus, "rpc.connect_rpc.error_code", 4},

	{resendCount, "http.request.resend_count", 0}, {resendCount, "http.resend_count", 1}, {resendCount, "http.retry_count", 2}, {resendCount, "gcp.grpc.resend_count", 3}, {resendCount, "previous-rpc-attempts", 3}, {resendCount, "grpc.previous-rpc-attempts", 3}, {resendCount, "rpc.request.metadata.grpc-previous-rpc-attempts", 4}, {resendCount, "retry.count", 5}, {resendCount, "retry_no", 6}, {resendCount, "retry_number", 6},
	{innerRetries, "retry_attempts", 0}, {innerRetries, "aws.retry_attempts", 1}, {innerRetries, "aws.retries", 2},
	{innerHedges, "cassandra.speculative_execution.count", 0}, {innerHedges, "db.cassandra.speculative_execution_count", 1},

	{errorType, "error.type", 0},
	{errorTag, "error", 0},
	{statusTag, "otel.status_code", 0},
	{statusText, "otel.status_description", 0},
	{kindTag, "span.kind", 0},
	{responseFlags, "response_flags", 0},
	{canceledTag, "canceled", 0},

	{messagingSystem, "messaging.system", 0},
	{messagingOperation, "messaging.operation.type", 0}, {messagingOperation, "messaging.operation", 1}, {messagingOperation, "messaging.operation.name", 2},

	{budgetMillis, "request_budget", 0}, {budgetMillis, "http.request.header.x-envoy-expected-rq-timeout-ms", 1}, {budgetMillis, "x-envoy-expected-rq-timeout-ms", 2},
	{budgetGRPC, "rpc.request.metadata.grpc-timeout", 0}, {budgetGRPC, "http.request.header.grpc-timeout", 1}, {budgetGRPC, "grpc.timeout", 2},
	{cached, "cached", 0}, {cached, "cache.hit", 1},
}

// suffixes are the attributes of pruned summaries. The collector's spanpruning
// processor and Tempo write them behind a prefix of the user's ("aggregation."
// unless configured).
var suffixes = []struct {
	slot slot
	name string
}{
	{isSummary, "is_summary"},
	{spanCount, "span_count"},
	{durationMin, "duration_min_ns"},
	{durationMax, "duration_max_ns"},
	{durationTotal, "duration_total_ns"},
}

// lookup is a hash table without deletion; tableSize is a power of two well
// above the number of names, so that most unknown names meet an empty slot.
const tableSize = 1024

type named struct {
	name string
	key  Key
}

var lookup = func() (t [tableSize]named) {
	for _, a := range attributes {
		h := hashName([]byte(a.name))
		for t[h%tableSize].key != 0 {
			h++
		}
		t[h%tableSize] = named{a.name, Key(a.slot)<<8 | Key(a.rank)}
	}
	return t
}()

func hashName(b []byte) uint32 {
	var first, last uint64
	if n := len(b); n >= 8 {
		first, last = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	} else {
		for _, c := range b {
			first = first<<8 | uint64(c)
		}
	}
	h := (first ^ last*0x9e3779b97f4a7c15 ^ uint64(len(b))) * 0xff51afd7ed558ccd
	return uint32(h >> 40)
}

// lengths are the lengths of the names by their first byte, a bit each: most
// names that are not wanted are told by that alone.
var lengths = func() (t [256]uint64) {
	for _, a := range attributes {
		t[a.name[0]] |= 1 << len(a.name)
	}
	return t
}()

// Lookup returns the key of an attribute's name.
func Lookup(name []byte) Key {
	n := len(name)
	if n == 0 {
		return 0
	}
	if n < 64 && lengths[name[0]]>>n&1 != 0 {
		for h := hashName(name); ; h++ {
			e := &lookup[h%tableSize]
			if e.key == 0 {
				break
			}
			if e.name == string(name) {
				return e.key
			}
		}
	}
	if n < 10 {
		return 0
	}
	switch binary.LittleEndian.Uint64(name[n-8:]) {
	case tailSummary, tailCount, tailMin, tailMax, tailTotal:
		for _, s := range suffixes {
			if at := n - len(s.name); at > 0 && string(name[at:]) == s.name {
				return Key(s.slot) << 8
			}
		}
	}
	return 0
}

// Last eight bytes of the suffixes.
var (
	tailSummary = binary.LittleEndian.Uint64([]byte("_summary"))
	tailCount   = binary.LittleEndian.Uint64([]byte("an_count"))
	tailMin     = binary.LittleEndian.Uint64([]byte("n_min_ns"))
	tailMax     = binary.LittleEndian.Uint64([]byte("n_max_ns"))
	tailTotal   = binary.LittleEndian.Uint64([]byte("total_ns"))
)
