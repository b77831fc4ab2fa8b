package planner

import (
	"fmt"
	"io"
	"strings"

	"github.com/flowlang/flow/lang"
)

// WriteDOT draws the plan as a digraph for Graphviz.
func (p *Plan) WriteDOT(w io.Writer) error {
	g := p.graph()
	var b strings.Builder
	b.WriteString("digraph plan {\n  rankdir=LR;\n")
	for i, f := range g.flows {
		fmt.Fprintf(&b, "  subgraph cluster_%s {\n    label=%s;\n", flowID(i), dotText(f.title))
		for _, n := range f.nodes {
			shape := "box"
			if n.kind == outsideNode {
				shape = "cylinder"
			}
			fmt.Fprintf(&b, "    %s [shape=%s, label=%s];\n", n.id, shape, dotText(n.lines...))
		}
		for _, e := range f.edges {
			fmt.Fprintf(&b, "    %s\n", dotEdge(e))
		}
		b.WriteString("  }\n")
	}
	for _, e := range g.edges {
		fmt.Fprintf(&b, "  %s\n", dotEdge(e))
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func dotEdge(e edge) string {
	if e.label == "" {
		return fmt.Sprintf("%s -> %s;", e.from, e.to)
	}
	return fmt.Sprintf("%s -> %s [label=%s];", e.from, e.to, dotText(e.label))
}

// dotEscapes are for a quoted string of a label, in which Graphviz reads
// backslashes and HTML entities.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;", "\n", " ", "\t", " ")

// dotText quotes lines of text.
func dotText(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscapes.Replace(lang.Printable(line))
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
