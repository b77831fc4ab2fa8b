package expression

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"
	"time"
)

var conversionFunctions = []function{
	{Function{"int", "int(x)", "A whole number from text, a float (its fraction cut off), a decimal or json.", `int("42")`, `42`},
		oneAnything, compileInt},
	{Function{"float", "float(x)", "The nearest float to an int, a decimal, text or json.", `float("1.5")`, `1.5`},
		oneAnything, compileFloat},
	{Function{"string", "string(x)", "The text of any value: times as RFC 3339, lists and records as JSON.", `string(1.5)`, `"1.5"`},
		oneAnything, compileString},
	{Function{"type", "type(x)", "The name of the value's type; \"nil\" for null.", `type("a")`, `"string"`},
		oneAnything, compileType},
	{Function{"toJSON", "toJSON(x)", "The value as JSON text on one line.", `toJSON({a: 1})`, `"{\"a\":1}"`},
		oneAnything, compileToJSON},
	{Function{"fromJSON", "fromJSON(text)", "The value of JSON text. Its members are typed when they are used: compare them, or convert them with int, float or string.", `fromJSON("{\"a\": [1]}").a`, `[1]`},
		oneText, compileFromJSON},
	{Function{"toBase64", "toBase64(x)", "Text or bytes in base64.", `toBase64("flow")`, `"Zmxvdw=="`},
		oneAnything, ofBytes(kindString, func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) })},
	{Function{"fromBase64", "fromBase64(text)", "The text that base64 stands for.", `fromBase64("Zmxvdw==")`, `"flow"`},
		oneText, of1(kindString, fromBase64)},
	{Function{"sha256", "sha256(x)", "The SHA-256 hash of text or bytes, as 64 hexadecimal digits.", `sha256("a")[0:8]`, `"ca978112"`},
		oneAnything, ofBytes(kindString, func(s string) string {
			sum := sha256.Sum256([]byte(s))
			return hex.EncodeToString(sum[:])
		})},
	{Function{"md5", "md5(x)", "The MD5 hash of text or bytes, as 32 hexadecimal digits. Not for secrets.", `md5("a")[0:8]`, `"0cc175b9"`},
		oneAnything, ofBytes(kindString, func(s string) string {
			sum := md5.Sum([]byte(s))
			return hex.EncodeToString(sum[:])
		})},
	{Function{"crc32", "crc32(x)", "The CRC-32 (IEEE) of text or bytes, an int.", `crc32("a")`, `3904355907`},
		oneAnything, ofBytes(kindInt, func(s string) int64 { return int64(crc32.ChecksumIEEE([]byte(s))) })},
}

// ofBytes makes a strict function of text or bytes.
func ofBytes[R any](result kind, compute func(string) R) func(*compiler, call) operand {
	return func(c *compiler, k call) operand {
		o := k.args[0]
		if o.typ.kind != kindString && o.typ.kind != kindBytes && o.typ.kind != kindNull {
			return c.problem(k.nodes[0], Mistyped, c.conversionHelp(o, kindString), "`%s` takes text or bytes, found %s", k.name, o.typ)
		}
		return of1(result, func(f *frame, at place, s string) (r R, ok bool) {
			if !f.allocate(at, 2*len(s)) {
				return r, false
			}
			return compute(s), true
		})(c, k)
	}
}

func compileInt(c *compiler, k call) operand {
	o := k.args[0]
	switch o.typ.kind {
	case kindInt:
		return o
	case kindNull, kindFloat, kindString, kindDecimal, kindJSON:
		return ofBoxed(k, kindInt, toInt)
	}
	return c.problem(k.nodes[0], Mistyped, "unix(t) gives the seconds of a time, seconds(d) those of a duration", "`int` takes a number or text, found %s", o.typ)
}

func compileFloat(c *compiler, k call) operand {
	o := k.args[0]
	switch o.typ.kind {
	case kindFloat:
		return o
	case kindNull, kindInt, kindString, kindDecimal, kindJSON:
		return ofBoxed(k, kindFloat, toFloat)
	}
	return c.problem(k.nodes[0], Mistyped, "", "`float` takes a number or text, found %s", o.typ)
}

// ofBoxed makes a strict function of any value.
func ofBoxed[R any](k call, result kind, compute func(any) (R, error)) operand {
	eval := boxed(k.args[0])
	return nullableIf(k.args[0].nullable, computed(result, fn[R](func(f *frame) (r R, ok bool) {
		v, ok := eval(f)
		if !ok {
			return r, false
		}
		r, err := compute(v)
		if err != nil {
			f.fail(k.at, "%s", err)
			return r, false
		}
		return r, true
	})))
}

func toInt(v any) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case float64:
		if v >= 1<<63 || v < -1<<63 {
			return 0, fmt.Errorf("%v is out of range of an int", v)
		}
		return int64(v), nil
	case string:
		if i, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
			return i, nil
		}
		r, err := parseDecimal(strings.TrimSpace(v))
		if err != nil || !r.IsInt() || !r.Num().IsInt64() {
			return 0, fmt.Errorf("%.40q is no int", v)
		}
		return r.Num().Int64(), nil
	}
	return 0, fmt.Errorf("%s is no int", describe(v))
}

func toFloat(v any) (float64, error) {
	switch v := v.(type) {
	case int64:
		return float64(v), nil
	case float64:
		return v, nil
	case json.Number:
		return toFloat(v.String())
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return 0, fmt.Errorf("%.40q is no float", v)
		}
		return f, nil
	}
	return 0, fmt.Errorf("%s is no float", describe(v))
}

// describe names a value of json in messages.
func describe(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	return "a " + dynamicType(v)
}

func compileString(_ *compiler, k call) operand {
	o := k.args[0]
	typ := o.typ
	switch typ.kind {
	case kindString:
		return o
	case kindDecimal:
		return nullableIf(o.nullable, computed(kindString, as[string](o)))
	}
	eval := boxed(o)
	return nullableIf(o.nullable, computed(kindString, fn[string](func(f *frame) (string, bool) {
		v, ok := eval(f)
		if !ok {
			return "", false
		}
		if s, isText := v.(string); isText && typ.kind == kindJSON {
			return s, true
		}
		return render(f, k.at, typ, v)
	})))
}

// render gives the text of a value that is not text.
func render(f *frame, at place, t dataType, v any) (string, bool) {
	var s string
	n, _ := v.(int64)
	switch t.kind {
	case kindBytes:
		s = v.(string)
		if !validText(s) {
			f.fail(at, "bytes are not text in UTF-8")
			return "", false
		}
	case kindTimestamp:
		s = timestampText(n)
	case kindDate:
		s = dateText(n)
	case kindDuration:
		s = durationText(n)
	default:
		s = string(appendJSON(nil, t, v))
	}
	return s, f.allocate(at, len(s))
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }

func durationText(ns int64) string { return time.Duration(ns).String() }

func compileType(_ *compiler, k call) operand {
	o := k.args[0]
	null, eval, typ := isNull(o), boxed(o), o.typ
	return nullableIf(false, computed(kindString, fn[string](func(f *frame) (string, bool) {
		if null(f) {
			return "nil", true
		}
		if typ.kind != kindJSON {
			return typ.kind.String(), true
		}
		v, _ := eval(f)
		return dynamicType(v), true
	})))
}

func dynamicType(v any) string {
	switch v.(type) {
	case nil:
		return "nil"
	case bool:
		return "bool"
	case int64:
		return "int"
	case float64:
		return "float"
	case json.Number:
		return "decimal"
	case string:
		return "string"
	case []any:
		return "list"
	}
	return "record"
}

func compileToJSON(_ *compiler, k call) operand {
	eval, typ := boxed(k.args[0]), k.args[0].typ
	return computed(kindString, fn[string](func(f *frame) (string, bool) {
		v, ok := eval(f)
		if !ok {
			return "", false
		}
		s := string(appendJSON(nil, typ, v))
		return s, f.allocate(k.at, len(s))
	}))
}

func compileFromJSON(_ *compiler, k call) operand {
	eval := as[string](k.args[0])
	return fromBoxed(dataType{kind: kindJSON}, func(f *frame) (any, bool) {
		s, ok := eval(f)
		if !ok || !f.allocate(k.at, elementBytes*len(s)) {
			return nil, false
		}
		v, err := parseJSON(s)
		if err != nil {
			f.fail(k.at, "text is not JSON: %s", err)
			return nil, false
		}
		if name, repeated := repeatedName(s); repeated {
			f.fail(k.at, "member `%s` occurs twice in the JSON text", name)
			return nil, false
		}
		return v, v != nil
	})
}

func fromBase64(f *frame, at place, s string) (string, bool) {
	decoded, err := base64.StdEncoding.DecodeString(s)
	if err != nil || !validText(string(decoded)) {
		f.fail(at, "%.40q is not the base64 of text", s)
		return "", false
	}
	return string(decoded), f.allocate(at, len(decoded))
}
