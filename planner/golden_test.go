package planner_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flowlang/flow/lang"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden files")

// golden runs every program of the archives in a folder of testdata. An archive
// holds pairs of files: NAME.flow and NAME.want.
func golden(t *testing.T, folder string, run func(t *testing.T, source *lang.Source) string) {
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives in %s: %v", folder, err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out := txtar.Archive{Comment: archive.Comment}
		for _, f := range archive.Files {
			name, isProgram := strings.CutSuffix(f.Name, ".flow")
			if !isProgram {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+name, func(t *testing.T) {
				got := run(t, &lang.Source{Name: name + ".flow", Text: string(f.Data)})
				out.Files = append(out.Files, f, txtar.File{Name: name + ".want", Data: []byte(got)})
				if want := fileNamed(archive, name+".want"); !*update && got != want {
					t.Errorf("got:\n%s\nwant:\n%s", got, want)
				}
			})
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(&out), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func fileNamed(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func TestBroken(t *testing.T) {
	golden(t, "broken", func(t *testing.T, source *lang.Source) string {
		plan, found := compile(t, source)
		if !found.HasErrors() || plan != nil {
			t.Errorf("expected an error and no plan, found %v and %v", found, plan)
		}
		checkFindings(t, found)
		return rendered(t, found)
	})
}

func TestPlans(t *testing.T) {
	golden(t, "plans", func(t *testing.T, source *lang.Source) string {
		plan, found := compile(t, source)
		checkFindings(t, found)
		if plan == nil {
			t.Fatalf("no plan:\n%s", rendered(t, found))
		}
		var text strings.Builder
		if err := plan.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		return rendered(t, found) + text.String()
	})
}
