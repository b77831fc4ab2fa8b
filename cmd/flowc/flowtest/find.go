package flowtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	testEnding = ".txtar"
	flowEnding = ".flow"
)

// Find returns the tests that the paths mean: an archive is one, a flow has those
// beside it, and a folder those anywhere below it, except in folders whose name
// begins with a dot. Each is returned once. A path without a test is an error.
func Find(paths []string) ([]string, error) {
	var tests []string
	seen := map[string]bool{}
	for _, path := range paths {
		found, err := find(path)
		if err != nil {
			return nil, err
		}
		for _, test := range found {
			if test = filepath.Clean(test); !seen[test] {
				seen[test] = true
				tests = append(tests, test)
			}
		}
	}
	return tests, nil
}

func find(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file or folder %s", path)
	case err != nil:
		return nil, fmt.Errorf("looking for tests: %w", err)
	case info.IsDir():
		return findBelow(path)
	case strings.HasSuffix(path, testEnding):
		return []string{path}, nil
	case strings.HasSuffix(path, flowEnding):
		return findBeside(path)
	}
	return nil, fmt.Errorf("%s is neither a flow (%s) nor a test (%s)", path, flowEnding, testEnding)
}

func findBelow(folder string) ([]string, error) {
	var tests []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("looking for tests: %w", err)
		case entry.IsDir() && path != folder && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, testEnding):
			return nil
		}
		yes, err := isTest(path)
		if yes {
			tests = append(tests, path)
		}
		return err
	})
	if err == nil && len(tests) == 0 {
		err = fmt.Errorf("no tests found below %s; a test is X%s beside X%s", folder, testEnding, flowEnding)
	}
	return tests, err
}

func findBeside(flow string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(flow))
	if err != nil {
		return nil, fmt.Errorf("looking for tests: %w", err)
	}
	var tests []string
	for _, entry := range entries {
		if path := filepath.Join(filepath.Dir(flow), entry.Name()); strings.HasSuffix(path, testEnding) && programOf(path) == filepath.Clean(flow) {
			tests = append(tests, path)
		}
	}
	if len(tests) == 0 {
		stem := strings.TrimSuffix(filepath.Base(flow), flowEnding)
		return nil, fmt.Errorf("no tests found for %s; write one into %s%s beside it", flow, stem, testEnding)
	}
	return tests, nil
}

// isTest says whether an archive in a folder is a test: others keep archives too.
func isTest(path string) (bool, error) {
	if programOf(path) != "" {
		return true, nil
	}
	sections, err := readSections(path)
	if err != nil {
		return false, err
	}
	for _, s := range sections {
		if s.name == flowSection || s.name == inputSection {
			return true, nil
		}
	}
	return false, nil
}

// programOf is the flow that an archive tests: that of its own name or, with its
// last parts left out, of a shorter one. It is empty if there is none.
func programOf(test string) string {
	folder := filepath.Dir(test)
	for stem := strings.TrimSuffix(filepath.Base(test), testEnding); stem != ""; {
		flow := filepath.Join(folder, stem+flowEnding)
		if info, err := os.Stat(flow); err == nil && info.Mode().IsRegular() {
			return flow
		}
		dot := strings.LastIndexByte(stem, '.')
		if dot < 0 {
			break
		}
		stem = stem[:dot]
	}
	return ""
}
