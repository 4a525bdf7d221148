package redisslot

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const fivePrimaries = "0-3276,3277-6553,6554-9830,9831-13107,13108-16383"

// amplification.md section 2: 28 integers tried, 8 skipped, kept 0-17, 23, 27.
func TestAnchors(t *testing.T) {
	c, err := ParseRanges(fivePrimaries)
	if err != nil {
		t.Fatal(err)
	}
	a, err := FindAnchors("routing:v1:%d", c, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a.Tried != 28 || a.Skipped != 8 || len(a.Kept) != 20 || !reflect.DeepEqual(a.Count, []int{4, 4, 4, 4, 4}) {
		t.Errorf("tried %d, skipped %d, kept %d, %v", a.Tried, a.Skipped, len(a.Kept), a.Count)
	}
	slots := map[int]Slot{0: 3661, 1: 7788, 2: 11791, 3: 15918, 4: 3785, 23: 3228, 27: 3096}
	for i, k := range a.Kept {
		want := i
		switch i {
		case 18:
			want = 23
		case 19:
			want = 27
		}
		if k.N != want {
			t.Errorf("anchor %d is %d, want %d", i, k.N, want)
		}
		if s, ok := slots[k.N]; ok && k.Slot != s {
			t.Errorf("slot of %d is %d, want %d", k.N, k.Slot, s)
		}
		if k.Tag != fmt.Sprintf("routing:v1:%d", k.N) || Of("{"+k.Tag+"}:price") != k.Slot || c.Owner(k.Slot) != k.Primary {
			t.Errorf("%+v", k)
		}
	}
	// The part in braces is the tag.
	b, err := FindAnchors("price:{routing:v1:%d}:x", c, 4, 0)
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%v; with braces %+v, without %+v", err, b, a)
	}
}

func TestAnchorsRefused(t *testing.T) {
	five, _ := ParseRanges(fivePrimaries)
	one, _ := ParseRanges("7")
	for _, test := range []struct {
		template   string
		c          *Cluster
		per, limit int
		want       string
	}{
		{"routing", five, 4, 0, "want it once"},
		{"%d:%d", five, 4, 0, "want it once"},
		{"{tag}:%d", five, 4, 0, "outside its hash tag"},
		{"{}:%d", five, 4, 0, "no text between"},
		{"a}:%d", five, 4, 0, "no text between"},
		{"{a:%d", five, 4, 0, "no text between"},
		{"a:%d", five, 0, 0, "at least 1 each"},
		{"a:%d", five, 1 << 40, 0, "at most 65536 in all"},
		{"a:%d", five, 4, -1, "want 1 to"},
		{"a:%d", five, 4, 1 << 30, "want 1 to"},
		{"a:%d", five, 4, 3, "primaries have too few tags"},
		{"a:%d", one, 1, 10, "1 of 1 primaries have too few tags: primary 1 has 0 of 1"},
		{strings.Repeat("a", 2000) + "%d", five, 1, 0, "want at most 1024"},
	} {
		if _, err := FindAnchors(test.template, test.c, test.per, test.limit); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.20q: %v, want … %s …", test.template, err, test.want)
		}
	}
	// Even one slot of 16 384 is found below the highest cap.
	if a, err := FindAnchors("a:%d", one, 4, 0); err != nil || a.Tried-a.Skipped != 4 {
		t.Errorf("tried %d, skipped %d, %v", a.Tried, a.Skipped, err)
	}
}

func TestParseRanges(t *testing.T) {
	c, err := ParseRanges("a=0-99+200-299, b=100-199,300-16383")
	if err != nil || len(c.Primaries) != 3 || c.Uncovered() != 0 || c.Primaries[0].Slots() != 200 || c.Owner(250) != 0 || c.Owner(150) != 1 || c.Owner(16383) != 2 {
		t.Errorf("%+v, %v", c.Primaries, err)
	}
	if c, err := ParseRanges("5,7"); err != nil || c.Uncovered() != Count-2 || c.Owner(6) != -1 {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{
		"":                          "want first-last",
		"0-16384":                   "want first-last",
		"9-5":                       "want first-last",
		"-1-5":                      "want first-last",
		"a-b":                       "want first-last",
		"0-10,10-20":                "slot 10 is claimed by primary 1 and by primary 2",
		"x=0-10+5":                  "slot 5 is claimed by x and by x",
		"0-10,,20-30":               "want first-last",
		strings.Repeat("1,", 20000): "want at most 16384",
	} {
		if _, err := ParseRanges(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want … %s …", text, err, want)
		}
	}
}

// What redis-cli --cluster create prints for 3 primaries ("Master[0] -> Slots
// 0 - 5460" and so on), and one slot for each of 16 384.
func TestEven(t *testing.T) {
	c, err := Even(3)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Primaries {
		got = append(got, p.Ranges[0].String())
	}
	if s := strings.Join(got, ","); s != "0-5460,5461-10922,10923-16383" {
		t.Error(s)
	}
	for _, n := range []int{1, 2, 7, 1000, 16384} {
		if c, err := Even(n); err != nil || len(c.Primaries) != n || c.Uncovered() != 0 {
			t.Errorf("Even(%d): %v", n, err)
		}
	}
	for _, n := range []int{0, -1, 16385} {
		if _, err := Even(n); err == nil {
			t.Errorf("Even(%d) was taken", n)
		}
	}
}

// The first lines are the example of the CLUSTER NODES documentation.
const nodes = `07c37dfeb235213a872192d90877d0cd55635b91 127.0.0.1:30004@31004,hostname4 slave e7d1eecce10fd6bb5eb35b9f99a514335d9ba9ca 0 1426238317239 4 connected
67ed2db8d677e59ec4a4cefb06858cf2a1a89fa1 127.0.0.1:30002@31002,hostname2 master - 0 1426238316232 2 connected 5461-10922
292f8b365bb7edb5e285caf0b7e6ddc7265d2f4f 127.0.0.1:30003@31003,hostname3 master,fail - 0 1426238318243 3 connected 10923-16383
6ec23923021cf3ffec47632106199cb7f496ce01 127.0.0.1:30005@31005,hostname5 slave 67ed2db8d677e59ec4a4cefb06858cf2a1a89fa1 0 1426238316232 5 connected
e7d1eecce10fd6bb5eb35b9f99a514335d9ba9ca 127.0.0.1:30001@31001,hostname1 myself,master - 0 0 1 connected 0-5000 5001 5002-5460 [93-<-292f8b365bb7edb5e285caf0b7e6ddc7265d2f4f] [77->-67ed2db8d677e59ec4a4cefb06858cf2a1a89fa1]
aaaa2ecce10fd6bb5eb35b9f99a514335d9ba9ca 127.0.0.1:30006@31006 master - 0 0 1 connected
vars currentEpoch 6 lastVoteEpoch 0
`

const slotsTTY = `1) 1) (integer) 0
   2) (integer) 5460
   3) 1) "127.0.0.1"
      2) (integer) 30001
      3) "09dbe9720cda62f7865eabc5fd8857c5d2678366"
      4) 1) hostname
         2) "host-1.redis.example.com"
   4) 1) "127.0.0.1"
      2) (integer) 30004
      3) "821d8ca00d7ccf931ed3ffc7e3db0599d2271abf"
      4) (empty array)
2) 1) (integer) 5461
   2) (integer) 10922
   3) 1) "127.0.0.1"
      2) (integer) 30002
      3) "c9d93d9f2c0c524ff34cc11838c2003d8c29e013"
      4) (empty array)
3) 1) (integer) 10923
   2) (integer) 16383
   3) 1) "127.0.0.1"
      2) (integer) 30003
      3) "044ec91f325b7595e76dbcb18cc688b6a5b434a1"
      4) (empty array)
`

// Values in the layout of the CLUSTER SHARDS documentation; the first shard has
// its slots in two pieces and names its replica first.
const shardsRaw = `slots
0
100
101
5460
nodes
id
821d8ca00d7ccf931ed3ffc7e3db0599d2271abf
port
30004
ip
127.0.0.1
endpoint
127.0.0.1
hostname

role
replica
replication-offset
72156
health
online
id
09dbe9720cda62f7865eabc5fd8857c5d2678366
port
30001
ip
127.0.0.1
endpoint
127.0.0.1
hostname

role
master
replication-offset
72156
health
online
slots
5461
10922
nodes
id
c9d93d9f2c0c524ff34cc11838c2003d8c29e013
port
30002
ip
127.0.0.1
endpoint
127.0.0.1
role
master
slots
10923
16383
nodes
id
044ec91f325b7595e76dbcb18cc688b6a5b434a1
port
30003
ip
127.0.0.1
endpoint
?
role
master
`

const shardsTTY = `1) 1) "slots"
   2) 1) (integer) 0
      2) (integer) 5460
   3) "nodes"
   4) 1)  1) "id"
          2) "09dbe9720cda62f7865eabc5fd8857c5d2678366"
          3) "port"
          4) (integer) 30001
          5) "ip"
          6) "127.0.0.1"
          7) "endpoint"
          8) "127.0.0.1"
          9) "hostname"
         10) ""
         11) "role"
         12) "master"
         13) "replication-offset"
         14) (integer) 1
         15) "health"
         16) "online"
2) 1) "slots"
   2) 1) (integer) 5461
      2) (integer) 10922
   3) "nodes"
   4) 1)  1) "id"
          2) "b"
          3) "port"
          4) (integer) 30002
          5) "endpoint"
          6) "127.0.0.1"
          7) "role"
          8) "master"
3) 1) "slots"
   2) 1) (integer) 10923
      2) (integer) 16383
   3) "nodes"
   4) 1)  1) "id"
          2) "c"
          3) "port"
          4) (integer) 30003
          5) "endpoint"
          6) "127.0.0.1"
          7) "role"
          8) "master"
`

func TestParse(t *testing.T) {
	slotsRaw := "0\n5460\n127.0.0.1\n30001\n09dbe9720cda62f7865eabc5fd8857c5d2678366\nhostname\nhost-1\n127.0.0.1\n30004\n821d8ca00d7ccf931ed3ffc7e3db0599d2271abf\n\n" +
		"5461\n10922\n127.0.0.1\n30002\nc9d93d9f2c0c524ff34cc11838c2003d8c29e013\n\n10923\n16383\n127.0.0.1\n30003\n044ec91f325b7595e76dbcb18cc688b6a5b434a1\n\n"
	slotsOld := "1) 1) (integer) 0\n   2) (integer) 5460\n   3) 1) \"127.0.0.1\"\n      2) (integer) 30001\n   4) 1) \"127.0.0.1\"\n      2) (integer) 30004\n" +
		"2) 1) (integer) 5461\n   2) (integer) 10922\n   3) 1) \"127.0.0.1\"\n      2) (integer) 30002\n3) 1) (integer) 10923\n   2) (integer) 16383\n   3) 1) \"127.0.0.1\"\n      2) (integer) 30003\n"
	for name, text := range map[string]string{
		"nodes": nodes, "slots on a terminal": slotsTTY, "slots in a pipe": slotsRaw, "slots of Redis 3": slotsOld,
		"slots as JSON":        `[[0,5460,["127.0.0.1",30001,"id1",["hostname","h"]],["127.0.0.1",30004,"id4",[]]],[5461,10922,["127.0.0.1",30002,"id2",[]]],[10923,16383,["127.0.0.1",30003,"id3",[]]]]`,
		"slots in pieces":      `[[0,100,["127.0.0.1",30001,"a"]],[200,5460,["127.0.0.1",30001,"a"]],[101,199,["127.0.0.1",30001,"a"]],[5461,10922,["127.0.0.1",30002,"b"]],[10923,16383,["127.0.0.1",30003,"c"]]]`,
		"shards":               shardsRaw,
		"shards on a terminal": shardsTTY,
		"shards as JSON":       `[{"slots":[0,5460],"nodes":[{"id":"r4","port":30004,"ip":"127.0.0.1","endpoint":"127.0.0.1","hostname":"","role":"replica"},{"id":"a","port":30001,"ip":"127.0.0.1","endpoint":null,"role":"master"}]},{"slots":[5461,10922],"nodes":[{"id":"b","port":30002,"endpoint":"127.0.0.1","role":"master","health":"online"}]},{"slots":[10923,16383],"nodes":[{"id":"c","tls-port":30003,"endpoint":"127.0.0.1","role":"master"}]},{"slots":[],"nodes":[{"id":"d","port":30009,"ip":"127.0.0.1","role":"master"}]}]`,
		"ranges":               "127.0.0.1:30001=0-5460,127.0.0.1:30002=5461-10922,127.0.0.1:30003=10923-16383",
	} {
		c, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(c.Primaries) != 3 || c.Uncovered() != 0 {
			t.Errorf("%s: %d primaries, %d uncovered", name, len(c.Primaries), c.Uncovered())
		}
		for key, want := range map[string]string{"bar": "127.0.0.1:30001", "foo": "127.0.0.1:30003", "foo{}{bar}": "127.0.0.1:30002"} {
			if got := c.Primaries[c.Owner(Of(key))].Name; got != want {
				t.Errorf("%s: %s is on %s, want %s", name, key, got, want)
			}
		}
		if id := c.Primaries[c.Owner(0)].ID; (id == "") != (name == "ranges" || name == "slots of Redis 3") {
			t.Errorf("%s: id %q", name, id)
		}
	}
}

func TestParseRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "no slots",
		"(error) NOAUTH":                      "want first-last",
		"0\n(error) NOAUTH":                   "answer is an error",
		"[[0,5460":                            "slots as JSON",
		strings.Repeat("[", 100):              "nested",
		"[[0,16384,[\"h\",1,\"id\"]]]":        "0-16384",
		"[[0,1]]":                             "want first slot, last slot and host",
		"[[0,1,\"h\"]]":                       "want a port",
		"1\n2\n3\n4\n5\n":                     "want first slot, last slot and host",
		"a b master - 0 0 1 connected 9x":     "line 1: slots \"9x\"",
		"a b slave - 0 0 1 connected":         "no primary with slots",
		"a b c d e f g h\nshort line":         "line 2: want id, address",
		"slots\n0\n":                          "shards: want pairs",
		"slots\n0\n5\nnodes\nrole\nreplica\n": "no primary with slots",
		"slots\n9\n5\nnodes\n":                "want first-last",
		"slots\nx\n":                          "shards: want pairs",
		"[]":                                  "no primary with slots",
		"a:1 master - 0 0 0 1 connected 0-16383 x\n": "no primary with slots",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want … %s …", text, err, want)
		}
	}
	if _, err := Parse(make([]byte, MaxInput+1)); err == nil {
		t.Error("a listing above the limit was taken")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{nodes, slotsTTY, shardsRaw, shardsTTY, fivePrimaries, `[[0,5460,["h",1,"i",[]]]]`, "0\n1\nh\n1\nid\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(text)
		if (c == nil) == (err == nil) {
			t.Fatal(c, err)
		}
		if c == nil {
			return
		}
		n := 0
		for _, p := range c.Primaries {
			n += p.Slots()
		}
		if n+c.Uncovered() != Count {
			t.Fatalf("%d slots served, %d not", n, c.Uncovered())
		}
	})
}
