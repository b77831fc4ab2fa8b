package exec

import (
	"errors"
	"fmt"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// RowFault is a source message that cannot be processed as it is. It comes again in
// every try: it stops the flow, or its row is skipped or kept as a dead letter.
type RowFault struct {
	Code     lang.Code
	Resource string
	Stream   string
	Sequence uint64
	Subject  string
	Err      error
	// At is where in the file the expression stands that has no value for the
	// row; its Source is nil if it is about no expression.
	At lang.Diagnostic

	message *connectors.Message
}

// Message is the source message, on loan until the epoch has ended.
func (f *RowFault) Message() *connectors.Message { return f.message }

func (f *RowFault) Error() string {
	return fmt.Sprintf("resource %s: stream %s, sequence %d, subject %q: %s", f.Resource, f.Stream, f.Sequence, f.Subject, f.Err)
}

func (f *RowFault) Unwrap() error { return f.Err }

// The codes of row faults.
const (
	codeNoValue   lang.Code = "F5002" // an expression has no value for the row
	codeNoRow     lang.Code = "F5003" // the message is no row of its resource
	codeNoMessage lang.Code = "F5004" // the sink cannot write the row
)

func newRowFault(code lang.Code, resource string, m *connectors.Message, err error) *RowFault {
	return &RowFault{Code: code, Resource: resource, Stream: m.Source.Stream, Sequence: m.Sequence, Subject: m.Subject, Err: err, message: m}
}

// decodeFault makes a RowFault of what a decoder returned; other errors, such as
// a batch that is too large, are none.
func decodeFault(resource string, m *connectors.Message, err error) error {
	if _, ok := errors.AsType[*rows.RowError](err); ok {
		return newRowFault(codeNoRow, resource, m, err)
	}
	return fmt.Errorf("resource %s: decoding sequence %d of stream %s: %w", resource, m.Sequence, m.Source.Stream, err)
}

// valueFault makes a RowFault of an expression that has no value for a row.
func valueFault(resource string, m *connectors.Message, err *expression.RowError, at *planner.Expression) *RowFault {
	fault := newRowFault(codeNoValue, resource, m, errors.New(err.Message))
	fault.At = lang.Diagnostic{Code: codeNoValue, Summary: err.Message}
	fault.At.Source, fault.At.Span = at.Place(err.Start, err.End)
	return fault
}

// bindFault adds whose columns they are to findings about names and types.
func bindFault(resource string, schema rows.Schema, err error) error {
	found, ok := errors.AsType[lang.Diagnostics](err)
	if !ok {
		return err
	}
	note := fmt.Sprintf("the columns are those of resource %s, as its first message fixed them", resource)
	if schema.Declared {
		note = fmt.Sprintf("the columns are those of the declared schema, and those that messages of resource %s brought", resource)
	}
	for i := range found {
		found[i].Notes = append(found[i].Notes, lang.Note{Text: note})
	}
	return found
}

// recoverable says whether the flow can go on by itself after err, and whether it
// should do so at once.
func recoverable(err error) (goOn, atOnce bool) {
	if errors.Is(err, connectors.ErrInterrupted) {
		return true, true
	}
	if _, ok := errors.AsType[*RowFault](err); ok || errors.Is(err, connectors.ErrSuperseded) {
		return false, false
	}
	return connectors.Retryable(err), false
}
