// Package docs_test checks that the documentation speaks of what is there.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const page = "architecture.md"

var (
	tableRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
	pathSpan = regexp.MustCompile("`([a-z]+/[a-zA-Z0-9_./]+)`")
	// package.Name or Type.member
	nameSpan = regexp.MustCompile("`([a-zA-Z]+\\.[a-zA-Z]+)`")
	link     = regexp.MustCompile(`\]\(([^):#]+)\)`)
)

func TestThePackageTableIsComplete(t *testing.T) {
	listed := named(t, tableRow)
	for _, dir := range packages(t) {
		if !slices.Contains(listed, dir) {
			t.Errorf("%s does not list the package %s", page, dir)
		}
	}
	for _, dir := range listed {
		if !slices.Contains(packages(t), dir) {
			t.Errorf("%s lists the package %s, which is not there", page, dir)
		}
	}
}

func TestNamedPathsExist(t *testing.T) {
	for _, path := range named(t, pathSpan) {
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			t.Errorf("%s names %s, which is not there", page, path)
		}
	}
}

func TestNamedDeclarationsExist(t *testing.T) {
	declared := declarations(t)
	for _, name := range named(t, nameSpan) {
		if !strings.HasSuffix(name, ".go") && !declared[name] {
			t.Errorf("%s names %s, which nothing declares", page, name)
		}
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	pages := []string{"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md", "../deploy/README.md", "../examples/README.md"}
	for _, pattern := range []string{"*.md", "decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("there are no pages %s: %v", pattern, err)
		}
		pages = append(pages, found...)
	}
	for _, from := range pages {
		for _, match := range link.FindAllStringSubmatch(read(t, from), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(from), match[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", from, match[1])
			}
		}
	}
}

// named is what the page names in a form, at least once.
func named(t *testing.T, form *regexp.Regexp) []string {
	t.Helper()
	var all []string
	for _, match := range form.FindAllStringSubmatch(read(t, page), -1) {
		all = append(all, match[1])
	}
	if len(all) == 0 {
		t.Fatalf("%s names nothing of the form %s", page, form)
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
