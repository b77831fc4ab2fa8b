package planner

import (
	"fmt"

	"github.com/flowlang/flow/lang"
)

// unplanned reports the clauses that parse and cannot be planned: silence would
// let a flow run that does less than it says.
func (c *compiler) unplanned(file *lang.File) {
	for _, p := range file.Params {
		c.notYet(p.Span(), "`param`", "write the value where it is used")
	}
	for _, s := range file.Schemas {
		c.notYet(s.Span(), "`schema`", inferredHelp)
	}
	for i, f := range file.Flows {
		if i > 0 || len(c.flows) > 0 {
			c.notYet(f.Span(), "several flows in one run", "run them one by one")
			break
		}
		if f.Schema != nil {
			c.notYet(f.Schema.Span(), "`schema`", inferredHelp)
		}
		for _, s := range f.Steps {
			c.notYet(s.Span(), stepName(s), "leave it out: rows go out as they come in")
		}
		for _, s := range f.Sinks {
			if s.When != nil {
				c.notYet(s.When.Span(), "`when`", "leave it out: every row goes to every sink")
			}
			if s.Otherwise {
				c.notYet(s.Span(), "`otherwise`", "leave it out: every row goes to every sink")
			}
		}
	}
}

const inferredHelp = "leave it out: the first message of a resource fixes its schema"

func stepName(s lang.Step) string {
	switch s.(type) {
	case *lang.Where:
		return "`where`"
	case *lang.Select:
		return "`select`"
	default:
		return "`drop`"
	}
}

func (c *compiler) notYet(span lang.Span, what, help string) {
	c.report(lang.Diagnostic{Code: codeNotYet, Span: span, Summary: fmt.Sprintf("this flowc does not run %s yet", what), Help: help})
}
