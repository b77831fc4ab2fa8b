package rows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Shape says what the messages of a resource are.
type Shape uint8

const (
	Undetermined Shape = iota // no message seen yet
	Object                    // JSON objects: a member is a column
	Raw                       // anything else: the bytes are the column "payload"
)

var shapeNames = [...]string{Undetermined: "undetermined", Object: "object", Raw: "raw"}

// String gives the shape's word, which is its text form too.
func (s Shape) String() string {
	if int(s) < len(shapeNames) {
		return shapeNames[s]
	}
	return fmt.Sprintf("shape(%d)", uint8(s))
}

// MarshalText gives the same word as String.
func (s Shape) MarshalText() ([]byte, error) {
	if int(s) >= len(shapeNames) {
		return nil, fmt.Errorf("schema has no shape %d", uint8(s))
	}
	return []byte(shapeNames[s]), nil
}

// UnmarshalText is the inverse of MarshalText.
func (s *Shape) UnmarshalText(text []byte) error {
	i := slices.Index(shapeNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("expected one of %v as a schema's shape, found %q", shapeNames, text)
	}
	*s = Shape(i)
	return nil
}

// Schema is what is known about the messages of one resource. The zero Schema
// knows nothing: the first message fixes it. A Schema is a value: nothing
// changes one that was handed out. Its JSON form is stable and is what a flow
// keeps with its state.
type Schema struct {
	Shape   Shape    `json:"shape"`
	Columns []Column `json:"columns,omitempty"`

	// Declared says that the user wrote the schema. Its Shape is Object, and
	// its types hold as they are unless they are marked Inferred.
	Declared bool `json:"declared,omitempty"`

	// Open says that members which the schema does not list become new columns.
	Open bool `json:"open,omitempty"`
}

// Equal reports whether both schemas are the same in every respect. A schema
// that differs from the recorded one is a new version.
func (s Schema) Equal(other Schema) bool {
	return s.Shape == other.Shape && s.Declared == other.Declared && s.Open == other.Open &&
		slices.EqualFunc(s.Columns, other.Columns, Column.equal)
}

// String gives the columns as a user writes them in a schema clause.
func (s Schema) String() string {
	var b strings.Builder
	writeColumns(&b, s.Columns, s.Open)
	return b.String()
}

// Validate reports what makes s unusable: a list without an element type, a
// name given twice, more nesting or more columns than a Decoder admits.
func (s Schema) Validate() error {
	if s.Declared && s.Shape != Object {
		return fmt.Errorf("expected shape object for a declared schema, found %s", s.Shape)
	}
	count := 0
	return validateType(s.root(), nil, &count)
}

// UnmarshalJSON reads what json.Marshal wrote and validates it.
func (s *Schema) UnmarshalJSON(data []byte) error {
	type plain Schema
	var read plain
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	if err := Schema(read).Validate(); err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	*s = Schema(read)
	return nil
}

// root gives the whole row as one record type.
func (s Schema) root() Type {
	return Type{Kind: Record, Inferred: !s.Declared, Fields: s.Columns, Open: s.Open}
}

func validateType(t Type, at path, count *int) error {
	if len(at) > maxNesting {
		return fmt.Errorf("field %s: expected at most %d levels of nesting", at, maxNesting)
	}
	if *count++; *count > maxColumns+1 {
		return fmt.Errorf("expected at most %d columns, members and elements", maxColumns)
	}
	if (t.Kind == List) != (t.Elem != nil) {
		return fmt.Errorf("field %s: expected an element type for a list and for nothing else", at)
	}
	if t.Kind != Record && len(t.Fields) > 0 {
		return fmt.Errorf("field %s: expected members in a record only, found them in %s", at, t.Kind)
	}
	if t.Elem != nil {
		return validateType(*t.Elem, append(at, step{index: 0}), count)
	}
	names := make(map[string]bool, len(t.Fields))
	for _, f := range t.Fields {
		if names[f.Name] {
			return fmt.Errorf("field %s: expected every name once", append(at, step{name: f.Name, member: true}))
		}
		names[f.Name] = true
		if err := validateType(f.Type, append(at, step{name: f.Name, member: true}), count); err != nil {
			return err
		}
	}
	return nil
}
