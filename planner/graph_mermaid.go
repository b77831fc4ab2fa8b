package planner

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/flowlang/flow/lang"
)

// WriteMermaid draws the plan as a Mermaid flowchart.
func (p *Plan) WriteMermaid(w io.Writer) error {
	g := p.graph()
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for i, f := range g.flows {
		fmt.Fprintf(&b, "  subgraph %s[%s]\n", flowID(i), mermaidText(f.title))
		for _, n := range f.nodes {
			opening, closing := "[", "]"
			if n.kind == outsideNode {
				opening, closing = "([", "])"
			}
			fmt.Fprintf(&b, "    %s%s%s%s\n", n.id, opening, mermaidText(n.lines...), closing)
		}
		for _, e := range f.edges {
			fmt.Fprintf(&b, "    %s\n", mermaidEdge(e))
		}
		b.WriteString("  end\n")
	}
	for _, e := range g.edges {
		fmt.Fprintf(&b, "  %s\n", mermaidEdge(e))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func mermaidEdge(e edge) string {
	if e.label == "" {
		return e.from + " --> " + e.to
	}
	return fmt.Sprintf("%s -->|%s| %s", e.from, mermaidText(e.label), e.to)
}

// mermaidText quotes lines of text. Whatever could mean something to Mermaid, or
// to the HTML that it makes, is written as an entity.
func mermaidText(lines ...string) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteString("<br/>")
		}
		for _, r := range lang.Printable(line) {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" ._,:/-+", r) {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, "#%d;", r)
			}
		}
	}
	return `"` + b.String() + `"`
}
