package expression

import (
	"errors"
	"testing"
)

// TestValues evaluates over fullRow.
func TestValues(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`amount > 10`, `true`},
		{`(amount ?? 0) > 10 and country in ["DE", "FR"]`, `true`},
		{`amount * qty`, `37.5`},
		{`qty + 1`, `4`},
		{`qty / 2`, `1.5`},
		{`qty % 2`, `1`},
		{`qty ** 2`, `9`},
		{`-qty`, `-3`},
		{`+qty`, `3`},
		{`len(name)`, `3`},
		{`name[1:2]`, `"本"`},
		{`name[-1:]`, `"語"`},
		{`name[:99]`, `"日本語"`},
		{`indexOf(name, "語")`, `2`},
		{`cust.tier == "gold"`, `true`},
		{`cust?.address?.zip + 1`, `3001`},
		{`cust.address`, `{"city":"Bern","zip":3000}`},
		{`cust["tier"]`, `"gold"`},
		{`country + "-" + cust.tier`, `"DE-gold"`},
		{`tags[0]`, `"x"`},
		{`tags[-1]`, `null`},
		{`tags[9]`, `null`},
		{`"y" in tags`, `true`},
		{`"z" in tags`, `null`},
		{`2 in scores`, `true`},
		{`9 in scores`, `false`},
		{`qty in scores`, `true`},
		{`2.0 in scores`, `true`},
		{`amount in [12.5, 1]`, `true`},
		{`qty in 1..3`, `true`},
		{`qty not in [1, 2]`, `true`},
		{`"tier" in cust`, `true`},
		{`any(items, .qty > 1)`, `true`},
		{`all(items, .qty > 1)`, `null`},
		{`map(items, .sku)`, `["a","b"]`},
		{`filter(items, .qty == 2)[0].sku`, `"a"`},
		{`sum(items, .qty)`, `2`},
		{`sum(scores)`, `6`},
		{`scores | filter(# > 1) | map(# * 10)`, `[30,20]`},
		{`any(scores, any(tags, # == "x") and # == 2)`, `true`},
		{`price == 10.1`, `true`},
		{`price > 10`, `true`},
		{`doc.a.b[1]`, `2.5`},
		{`doc.a.b[2] == "x"`, `true`},
		{`doc.n > 9223372036854775807`, `true`},
		{`doc.missing.x == 1`, `null`},
		{`doc.a > doc.a`, `null`},
		{`doc.a.b >= doc.a.b`, `null`},
		{`int(doc.a.b[0]) + 1`, `2`},
		{`placed_at > "2024-05-31T07:59:59Z"`, `true`},
		{`placed_at >= "2024-05-31"`, `true`},
		{`due > placed_at`, `true`},
		{`due == "2024-06-01"`, `true`},
		{`now() - placed_at > duration("1h")`, `true`},
		{`placed_at + duration("1h")`, `"2024-05-31T09:00:00Z"`},
		{`raw == b"\x01\x02"`, `true`},
		{`len(raw)`, `2`},
		{`name matches "^日"`, `true`},
		{`not paid`, `false`},
		{`paid ? 1 : 2.5`, `1`},
		{`open ?? "none"`, `"none"`},
		{`open + 1`, `null`},
		{`open == nil`, `true`},
		{`msg.subject`, `"orders.eu.created"`},
		{`token(msg.subject, 2)`, `"eu"`},
		{`msg.sequence`, `100`},
		{`msg.time > placed_at`, `true`},
		{`msg.stream + msg.operation`, `"ORDERSinsert"`},
		{`msg.headers["X"]`, `"h"`},
		{`msg.headers.Y`, `null`},
		{`_flow_event_id`, `"e1"`},
		{`msg.key + _flow_key`, `"users.1users.1"`},
		{`$env["msg"]`, `"hi"`},
		{`param.min < amount`, `true`},
		{`param.env`, `"dev"`},
		{`param.none ?? "x"`, `"x"`},
		{`{a: qty, b: [1, 2.5]}`, `{"a":3,"b":[1,2.5]}`},
		{`[qty, amount]`, `[3,12.5]`},
		{`1 < qty < 4`, `true`},
		{`type(qty)`, `"int"`},
		{`type(doc.a)`, `"record"`},
		{`toJSON(cust)`, `"{\"tier\":\"gold\",\"address\":{\"city\":\"Bern\",\"zip\":3000}}"`},
		{`0.1 + 0.2`, `0.30000000000000004`},
		{`1e21`, `1e+21`},
	} {
		if got, err := valueOf(t, test.text, fullRow); err != nil || got != test.want {
			t.Errorf("%s = %s, %v, want %s", test.text, got, err, test.want)
		}
	}
}

// TestNull evaluates over emptyRow: every operator and function over null is
// null, but for the exceptions.
func TestNull(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`amount > 0`, `null`},
		{`amount <= 0`, `null`},
		{`amount != 5`, `null`},
		{`not (amount > 0)`, `null`},
		{`cust.tier == "gold"`, `null`},
		{`cust.address.city`, `null`},
		{`name contains "x"`, `null`},
		{`name matches "x"`, `null`},
		{`amount == nil`, `true`},
		{`nil != amount`, `false`},
		{`cust == nil`, `true`},
		{`cust.address == nil`, `true`},
		{`nil == nil`, `true`},
		{`amount == amount`, `null`},
		{`amount + 1`, `null`},
		{`-amount`, `null`},
		{`paid and false`, `false`},
		{`paid and true`, `null`},
		{`paid or true`, `true`},
		{`paid or false`, `null`},
		{`paid ? 1 : 2`, `2`},
		{`amount ?? qty ?? 7`, `7`},
		{`country in ["DE"]`, `null`},
		{`country not in ["DE"]`, `null`},
		{`"x" in tags`, `null`},
		{`"a" in ["b", nil]`, `null`},
		{`len(name)`, `null`},
		{`len(tags)`, `null`},
		{`upper(name)`, `null`},
		{`name[0:1]`, `null`},
		{`"abc"[qty:]`, `null`},
		{`tags[0]`, `null`},
		{`any(tags, # == "x")`, `null`},
		{`map(tags, #)`, `null`},
		{`sum(scores)`, `null`},
		{`sum([1, nil, 2])`, `3`},
		{`max(1, qty)`, `null`},
		{`max([1, nil])`, `1`},
		{`string(qty)`, `null`},
		{`type(qty)`, `"nil"`},
		{`toJSON(qty)`, `null`},
		{`[qty, 1]`, `[null,1]`},
		{`{a: qty}`, `{"a":null}`},
		{`doc.a == 1`, `null`},
		{`price > 1`, `null`},
		{`placed_at > "2024-01-01"`, `null`},
	} {
		if got, err := valueOf(t, test.text, emptyRow); err != nil || got != test.want {
			t.Errorf("%s = %s, %v, want %s", test.text, got, err, test.want)
		}
	}
}

func TestRowErrors(t *testing.T) {
	const big = `{"id":9223372036854775807,"amount":1.5e308,"qty":-9223372036854775808,"name":"abc","price":"1e5000"}`
	for _, test := range []struct{ text, at, message string }{
		{`1 > 0 and id + 1 > 0`, `id + 1`, `integer overflow: 9223372036854775807 + 1`},
		{`id - qty`, `id - qty`, `integer overflow: 9223372036854775807 - -9223372036854775808`},
		{`(id) * 2`, `(id) * 2`, `integer overflow: 9223372036854775807 * 2`},
		{`-qty`, `-qty`, `integer overflow: -(-9223372036854775808)`},
		{`abs(qty)`, `abs(qty)`, `integer overflow: abs(-9223372036854775808)`},
		{`0 ** qty`, `0 ** qty`, `there is no number for 0 ** (-9.223372036854776e+18)`},
		{`qty ** 0.5`, `qty ** 0.5`, `there is no number for (-9.223372036854776e+18) ** 0.5`},
		{`duration(name) > duration("1h")`, `duration(name)`, `expected a duration in h, m, s, ms, us or ns, such as 1h30m, found "abc"`},
		{`date("2024-02-3" + string(id)[1:1] + "0" + name[0:0])`, `date("2024-02-3" + string(id)[1:1] + "0" + name[0:0])`, `there is no such day: "2024-02-30"`},
		{`fromJSON("[{\"a\":1,\"b\":{\"a\":1},\"\\u0061\":2}]")`, `fromJSON("[{\"a\":1,\"b\":{\"a\":1},\"\\u0061\":2}]")`, "member `a` occurs twice in the JSON text"},
		{`amount * 10`, `amount * 10`, `float overflow: 1.5e+308 * 10`},
		{`id / (id - id)`, `id / (id - id)`, `division by zero`},
		{`id % (id - id)`, `id % (id - id)`, `modulus by zero`},
		{`int(amount)`, `int(amount)`, `1.5e+308 is out of range of an int`},
		{`int(name)`, `int(name)`, `"abc" is no int`},
		{`float(name)`, `float(name)`, `"abc" is no float`},
		{`true ? id : 1.5`, `id`, `int 9223372036854775807 has no exact float`},
		{`price > 1`, `price > 1`, `decimal "1e5000" is out of range`},
		{`name matches name + "("`, `name matches name + "("`, "bad regular expression: missing closing ): `abc(`"},
		{`repeat(name, id)`, `repeat(name, id)`, `the expression allocates more than 64 MiB for this row`},
		{`len(1..id)`, `1..id`, `the expression allocates more than 64 MiB for this row`},
		{`all(1..1000, all(1..1000, all(1..1000, # > 0)))`, `1..1000`, `the expression allocates more than 64 MiB for this row`},
		{`reduce(1..100000, #acc + "xxxxxxxx", name)`, `#acc + "xxxxxxxx"`, `the expression allocates more than 64 MiB for this row`},
		{`date(name)`, `date(name)`, `expected a time as in RFC 3339, found "abc"`},
		{`fromUnix(id)`, `fromUnix(id)`, `time is out of range: the years 1678 to 2261`},
		{`fromJSON(name)`, `fromJSON(name)`, `text is not JSON: invalid character 'a' looking for beginning of value`},
	} {
		_, err := valueOf(t, test.text, big)
		row, ok := errors.AsType[*RowError](err)
		if !ok {
			t.Errorf("%s: error is %v, want a RowError", test.text, err)
			continue
		}
		if at := test.text[row.Start:row.End]; at != test.at || row.Message != test.message || row.Row != 0 {
			t.Errorf("%s: got %q at %q, want %q at %q", test.text, row.Message, at, test.message, test.at)
		}
	}
}

func TestExactNumbers(t *testing.T) {
	const row = `{"id":9007199254740993}`
	for _, test := range []struct{ text, want string }{
		{`id == 9007199254740992.0`, `false`},
		{`id > 9007199254740992.0`, `true`},
		{`9007199254740992.0 < id`, `true`},
		{`id == 9007199254740993`, `true`},
		{`id + 1 > 0`, `true`},
		{`id in [9007199254740992.0]`, `false`},
		{`id < 1e300`, `true`},
		{`id > -1e300`, `true`},
		{`id < 9007199254740993.5`, `true`},
	} {
		if got, err := valueOf(t, test.text, row); err != nil || got != test.want {
			t.Errorf("%s = %s, %v, want %s", test.text, got, err, test.want)
		}
	}
}

func TestNamesOfBuiltinsAndKeywords(t *testing.T) {
	for _, text := range []string{
		`count > 0`, `type == "refund"`, `date == "2024-01-02"`, `len(name) > 2 && len > 1`,
		`$env["in"] == 1`, `$env["not"]`, `$env["job-id"] == "x"`, `$env.count == 3`, `count(scores, # > 1) == 2`,
	} {
		if got, err := valueOf(t, text, fullRow); err != nil || got != "true" {
			t.Errorf("%s = %s, %v, want true", text, got, err)
		}
	}
}
