package flowtest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// expectedFinding is one line of an error section: a part of a finding.
type expectedFinding struct {
	part string
	line int // of the archive
}

func readFindings(s section) []expectedFinding {
	texts, numbers := s.lines()
	expected := make([]expectedFinding, len(texts))
	for i, text := range texts {
		expected[i] = expectedFinding{part: text, line: s.line + numbers[i]}
	}
	return expected
}

// located makes diagnostics of an error that has a code or a place in the flow's file.
func located(flow *planner.Flow, err error) error {
	if d, ok := flow.Locate(err); ok {
		return lang.Diagnostics{d}
	}
	if fault, ok := errors.AsType[*exec.RowFault](err); ok {
		at := fault.At
		at.Code, at.Summary = fault.Code, fault.Error()
		return lang.Diagnostics{at}
	}
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Help != "" {
		return fmt.Errorf("%w; %s", err, e.Help)
	}
	return err
}

// findings are the errors with which flows ended, a line each.
func findings(ended []error) []string {
	var lines []string
	for _, err := range ended {
		found, ok := errors.AsType[lang.Diagnostics](err)
		if !ok {
			lines = append(lines, strings.Join(strings.Fields(err.Error()), " "))
		}
		for _, d := range found {
			if d.Severity == lang.Error {
				lines = append(lines, d.Error())
			}
		}
	}
	return lines
}

// compareFindings compares how the flow ended with the error section.
func (r *Result) compareFindings() {
	switch {
	case !r.test.fails && len(r.ended) > 0:
		r.fail("the flow failed", shown(r.ended)...)
	case r.test.fails && len(r.ended) == 0:
		r.fail("the flow ended well, and an error is expected")
	default:
		if lines := r.findingDifferences(); len(lines) > 0 {
			r.fail("the flow failed with another error than expected", lines...)
		}
	}
}

// findingDifferences tells which findings do not hold what is expected of them, one
// by one and in their order.
func (r *Result) findingDifferences() []string {
	found := findings(r.ended)
	var lines []string
	for i, want := range r.test.findings {
		switch {
		case i >= len(found):
			lines = append(lines, fmt.Sprintf("line %d: missing", want.line), "  expected "+want.part)
		case !strings.Contains(found[i], want.part):
			lines = append(lines, fmt.Sprintf("line %d", want.line), "  expected "+want.part, "  found    "+found[i])
		}
	}
	for _, more := range found[min(len(r.test.findings), len(found)):] {
		lines = append(lines, "not expected", "  found    "+more)
	}
	return lines
}

// shown are errors for a person: diagnostics with the lines that they are about.
func shown(ended []error) []string {
	var text strings.Builder
	for _, err := range ended {
		if found, ok := errors.AsType[lang.Diagnostics](err); ok {
			_ = lang.Render(&text, found, lang.RenderOptions{}) // a builder takes everything
		} else {
			text.WriteString(err.Error() + "\n")
		}
	}
	return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
}
