package planner

import (
	"fmt"

	"github.com/flowlang/flow/lang"
)

// notYet refuses what parses and cannot be planned: silence would let a flow run
// that does less than it says.
func (c *compiler) notYet(span lang.Span, what, help string) {
	c.report(lang.Diagnostic{Code: codeNotYet, Span: span, Summary: fmt.Sprintf("this flowc does not run %s yet", what), Help: help})
}
