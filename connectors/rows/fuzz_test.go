package rows

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// everyKind is a declared schema with a column of every kind.
func everyKind() Schema {
	var columns []Column
	for k := Bool; k <= JSON; k++ {
		columns = append(columns, nullable(typed(k.String(), k)))
	}
	columns = append(columns, nullable(listOf("list", Type{Kind: Timestamp, Nullable: true})))
	columns = append(columns, nullable(recordOf("record", true, nullable(typed("d", Decimal)))))
	return open(declared(columns...))
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `[1,2]`, `{"a":1}{"b":2}`, `{"a":1e400}`, `{"a":"\ud800"}`, "\ufeff{}", "{\"a\":\"\xe9\"}", `{"a":1,"a":2}`,
		`{"a":1,"b":"x","c":[{"d":null},{"e":[]}],"_flow_x":1}`, `{"a":1.5,"b":null,"c":[{"d":-0}]}`,
		`{"bool":true,"int":1e3,"float":9007199254740993,"string":"\u0000","bytes":"AP8=","timestamp":"2024-01-01T00:00:00.5+01:00"}`,
		`{"date":"2024-02-29","decimal":"1.50","json":{"a": [1]},"list":["2024-01-01T00:00:00Z",null],"record":{"d":1,"new":{}}}`,
	} {
		f.Add([]byte(s), []byte(`{"a":1,"c":[]}`), false)
		f.Add([]byte(`{"a":null}`), []byte(s), true)
	}
	f.Fuzz(func(t *testing.T, first, second []byte, isDeclared bool) {
		var schema Schema
		if isDeclared {
			schema = everyKind()
		}
		d := NewDecoder(schema)
		for _, message := range [][]byte{first, second, first} {
			checkAppend(t, d, message)
		}
		if d.Schema().Shape == Object {
			checkAgain(t, d)
		}
	})
}

// checkAppend appends message and compares what follows with what an oracle
// says about it.
func checkAppend(t *testing.T, d *Decoder, message []byte) {
	before := d.Schema()
	if err := before.Validate(); err != nil {
		t.Fatalf("schema %s: %v", before, err)
	}
	given := bytes.Clone(message)
	length := d.Len()
	if oracle := isObject(message); before.Shape != Undetermined && oracle != (before.Shape == Object) {
		rejection(t, d, string(message))
		return
	} else if err := d.Append(message); err != nil {
		if !oracle {
			t.Fatalf("%q: expected the first message to fix the raw shape: %v", message, err)
		}
		rejection(t, d, string(message))
	} else if d.Len() != length+1 {
		t.Fatalf("%q: expected %d rows, found %d", message, length+1, d.Len())
	} else if oracle {
		checkRow(t, d, message)
	} else {
		checkRaw(t, d, message)
	}
	if !bytes.Equal(message, given) {
		t.Fatalf("the message %q became %q", given, message)
	}
}

// isObject is the oracle for what a JSON object is.
func isObject(message []byte) bool {
	value := jsontext.Value(message)
	if !value.IsValid() || value.Kind() != '{' {
		return false
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(message))
	for decoder.PeekKind() != 0 {
		token, err := decoder.ReadToken()
		if err != nil {
			return true
		}
		if token.Kind() == '0' {
			if _, err := strconv.ParseFloat(token.String(), 64); err != nil {
				return false
			}
		}
	}
	return true
}

func checkRow(t *testing.T, d *Decoder, message []byte) {
	rows := encode(t, d)
	row := rows[len(rows)-1]
	if !jsontext.Value(row).IsValid() {
		t.Fatalf("%q became %q, which is not JSON", message, row)
	}
	if d.Schema().Declared {
		return
	}
	in, out := parse(t, message).(map[string]any), parse(t, []byte(row))
	for name := range in {
		if strings.HasPrefix(name, reservedPrefix) {
			delete(in, name)
		}
	}
	if !isSame(in, out) {
		t.Fatalf("%q became %q", message, row)
	}
}

func checkRaw(t *testing.T, d *Decoder, message []byte) {
	rows := encode(t, d)
	want, err := json.Marshal(map[string][]byte{payloadColumn: append([]byte{}, message...)})
	if err != nil {
		t.Fatal(err)
	}
	if rows[len(rows)-1] != string(want) {
		t.Fatalf("expected %s, found %s", want, rows[len(rows)-1])
	}
}

// checkAgain holds the rows to what they are when their JSON is decoded again.
func checkAgain(t *testing.T, d *Decoder) {
	want := encode(t, d)
	again := NewDecoder(d.Schema())
	accept(t, again, want...)
	if got := encode(t, again); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("expected %v to be read as written, found %v", want, got)
	}
	if !again.Schema().Equal(d.Schema()) {
		t.Fatalf("expected schema %s again, found %s", d.Schema(), again.Schema())
	}
}

func parse(t *testing.T, text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// isSame compares parsed JSON; out may have nulls where in has nothing.
func isSame(in, out any) bool {
	switch in := in.(type) {
	case map[string]any:
		out, ok := out.(map[string]any)
		if !ok {
			return false
		}
		for name, v := range out {
			if _, given := in[name]; !given && v != nil || given && !isSame(in[name], v) {
				return false
			}
		}
		for name := range in {
			if _, kept := out[name]; !kept {
				return false
			}
		}
		return true
	case []any:
		out, ok := out.([]any)
		if !ok || len(in) != len(out) {
			return false
		}
		for i := range in {
			if !isSame(in[i], out[i]) {
				return false
			}
		}
		return true
	case json.Number:
		out, ok := out.(json.Number)
		return ok && isSameNumber(in.String(), out.String())
	default:
		return in == out
	}
}

func isSameNumber(in, out string) bool {
	if !strings.ContainsAny(in, ".eE") && in != "-0" {
		return in == out
	}
	a, _ := strconv.ParseFloat(in, 64)
	b, _ := strconv.ParseFloat(out, 64)
	return a == b
}

func FuzzSchemaJSON(f *testing.F) {
	text, err := json.Marshal(everyKind())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, []byte(`{"list":[],"record":{}}`))
	f.Add([]byte(`{"columns":[{"name":"a","type":{"kind":"list"}}]}`), []byte(`{"a":[]}`))
	f.Fuzz(func(t *testing.T, text, message []byte) {
		var s Schema
		if json.Unmarshal(text, &s) != nil {
			return
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var read Schema
		if err := json.Unmarshal(again, &read); err != nil || !read.Equal(s) {
			t.Fatalf("expected %s to be read back as it was, found %s: %v", again, read, err)
		}
		d := NewDecoder(s)
		if err := d.Append(message); err == nil {
			encode(t, d)
		}
	})
}
