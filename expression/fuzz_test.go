package expression

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/expr-lang/expr"
	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzParse holds that no text panics, that every problem has a place in the
// text, and that what compiles also runs, over values and over nulls.
func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for text := range strings.Lines(string(archive.Comment)) {
			f.Add(strings.TrimSuffix(text, "\n"))
		}
	}
	for _, function := range Functions() {
		f.Add(function.Example)
	}
	batch := batchOf(f, orderSchema, fullRow, emptyRow)
	f.Fuzz(func(t *testing.T, text string) {
		p, e := checkProblems(t, text)
		if e != nil {
			e.Columns()
		}
		if p != nil {
			runAny(t, text, p, batch)
		}
	})
}

func runAny(t *testing.T, text string, p *Program, batch arrow.RecordBatch) {
	for row := range int(batch.NumRows()) {
		keep := make([]bool, batch.NumRows())
		keep[row] = true
		column, err := p.Column(batch, fixedEnvelope{}, keep, nil)
		if err != nil {
			failure, ok := errors.AsType[*RowError](err)
			if !ok || failure.Row != row || failure.Start > failure.End || failure.End > len(text) {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if !arrow.TypeEqual(column.DataType(), p.Type()) || column.Len() != len(keep) || column.IsNull(row) && !p.Nullable() {
			t.Errorf("%q: column %v, the program said %v", text, column, p.Field("x"))
		}
		column.Release()
	}
}

// machineRow is fullRow for expr's virtual machine.
var machineRow = map[string]any{
	"id": 1, "amount": 12.5, "qty": 3, "country": "DE", "name": "日本語", "paid": true,
	"tags": []any{"x", "y", nil}, "scores": []any{3, 1, 2},
	"cust": map[string]any{"tier": "gold", "address": map[string]any{"city": "Bern", "zip": 3000}},
}

// FuzzEvaluate compares the closures with expr's virtual machine, on
// expressions that mean the same to both.
func FuzzEvaluate(f *testing.F) {
	f.Add([]byte("0"))
	f.Add([]byte("\x02\x01\x03\x05\x08\x00\x02\x07\x04\x06\x01"))
	f.Add([]byte("\x08\x00\x01\x03\x02\x05\x04\x06\x00\x07\x01\x02\x03"))
	batch := batchOf(f, orderSchema, strings.Replace(fullRow, `["x","y",null]`, `["x","y"]`, 1))
	f.Fuzz(func(t *testing.T, choices []byte) { compareWithMachine(t, choices, batch) })
}

// TestEvaluateLikeTheMachine is a part of FuzzEvaluate for every run.
func TestEvaluateLikeTheMachine(t *testing.T) {
	batch := batchOf(t, orderSchema, strings.Replace(fullRow, `["x","y",null]`, `["x","y"]`, 1))
	random := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for range 2000 {
		choices := make([]byte, 60)
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		if compareWithMachine(t, choices, batch) {
			compared++
		}
	}
	if compared < 1000 {
		t.Errorf("only %d expressions were compared", compared)
	}
}

// compareWithMachine reports whether a generated expression has a value both
// here and in the machine, which must then be the same.
func compareWithMachine(t *testing.T, choices []byte, batch arrow.RecordBatch) bool {
	t.Helper()
	text := (&generator{choices: choices}).boolean(4)
	p, problems := compileText(text, testEnvironment)
	if p == nil {
		for _, problem := range problems {
			if problem.Kind != BadValue { // such as an overflow between literals
				t.Errorf("generated expression does not compile:\n%s", renderProblems(text, problems))
			}
		}
		return false
	}
	keep := []bool{true}
	if p.Filter(batch, fixedEnvelope{}, keep, nil) != nil {
		return false // overflow and the like, where the machine goes on
	}
	want, err := machineValue(text)
	if err != nil {
		return false // a limit of the machine
	}
	if keep[0] != want {
		t.Errorf("%s is %v, the machine says %v", text, keep[0], want)
	}
	return true
}

func machineValue(text string) (bool, error) {
	program, err := expr.Compile(text, expr.Env(machineRow), expr.AsBool())
	if err != nil {
		return false, err
	}
	v, err := expr.Run(program, machineRow)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, errors.New("not a bool")
	}
	return b, nil
}

// FuzzJSON holds that what is decoded is written as the same value.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5,"x",null,true]}`, `9223372036854775808`, `-0.0`, `1e-7`, `"\u0000<&>\ud800"`, `1e400`, `100000010000000000000.0`, `1234567890123456789.0`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parseJSON(text)
		if err != nil || v == nil {
			return
		}
		written := string(appendJSON(nil, dataType{kind: kindJSON}, v))
		if !json.Valid([]byte(written)) {
			t.Fatalf("%q is written as %q", text, written)
		}
		again, err := parseJSON(written)
		if err != nil || !equalValues(v, again) {
			t.Errorf("%q is written as %q, which reads as %v, %v", text, written, again, err)
		}
	})
}
