package docs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/cmd/flowc/flowtest"
)

// TestReadmeTestPasses runs the test that the README shows over the program that
// it shows.
func TestReadmeTestPasses(t *testing.T) {
	all := blocks(t, "../README.md")
	text := func(mark string) string {
		i := slices.IndexFunc(all, func(b block) bool { return strings.Contains(b.text, mark) })
		if i < 0 {
			t.Fatalf("the README has no block with %q", mark)
		}
		return all[i].text
	}
	dir := t.TempDir()
	test := filepath.Join(dir, "totals.txtar")
	for path, content := range map[string]string{filepath.Join(dir, "totals.flow"): text("flow totals"), test: text("-- in.jsonl --")} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r := flowtest.Run(t.Context(), test); !r.Passed() {
		t.Errorf("%v\n%v", r.Bad, r.Failures)
	}
}
