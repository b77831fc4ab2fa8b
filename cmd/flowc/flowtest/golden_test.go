package flowtest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// TestDifferences runs tests that fail. Their failures are in NAME.failures, and
// what Update makes of them in NAME.updated, which then passes.
func TestDifferences(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found no tests that fail: %v", err)
	}
	RunAll(t.Context(), paths, func(r *Result) {
		if r.Passed() || r.Bad != nil {
			t.Errorf("%s: expected failures, found none (%v)", r.Path, r.Bad)
			return
		}
		var text strings.Builder
		for _, f := range r.Failures {
			text.WriteString(f.String())
		}
		stem := strings.TrimSuffix(r.Path, testEnding)
		golden(t, stem+".failures", text.String())
		golden(t, stem+".updated", updateCopy(t, r))
	})
}

// updateCopy updates a copy of the archive, and returns it or why that was refused.
func updateCopy(t *testing.T, r *Result) string {
	t.Helper()
	original := r.Path
	r.Path = filepath.Join(t.TempDir(), filepath.Base(original))
	defer func() { r.Path = original }()
	write(t, r.Path, read(t, original))
	if err := r.Update(); err != nil {
		if after := read(t, r.Path); after != read(t, original) {
			t.Errorf("%s: refused to update, and wrote\n%s", original, after)
		}
		return "refused: " + err.Error() + "\n"
	}
	if again := Run(t.Context(), r.Path); !again.Passed() {
		t.Errorf("%s: updated, and still %v\n%v", original, again.Bad, again.Failures)
	}
	return read(t, r.Path)
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		write(t, path, got)
		return
	}
	if want := read(t, path); got != want {
		t.Errorf("%s: expected\n%s\nfound\n%s", path, want, got)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
