package exec

import (
	"errors"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// transformer runs a flow's steps and routes over one resource's rows. It keeps
// what was typed for a schema until the schema changes.
type transformer struct {
	flow     *planner.Flow
	schema   *arrow.Schema // that pipeline is for
	pipeline *planner.Pipeline

	keep   []bool  // which rows passed the filters
	taken  []bool  // which rows some `when` took
	test   []bool  // of one route
	chosen [][]int // by sink: the rows that go there
}

// bind types the steps for a schema. An error is lang.Diagnostics; warnings are
// returned beside it.
func (t *transformer) bind(schema *arrow.Schema, shape rows.Shape) (lang.Diagnostics, error) {
	if t.pipeline != nil && t.schema == schema {
		return nil, nil
	}
	known := schema
	if shape == rows.Undetermined {
		known = nil // only markers so far: every column is null
	}
	pipeline, found := t.flow.Bind(known)
	if pipeline == nil {
		return nil, found
	}
	t.schema, t.pipeline = schema, pipeline
	return found, nil
}

// run filters and projects the rows, and chooses those of each sink. The result
// is the caller's to release; rows that were filtered keep their place in it.
func (t *transformer) run(batch arrow.RecordBatch, messages []connectors.Message) (arrow.RecordBatch, error) {
	env := envelope(messages)
	t.keep = flags(t.keep, len(messages), true)
	batch.Retain()
	for _, step := range t.pipeline.Steps {
		if step.Filter != nil {
			if err := t.filter(step.Filter, batch, env, t.keep); err != nil {
				batch.Release()
				return nil, err
			}
			continue
		}
		next, err := t.project(step.Project, batch, env)
		batch.Release()
		if err != nil {
			return nil, err
		}
		batch = next
	}
	if err := t.route(batch, env); err != nil {
		batch.Release()
		return nil, err
	}
	return batch, nil
}

// flags is a slice of n flags, in the buffer if that is large enough.
func flags(buffer []bool, n int, value bool) []bool {
	if cap(buffer) < n {
		buffer = make([]bool, n)
	}
	buffer = buffer[:n]
	for i := range buffer {
		buffer[i] = value
	}
	return buffer
}

func (t *transformer) filter(c *planner.Condition, batch arrow.RecordBatch, env envelope, keep []bool) error {
	return located(c.Filter(batch, env, keep), c.At)
}

// located adds to a row's error where in the file its expression stands.
func located(err error, at *planner.Expression) error {
	if row, ok := errors.AsType[*expression.RowError](err); ok {
		source, span := at.Place(row.Start, row.End)
		return &expressionFault{row: row.Row, message: row.Message, source: source, span: span}
	}
	return err
}

// expressionFault is a row for which an expression has no value.
type expressionFault struct {
	row     int
	message string
	source  *lang.Source
	span    lang.Span
}

func (f *expressionFault) Error() string { return f.message }

func (t *transformer) project(p *planner.Projection, batch arrow.RecordBatch, env envelope) (arrow.RecordBatch, error) {
	if p.Schema == nil { // only markers so far
		batch.Retain()
		return batch, nil
	}
	columns := make([]arrow.Array, 0, len(p.Columns))
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	for _, c := range p.Columns {
		if c.Computed == nil {
			column := batch.Column(c.Index)
			column.Retain()
			columns = append(columns, column)
			continue
		}
		column, err := c.Computed.Column(batch, env, t.keep)
		if err != nil {
			return nil, located(err, c.At)
		}
		columns = append(columns, column)
	}
	return array.NewRecordBatch(p.Schema, columns, batch.NumRows()), nil
}

// route chooses the rows of each sink among those that passed the filters.
func (t *transformer) route(batch arrow.RecordBatch, env envelope) error {
	if len(t.chosen) != len(t.pipeline.Routes) {
		t.chosen = make([][]int, len(t.pipeline.Routes))
	}
	t.taken = flags(t.taken, len(t.keep), false)
	for i, r := range t.pipeline.Routes {
		t.chosen[i] = t.chosen[i][:0]
		switch {
		case r.Otherwise:
		case r.When == nil:
			t.chosen[i] = choose(t.chosen[i], t.keep)
		default:
			t.test = append(t.test[:0], t.keep...)
			if err := t.filter(r.When, batch, env, t.test); err != nil {
				return err
			}
			t.chosen[i] = choose(t.chosen[i], t.test)
			for _, row := range t.chosen[i] {
				t.taken[row] = true
			}
		}
	}
	for i, r := range t.pipeline.Routes {
		if r.Otherwise {
			for row, kept := range t.keep {
				if kept && !t.taken[row] {
					t.chosen[i] = append(t.chosen[i], row)
				}
			}
		}
	}
	return nil
}

func choose(chosen []int, from []bool) []int {
	for row, yes := range from {
		if yes {
			chosen = append(chosen, row)
		}
	}
	return chosen
}

// dropped counts the rows that go nowhere.
func (t *transformer) dropped() int {
	somewhere := flags(t.test, len(t.keep), false)
	for _, rows := range t.chosen {
		for _, row := range rows {
			somewhere[row] = true
		}
	}
	n := 0
	for _, yes := range somewhere {
		if !yes {
			n++
		}
	}
	t.test = somewhere
	return n
}

// envelope gives expressions what the broker knows of each row.
type envelope []connectors.Message

func (e envelope) Subject(row int) string   { return e[row].Subject }
func (e envelope) Stream(row int) string    { return e[row].Source.Stream }
func (e envelope) Sequence(row int) uint64  { return e[row].Sequence }
func (e envelope) Time(row int) time.Time   { return time.Unix(0, e[row].Time).UTC() }
func (e envelope) Operation(row int) string { return e[row].Operation.String() }
func (e envelope) EventID(row int) string   { return string(e[row].AppendEventID(nil)) }

func (e envelope) Header(row int, name string) (string, bool) {
	values := e[row].Headers[name]
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}
