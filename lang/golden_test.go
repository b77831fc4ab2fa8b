package lang

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden files")

// golden runs every program of the archives in a folder of testdata. An archive
// holds pairs of files: NAME.flow, or NAME.quoted as a Go string, and NAME.want.
func golden(t *testing.T, folder string, run func(t *testing.T, src *Source) string) {
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives in %s: %v", folder, err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var out txtar.Archive
		out.Comment = archive.Comment
		for _, f := range archive.Files {
			name, isProgram := programName(f.Name)
			if !isProgram {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+name, func(t *testing.T) {
				got := run(t, &Source{Name: name + ".flow", Text: programText(t, f)})
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

func programName(file string) (string, bool) {
	if name, ok := strings.CutSuffix(file, ".flow"); ok {
		return name, true
	}
	return strings.CutSuffix(file, ".quoted")
}

func programText(t *testing.T, f txtar.File) string {
	if !strings.HasSuffix(f.Name, ".quoted") {
		return string(f.Data)
	}
	text, err := strconv.Unquote(strings.TrimSpace(string(f.Data)))
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return text
}

func fileNamed(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func rendered(t *testing.T, ds Diagnostics) string {
	var b bytes.Buffer
	if err := Render(&b, ds, RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBroken(t *testing.T) {
	golden(t, "broken", func(t *testing.T, src *Source) string {
		_, ds := Parse(src)
		if !ds.HasErrors() {
			t.Errorf("no error")
		}
		checkDiagnostics(t, src, ds)
		return rendered(t, ds)
	})
}

// checkDiagnostics checks what holds for every diagnostic.
func checkDiagnostics(t *testing.T, src *Source, ds Diagnostics) {
	t.Helper()
	for _, d := range ds {
		if d.Source != src || d.Span.Start < 0 || d.Span.Start > d.Span.End || d.Span.End > len(src.Text) {
			t.Errorf("%s: span %v outside the source of %d bytes", d.Code, d.Span, len(src.Text))
		}
		if _, ok := Explain(d.Code); !ok {
			t.Errorf("%s has no explanation", d.Code)
		}
		if d.Summary == "" || strings.HasSuffix(d.Summary, ".") || strings.Contains(d.Summary, "illegal") {
			t.Errorf("%s: summary %q", d.Code, d.Summary)
		}
		if d.Help == "" && d.Label == "" {
			t.Errorf("%s does not say what to do: %s", d.Code, d.Summary)
		}
	}
}
