package expression

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// compareIntFloat compares exactly: no int is rounded to a float.
func compareIntFloat(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	whole := math.Trunc(f)
	if c := cmp.Compare(i, int64(whole)); c != 0 {
		return c
	}
	return cmp.Compare(whole, f)
}

func compareFloatInt(f float64, i int64) int { return -compareIntFloat(i, f) }

// maxDecimalDigits bounds a decimal's digits and its exponent, since the exact
// value of 1e1000000000 would fill the memory.
const maxDecimalDigits = 1000

// parseDecimal reads a decimal exactly.
func parseDecimal(text string) (*big.Rat, error) {
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(text), "e")
	if scaled {
		if e, err := strconv.Atoi(exponent); err != nil || max(e, -e) > maxDecimalDigits {
			return nil, fmt.Errorf("decimal %.40q is out of range", text)
		}
	}
	if len(mantissa) > maxDecimalDigits || strings.Trim(mantissa, "+-.0123456789") != "" {
		return nil, fmt.Errorf("expected a decimal of at most %d digits, found %.40q", maxDecimalDigits, text)
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("expected a decimal, found %.40q", text)
	}
	return value, nil
}

// ratOf gives the exact value of a boxed number. A float counts as the
// shortest decimal that stands for it, so that 0.1 equals the decimal 0.1.
func ratOf(v any) (*big.Rat, error) {
	switch n := v.(type) {
	case int64:
		return new(big.Rat).SetInt64(n), nil
	case float64:
		return parseDecimal(strconv.FormatFloat(n, 'g', -1, 64))
	}
	return parseDecimal(fmt.Sprint(v))
}

func compareDecimals(a, b any) (int, error) {
	x, err := ratOf(a)
	if err != nil {
		return 0, err
	}
	y, err := ratOf(b)
	if err != nil {
		return 0, err
	}
	return x.Cmp(y), nil
}
