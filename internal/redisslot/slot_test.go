package redisslot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// slowCRC is the definition: one bit at a time.
func slowCRC(b []byte) uint16 {
	var crc uint16
	for _, x := range b {
		crc ^= uint16(x) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}

func TestCRC16(t *testing.T) {
	// The check value of CRC-16/XMODEM, also in the Redis Cluster specification.
	if got := CRC16("123456789"); got != 0x31C3 {
		t.Errorf("CRC16 of 123456789 is %#x, want 0x31C3", got)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 200 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		if got, want := CRC16(string(b)), slowCRC(b); got != want {
			t.Fatalf("CRC16 of % x is %#x, want %#x", b, got, want)
		}
	}
}

// The slots are what CLUSTER KEYSLOT answers; the last four are examples of the
// Redis Cluster specification for hash tags.
func TestSlots(t *testing.T) {
	for key, want := range map[string]Slot{
		"foo": 12182, "bar": 5061, "{user1000}.following": 3443, "{user1000}.followers": 3443,
		"foo{}{bar}": 8363, "foo{{bar}}zap": 4015, "foo{bar}{zap}": 5061, "": 0,
	} {
		if got := Of(key); got != want {
			t.Errorf("slot of %q is %d, want %d", key, got, want)
		}
	}
}

func TestTag(t *testing.T) {
	for _, c := range []struct {
		key, part string
		tagged    bool
	}{
		{"{user1000}.following", "user1000", true},
		{"foo{}{bar}", "foo{}{bar}", false},
		{"foo{{bar}}zap", "{bar", true},
		{"foo{bar}{zap}", "bar", true},
		{"foo}bar{", "foo}bar{", false},
		{"foo{bar", "foo{bar", false},
		{"}{a}", "a", true},
		{"", "", false},
	} {
		if part, tagged := Tag(c.key); part != c.part || tagged != c.tagged {
			t.Errorf("Tag(%q) = %q, %v, want %q, %v", c.key, part, tagged, c.part, c.tagged)
		}
	}
	if tag, ok := Shared([]string{"price:{eu}:1", "price:{eu}:2"}); tag != "eu" || !ok {
		t.Errorf("Shared = %q, %v", tag, ok)
	}
	for _, keys := range [][]string{nil, {"a", "a"}, {"{a}1", "{b}1"}, {"{a}1", "a"}} {
		if tag, ok := Shared(keys); ok {
			t.Errorf("Shared(%q) = %q", keys, tag)
		}
	}
}

// amplification.md section 2.
func TestExpected(t *testing.T) {
	for k, want := range map[int]string{12: "11.996", 24: "23.98", 50: "49.93", 100: "99.70", 1000: "970"} {
		digits := len(want[strings.IndexByte(want+".", '.'):])
		if got := fmt.Sprintf("%.*f", max(digits-1, 0), ExpectedSlots(k)); got != want {
			t.Errorf("ExpectedSlots(%d) = %s, want %s", k, got, want)
		}
	}
	// The multiget hole by its formula, and at its ends.
	for _, c := range []struct {
		n, k int
		want float64
	}{{10, 1, 1}, {1, 50, 1}, {2, 2, 1.5}, {4, 3, 4 * (1 - 27.0/64)}, {0, 5, 0}, {5, 0, 0}, {50, 100000, 50}} {
		if got := ExpectedServers(c.n, c.k); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("ExpectedServers(%d, %d) = %v, want %v", c.n, c.k, got, c.want)
		}
	}
}

// ofSlot returns n keys of the slot that a tag has.
func ofSlot(tag string, n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("{%s}:%d", tag, i)
	}
	return keys
}

// amplification.md section 2: 24 keys on 3 slots, in chunks of 4, give
// 3+3+3+2+2+3 = 16 commands in some order; grouped by slot 3.
func TestChunks(t *testing.T) {
	left := map[rune][]string{'a': ofSlot("foo", 8), 'b': ofSlot("bar", 8), 'c': ofSlot("user1000", 8)}
	var keys []string
	for _, s := range "abca" + "abcb" + "abcc" + "aabb" + "accc" + "abbc" {
		keys = append(keys, left[s][0])
		left[s] = left[s][1:]
	}
	c, err := Even(3)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Plan(keys, 4, c)
	if err != nil {
		t.Fatal(err)
	}
	if b.Keys != 24 || b.Slots != 3 || b.Commands != 16 || b.Grouped != 3 || b.Tagged != 24 {
		t.Errorf("%+v, want 24 keys, 3 slots, 16 commands, 3 grouped", b)
	}
	// foo 12182 is on the third primary, bar 5061 and user1000 3443 on the first.
	if b.Floor != 2 || b.Lost != 0 {
		t.Errorf("floor %d, lost %d, want 2, 0", b.Floor, b.Lost)
	}
	if _, err := Plan(keys, -1, nil); err == nil {
		t.Error("a chunk of -1 was taken")
	}
	if b, err := Plan(nil, 0, c); err != nil || b != (Batch{}) {
		t.Errorf("no keys: %+v, %v", b, err)
	}
	if b, _ := Plan([]string{"foo", "foo", "bar"}, 0, nil); b.Commands != 2 || b.Distinct != 2 || b.Floor != 0 {
		t.Errorf("%+v", b)
	}
}

// Whatever the keys and chunks: slots <= commands <= keys, and one chunk of
// all keys is grouped.
func TestPlanBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	c, _ := Even(5)
	for range 200 {
		keys := make([]string, 1+r.IntN(60))
		for i := range keys {
			keys[i] = fmt.Sprintf("{%d}", r.IntN(30))
		}
		chunk := 1 + r.IntN(len(keys)+3)
		b, err := Plan(keys, chunk, c)
		if err != nil || b.Slots > b.Commands || b.Commands > b.Keys || b.Floor > min(5, b.Slots) || b.Floor < 1 {
			t.Fatalf("%+v, %v", b, err)
		}
		if one, _ := Plan(keys, 0, c); one.Commands != b.Grouped {
			t.Fatalf("one chunk %d, grouped %d", one.Commands, b.Grouped)
		}
		slices.Sort(keys)
		var want int
		for chunk := range slices.Chunk(keys, chunk) {
			set := map[Slot]bool{}
			for _, k := range chunk {
				set[Of(k)] = true
			}
			want += len(set)
		}
		if b, _ := Plan(keys, chunk, c); b.Commands != want {
			t.Fatalf("%d commands, want %d", b.Commands, want)
		}
	}
}
