package rows

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// messages makes JSON at random, with enough sameness that many of it fit one
// schema and enough variety that schemas grow and values fail.
type messages struct{ *rand.Rand }

func (m messages) object(depth int) string {
	names := []string{"a", "b", "c", "d", "e", "_flow_f", "g h"}
	var members []string
	for _, name := range names {
		if m.IntN(3) > 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, m.value(name, depth)))
		}
	}
	if m.IntN(4) == 0 {
		m.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	return "{" + strings.Join(members, ",") + "}"
}

// value mostly gives the type that goes with a name.
func (m messages) value(name string, depth int) string {
	if m.IntN(5) == 0 {
		return "null"
	}
	if m.IntN(40) == 0 {
		return m.pick(`"odd"`, "true", "7", "[[]]", "{}")
	}
	switch {
	case name == "a":
		return m.pick("0", "-0", "1", "12", "1e3", "9007199254740992")
	case name == "b":
		return m.pick("1", "2.5", "-0.0", "2", "9007199254740993", "10000000000000000", "1e30")
	case name == "c" && depth > 0:
		return m.object(depth - 1)
	case name == "d" && depth > 0:
		var elements []string
		for range m.IntN(3) {
			elements = append(elements, m.value(m.pick("c", "c", "c", "c", "a"), depth-1))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case name == "e":
		return m.pick(`""`, `"x"`, `"\u00e9\n"`, `"10"`)
	default:
		return m.pick("true", "false")
	}
}

func (m messages) pick(values ...string) string { return values[m.IntN(len(values))] }

// outcome is what a sequence of messages came to: a JSON object for each row,
// the error for each message that is none.
type outcome struct {
	results []string
	schema  Schema
}

// decodeInEpochs cuts a sequence where cut says so. At every cut the state
// becomes what resume makes of the schema.
func decodeInEpochs(t *testing.T, schema Schema, sequence []string, cut func(i int) bool, resume func(*Decoder) *Decoder) outcome {
	d := NewDecoder(schema)
	results := make([]string, len(sequence))
	var pending []int
	flush := func() {
		for i, row := range encode(t, d) {
			results[pending[i]] = row
		}
		pending = pending[:0]
	}
	for i, message := range sequence {
		if cut(i) {
			flush()
			d = resume(d)
		}
		if err := d.Append([]byte(message)); err != nil {
			results[i] = err.Error()
		} else {
			pending = append(pending, i)
		}
	}
	flush()
	return outcome{results: results, schema: d.Schema()}
}

func sameDecoder(d *Decoder) *Decoder {
	d.Reset(d.Schema())
	return d
}

func TestResultDoesNotDependOnCuts(t *testing.T) {
	restart := func(d *Decoder) *Decoder {
		text, err := json.Marshal(d.Schema())
		if err != nil {
			t.Fatal(err)
		}
		var read Schema
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if !read.Equal(d.Schema()) {
			t.Fatalf("expected %s to be read back as it was, found %s", text, read)
		}
		return NewDecoder(read)
	}
	schemas := []Schema{{}, open(declared()), open(declared(nullable(typed("a", Int)), nullable(recordOf("c", true))))}
	rows := 0
	for seed := range uint64(180) {
		m := messages{rand.New(rand.NewPCG(seed, 1))}
		sequence := make([]string, 30)
		for i := range sequence {
			sequence[i] = m.object(2)
		}
		schema := schemas[seed%3]
		never := func(int) bool { return false }
		always := func(int) bool { return true }
		sometimes := func(int) bool { return m.IntN(4) == 0 }
		want := decodeInEpochs(t, schema, sequence, never, sameDecoder)
		for name, got := range map[string]outcome{
			"one message an epoch":        decodeInEpochs(t, schema, sequence, always, sameDecoder),
			"some messages an epoch":      decodeInEpochs(t, schema, sequence, sometimes, sameDecoder),
			"a restart after every epoch": decodeInEpochs(t, schema, sequence, sometimes, restart),
		} {
			for i := range sequence {
				if got.results[i] != want.results[i] {
					t.Fatalf("seed %d, %s: message %d, %s\nin one batch: %s\nfound:        %s\nafter:\n%s",
						seed, name, i, sequence[i], want.results[i], got.results[i], strings.Join(sequence[:i], "\n"))
				}
			}
			if !got.schema.Equal(want.schema) {
				t.Fatalf("seed %d, %s: expected schema %s, found %s", seed, name, want.schema, got.schema)
			}
		}
		for _, r := range want.results {
			if strings.HasPrefix(r, "{") {
				rows++
			}
		}
	}
	if rows < 180*30/4 {
		t.Errorf("expected at least a quarter of the messages to be rows, found %d", rows)
	}
}

func TestFailedEpochLeavesNothing(t *testing.T) {
	for seed := range uint64(200) {
		m := messages{rand.New(rand.NewPCG(seed, 2))}
		d := NewDecoder(Schema{})
		accept(t, d, `{"a":1,"b":1,"c":{"a":null,"b":2,"e":null},"d":[],"e":null,"g h":null}`)
		certified := d.Schema()
		sequence := []string{m.object(2), m.object(2), m.object(2), m.object(2)}
		run := func() []string {
			d.Reset(certified)
			if d.Len() != 0 || !d.Schema().Equal(certified) {
				t.Fatalf("seed %d: expected no rows of %s, found %d of %s", seed, certified, d.Len(), d.Schema())
			}
			var failures []string
			for _, message := range sequence {
				if err := d.Append([]byte(message)); err != nil {
					failures = append(failures, err.Error())
				}
			}
			return append(failures, encode(t, d)...)
		}
		if first, second := run(), run(); !slices.Equal(first, second) {
			t.Fatalf("seed %d: the epoch gave %q, then %q", seed, first, second)
		}
	}
}
