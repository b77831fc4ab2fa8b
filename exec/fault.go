package exec

import (
	"errors"
	"fmt"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/lang"
)

// RowFault is a source message that cannot be processed as it is. It comes
// again in every try, so it stops the flow.
type RowFault struct {
	Resource string
	Stream   string
	Sequence uint64
	Subject  string
	Err      error
	Others   int // further faults of the same batch
	// At is where in the file the expression stands that has no value for the
	// row; its Source is nil if it is about no expression.
	At lang.Diagnostic
}

func (f *RowFault) Error() string {
	return fmt.Sprintf("resource %s: stream %s, sequence %d, subject %q: %s", f.Resource, f.Stream, f.Sequence, f.Subject, f.Reason())
}

func (f *RowFault) Unwrap() error { return f.Err }

func newRowFault(resource string, m *connectors.Message, err error) error {
	return &RowFault{Resource: resource, Stream: m.Source.Stream, Sequence: m.Sequence, Subject: m.Subject, Err: err}
}

// decodeFault makes a RowFault of what a decoder returned; other errors, such as
// a batch that is too large, are none.
func decodeFault(resource string, m *connectors.Message, err error) error {
	if _, ok := errors.AsType[*rows.RowError](err); ok {
		return newRowFault(resource, m, err)
	}
	return fmt.Errorf("resource %s: decoding sequence %d of stream %s: %w", resource, m.Sequence, m.Source.Stream, err)
}

// applyFault makes a RowFault of a sink's row errors.
func applyFault(resource string, messages []connectors.Message, err error) error {
	bad, ok := errors.AsType[connectors.RowErrors](err)
	if !ok {
		return err
	}
	fault := &RowFault{Resource: resource, Others: len(bad) - 1, Err: bad[0].Err}
	m := messages[bad[0].Row]
	fault.Stream, fault.Sequence, fault.Subject = m.Source.Stream, m.Sequence, m.Subject
	return fault
}

// transformFault makes a RowFault of an expression that has no value for a row.
func transformFault(resource string, messages []connectors.Message, err error) error {
	fault, ok := errors.AsType[*expressionFault](err)
	if !ok {
		return fmt.Errorf("resource %s: %w", resource, err)
	}
	m := &messages[fault.row]
	return &RowFault{Resource: resource, Stream: m.Source.Stream, Sequence: m.Sequence, Subject: m.Subject, Err: err,
		At: lang.Diagnostic{Code: codeRowFault, Source: fault.source, Span: fault.span, Summary: fault.message}}
}

const codeRowFault lang.Code = "F5002"

// bindFault adds whose columns they are to findings about names and types.
func bindFault(resource string, err error) error {
	found, ok := errors.AsType[lang.Diagnostics](err)
	if !ok {
		return err
	}
	for i := range found {
		found[i].Notes = append(found[i].Notes, lang.Note{Text: fmt.Sprintf("the columns are those of resource %s, as its first message fixed them", resource)})
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

// Reason is the fault without its place.
func (f *RowFault) Reason() string {
	if f.Others > 0 {
		return fmt.Sprintf("%v (and %d more rows of this epoch)", f.Err, f.Others)
	}
	return f.Err.Error()
}
