package exec

import (
	"slices"
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

	env    envelope
	bad    badValue
	lost   int      // rows that bad took, or that a sink cannot write
	keep   []bool   // which rows passed the filters
	tests  [][]bool // by sink: for which rows its `when` is true
	taken  []bool   // which rows some `when` took
	chosen [][]int  // by sink: the rows that go there
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
// is the caller's to release; rows that were filtered keep their place in it. A
// row for which an expression has no value goes to bad; if that does not take it,
// it is the error.
func (t *transformer) run(batch arrow.RecordBatch, messages []connectors.Message, bad badValue) (arrow.RecordBatch, error) {
	t.env, t.bad, t.lost = envelope(messages), bad, 0
	t.keep = flags(t.keep, len(messages), true)
	batch.Retain()
	for _, step := range t.pipeline.Steps {
		if step.Filter != nil {
			if err := t.filter(step.Filter, batch, t.keep); err != nil {
				batch.Release()
				return nil, err
			}
			continue
		}
		next, err := t.project(step.Project, batch)
		batch.Release()
		if err != nil {
			return nil, err
		}
		batch = next
	}
	if err := t.route(batch); err != nil {
		batch.Release()
		return nil, err
	}
	return batch, nil
}

// badValue takes a row for which the expression at a place has no value, and says
// whether to go on without it.
type badValue func(err *expression.RowError, at *planner.Expression) bool

func (t *transformer) passOver(at *planner.Expression) expression.PassOver {
	return func(err *expression.RowError) bool {
		if !t.bad(err, at) {
			return false
		}
		t.lose(err.Row)
		return true
	}
}

// lose takes a bad row out of what is kept.
func (t *transformer) lose(row int) {
	if t.keep[row] {
		t.keep[row] = false
		t.lost++
	}
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

func (t *transformer) filter(c *planner.Condition, batch arrow.RecordBatch, keep []bool) error {
	return c.Filter(batch, t.env, keep, t.passOver(c.At))
}

func (t *transformer) project(p *planner.Projection, batch arrow.RecordBatch) (arrow.RecordBatch, error) {
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
		column, err := c.Computed.Column(batch, t.env, t.keep, t.passOver(c.At))
		if err != nil {
			return nil, err
		}
		columns = append(columns, column)
	}
	return array.NewRecordBatch(p.Schema, columns, batch.NumRows()), nil
}

// route chooses the rows of each sink among those that passed the filters.
func (t *transformer) route(batch arrow.RecordBatch) error {
	if len(t.chosen) != len(t.pipeline.Routes) {
		t.chosen, t.tests = make([][]int, len(t.pipeline.Routes)), make([][]bool, len(t.pipeline.Routes))
	}
	t.taken = flags(t.taken, len(t.keep), false)
	for i, r := range t.pipeline.Routes {
		if r.When == nil {
			continue
		}
		t.tests[i] = append(t.tests[i][:0], t.keep...)
		if err := t.filter(r.When, batch, t.tests[i]); err != nil {
			return err
		}
		for row, yes := range t.tests[i] {
			t.taken[row] = t.taken[row] || yes
		}
	}
	for i, r := range t.pipeline.Routes {
		t.chosen[i] = t.chosen[i][:0]
		for row, kept := range t.keep { // without those that some condition has no value for
			if kept && (r.When == nil || t.tests[i][row]) && !(r.Otherwise && t.taken[row]) {
				t.chosen[i] = append(t.chosen[i], row)
			}
		}
	}
	return nil
}

// exclude takes a row that a sink cannot write out of every sink's rows.
func (t *transformer) exclude(row int) {
	t.lose(row)
	for i := range t.chosen {
		t.chosen[i] = slices.DeleteFunc(t.chosen[i], func(r int) bool { return r == row })
	}
}

// dropped counts the rows that go nowhere and are not bad: filtered, or taken by
// no sink.
func (t *transformer) dropped() int {
	t.taken = flags(t.taken, len(t.keep), false)
	somewhere := 0
	for _, rows := range t.chosen {
		for _, row := range rows {
			if !t.taken[row] {
				t.taken[row] = true
				somewhere++
			}
		}
	}
	return len(t.keep) - somewhere - t.lost
}

// envelope gives expressions what the broker knows of each row.
type envelope []connectors.Message

func (e envelope) Subject(row int) string   { return e[row].Subject }
func (e envelope) Stream(row int) string    { return e[row].Source.Stream }
func (e envelope) Sequence(row int) uint64  { return e[row].Sequence }
func (e envelope) Time(row int) time.Time   { return time.Unix(0, e[row].Time).UTC() }
func (e envelope) Operation(row int) string { return e[row].Operation.String() }
func (e envelope) EventID(row int) string   { return string(e[row].AppendEventID(nil)) }

func (e envelope) Key(row int) (string, bool) { return e[row].Key, e[row].Key != "" }

func (e envelope) Header(row int, name string) (string, bool) {
	values := e[row].Headers[name]
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}
