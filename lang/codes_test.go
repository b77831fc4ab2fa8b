package lang

import (
	"regexp"
	"testing"
)

func TestExplanations(t *testing.T) {
	seen := map[Code]bool{}
	for _, e := range Explanations() {
		if !regexp.MustCompile(`^F[1-5]\d{3}$`).MatchString(string(e.Code)) || seen[e.Code] {
			t.Errorf("%s: not a code, or twice", e.Code)
		}
		seen[e.Code] = true
		if e.Title == "" || e.Text == "" {
			t.Errorf("%s: no title or no text", e.Code)
		}
	}
	if _, ok := Explain("F1999"); ok {
		t.Error("F1999 is explained")
	}
}

func TestSyntaxExamples(t *testing.T) {
	for _, e := range syntaxCodes {
		_, ds := Parse(&Source{Name: "bad.flow", Text: e.Bad})
		if len(ds) == 0 || ds[0].Code != e.Code {
			t.Errorf("%s: the bad example gives\n%v", e.Code, ds)
		}
		if _, ds := Parse(&Source{Name: "good.flow", Text: e.Good}); len(ds) > 0 {
			t.Errorf("%s: the good example gives\n%v", e.Code, ds)
		}
	}
}
