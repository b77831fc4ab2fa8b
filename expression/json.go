package expression

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// decodeJSON gives the boxed value of JSON text: nil, bool, string, int64,
// float64, json.Number (an integer beyond int64), []any or map[string]any. Text
// that is not JSON gives nil.
func decodeJSON(text string) any {
	v, err := parseJSON(text)
	if err != nil {
		return nil
	}
	return v
}

func parseJSON(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	if strings.TrimSpace(text[decoder.InputOffset():]) != "" {
		return nil, errTrailing
	}
	return exactNumbers(v), nil
}

// repeatedName finds a name that an object in JSON text has twice.
func repeatedName(text string) (string, bool) {
	decoder := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowInvalidUTF8(true))
	_, err := decoder.ReadValue()
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(e, jsontext.ErrDuplicateName) {
		return e.JSONPointer.LastToken(), true
	}
	return "", false
}

type jsonError string

func (e jsonError) Error() string { return string(e) }

const errTrailing = jsonError("more text after the value")

// exactNumbers turns numbers into int64 or float64, in place.
func exactNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return numberOf(v)
	case []any:
		for i := range v {
			v[i] = exactNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = exactNumbers(v[name])
		}
	}
	return v
}

func numberOf(n json.Number) any {
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return i
	}
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) || !strings.ContainsAny(n.String(), ".eE") {
		return n
	}
	return f
}

// appendJSON writes a boxed value of type t: members in the order of the type,
// those of json by name, times as RFC 3339, bytes as base64.
func appendJSON(out []byte, t dataType, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(out, "null"...)
	case bool:
		return strconv.AppendBool(out, v)
	case float64:
		return appendFloat(out, v)
	case json.Number:
		return append(out, v...)
	case int64:
		switch t.kind {
		case kindTimestamp:
			return appendQuoted(out, timestampText(v))
		case kindDate:
			return appendQuoted(out, dateText(v))
		case kindDuration:
			return appendQuoted(out, durationText(v))
		}
		return strconv.AppendInt(out, v, 10)
	case string:
		switch t.kind {
		case kindDecimal:
			return append(out, v...)
		case kindBytes:
			return appendQuoted(out, base64.StdEncoding.EncodeToString([]byte(v)))
		}
		return appendQuoted(out, v)
	case []any:
		if t.kind == kindRecord {
			return appendRecord(out, t, v)
		}
		return appendList(out, t, v)
	case map[string]any:
		return appendObject(out, t, v)
	}
	return out
}

// appendFloat writes what reads as the same float: from 2^53 on the shortest digits
// without an exponent would read as another integer.
func appendFloat(out []byte, v float64) []byte {
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1<<53) {
		format = 'e'
	}
	return strconv.AppendFloat(out, v, format, -1, 64)
}

func appendQuoted(out []byte, s string) []byte {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string always encodes
	return append(out, strings.TrimSuffix(b.String(), "\n")...)
}

func appendList(out []byte, t dataType, list []any) []byte {
	elem := t // of json
	if t.kind == kindList {
		elem = *t.elem
	}
	out = append(out, '[')
	for i, v := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendJSON(out, elem, v)
	}
	return append(out, ']')
}

func appendRecord(out []byte, t dataType, record []any) []byte {
	out = append(out, '{')
	for i, member := range t.fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, member.name), ':')
		out = appendJSON(out, member.typ, record[i])
	}
	return append(out, '}')
}

func appendObject(out []byte, t dataType, object map[string]any) []byte {
	out = append(out, '{')
	for i, name := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, name), ':')
		out = appendJSON(out, t, object[name])
	}
	return append(out, '}')
}

// equalValues compares two boxed values: numbers exactly, whatever their type.
func equalValues(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equalValues)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, equalValues)
	case nil:
		return b == nil
	}
	order, ordered := compareValues(a, b)
	return ordered && order == 0
}

// compareValues orders two boxed values; false if they have no order.
func compareValues(a, b any) (int, bool) {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), true
		}
	case bool:
		if y, ok := b.(bool); ok {
			return cmp.Compare(boolInt(x), boolInt(y)), true
		}
	case int64:
		switch y := b.(type) {
		case int64:
			return cmp.Compare(x, y), true
		case float64:
			return compareIntFloat(x, y), true
		}
	case float64:
		switch y := b.(type) {
		case int64:
			return compareFloatInt(x, y), true
		case float64:
			return cmp.Compare(x, y), true
		}
	}
	return compareBig(a, b)
}

// compareBig compares numbers of which one is an integer beyond int64.
func compareBig(a, b any) (int, bool) {
	if n, ok := a.(json.Number); ok && any(n) == b { // also where the exponent is beyond what is computed with
		return 0, true
	}
	x, ok := bigOf(a)
	y, alsoOK := bigOf(b)
	if !ok || !alsoOK {
		return 0, false
	}
	return x.Cmp(y), true
}

func bigOf(v any) (*big.Rat, bool) {
	switch n := v.(type) {
	case json.Number:
		r, err := parseDecimal(n.String())
		return r, err == nil
	case int64:
		return new(big.Rat).SetInt64(n), true
	case float64:
		r := new(big.Rat).SetFloat64(n)
		return r, r != nil
	}
	return nil, false
}
