package expression

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/expr-lang/expr/ast"
)

// What one row may use. Far above what a transformation needs, and low enough
// that a runaway expression ends in a fraction of a second.
const (
	maxRowSteps  = 5_000_000 // elements visited and blocks of text searched
	maxRowMemory = 64 << 20  // bytes of text and lists built
	elementBytes = 16        // counted for each element of a list built
)

// RowError says why an expression has no value for a row.
type RowError struct {
	Row        int // in the batch, from 0
	Start, End int // bytes in the expression's text
	Message    string
}

// Error returns the row and the message.
func (e *RowError) Error() string { return fmt.Sprintf("row %d: %s", e.Row, e.Message) }

// frame is what a program's closures see while it runs over one batch.
type frame struct {
	row      int
	columns  []boundColumn
	envelope Envelope
	now      int64
	scopes   []scope
	steps    int
	memory   int
	err      *RowError
}

// boundColumn is a column, or a member of records, of the batch at hand.
type boundColumn struct {
	values  arrow.Array
	records []arrow.Array // the records around it, outermost first
}

// scope is the list that a predicate runs over.
type scope struct {
	element any
	index   int64
	carry   any // of reduce
}

// place is where a row error would be. Its range is worked out only then.
type place struct {
	source *source
	node   ast.Node
}

// start prepares for a row.
func (f *frame) start(row int) {
	f.row, f.steps, f.memory, f.err = row, 0, 0, nil
}

// fail makes the row fail, unless it already has.
func (f *frame) fail(at place, format string, args ...any) {
	if f.err == nil {
		where := at.source.span(at.node)
		f.err = &RowError{Row: f.row, Start: where.start, End: where.end, Message: oneLine(fmt.Sprintf(format, args...))}
	}
}

// step counts n steps; false means that the row has failed.
func (f *frame) step(at place, n int) bool {
	if f.steps += n; f.steps > maxRowSteps {
		f.fail(at, "row takes too long: more than %d steps", maxRowSteps)
	}
	return f.err == nil
}

// search counts the steps of looking through text.
func (f *frame) search(at place, text string) bool { return f.step(at, 1+len(text)/64) }

// allocate counts n bytes that are about to be built; false means that the row
// has failed.
func (f *frame) allocate(at place, n int) bool {
	if n > maxRowMemory || f.memory+n > maxRowMemory {
		f.fail(at, "the expression allocates more than %d MiB for this row", maxRowMemory>>20)
		return false
	}
	f.memory += n
	return f.err == nil
}
