package expression_test

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/flowlang/flow/expression"
)

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "amount", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "country", Type: arrow.BinaryTypes.String, Nullable: true},
}, nil)

func ExampleExpression_CompileFilter() {
	condition, problems := expression.Parse(`amount > 10 and country in ["DE", "FR"]`)
	if condition == nil {
		fmt.Println(problems)
		return
	}
	program, problems := condition.CompileFilter(expression.Environment{Schema: schema})
	if program == nil {
		fmt.Println(problems)
		return
	}
	rows := `[{"amount": 20, "country": "DE"}, {"amount": 5, "country": "DE"}, {"amount": 20}]`
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer batch.Release()
	keep := []bool{true, true, true}
	fmt.Println(program.Filter(batch, nil, keep, nil), keep)
	// Output: <nil> [true false false]
}

func ExampleExpression_Compile_problem() {
	e, _ := expression.Parse(`amout > 10`)
	_, problems := e.Compile(expression.Environment{Schema: schema})
	for _, p := range problems {
		fmt.Printf("%s: %s: %s\n", e.Text()[p.Start:p.End], p.Message, p.Label)
	}
	// Output: amout: unknown column `amout`: did you mean `amount`?
}
