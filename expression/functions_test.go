package expression

import (
	"slices"
	"strings"
	"testing"

	"github.com/expr-lang/expr/builtin"
)

// TestFunctionExamples runs the example of every function.
func TestFunctionExamples(t *testing.T) {
	for _, f := range Functions() {
		if got, err := valueOf(t, f.Example, fullRow); err != nil || got != f.Result {
			t.Errorf("%s = %s, %v, documented is %s", f.Example, got, err, f.Result)
		}
		if !strings.Contains(f.Example, f.Name+"(") || !strings.HasPrefix(f.Signature, f.Name+"(") || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: incomplete documentation: %+v", f.Name, f)
		}
	}
}

// TestBuiltinsAreKnown holds that every function of expr exists here or is
// refused with what to use instead.
func TestBuiltinsAreKnown(t *testing.T) {
	for _, name := range builtin.Names {
		_, available := functions[name]
		_, refused := unavailable[name]
		if available == refused {
			t.Errorf("builtin %s: available %v, refused %v", name, available, refused)
		}
	}
}

// TestFunctionsOverNull holds that a function over null is null.
func TestFunctionsOverNull(t *testing.T) {
	exceptions := map[string]bool{"type": true, "now": true}
	for _, f := range Functions() {
		if exceptions[f.Name] {
			continue
		}
		text := f.Name + "(open" + strings.Repeat(", open", required(f)-1) + ")"
		if slices.Contains(functions[f.Name].params, bodyArg) {
			text = f.Name + "(open, nil" + strings.Repeat(", open", required(f)-2) + ")"
		}
		text = "string(" + text + ")" // a duration alone cannot be a result
		if got, err := valueOf(t, text, fullRow); err != nil || got != "null" {
			t.Errorf("%s = %s, %v, want null", text, got, err)
		}
	}
}

// TestForeignFunctions holds that what is proposed for functions of other
// languages exists.
func TestForeignFunctions(t *testing.T) {
	for name, same := range foreignFunctions {
		if _, ok := functions[same]; !ok || foreignName(name) != name || foreignForms[name] != "" {
			t.Errorf("%s: proposed is %s", name, same)
		}
	}
	for name, form := range foreignForms {
		if _, problems := Parse(form); len(problems) > 0 || foreignName(name) != name {
			t.Errorf("%s: proposed is %s, with %v", name, form, problems)
		}
	}
}

func required(f Function) int {
	n := 0
	for _, p := range functions[f.Name].params {
		if !p.optional {
			n++
		}
	}
	return n
}

func TestFunctions(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`trim("  x ")`, `"x"`},
		{`upper("été")`, `"ÉTÉ"`},
		{`capitalize("")`, `""`},
		{`camelCase("HTTP server-name 2x")`, `"httpServerName2x"`},
		{`snakeCase("orderID")`, `"order_id"`},
		{`split("", ",")`, `[""]`},
		{`split("日本", "")`, `["日","本"]`},
		{`replace("aaa", "a", "b")`, `"bbb"`},
		{`replace("日本", "", "-")`, `"-日-本-"`},
		{`indexOf("abc", "z")`, `-1`},
		{`repeat("", 5)`, `""`},
		{`token("a.b", 0)`, `null`},
		{`token("a.b", -1)`, `"b"`},
		{`token("a.b", 3)`, `null`},
		{`join(["a", nil, "b"])`, `"ab"`},
		{`join(["", "", "a"], "-")`, `"--a"`},
		{`int(-1.9)`, `-1`},
		{`int("1e3")`, `1000`},
		{`int(string(price)[0:2])`, `10`},
		{`string(1e3)`, `"1000"`},
		{`string(placed_at)`, `"2024-05-31T08:00:00Z"`},
		{`string(due)`, `"2024-06-01"`},
		{`string(cust)`, `"{\"tier\":\"gold\",\"address\":{\"city\":\"Bern\",\"zip\":3000}}"`},
		{`string(doc.a.b[2])`, `"x"`},
		{`toJSON([1.5, nil])`, `"[1.5,null]"`},
		{`toJSON("<&>")`, `"\"<&>\""`},
		{`fromJSON("{\"a\":9223372036854775808}")`, `{"a":9223372036854775808}`},
		{`fromJSON("null")`, `null`},
		{`date("2024-03-31 02:30:00", "", "Europe/Zurich")`, `"2024-03-31T01:30:00Z"`},
		{`date("Fri, 31 May 2024 10:00:00 +0200", "Mon, 02 Jan 2006 15:04:05 -0700")`, `"2024-05-31T08:00:00Z"`},
		{`hour(placed_at, param.zone)`, `10`},
		{`weekday(date("2024-06-02"))`, `7`},
		{`day(placed_at, "Pacific/Auckland")`, `31`},
		{`unix(date("1969-12-31T23:59:59.5Z"))`, `-1`},
		{`truncate(date("1969-12-31T23:59:59Z"), duration("1h"))`, `"1969-12-31T23:00:00Z"`},
		{`string(date("2024-05-31") - date("2024-05-30"))`, `"24h0m0s"`},
		{`max(date(due), placed_at) == due`, `true`},
		{`min(placed_at, now())`, `"2024-05-31T08:00:00Z"`},
		{`uniq(["a", nil, "a", nil])`, `["a",null]`},
		{`sort([2, nil, 1])`, `[1,2,null]`},
		{`sort([2, nil, 1], "desc")`, `[2,1,null]`},
		{`sortBy(items, .sku, "desc")[0].sku`, `"b"`},
		{`concat([1], [2.5])`, `[1,2.5]`},
		{`keys(doc)`, `["a","n"]`},
		{`values({a: 1, b: "x"} == nil ? nil : {a: 1})`, `[1]`},
		{`any([], # == 1)`, `false`},
		{`all([], # == 1)`, `true`},
		{`one([1, 1], # == 1)`, `false`},
		{`none([nil, 1], # == 1)`, `false`},
		{`none([nil, 2], # == 1)`, `null`},
		{`findIndex([1], # == 2)`, `null`},
		{`map(filter(scores, # > 1), # + #index)`, `[3,3]`},
		{`count([true, nil, false])`, `1`},
		{`reduce(tags, #acc + (# ?? "-"), "")`, `"xy-"`},
		{`any(doc.a.b, # == 2.5)`, `true`},
		{`bitshl(1, 64)`, `0`},
		{`get(doc, "n") > 0`, `true`},
		{`get(cust, "tier")`, `"gold"`},
		{`get(doc, "missing")`, `null`},
		{`fromJSON("{\"a\":{\"a\":\"a\"},\"b\":[\"a\",\"a\",{\"a\":1e400}]}").a.a`, `"a"`},
	} {
		if got, err := valueOf(t, test.text, fullRow); err != nil || got != test.want {
			t.Errorf("%s = %s, %v, want %s", test.text, got, err, test.want)
		}
	}
}
