package rows

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// maxExact is the magnitude up to which every integer is a float64.
const maxExact = 1 << 53

// isDigits reports whether a JSON number has neither fraction nor exponent.
func isDigits(literal []byte) bool {
	return !bytes.ContainsAny(literal, ".eE")
}

// parseInt reads a JSON number whose value is an integer of 64 bits, however
// it is written: 1000, 1e3 and 1000.0 are the same.
func parseInt(literal []byte) (int64, bool) {
	if v, err := strconv.ParseInt(string(literal), 10, 64); err == nil {
		return v, true
	}
	if isDigits(literal) {
		return 0, false
	}
	return parseIntegral(literal)
}

// parseIntegral moves the decimal point of a number with a fraction or an
// exponent to its end, if there are only zeros left behind it.
func parseIntegral(literal []byte) (int64, bool) {
	mantissa, exponentText := literal, []byte("0")
	if e := bytes.IndexAny(literal, "eE"); e >= 0 {
		mantissa, exponentText = literal[:e], literal[e+1:]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	fraction = bytes.TrimRight(fraction, "0")
	digits := append(append([]byte(nil), whole...), fraction...)
	if len(bytes.Trim(digits, "-0")) == 0 {
		return 0, true
	}
	exponent, err := strconv.Atoi(string(exponentText))
	if err != nil {
		return 0, false
	}
	for exponent -= len(fraction); exponent < 0 && bytes.HasSuffix(digits, []byte("0")); exponent++ {
		digits = digits[:len(digits)-1]
	}
	if exponent < 0 || exponent > 19 {
		return 0, false
	}
	digits = append(digits, "0000000000000000000"[:exponent]...)
	v, err := strconv.ParseInt(string(digits), 10, 64)
	return v, err == nil
}

// parseFloat reads a JSON number as a finite float. Rounding a fraction is
// what floats do; an integer whose digits would not come back is refused.
func parseFloat(literal []byte) (float64, bool) {
	v, err := strconv.ParseFloat(string(literal), 64)
	if err != nil {
		return 0, false
	}
	if (v >= maxExact || v <= -maxExact) && isDigits(literal) {
		var buffer [32]byte
		return v, bytes.Equal(jsontext.AppendFloat(buffer[:0], v, 64), literal)
	}
	return v, true
}

// isWide reports whether a float would not give back the digits of v.
func isWide(v int64) bool {
	if -maxExact <= v && v <= maxExact {
		return false
	}
	var buffer [32]byte
	_, same := parseFloat(strconv.AppendInt(buffer[:0], v, 10))
	return !same
}

// isFinite reports whether a JSON number is within the range of a float64.
func isFinite(literal []byte) bool {
	_, err := strconv.ParseFloat(string(literal), 64)
	return err == nil
}

func leadingDigits(text []byte) int {
	for i, c := range text {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(text)
}
