package rows

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTypeString(t *testing.T) {
	schema := declared(
		typed("a", Int), nullable(listOf("b", Type{Kind: String})), typed("job-id", Date),
		recordOf("c", true, nullable(typed("d", JSON)), recordOf("e", false), recordOf("f", true)),
	)
	const want = `{ a: int, b: [string]?, "job-id": date, c: { d: json?, e: {  }, f: { ... }, ... }, ... }`
	if got := open(schema).String(); got != want {
		t.Errorf("expected %s, found %s", want, got)
	}
}

func TestSchemaJSONIsStable(t *testing.T) {
	d := NewDecoder(open(declared(typed("id", Int))))
	accept(t, d, `{"id":1,"n":[{"x":9007199254740993}],"o":null}`)
	const want = `{"shape":"object","columns":[{"name":"id","type":{"kind":"int"}},` +
		`{"name":"n","type":{"kind":"list","nullable":true,"inferred":true,"elem":{"kind":"record","nullable":true,"inferred":true,` +
		`"fields":[{"name":"x","type":{"kind":"int","nullable":true,"inferred":true,"wide":true}}]}}},` +
		`{"name":"o","type":{"kind":"untyped","nullable":true,"inferred":true}}],"declared":true,"open":true}`
	got, err := json.Marshal(d.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("expected %s\nfound    %s", want, got)
	}
}

func TestInvalidSchemas(t *testing.T) {
	deep := strings.Repeat(`{"kind":"list","elem":`, 70) + `{"kind":"int"}` + strings.Repeat("}", 70)
	wide := strings.Repeat(`{"name":"","type":{"kind":"int"}},`, maxColumns)
	for text, want := range map[string]string{
		`{"columns":[{"name":"a","type":{"kind":"list"}}]}`:                                  "field a: expected an element type",
		`{"columns":[{"name":"a","type":{"kind":"int","elem":{"kind":"int"}}}]}`:             "field a: expected an element type",
		`{"columns":[{"name":"a","type":{"kind":"int","fields":[{"name":"b","type":{}}]}}]}`: "field a: expected members in a record only",
		`{"columns":[{"name":"a","type":{}},{"name":"a","type":{}}]}`:                        "field a: expected every name once",
		`{"columns":[{"name":"a","type":{"kind":"number"}}]}`:                                `found "number"`,
		`{"shape":"round"}`:                              `found "round"`,
		`{"shape":"raw","declared":true}`:                "expected shape object",
		`{"columns":[{"name":"a","type":` + deep + `}]}`: "64 levels",
		`{"columns":[{"name":"l","type":{"kind":"record","fields":[` + wide[:len(wide)-1] + `]}}]}`: "expected",
	} {
		var s Schema
		if err := json.Unmarshal([]byte(text), &s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: expected an error with %q, found %v", text, want, err)
		}
	}
	many := declared()
	for i := range maxColumns + 1 {
		many.Columns = append(many.Columns, typed(strings.Repeat("x", i), Int))
	}
	if err := many.Validate(); err == nil || !strings.Contains(err.Error(), "at most 4096") {
		t.Errorf("expected an error about the number of columns, found %v", err)
	}
	if err := (Schema{Columns: many.Columns[1:]}).Validate(); err != nil {
		t.Errorf("expected 4096 columns to be valid: %v", err)
	}
}

func TestWordsAreOneToOne(t *testing.T) {
	for k := Open; k <= Record; k++ {
		text, err := k.MarshalText()
		var again Kind
		if err != nil || again.UnmarshalText(text) != nil || again != k || k.String() != string(text) {
			t.Errorf("kind %d: %q was read back as %v: %v", uint8(k), text, again, err)
		}
	}
	if _, err := json.Marshal(Type{Kind: Record + 1}); err == nil {
		t.Error("expected an error for a kind that does not exist")
	}
	if _, err := json.Marshal(Schema{Shape: Raw + 1}); err == nil {
		t.Error("expected an error for a shape that does not exist")
	}
}
