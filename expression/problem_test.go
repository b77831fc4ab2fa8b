package expression

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden files")

// TestProblems renders the problems of the expressions in testdata, one a
// line, and compares them with what is written below them.
func TestProblems(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := renderAll(string(archive.Comment))
			if *update {
				archive.Files = []txtar.File{{Name: "problems", Data: []byte(got)}}
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := string(archive.Files[0].Data); got != want {
				t.Errorf("problems changed; got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func renderAll(lines string) string {
	var b strings.Builder
	for text := range strings.Lines(lines) {
		text = strings.TrimSuffix(text, "\n")
		e, problems := Parse(text)
		if e != nil {
			_, problems = e.CompileFilter(testEnvironment)
		}
		if len(problems) == 0 {
			b.WriteString("no problem: " + text + "\n")
		}
		b.WriteString(renderProblems(text, problems) + "\n")
	}
	return b.String()
}

// TestProblemsAreWithinTheText holds for every expression of the golden files
// and every cut of them.
func TestProblemsAreWithinTheText(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for text := range strings.Lines(string(archive.Comment)) {
			for end := range len(text) {
				checkProblems(t, text[:end])
			}
		}
	}
}

// checkProblems compiles a text and checks what must hold for any.
func checkProblems(t *testing.T, text string) (*Program, *Expression) {
	e, problems := Parse(text)
	var p *Program
	if e != nil {
		before := problems
		p, problems = e.Compile(testEnvironment)
		if failed(before) && p != nil {
			t.Errorf("%q: only Parse finds %v", text, before)
		}
		if (p == nil) != failed(problems) {
			t.Errorf("%q: program is %v with the problems %v", text, p, problems)
		}
	} else if !failed(problems) {
		t.Errorf("%q: neither an expression nor an error", text)
	}
	for _, problem := range problems {
		if problem.Start < 0 || problem.Start > problem.End || problem.End > len(text) {
			t.Errorf("%q: problem at %d..%d", text, problem.Start, problem.End)
		}
		if m := problem.Message; m == "" || strings.HasSuffix(m, ".") && !strings.HasSuffix(m, "...") || strings.Contains(m, "\n") {
			t.Errorf("%q: message %q", text, m)
		}
	}
	return p, e
}
