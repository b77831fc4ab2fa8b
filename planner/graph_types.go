package planner

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
)

// kindsOfArrow are the kinds that an Arrow type alone tells.
var kindsOfArrow = map[arrow.Type]rows.Kind{
	arrow.BOOL: rows.Bool, arrow.INT64: rows.Int, arrow.FLOAT64: rows.Float, arrow.STRING: rows.String,
	arrow.BINARY: rows.Bytes, arrow.TIMESTAMP: rows.Timestamp, arrow.DATE32: rows.Date,
}

// typeOfField is the language's type of a column that an expression makes.
func typeOfField(f arrow.Field) rows.Type {
	t := rows.Type{Kind: kindsOfArrow[f.Type.ID()], Nullable: f.Nullable}
	switch name, _ := f.Metadata.GetValue(expression.TypeKey); name {
	case rows.Decimal.String():
		t.Kind = rows.Decimal
	case rows.JSON.String():
		t.Kind = rows.JSON
	}
	switch of := f.Type.(type) {
	case *arrow.ListType:
		element := typeOfField(of.ElemField())
		t.Kind, t.Elem = rows.List, &element
	case *arrow.StructType:
		t.Kind = rows.Record
		for _, member := range of.Fields() {
			t.Fields = append(t.Fields, rows.Column{Name: member.Name, Type: typeOfField(member)})
		}
	}
	return t
}
