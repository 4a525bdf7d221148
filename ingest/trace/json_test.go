package trace

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tailcheck/tailcheck/ingest"
)

// walk reads text as documents of objects with the member "v" and returns the
// values, the problems and the error.
func walk(r io.Reader, loose bool) (values, problems []string, failed error) {
	f := NewFeed(ingest.Input{}, func(r ingest.Record, err error) bool {
		if err != nil {
			failed = err
		} else if p, ok := r.(*ingest.Problem); ok {
			problems = append(problems, p.Err.Error())
		}
		return true
	})
	j := NewJSON(r, f)
	j.Loose = loose
	var c Cursor
	take := func(raw []byte) {
		if j.Broken() {
			return
		}
		c.Reset(raw)
		for name := range c.Members() {
			if string(name) == "v" {
				values = append(values, string(c.Text()))
			} else {
				c.Skip()
			}
		}
	}
	for first := range j.Documents() {
		if first == '{' {
			take(j.Raw())
			continue
		}
		j.Open()
		for range j.Elements() {
			if j.Open() == '{' {
				take(j.Object())
			}
		}
	}
	return values, problems, failed
}

func TestJSON(t *testing.T) {
	cut, other := errCut.Error(), errOther.Error()
	for _, test := range []struct {
		name, text string
		values     []string
		problems   []string // of a strict walk
		loose      []string // of a loose one
	}{
		{"lines", "{\"v\":1}\n{\"v\":2}\n", []string{"1", "2"}, nil, nil},
		{"one behind the other", "{\"v\":1}{\"v\":2}", []string{"1", "2"}, nil, nil},
		{"pretty", "{\n  \"v\": 1\n}\n\n{\n  \"v\": 2\n}", []string{"1", "2"}, nil, nil},
		{"array", `[{"v":1}, {"v":2}, 3, [4], {"v":{}}]`, []string{"1", "2", ""}, nil, nil},
		{"separators", "\x1e{\"v\":1}\n\x1e{\"v\":2}\n\x00\x00", []string{"1", "2"}, nil, nil},
		{"text between", "starting\n{\"v\":1}\n2026 INFO {x} }\nmore\n{\"v\":2}\nend", []string{"1", "2"}, []string{other, other, other}, nil},
		{"numbers between", "1 2\n{\"v\":1}", []string{"1"}, []string{other}, nil},
		{"cut off", "{\"v\":1}\n{\"v\":2,\"w\":[1", []string{"1"}, []string{cut}, []string{cut}},
		{"broken, then more", "{\"v\":1}\n{\"v\":oops}\n{\"v\":3}", []string{"1", "3"}, []string{cut}, []string{cut}},
		{"line that is cut off", "{\"v\":1}\n{\"v\":\"2\n{\"v\":3}", []string{"1", "3"}, []string{cut}, []string{cut}},
		{"broken array", "[{\"v\":1},\n{\"v\":oops},\n{\"v\":3},\n{\"v\":4}\n]", []string{"1", "3", "4"}, []string{cut}, []string{cut}},
		{"nothing", " \n\t ", nil, nil, nil},
		{"brackets", "]}", nil, nil, nil},
	} {
		for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
			values, problems, err := walk(r, false)
			if !slices.Equal(values, test.values) || !slices.Equal(problems, test.problems) || err != nil {
				t.Errorf("%s: %q, %q, %v", test.name, values, problems, err)
			}
		}
		values, problems, err := walk(strings.NewReader(test.text), true)
		if !slices.Equal(values, test.values) || !slices.Equal(problems, test.loose) || err != nil {
			t.Errorf("%s, loose: %q, %q, %v", test.name, values, problems, err)
		}
	}
}

// Positions are right behind text that was passed over, too.
func TestJSONPositions(t *testing.T) {
	const text = "log\n\n  {x\n \n{\"v\":1}\n\n  more \n\n  \n[{\"v\":oops},\n {\"v\":2}, \n{\"v\":3}]\n\t\n}\n{\"v\":4}"
	for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text))} {
		f := NewFeed(ingest.Input{}, func(ingest.Record, error) bool { return true })
		j := NewJSON(r, f)
		found := 0
		for first := range j.Documents() {
			if first == '[' {
				j.Open()
				for range j.Elements() {
					j.Raw()
				}
				continue
			}
			raw := j.Raw()
			if at := j.At(); !j.Broken() {
				found++
				if !strings.HasPrefix(text[at:], string(raw)) {
					t.Errorf("%s at %d, where %q stands", raw, at, text[at:])
				}
			}
		}
		if found != 3 {
			t.Errorf("%d documents", found)
		}
	}
}

func TestJSONLimits(t *testing.T) {
	if _, _, err := walk(io.MultiReader(strings.NewReader(`{"v":"`), &endless{}), false); !errors.Is(err, errLong) {
		t.Errorf("a text without end: %v", err)
	}
	if _, _, err := walk(io.MultiReader(strings.NewReader(`[{"w":[`), &endless{}), false); err == nil {
		t.Error("an array without end gives no error")
	}
	broken := errors.New("disk on fire")
	if values, _, err := walk(io.MultiReader(strings.NewReader(`{"v":1}`), iotest.ErrReader(broken)), false); !errors.Is(err, broken) || len(values) != 1 {
		t.Errorf("%v, %v", values, err)
	}
	// many broken documents, each with much behind it that was read in vain
	if _, problems, err := walk(strings.NewReader(strings.Repeat("{\"w\":[\n", 60_000)), false); err == nil && len(problems) < 2 {
		t.Errorf("%d problems, %v", len(problems), err)
	}
	deep := strings.Repeat("[", 1<<20)
	if _, problems, err := walk(strings.NewReader(deep), false); len(problems) == 0 && err == nil {
		t.Error("deep nesting gives no problem")
	}
}

// endless yields the same bytes for as long as anybody reads.
type endless struct{}

func (*endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "7,"[i%2]
	}
	return len(p), nil
}

func TestCursor(t *testing.T) {
	var c Cursor
	for text, want := range map[string]Value{
		`"abc"`: {[]byte("abc"), StringValue}, ` 12 `: {[]byte("12"), NumberValue}, `-1.5e3`: {[]byte("-1.5e3"), NumberValue},
		`true`: {[]byte("true"), BoolValue}, `null`: {}, `{"a":1}`: {}, `["x","y"]`: {[]byte("x"), StringValue}, `[[1],2]`: {}, `[]`: {}, ``: {},
		`"a\n\u00e9\ud83d\ude00\"\\"`: {[]byte("a\né😀\"\\"), StringValue}, "\"\xff\"": {[]byte("\ufffd"), StringValue},
	} {
		c.Reset([]byte(text))
		if got := c.Value(); got.Kind != want.Kind || !bytes.Equal(got.Text, want.Text) {
			t.Errorf("%s: %q %d", text, got.Text, got.Kind)
		}
		if c.Peek() != 0 {
			t.Errorf("%s: the cursor stands before %q", text, c.b[c.i:])
		}
	}
	c.Reset([]byte(`{"a":{"b":[1,{"c":"}"}]},"d":[[],{}],"e":"f"}`))
	var seen []string
	for name := range c.Members() {
		seen = append(seen, string(name)+"="+string(c.Raw()))
	}
	if got := strings.Join(seen, " "); got != `a={"b":[1,{"c":"}"}]} d=[[],{}] e="f"` {
		t.Error(got)
	}
}

// In a text that is no JSON a cursor comes to its end.
func TestCursorLost(t *testing.T) {
	for _, text := range []string{`{`, `{"a`, `{"a"`, `{"a":`, `{"a":}`, `{a:1}`, `[`, `[1`, `[1 2]`, `[,,]`, `[}`, `{]`, `"`, `"\`, `}`, `]`, `:`, `,`, "\x00", `{"a":1]`, `[1}`, `{"a" "b"}`, strings.Repeat("[", 1000)} {
		for range 2 {
			var c Cursor
			c.Reset([]byte(text))
			for n := 0; c.Peek() != 0; n++ {
				if n > len(text)+2 {
					t.Fatalf("%q: does not end", text)
				}
				switch c.Peek() {
				case '{':
					for range c.Members() {
						c.Value()
					}
				case '[':
					for range c.Elements() {
						c.Skip()
					}
				default:
					c.Skip()
				}
			}
		}
	}
}

func TestObjects(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":{"b":1},"c":2}`:              "b|a c",
		`[{"a":[{"b":1},{}]}]`:             "b||a",
		"log\n{\"a\":1}\nlog {\n[{\"b\":2": "a|b",
		`{"a":"` + strings.Repeat("x", 10): "a",
		`text {"a":1}`:                     "",
		`{"a":1}{"b":2}`:                   "a|b",
		`{"a" 1}`:                          "a",
		"\x1e{\"a\":1}":                    "a",
	} {
		var got []string
		Objects([]byte(text), func(m Members) bool {
			got = append(got, strings.Join(m, " "))
			return false
		})
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%s: %q, want %q", text, s, want)
		}
	}
}
