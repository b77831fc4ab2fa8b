package flowtest

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/lang"
	"golang.org/x/tools/txtar"
)

// test is one archive, read and understood.
type test struct {
	path    string
	archive *txtar.Archive

	flow         *lang.Source
	input        []embedded.SeedMessage
	streams      []streamConfig
	params, env  map[string]string
	expectations []expectation
	fails        bool // the archive has an error section
	findings     []expectedFinding
}

// load reads an archive and the flow beside it. An error tells where in the
// archive it is.
func load(path string) (*test, error) {
	archive, err := readArchive(path)
	if err != nil {
		return nil, err
	}
	t, err := understand(path, archive)
	if err != nil {
		return nil, err
	}
	return t, t.takeProgram()
}

// understand reads the sections of an archive.
func understand(path string, archive *txtar.Archive) (*test, error) {
	t := &test{path: path, archive: archive, params: map[string]string{}, env: map[string]string{}}
	seen := map[string]bool{}
	for _, s := range sectionsOf(path, archive) {
		if seen[s.name] {
			return nil, s.errorf(-1, "the section %s is there twice", s.name)
		}
		seen[s.name] = true
		if err := t.take(s); err != nil {
			return nil, err
		}
	}
	if !seen[inputSection] && !t.fails {
		return nil, fmt.Errorf("%s: expected a section %s with the messages that come in", path, inputSection)
	}
	return t, nil
}

// take reads one section.
func (t *test) take(s section) (err error) {
	switch s.name {
	case flowSection:
		t.flow = &lang.Source{Name: t.stem() + flowEnding, Text: s.text}
	case inputSection:
		t.input, err = readInput(s)
	case paramsSection:
		err = readAssignments(s, t.params)
	case envSection:
		err = readAssignments(s, t.env)
	case streamsSection:
		t.streams, err = readStreams(s)
	case errorSection:
		t.fails, t.findings = true, readFindings(s)
	case deadSection:
		err = t.expect(readLetters(s))
	default:
		err = t.expect(readExpectation(s))
	}
	return err
}

func (t *test) expect(e expectation, err error) error {
	t.expectations = append(t.expectations, e)
	return err
}

// stem is the archive's name up to the first dot.
func (t *test) stem() string {
	stem, _, _ := strings.Cut(filepath.Base(t.path), ".")
	return stem
}

// takeProgram reads the flow beside the archive, unless the archive has one. It is
// known by its base name, so that findings read the same wherever it lies.
func (t *test) takeProgram() error {
	if t.flow != nil {
		return nil
	}
	path := programOf(t.path)
	if path == "" {
		return fmt.Errorf("%s: there is no %s%s beside it, and it has no section %s", t.path, t.stem(), flowEnding, flowSection)
	}
	text, err := readFile(path)
	t.flow = &lang.Source{Name: filepath.Base(path), Text: text}
	return err
}
