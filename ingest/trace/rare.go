package trace

import (
	"bytes"
	"math"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// endSummary fills in how many spans a pruned summary stands for. The count
// without the mark is some application's own attribute.
func (b *Builder) endSummary(s *ingest.Span) {
	if !b.isTrue(isSummary) {
		return
	}
	if n, ok := b.number(spanCount); ok && n > 1 {
		s.Stands = n
	}
}

// endRare fills in what only few spans say.
func (b *Builder) endRare(s *ingest.Span) {
	if b.dropped == 0 && !b.hasAny(1<<isSummary|1<<budgetMillis|1<<budgetGRPC|1<<innerRetries|1<<innerHedges) {
		return
	}
	r := ingest.Rare{Dropped: b.dropped, Budget: b.budget(), Retries: b.small(innerRetries), Hedges: b.small(innerHedges)}
	if s.Stands > 1 {
		r.Min, r.Max, r.Total = b.nanos(durationMin), b.nanos(durationMax), b.nanos(durationTotal)
	}
	if r == (ingest.Rare{}) {
		return
	}
	if s.Rare = b.rares[r]; s.Rare == nil {
		s.Rare = new(r)
		if len(b.rares) < maxShared {
			b.rares[r] = s.Rare
		}
	}
}

func (b *Builder) nanos(s slot) time.Duration {
	n, _ := b.number(s)
	return time.Duration(max(n, 0))
}

func (b *Builder) small(s slot) int32 {
	n, _ := b.number(s)
	return int32(min(max(n, 0), math.MaxInt32))
}

// budget returns the time that a visible deadline leaves: milliseconds in
// request_budget and Envoy's header, a number with a unit in gRPC's
// (H, M, S, m, u, n: gRPC over HTTP/2, "Timeout").
func (b *Builder) budget() time.Duration {
	if n, ok := b.number(budgetMillis); ok && 0 < n && n < math.MaxInt64/int64(time.Millisecond) {
		return time.Duration(n) * time.Millisecond
	}
	t := bytes.TrimSpace(b.text(budgetGRPC))
	if len(t) < 2 {
		return 0
	}
	var unit time.Duration
	switch t[len(t)-1] {
	case 'H':
		unit = time.Hour
	case 'M':
		unit = time.Minute
	case 'S':
		unit = time.Second
	case 'm':
		unit = time.Millisecond
	case 'u':
		unit = time.Microsecond
	case 'n':
		unit = time.Nanosecond
	default:
		return 0
	}
	n, _, ok := ingest.ParseDecimal(t[:len(t)-1], 1)
	if !ok || n < 0 || n > 99_999_999 { // at most 8 digits, by the protocol
		return 0
	}
	return time.Duration(n) * unit
}

// isSetupName tells spans that open a connection by the names that
// instrumentations of sockets and pools give them.
func isSetupName(name []byte) bool {
	switch string(name) {
	case "redis.dial", "redis-connect", "redis.pipeline client", "tcp.connect", "tls.connect", "dns.lookup", "pg.connect", "pg-pool.connect":
		return true
	}
	return bytes.HasSuffix(name, []byte(".getConnection"))
}
