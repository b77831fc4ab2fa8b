package lang

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func addPrograms(f *testing.F) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if _, ok := programName(file.Name); ok {
				f.Add(string(file.Data))
			}
		}
	}
}

// The tokens are the whole text, one behind the other.
func FuzzLex(f *testing.F) {
	addPrograms(f)
	f.Fuzz(func(t *testing.T, text string) {
		src := &Source{Name: "fuzz.flow", Text: text}
		tokens, problems := scan(src)
		at := 0
		for _, token := range tokens {
			if token.Value == "" || token.Pos.Offset != at || text[at:tokenEnd(token)] != token.Value {
				t.Fatalf("token %#v at %d", token, at)
			}
			at = tokenEnd(token)
		}
		if at != len(text) {
			t.Fatalf("the tokens end at %d of %d", at, len(text))
		}
		for _, p := range problems {
			if p.Span.Start < 0 || p.Span.Start > p.Span.End || p.Span.End > len(text) {
				t.Fatalf("problem %v outside of %d", p.Span, len(text))
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	addPrograms(f)
	f.Fuzz(func(t *testing.T, text string) {
		src := &Source{Name: "fuzz.flow", Text: text}
		file, ds := Parse(src)
		checkDiagnostics(t, src, ds)
		for _, c := range file.Clauses {
			if span := c.Span(); span.Start < 0 || span.Start >= span.End || span.End > len(text) {
				t.Fatalf("clause %T at %v of %d", c, span, len(text))
			}
		}
		for _, span := range expressionSpans(file) {
			if span.Start >= span.End || span.End > len(text) {
				t.Fatalf("expression at %v of %d", span, len(text))
			}
		}
		out := rendered(t, ds)
		if Printable(out) != out {
			t.Fatalf("rendered with control characters: %q", out)
		}
		if len(ds) == 0 && len(file.Flows) == 0 {
			t.Fatal("neither a flow nor a diagnostic")
		}
	})
}

func FuzzFormat(f *testing.F) {
	addPrograms(f)
	f.Fuzz(func(t *testing.T, text string) {
		src := &Source{Name: "fuzz.flow", Text: text}
		if _, ds := Parse(src); ds.HasErrors() {
			return
		}
		formatted(t, src, Canonical)
		formatted(t, src, OneLine)
	})
}
