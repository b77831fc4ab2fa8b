package docs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestPicturesAreFrames compares the pictures of screens in the pages with the golden
// frames that the viewer's tests draw.
func TestPicturesAreFrames(t *testing.T) {
	for page, names := range map[string][]string{
		"../README.md": {"run/80x24"},
		"watching.md":  {"runs/80x24", "run/80x24", "epoch/80x24", "dead/80x24", "small/40x10"},
	} {
		all := blocks(t, page)
		for _, name := range names {
			want := frame(t, name)
			if !slices.ContainsFunc(all, func(b block) bool { return b.text == want }) {
				t.Errorf("%s does not show the frame %s as it is drawn:\n%s", page, name, want)
			}
		}
	}
}

// frame is a golden frame without its empty lines, by screen and size.
func frame(t *testing.T, name string) string {
	t.Helper()
	screen, size := filepath.Split(name)
	archive, err := txtar.ParseFile(filepath.Join("../viewer/testdata", filepath.Clean(screen)+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == size })
	if i < 0 {
		t.Fatalf("there is no frame %s", name)
	}
	var b strings.Builder
	for line := range strings.Lines(string(archive.Files[i].Data)) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(line)
		}
	}
	return b.String()
}
