package expression

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

// Environment is what the names in an expression may refer to.
type Environment struct {
	// Schema has the payload's columns: Boolean, Int64, Float64, String, Binary,
	// Timestamp(ns, UTC), Date32, Null (no value seen yet: every operation on it
	// is null), and List and Struct of those. A String whose field metadata has
	// TypeKey is a decimal or json.
	//
	// Columns that start with _flow_ are the Envelope's, whether they are in the
	// schema or not.
	//
	// Without a schema every name is taken for a column of type Null.
	Schema *arrow.Schema
	// Params are the values of param.NAME. Without a schema, nil means that they
	// are not known yet: any name is taken then, and is null.
	Params map[string]Param
	// Now is the clock of now(), read once for each batch; nil is time.Now.
	Now func() time.Time
}

// Param is one typed parameter. Value is nil (null), bool, int64, float64,
// string (also for a decimal or json), []byte, or time.Time, as Field.Type says.
type Param struct {
	Field arrow.Field // its type, and TypeKey for a decimal or json
	Value any
}

// Envelope gives what the broker knows of each row of a batch. Rows are those
// of the batch, from 0. It is called from one goroutine at a time, and only
// for what an expression uses.
type Envelope interface {
	Subject(row int) string
	Stream(row int) string
	Sequence(row int) uint64
	Time(row int) time.Time
	Operation(row int) string
	EventID(row int) string
	Key(row int) (string, bool)
	Header(row int, name string) (string, bool)
}
