package rows

import (
	"fmt"
	"slices"
)

// Kind is the outermost shape of a type. Its text form is the word that a
// schema clause uses.
type Kind uint8

const (
	// Open is the kind of a value that was null so far.
	Open Kind = iota
	Bool
	Int       // 64 bits, signed
	Float     // IEEE 754 double, always finite
	String    // UTF-8
	Bytes     // base64 text in JSON
	Timestamp // RFC 3339 text in JSON, nanoseconds since 1970 UTC in Arrow
	Date      // YYYY-MM-DD in JSON, days since 1970 in Arrow
	Decimal   // a number kept digit for digit
	JSON      // any value, kept as its compact text
	List
	Record
)

var kindNames = [...]string{
	Open: "untyped", Bool: "bool", Int: "int", Float: "float", String: "string",
	Bytes: "bytes", Timestamp: "timestamp", Date: "date", Decimal: "decimal",
	JSON: "json", List: "list", Record: "record",
}

// String gives the word for k; see [Type.String] for whole types.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// MarshalText gives the same word as String.
func (k Kind) MarshalText() ([]byte, error) {
	if int(k) >= len(kindNames) {
		return nil, fmt.Errorf("type has no kind %d", uint8(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText is the inverse of MarshalText.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("expected one of %v as a type's kind, found %q", kindNames, text)
	}
	*k = Kind(i)
	return nil
}
