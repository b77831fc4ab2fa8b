package flowtest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// maxShown is how many messages of one place are shown that differ.
const maxShown = 10

// compare compares how the flow ended, and what it wrote, with the expectations.
func (r *Result) compare() {
	r.compareFindings()
	for _, e := range r.test.expectations {
		if lines := e.compare(e.see(r.found(e))); len(lines) > 0 {
			r.fail(e.title(), lines...)
		}
	}
	for _, e := range r.unexpected() {
		r.fail(e.title()+": no messages are expected", e.compare(e.see(r.found(e)))...)
	}
}

// found are the messages that an expectation is about.
func (r *Result) found(e expectation) []*jetstream.RawStreamMsg {
	if e.aspect == letters {
		return r.letters
	}
	return r.output[e.place]
}

// unexpected are empty expectations for the messages that no section is about.
func (r *Result) unexpected() []expectation {
	var missing []expectation
	for _, at := range r.places() {
		missing = append(missing, expectation{section: outputPrefix + at.stream + "/" + at.subject + linesEnding, place: at})
	}
	if len(r.letters) > 0 {
		missing = append(missing, expectation{section: deadSection, aspect: letters})
	}
	return slices.DeleteFunc(missing, func(e expectation) bool {
		return slices.ContainsFunc(r.test.expectations, func(other expectation) bool { return other.section == e.section })
	})
}

func (e expectation) title() string {
	switch e.aspect {
	case headers:
		return "headers in " + e.place.String()
	case letters:
		return "dead letters"
	}
	return e.place.String()
}

// places are those where the flow wrote something, in the order of their names.
func (r *Result) places() []place {
	return slices.SortedFunc(maps.Keys(r.output), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.subject, b.subject))
	})
}

// compare compares message by message. What is alike at the beginning and at the
// end stays aside, so that one message too many does not shift all that follow.
func (e expectation) compare(found []written) []string {
	first, wanted, got := e.differing(found)
	var lines []string
	last := max(wanted, got)
	for i := first; i < min(last, first+maxShown); i++ {
		switch {
		case i >= wanted:
			lines = append(lines, fmt.Sprintf("message %d: not expected", i+1), "  found    "+clip(e.text(found[i], e.usual())))
		case i >= got:
			lines = append(lines, fmt.Sprintf("message %d (line %d): missing", i+1, e.lines[i].line), "  expected "+clip(e.lines[i].text))
		case !e.same(i, found[i]):
			lines = append(lines, e.difference(i, found[i])...)
		}
	}
	if last-first > maxShown {
		lines = append(lines, fmt.Sprintf("and %d more messages", last-first-maxShown))
	}
	return lines
}

// differing is the first message that is not as expected, and where the expected
// ones and the found ones end that are to be shown.
func (e expectation) differing(found []written) (first, wanted, got int) {
	wanted, got = len(e.lines), len(found)
	for first < min(wanted, got) && e.same(first, found[first]) {
		first++
	}
	for wanted > first && got > first && e.same(wanted-1, found[got-1]) {
		wanted--
		got--
	}
	return first, wanted, got
}

func (e expectation) same(line int, found written) bool {
	return found.object != nil && len(e.members(e.lines[line].object, found.object)) == 0
}

// members are the differences between two messages, a line each.
func (e expectation) members(want, got map[string]any) []string {
	return objectDifferences("", want, e.relevant(got, want))
}

// difference shows an expected message and what was found in its stead.
func (e expectation) difference(i int, found written) []string {
	want := e.lines[i]
	lines := []string{fmt.Sprintf("message %d (line %d)", i+1, want.line)}
	if found.object != nil {
		for _, d := range e.members(want.object, found.object) {
			lines = append(lines, "  "+d)
		}
	}
	return append(lines, "  expected "+clip(want.text), "  found    "+clip(e.text(found, want.object)))
}

// maxWidth is how many characters of a message are shown.
const maxWidth = 400

func clip(text string) string {
	runes := []rune(text)
	if len(runes) <= maxWidth {
		return text
	}
	return string(runes[:maxWidth]) + " ..."
}
