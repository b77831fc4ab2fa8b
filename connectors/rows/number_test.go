package rows

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestIsWide(t *testing.T) {
	for v, want := range map[int64]bool{
		0: false, 1 << 53: false, -1 << 53: false, 1<<53 + 1: true, -1<<53 - 1: true,
		10_000_000_000_000_000: false, 1 << 60: true, 1<<63 - 1: true, -1 << 63: true,
	} {
		if got := isWide(v); got != want {
			t.Errorf("%d: expected %v, found %v", v, want, got)
		}
	}
}

// FuzzNumber compares the parsers with arithmetic of any precision.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0.0", "1e3", "100e-2", "1.50e1", "9223372036854775807.0", "-9223372036854775808", "1e19", "0e99999", "9007199254740993", "1e-400", "00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value := jsontext.Value(text)
		isJSON := value.IsValid() && value.Kind() == '0' && strings.TrimSpace(text) == text
		if !isJSON {
			return
		}
		v, ok := parseInt([]byte(text))
		if exact := exactValue(text); exact != nil && ok != (exact.IsInt() && exact.Num().IsInt64()) {
			t.Fatalf("%q: expected an integer to be accepted and nothing else, found %v", text, ok)
		} else if exact != nil && ok && exact.Num().Int64() != v {
			t.Fatalf("%q: expected %v, found %d", text, exact, v)
		}
		x, ok := parseFloat([]byte(text))
		if !ok {
			return
		}
		var want float64
		if err := json.Unmarshal([]byte(text), &want); err != nil || want != x {
			t.Fatalf("%q: expected %v, found %v: %v", text, want, x, err)
		}
		if isDigits([]byte(text)) && string(jsontext.AppendFloat(nil, x, 64)) != text {
			t.Fatalf("%q: expected an integer to keep its digits, found %v", text, x)
		}
	})
}

// exactValue gives nil for a number whose exponent makes it too long to compute.
func exactValue(text string) *big.Rat {
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		if exponent, err := strconv.Atoi(text[e+1:]); err != nil || exponent > 1000 || exponent < -1000 {
			return nil
		}
	}
	v, _ := new(big.Rat).SetString(text)
	return v
}
