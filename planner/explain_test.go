package planner_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/flowlang/flow/lang"
)

// declaredCodes are the constants in codes.go.
func declaredCodes(t *testing.T) []lang.Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []lang.Code
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, lang.Code(text))
		}
		return true
	})
	codes = slices.DeleteFunc(codes, func(c lang.Code) bool { return c[0] != 'F' })
	if len(codes) == 0 {
		t.Fatal("codes.go declares no codes")
	}
	return codes
}

// withoutExample are codes that no text alone brings about here.
var withoutExample = map[lang.Code]string{
	"F3107": "the parser refuses a version of the language that it does not know",
	"F3901": "what is not run yet changes from version to version",
	"F5001": "it needs a server",
}

func TestEveryCodeIsExplained(t *testing.T) {
	for _, code := range declaredCodes(t) {
		e, ok := lang.Explain(code)
		if !ok {
			t.Errorf("%s has no explanation", code)
			continue
		}
		_, without := withoutExample[code]
		if hasBad, hasGood := e.Bad != "", e.Good != ""; hasBad == without || hasGood == without {
			t.Errorf("%s: bad example %t, good example %t, expected neither: %t", code, hasBad, hasGood, without)
		}
	}
}

func TestExamples(t *testing.T) {
	for _, code := range declaredCodes(t) {
		e, ok := lang.Explain(code)
		if !ok || e.Bad == "" {
			continue
		}
		t.Run(string(code), func(t *testing.T) {
			_, found := compile(t, &lang.Source{Name: "bad.flow", Text: e.Bad})
			if len(found) != 1 || found[0].Code != code {
				t.Errorf("the bad example gives\n%s", rendered(t, found))
			}
			if _, found := compile(t, &lang.Source{Name: "good.flow", Text: e.Good}); len(found) > 0 {
				t.Errorf("the good example gives\n%s", rendered(t, found))
			}
		})
	}
}
