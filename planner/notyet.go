package planner

import (
	"fmt"

	"github.com/flowlang/flow/lang"
)

// unplanned reports what parses and cannot be planned: silence would let a flow
// run that does less than it says.
func (c *compiler) unplanned(file *lang.File) {
	for i, f := range file.Flows {
		if i > 0 || len(c.flows) > 0 {
			c.notYet(f.Span(), "several flows in one run", "run them one by one")
			return
		}
	}
}

func (c *compiler) notYet(span lang.Span, what, help string) {
	c.report(lang.Diagnostic{Code: codeNotYet, Span: span, Summary: fmt.Sprintf("this flowc does not run %s yet", what), Help: help})
}
