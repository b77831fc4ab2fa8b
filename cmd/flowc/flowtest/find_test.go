package flowtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"a.flow":                   "",
		"a.txtar":                  "",
		"a.late.txtar":             "",
		"a.late.twice.txtar":       "",
		"a.b.flow":                 "",
		"a.b.txtar":                "", // of a.b, the longer name
		"alone.flow":               "",
		"own.txtar":                "-- flow --\n",
		"input.txtar":              "-- in.jsonl --\n",
		"other.txtar":              "-- go.mod --\n",
		"sub/deep/c.flow":          "",
		"sub/deep/c.txtar":         "",
		".hidden/d.flow":           "",
		".hidden/d.txtar":          "",
		"empty/notes.txt":          "",
		"folder.flow/e.txtar":      "-- flow --\n",
		"folder.txtar":             "-- flow --\n",
		"orders.flow/x/orders.txt": "",
	} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
	}
	for name, c := range map[string]struct {
		paths []string
		want  string
	}{
		"everything":        {[]string{"."}, "a.b.txtar a.late.twice.txtar a.late.txtar a.txtar folder.flow/e.txtar folder.txtar input.txtar own.txtar sub/deep/c.txtar"},
		"a flow":            {[]string{"a.flow"}, "a.late.twice.txtar a.late.txtar a.txtar"},
		"a longer name":     {[]string{"a.b.flow"}, "a.b.txtar"},
		"a test":            {[]string{"a.late.txtar"}, "a.late.txtar"},
		"a folder":          {[]string{"sub"}, "sub/deep/c.txtar"},
		"a hidden folder":   {[]string{".hidden"}, ".hidden/d.txtar"},
		"twice":             {[]string{"sub/deep/c.flow", "sub", "./sub/deep/c.txtar"}, "sub/deep/c.txtar"},
		"any archive":       {[]string{"other.txtar"}, "other.txtar"},
		"no such file":      {[]string{"a.flow", "none.flow"}, "error: there is no file or folder none.flow"},
		"a flow without":    {[]string{"alone.flow"}, "error: no tests found for alone.flow; write one into alone.txtar beside it"},
		"a folder without":  {[]string{"empty"}, "error: no tests found below empty; a test is X.txtar beside X.flow"},
		"another file":      {[]string{"empty/notes.txt"}, "error: empty/notes.txt is neither a flow (.flow) nor a test (.txtar)"},
		"a folder's ending": {[]string{"folder.flow"}, "folder.flow/e.txtar"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(dir)
			found, err := Find(c.paths)
			got := filepath.ToSlash(strings.Join(found, " "))
			if err != nil {
				got = "error: " + filepath.ToSlash(err.Error())
			}
			if got != c.want {
				t.Errorf("expected %s\nfound    %s", c.want, got)
			}
		})
	}
}
