package rows

import (
	"errors"
	"strings"
	"testing"
)

// accept appends messages to d, all of which must be rows.
func accept(t testing.TB, d *Decoder, messages ...string) {
	t.Helper()
	for i, m := range messages {
		if err := d.Append([]byte(m)); err != nil {
			t.Fatalf("message %d, %s: %v", i+1, m, err)
		}
	}
}

// encode gives the rows of d as JSON objects.
func encode(t testing.TB, d *Decoder) []string {
	t.Helper()
	batch := d.Batch()
	defer batch.Release()
	e, err := NewEncoder(batch.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Bind(batch); err != nil {
		t.Fatal(err)
	}
	rows := make([]string, d.Len())
	for i := range rows {
		rows[i] = "{" + string(e.AppendMembers(nil, i)) + "}"
	}
	return rows
}

// rejection appends a message that must not be a row and checks that nothing
// but the error is left of it.
func rejection(t testing.TB, d *Decoder, message string) *RowError {
	t.Helper()
	length, schema, before := d.Len(), d.Schema(), encode(t, d)
	err := d.Append([]byte(message))
	rowError, ok := errors.AsType[*RowError](err)
	if !ok {
		t.Fatalf("%s: expected a RowError, found %v", message, err)
	}
	if d.Len() != length || !d.Schema().Equal(schema) {
		t.Fatalf("%s: rejected, but length %d became %d, schema %s became %s", message, length, d.Len(), schema, d.Schema())
	}
	if after := encode(t, d); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Fatalf("%s: rejected, but the rows %v became %v", message, before, after)
	}
	return rowError
}

func declared(columns ...Column) Schema {
	return Schema{Shape: Object, Declared: true, Columns: columns}
}

func open(s Schema) Schema {
	s.Open = true
	return s
}

func typed(name string, k Kind) Column { return Column{Name: name, Type: Type{Kind: k}} }

func nullable(c Column) Column {
	c.Type.Nullable = true
	return c
}

func listOf(name string, elem Type) Column {
	return Column{Name: name, Type: Type{Kind: List, Elem: &elem}}
}

func recordOf(name string, isOpen bool, fields ...Column) Column {
	return Column{Name: name, Type: Type{Kind: Record, Fields: fields, Open: isOpen}}
}
