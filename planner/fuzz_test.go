package planner_test

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzCompile checks that whatever parses is planned or refused with findings
// that lie inside the text, and that planning it again says the same.
func FuzzCompile(f *testing.F) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".flow") {
				f.Add(string(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, found := lang.Parse(&lang.Source{Name: "fuzz.flow", Text: text})
		if found.HasErrors() {
			t.Skip("it does not parse")
		}
		plan, found := planner.Compile([]*lang.File{file}, planner.Options{Kinds: kinds})
		checkFindings(t, found)
		if (plan == nil) != found.HasErrors() {
			t.Fatalf("errors: %t, a plan: %t", found.HasErrors(), plan != nil)
		}
		if plan == nil {
			return
		}
		if err := plan.WriteText(io.Discard); err != nil {
			t.Fatal(err)
		}
		again, _ := planner.Compile([]*lang.File{file}, planner.Options{Kinds: kinds})
		for i, flow := range plan.Flows {
			if again.Flows[i].Fingerprint != flow.Fingerprint {
				t.Errorf("the fingerprint of %s is not stable", flow.Flow)
			}
		}
	})
}
