package rows

import (
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestAccepted(t *testing.T) {
	tests := []struct {
		name   string
		schema Schema
		in     []string
		out    []string // equal to in where nil
		want   string   // the schema afterwards; not looked at where empty
	}{
		{name: "members keep the first message's order", in: []string{`{"b":1,"a":"x"}`, `{"a":"y","b":2}`},
			out: []string{`{"b":1,"a":"x"}`, `{"b":2,"a":"y"}`}, want: "{ b: int?, a: string? }"},
		{name: "missing is null", in: []string{`{"id":1,"b":"x"}`, `{"id":2}`, `{}`},
			out: []string{`{"id":1,"b":"x"}`, `{"id":2,"b":null}`, `{"id":null,"b":null}`}},
		{name: "an empty object", in: []string{`{}`, " {\n} "}, out: []string{`{}`, `{}`}, want: "{  }"},
		{name: "white space around", in: []string{" \n{\"a\" : 1}\t\r\n"}, out: []string{`{"a":1}`}},
		{name: "all of int64", in: []string{`{"a":9223372036854775807}`, `{"a":-9223372036854775808}`, `{"a":9007199254740993}`}},
		{name: "an integral number is an int in an int column", in: []string{`{"a":1}`, `{"a":1e3}`, `{"a":2.0}`, `{"a":-1.5e1}`, `{"a":100e-2}`, `{"a":0e99}`, `{"a":-0}`},
			out: []string{`{"a":1}`, `{"a":1000}`, `{"a":2}`, `{"a":-15}`, `{"a":1}`, `{"a":0}`, `{"a":0}`}, want: "{ a: int? }"},
		{name: "int becomes float", in: []string{`{"a":1}`, `{"a":9007199254740992}`, `{"a":null}`, `{"a":1.5}`, `{"a":2}`}, want: "{ a: float? }"},
		{name: "int becomes float at a number beyond int", in: []string{`{"a":1}`, `{"a":1e300}`}, out: []string{`{"a":1}`, `{"a":1e+300}`}},
		{name: "float keeps what it can", in: []string{`{"a":1.0}`, `{"a":-0.0}`, `{"a":1e21}`, `{"a":1e-7}`, `{"a":123456789012345680000}`, `{"a":0.000001}`, `{"a":10000000000000000}`},
			out: []string{`{"a":1}`, `{"a":-0}`, `{"a":1e+21}`, `{"a":1e-7}`, `{"a":123456789012345680000}`, `{"a":0.000001}`, `{"a":10000000000000000}`}},
		{name: "null fixes nothing", in: []string{`{"a":null,"b":[],"c":[null]}`, `{"a":"x","b":[1],"c":[[]]}`, `{"a":null,"b":[],"c":[[true],null]}`},
			want: "{ a: string?, b: [int?]?, c: [[bool?]?]? }"},
		{name: "nested", in: []string{`{"n":{"p":1,"q":{}},"l":[{"a":1},{"a":2}]}`, `{"n":null,"l":null}`, `{"n":{"p":null,"q":{}},"l":[null,{"a":null}]}`}},
		{name: "lists of the fixing message unify", in: []string{`{"l":[{"a":1},{"b":"x"},{"a":2.5}],"m":[1,1.5],"n":[[{"x":1}],[{"y":2}]]}`},
			out:  []string{`{"l":[{"a":1,"b":null},{"a":null,"b":"x"},{"a":2.5,"b":null}],"m":[1,1.5],"n":[[{"x":1,"y":null}],[{"x":null,"y":2}]]}`},
			want: "{ l: [{ a: float?, b: string? }?]?, m: [float?]?, n: [[{ x: int?, y: int? }?]?]? }"},
		{name: "a list becomes float", in: []string{`{"l":[1,2]}`, `{"l":[3,4.5]}`}, want: "{ l: [float?]? }"},
		{name: "a later message fixes a member", in: []string{`{"n":{"p":null}}`, `{"n":{"p":{"z":1}}}`}, want: "{ n: { p: { z: int? }? }? }"},
		{name: "strings stay", in: []string{`{"s":"\u001b[2J\r\b\u009b\u202e<&>\u2028\"\\\/"}`}, out: []string{"{\"s\":\"\\u001b[2J\\r\\b\u009b\u202e<&>\u2028\\\"\\\\/\"}"}},
		{name: "names with escapes", in: []string{`{"a\"b":1,"\u0063":2}`, `{"c":3,"a\u0022b":4}`}, out: []string{`{"a\"b":1,"c":2}`, `{"a\"b":4,"c":3}`}, want: `{ "a\"b": int?, c: int? }`},
		{name: "the envelope is not the payload's", in: []string{`{"_flow_event_id":[1,"x"],"id":1,"n":{"_flow_x":2}}`, `{"id":2,"\u005fflow_new":{},"n":null}`},
			out: []string{`{"id":1,"n":{"_flow_x":2}}`, `{"id":2,"n":null}`}, want: "{ id: int?, n: { _flow_x: int? }? }"},
		{name: "payload and subject are names like others", in: []string{`{"payload":"p","subject":"s"}`}},

		{name: "declared", schema: declared(typed("id", Int), nullable(typed("b", Bool))), in: []string{`{"id":1}`, `{"b":true,"id":2}`},
			out: []string{`{"id":1,"b":null}`, `{"id":2,"b":true}`}, want: "{ id: int, b: bool? }"},
		{name: "timestamps", schema: declared(typed("t", Timestamp)), in: []string{
			`{"t":"2024-02-29T12:00:00Z"}`, `{"t":"2024-02-29T12:00:00.120+02:00"}`, `{"t":"1677-09-21T00:12:43.145224192Z"}`, `{"t":"2262-04-11T23:47:16.854775807Z"}`, `{"t":"2024\u002d01-01T00:00:00.000000001Z"}`},
			out: []string{`{"t":"2024-02-29T12:00:00Z"}`, `{"t":"2024-02-29T10:00:00.12Z"}`, `{"t":"1677-09-21T00:12:43.145224192Z"}`, `{"t":"2262-04-11T23:47:16.854775807Z"}`, `{"t":"2024-01-01T00:00:00.000000001Z"}`}},
		{name: "dates", schema: declared(typed("d", Date)), in: []string{`{"d":"2024-02-29"}`, `{"d":"0000-01-01"}`, `{"d":"9999-12-31"}`, `{"d":"1969-12-31"}`}},
		{name: "bytes", schema: declared(typed("b", Bytes)), in: []string{`{"b":"AP8="}`, `{"b":""}`, `{"b":"\u0041P8="}`}, out: []string{`{"b":"AP8="}`, `{"b":""}`, `{"b":"AP8="}`}},
		{name: "decimals", schema: declared(typed("d", Decimal)), in: []string{`{"d":1.500}`, `{"d":18446744073709551616}`, `{"d":-0.10e+400}`, `{"d":0}`},
			out: []string{`{"d":1.500}`, `{"d":18446744073709551616}`, `{"d":-0.10e+400}`, `{"d":0}`}},
		{name: "json", schema: declared(nullable(typed("j", JSON))), in: []string{`{"j": { "b" : [1.0, null , "\u0061"] } }`, `{"j":"x"}`, `{"j":1e400}`, `{"j":null}`},
			out: []string{`{"j":{"b":[1.0,null,"\u0061"]}}`, `{"j":"x"}`, `{"j":1e400}`, `{"j":null}`}},
		{name: "declared float takes integers", schema: declared(typed("f", Float)), in: []string{`{"f":1}`, `{"f":1.25}`}},
		{name: "open schemas grow", schema: open(declared(typed("id", Int), recordOf("n", true, typed("p", Int)))),
			in:   []string{`{"id":1,"n":{"p":1}}`, `{"id":2,"n":{"p":2,"q":7},"coupon":"X9"}`, `{"id":3,"n":{"p":3,"q":7.5},"coupon":null}`},
			out:  []string{`{"id":1,"n":{"p":1}}`, `{"id":2,"n":{"p":2,"q":7},"coupon":"X9"}`, `{"id":3,"n":{"p":3,"q":7.5}}`},
			want: "{ id: int, n: { p: int, q: float?, ... }, coupon: string?, ... }"},
		{name: "declared lists", schema: declared(listOf("l", Type{Kind: Record, Fields: []Column{typed("a", Int)}})), in: []string{`{"l":[]}`, `{"l":[{"a":1},{"a":2}]}`}},
		{name: "a declared envelope name is still removed", schema: declared(nullable(typed("_flow_event_id", String))), in: []string{`{"_flow_event_id":"same"}`}, out: []string{`{"_flow_event_id":null}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := NewDecoder(test.schema)
			accept(t, d, test.in...)
			want := test.out
			if want == nil {
				want = test.in
			}
			if got := encode(t, d); !slices.Equal(got, want) {
				t.Errorf("expected %s\nfound    %s", strings.Join(want, "\n         "), strings.Join(got, "\n         "))
			}
			if got := d.Schema().String(); test.want != "" && got != test.want {
				t.Errorf("expected schema %s, found %s", test.want, got)
			}
		})
	}
}

func TestRejected(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 66) + "1" + strings.Repeat("}", 66)
	tests := []struct {
		name   string
		schema Schema
		before []string
		in     string
		want   RowError // Reason and Help: a part of it
	}{
		{name: "unknown member", before: []string{`{"id":1}`}, in: `{"id":2,"coupon":"X9"}`, want: RowError{Path: "coupon", Found: "string", Reason: "a new one", Help: "schema { ... }"}},
		{name: "unknown nested member", before: []string{`{"n":{"p":1}}`}, in: `{"n":{"p":2,"q":7}}`, want: RowError{Path: "n.q", Found: "int", Reason: "a new one", Help: "schema { ... }"}},
		{name: "unknown member of a list's record", before: []string{`{"tags":[{"p":1}]}`}, in: `{"tags":[{},{},{},{"q":[]}]}`, want: RowError{Path: "tags[3].q", Found: "array"}},
		{name: "unknown null member", before: []string{`{"id":1}`}, in: `{"x":null}`, want: RowError{Path: "x", Found: "null"}},
		{name: "unknown member of a closed declared schema", schema: declared(typed("id", Int)), in: `{"id":1,"x":{}}`, want: RowError{Path: "x", Found: "object", Help: "`...`"}},
		{name: "a name that is no identifier", before: []string{`{"id":1}`}, in: "{\"\\u001b[31mk\\u202e\":1}", want: RowError{Path: `"\x1b[31mk\u202e"`, Found: "int"}},
		{name: "a long name", before: []string{`{"id":1}`}, in: `{"` + strings.Repeat("é", 33) + `ü":1}`, want: RowError{Path: strconv.Quote(strings.Repeat("é", 32) + "…"), Found: "int"}},
		{name: "string for int", before: []string{`{"zip":10115}`}, in: `{"zip":"00715"}`, want: RowError{Path: "zip", Expected: "int", Found: "string", Help: "schema { ... }"}},
		{name: "int for bool", before: []string{`{"ok":true}`}, in: `{"ok":1}`, want: RowError{Path: "ok", Expected: "bool", Found: "int"}},
		{name: "string for float", before: []string{`{"a":1.5}`}, in: `{"a":"Infinity"}`, want: RowError{Path: "a", Expected: "float", Found: "string"}},
		{name: "string for object", before: []string{`{"app":{"name":"web"}}`}, in: `{"app":"web"}`, want: RowError{Path: "app", Expected: "object", Found: "string"}},
		{name: "array for object", before: []string{`{"app":{"name":"web"}}`}, in: `{"app":[1]}`, want: RowError{Path: "app", Expected: "object", Found: "array"}},
		{name: "object for string", before: []string{`{"a":"x"}`}, in: `{"a":{}}`, want: RowError{Path: "a", Expected: "string", Found: "object"}},
		{name: "string for list", before: []string{`{"a":["x"]}`}, in: `{"a":"x"}`, want: RowError{Path: "a", Expected: "array", Found: "string"}},
		{name: "string for a list of nothing", before: []string{`{"a":[]}`}, in: `{"a":"x"}`, want: RowError{Path: "a", Expected: "array", Found: "string"}},
		{name: "element of another type", before: []string{`{"tags":["x"]}`}, in: `{"tags":["a","b","c",4]}`, want: RowError{Path: "tags[3]", Expected: "string", Found: "int"}},
		{name: "a list that does not unify", in: `{"a":[1,"x"]}`, want: RowError{Path: "a[1]", Expected: "int", Found: "string"}},
		{name: "float for bool", before: []string{`{"a":true}`}, in: `{"a":1.5}`, want: RowError{Path: "a", Expected: "bool", Found: "float"}},
		{name: "float after a wide int", before: []string{`{"a":9007199254740993}`}, in: `{"a":1.5}`, want: RowError{Path: "a", Expected: "int", Found: "float", Help: "decimal"}},
		{name: "float for a declared int", schema: declared(typed("a", Int)), in: `{"a":1.5}`, want: RowError{Path: "a", Expected: "int", Found: "float"}},
		{name: "wide int after a float", before: []string{`{"a":1.5}`}, in: `{"a":9007199254740993}`, want: RowError{Path: "a", Expected: "float", Reason: "digits", Help: "decimal"}},
		{name: "wide int and float in one list", in: `{"a":[9007199254740993,1.5]}`, want: RowError{Path: "a[1]", Expected: "int", Found: "float"}},
		{name: "int beyond int64", before: []string{`{"id":1}`}, in: `{"id":9223372036854775808}`, want: RowError{Path: "id", Reason: "9223372036854775808", Help: "decimal"}},
		{name: "first int beyond int64", in: `{"id":18446744073709551616}`, want: RowError{Path: "id", Reason: "18446744073709551616", Help: "decimal"}},
		{name: "huge exponent", before: []string{`{"a":1.5}`}, in: `{"a":1e400}`, want: RowError{Reason: "range of a float"}},
		{name: "huge exponent in an int column", before: []string{`{"a":1}`}, in: `{"a":1e400}`, want: RowError{Reason: "range of a float"}},
		{name: "huge exponent in the envelope", before: []string{`{"a":1}`}, in: `{"a":1,"_flow_x":[1e400]}`, want: RowError{Reason: "range of a float"}},
		{name: "duplicate name", before: []string{`{"a":1}`}, in: `{"a":1,"a":1}`, want: RowError{Reason: "occurs twice"}},
		{name: "nested duplicate name", before: []string{`{"a":{"b":1}}`}, in: `{"a":{"b":1,"\u0062":1}}`, want: RowError{Reason: "occurs twice"}},
		{name: "duplicate name in json", schema: declared(typed("j", JSON)), in: `{"j":[{"b":1,"b":1}]}`, want: RowError{Reason: "occurs twice"}},
		{name: "invalid UTF-8", before: []string{`{"a":"x"}`}, in: "{\"a\":\"Jos\xe9\"}", want: RowError{Reason: "not valid JSON"}},
		{name: "lone surrogate", before: []string{`{"a":"x"}`}, in: `{"a":"\ud800"}`, want: RowError{Reason: "not valid JSON"}},
		{name: "byte order mark", before: []string{`{"a":1}`}, in: "\ufeff{\"a\":1}", want: RowError{Reason: "not valid JSON"}},
		{name: "second object", before: []string{`{"a":1}`}, in: `{"a":1}{"a":2}`, want: RowError{Reason: "more data after the object"}},
		{name: "trailing text", before: []string{`{"a":1}`}, in: `{"a":1} trailing`, want: RowError{Reason: "not valid JSON"}},
		{name: "cut short", before: []string{`{"a":1}`}, in: `{"a":1`, want: RowError{Reason: "ends too early"}},
		{name: "empty", before: []string{`{"a":1}`}, in: ``, want: RowError{Reason: "ends too early"}},
		{name: "array message", before: []string{`{"a":1}`}, in: `[1]`, want: RowError{Expected: "object", Found: "array", Help: "sources of their own"}},
		{name: "null message", before: []string{`{"a":1}`}, in: `null`, want: RowError{Expected: "object", Found: "null"}},
		{name: "object after raw", before: []string{`[1]`}, in: `{"a":1}`, want: RowError{Expected: "raw bytes", Found: "object", Help: "sources of their own"}},
		{name: "too deep", in: deep, want: RowError{Path: strings.TrimPrefix(strings.Repeat(".a", 64), "."), Reason: "64 levels"}},
		{name: "too deep for a schema", before: []string{`{"a":null}`}, in: deep, want: RowError{Path: strings.TrimPrefix(strings.Repeat(".a", 64), "."), Reason: "64 levels"}},
		{name: "too many columns", in: "{" + manyMembers(maxColumns+1) + "}", want: RowError{Path: "m4096", Reason: "at most 4096", Help: "json"}},
		{name: "too many missing members", in: `{"l":[{` + manyMembers(2000) + "}" + strings.Repeat(",{}", 5000) + "]}", want: RowError{Reason: "too many", Help: "json"}},
		{name: "too many null records", in: `{"l":[{` + manyMembers(2000) + "}" + strings.Repeat(",null", 5000) + "]}", want: RowError{Reason: "too many", Help: "json"}},
		{name: "declared and missing", schema: declared(typed("id", Int), typed("x", String)), in: `{"id":1}`, want: RowError{Path: "x", Expected: "string", Found: "no such member", Help: "`?`"}},
		{name: "declared and null", schema: declared(typed("x", String)), in: `{"x":null}`, want: RowError{Path: "x", Expected: "string", Found: "null", Help: "`?`"}},
		{name: "null element", schema: declared(listOf("l", Type{Kind: Int})), in: `{"l":[1,null]}`, want: RowError{Path: "l[1]", Expected: "int", Found: "null"}},
		{name: "missing in a list", schema: declared(listOf("l", Type{Kind: Record, Fields: []Column{typed("a", Int)}})), in: `{"l":[{}]}`, want: RowError{Path: "l[0].a", Expected: "int", Found: "no such member"}},
		{name: "no timestamp", schema: declared(typed("t", Timestamp)), in: `{"t":"yesterday"}`, want: RowError{Path: "t", Expected: "timestamp", Found: "string", Reason: "RFC 3339"}},
		{name: "number for timestamp", schema: declared(typed("t", Timestamp)), in: `{"t":1700000000}`, want: RowError{Path: "t", Expected: "timestamp", Found: "int"}},
		{name: "timestamp beyond the column", schema: declared(typed("t", Timestamp)), in: `{"t":"2262-04-11T23:47:16.854775808Z"}`, want: RowError{Path: "t", Expected: "timestamp"}},
		{name: "timestamp before the column", schema: declared(typed("t", Timestamp)), in: `{"t":"1677-09-21T00:12:43.145224191Z"}`, want: RowError{Path: "t", Expected: "timestamp"}},
		{name: "timestamp with ten digits", schema: declared(typed("t", Timestamp)), in: `{"t":"2024-01-01T00:00:00.0123456789Z"}`, want: RowError{Path: "t", Expected: "timestamp"}},
		{name: "no such date", schema: declared(typed("d", Date)), in: `{"d":"2023-02-29"}`, want: RowError{Path: "d", Expected: "date", Found: "string", Reason: "YYYY-MM-DD"}},
		{name: "no base64", schema: declared(typed("b", Bytes)), in: `{"b":"AP8"}`, want: RowError{Path: "b", Expected: "bytes", Found: "string", Reason: "base64"}},
		{name: "no decimal", schema: declared(typed("d", Decimal)), in: `{"d":"1.5"}`, want: RowError{Path: "d", Expected: "decimal", Found: "string"}},
		{name: "bool for decimal", schema: declared(typed("d", Decimal)), in: `{"d":true}`, want: RowError{Path: "d", Expected: "decimal", Found: "bool"}},
	}
	texts := &txtar.Archive{Comment: []byte("What users read about each message that is no row.\n")}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := NewDecoder(test.schema)
			accept(t, d, test.before...)
			got := rejection(t, d, test.in)
			texts.Files = append(texts.Files, txtar.File{Name: test.name, Data: []byte(got.Error() + "\n")})
			if got.Path != test.want.Path ||
				test.want.Expected != "" && got.Expected != test.want.Expected ||
				test.want.Found != "" && got.Found != test.want.Found ||
				!strings.Contains(got.Reason, test.want.Reason) || !strings.Contains(got.Help, test.want.Help) {
				t.Errorf("expected %+v\nfound    %+v", test.want, *got)
			}
			if got.Offset < 0 || got.Offset > len(test.in) {
				t.Errorf("expected an offset within the message's %d bytes, found %d", len(test.in), got.Offset)
			}
			accept(t, d, test.before...)
		})
	}
	golden(t, "testdata/rejections.txtar", txtar.Format(texts))
}

// golden compares text with a file, which -update rewrites.
func golden(t *testing.T, file string, text []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(text) {
		t.Errorf("%s: expected\n%s\nfound\n%s", file, want, text)
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"m`)
		b.WriteString(strconv.Itoa(i))
		b.WriteString(`":1`)
	}
	return b.String()
}
