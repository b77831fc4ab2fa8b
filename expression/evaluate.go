package expression

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// Filter sets keep[i] to whether the condition is true for row i of the batch:
// null is not true. keep must have one element for each row; rows whose element
// is false already are not evaluated, so that filters can follow one another.
// The program must come from CompileFilter.
//
// env may be nil if the expression uses nothing of it. A row that has no result
// goes to passOver, and is not kept if that returns true; else, or if passOver is
// nil, the *RowError is returned, and keep is set for the rows before it only.
// Any other error says that the batch does not fit.
func (p *Program) Filter(batch arrow.RecordBatch, env Envelope, keep []bool, passOver PassOver) error {
	if len(keep) != int(batch.NumRows()) {
		return fmt.Errorf("filter got %d flags for %d rows", len(keep), batch.NumRows())
	}
	f, err := p.bind(batch, env)
	if err != nil {
		return err
	}
	test := as[bool](p.result)
	for row, wanted := range keep {
		if !wanted {
			continue
		}
		f.start(row)
		v, ok := test(f)
		if f.err != nil && !passOver.takes(f.err) {
			return f.err
		}
		keep[row] = v && ok && f.err == nil
	}
	return nil
}

// PassOver takes a row that has no value. It returns whether to go on with the
// other rows.
type PassOver func(*RowError) bool

func (p PassOver) takes(err *RowError) bool { return p != nil && p(err) }

// Column computes a value for each row of the batch that keep has as true; the
// others are not evaluated, and null. A nil keep is every row. The array has
// the type of p.Field, and belongs to the caller, who releases it. A column as
// it stands is not copied. Rows without a value are handled as by Filter; what
// one that is passed over holds is undefined.
func (p *Program) Column(batch arrow.RecordBatch, env Envelope, keep []bool, passOver PassOver) (arrow.Array, error) {
	if keep != nil && len(keep) != int(batch.NumRows()) {
		return nil, fmt.Errorf("column got %d flags for %d rows", len(keep), batch.NumRows())
	}
	f, err := p.bind(batch, env)
	if err != nil {
		return nil, err
	}
	if use := p.result.column; use != nil && len(use.path) == 1 {
		whole := f.columns[use.slot].values
		whole.Retain()
		return whole, nil
	}
	return p.build(f, int(batch.NumRows()), keep, passOver)
}

// checkColumn compares a column of the batch with the schema compiled for.
func (p *Program) checkColumn(batch arrow.RecordBatch, i int) error {
	want := p.schema.Field(i)
	switch {
	case i >= int(batch.NumCols()):
		return fmt.Errorf("batch has %d columns, expected column %q as number %d", batch.NumCols(), want.Name, i)
	case !arrow.TypeEqual(batch.Column(i).DataType(), want.Type):
		return fmt.Errorf("column %q of the batch is %s, expected %s", batch.ColumnName(i), batch.Column(i).DataType(), want.Type)
	}
	return nil
}

// bind makes the frame for a batch.
func (p *Program) bind(batch arrow.RecordBatch, env Envelope) (*frame, error) {
	f := &frame{envelope: env, now: p.now().UnixNano(), scopes: make([]scope, p.scopes), columns: make([]boundColumn, len(p.columns))}
	for i, path := range p.columns {
		if err := p.checkColumn(batch, path[0]); err != nil {
			return nil, err
		}
		f.columns[i] = path.bind(batch)
	}
	return f, nil
}
