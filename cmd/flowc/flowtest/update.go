package flowtest

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/txtar"
)

// Update writes into the archive what was found in place of what was expected.
// Comments, other sections and the lines that were right stay as they are. A
// flow's failure is taken over only where there is an error section to hold it: a
// program that is broken must not pass by accident.
func (r *Result) Update() error {
	switch {
	case r.Passed():
		return nil
	case r.Bad != nil, r.broken:
		return errors.New("the test could not run")
	case len(r.ended) > 0 && !r.test.fails:
		return fmt.Errorf("the flow failed; where that is expected, add an empty section `%s`", errorSection)
	}
	if at, foreign := r.foreign(); foreign {
		return fmt.Errorf("%s holds a message that is no JSON object", at)
	}
	info, err := os.Stat(r.Path)
	if err == nil {
		err = os.WriteFile(r.Path, txtar.Format(r.updated()), info.Mode().Perm())
	}
	if err != nil {
		return fmt.Errorf("writing the expectations: %w", err)
	}
	return nil
}

// foreign is a place with a message that no expectation can hold, and that no flow
// wrote: streams can copy from others.
func (r *Result) foreign() (place, bool) {
	for _, at := range r.places() {
		for _, m := range r.output[at] {
			if seeBody(m.Data).object == nil {
				return at, true
			}
		}
	}
	return place{}, false
}

func (r *Result) updated() *txtar.Archive {
	archive := &txtar.Archive{Comment: r.test.archive.Comment}
	bySection := map[string]expectation{}
	for _, e := range r.test.expectations {
		bySection[e.section] = e
	}
	for _, f := range r.test.archive.Files {
		e, isExpectation := bySection[f.Name]
		switch {
		case isExpectation && len(r.found(e)) == 0:
			continue
		case isExpectation:
			f.Data = []byte(e.updated(e.see(r.found(e)), string(f.Data)))
		case f.Name == errorSection && len(r.ended) == 0:
			continue
		case f.Name == errorSection && len(r.findingDifferences()) > 0:
			f.Data = []byte(strings.Join(findings(r.ended), "\n") + "\n")
		}
		archive.Files = append(archive.Files, f)
	}
	for _, e := range r.unexpected() {
		archive.Files = append(archive.Files, txtar.File{Name: e.section, Data: []byte(e.updated(e.see(r.found(e)), ""))})
	}
	return archive
}

// updated is the section's text for what was found. What is optional is kept where
// the message expected there names it, or the last one before it.
func (e expectation) updated(found []written, text string) string {
	first, wanted, got := e.differing(found)
	if first == max(wanted, got) {
		return text
	}
	var b strings.Builder
	named := e.usual()
	for i, w := range found {
		at, ok := beside(i, wanted, got)
		if ok {
			named = e.lines[at].object
		}
		if ok && e.same(at, w) {
			b.WriteString(e.lines[at].text + "\n")
		} else {
			b.WriteString(e.text(w, named) + "\n")
		}
	}
	return b.String()
}

// beside is the expected message that stands beside message i of those found, if
// there is one: those from wanted and got on belong together, and so do the first.
func beside(i, wanted, got int) (at int, ok bool) {
	if i >= got {
		return i - got + wanted, true
	}
	return i, i < wanted
}
