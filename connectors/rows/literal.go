package rows

import "github.com/go-json-experiment/json/jsontext"

func readInt(_ *reader, literal jsontext.Value) (int64, bool) {
	if literal.Kind() != '0' {
		return 0, false
	}
	return parseInt(literal)
}

func readNarrowInt(r *reader, literal jsontext.Value) (int64, bool) {
	v, ok := readInt(r, literal)
	return v, ok && !isWide(v)
}

func readFloat(_ *reader, literal jsontext.Value) (float64, bool) {
	if literal.Kind() != '0' {
		return 0, false
	}
	return parseFloat(literal)
}

func readTimestamp(r *reader, literal jsontext.Value) (int64, bool) {
	if literal.Kind() != '"' {
		return 0, false
	}
	return parseTimestamp(r.text(literal))
}

func readDate(r *reader, literal jsontext.Value) (int32, bool) {
	if literal.Kind() != '"' {
		return 0, false
	}
	return parseDate(r.text(literal))
}

// literalKind gives the kind that a literal has by itself.
func literalKind(literal jsontext.Value) Kind {
	switch literal.Kind() {
	case 't', 'f':
		return Bool
	case '"':
		return String
	case '[':
		return List
	case '{':
		return Record
	}
	if isDigits(literal) {
		return Int
	}
	return Float
}
