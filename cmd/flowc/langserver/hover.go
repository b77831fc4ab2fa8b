package langserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// hover explains what stands at an offset; nil if there is nothing to say.
func (s *server) hover(d *document, offset int) *hoverResult {
	file, _ := d.parsed()
	at := siteAt(file, offset)
	switch at.kind {
	case keySite, valueSite, textSite:
		if f, ok := s.fields(file, at.holder).Lookup(at.key); ok {
			return explained(d, at.span, f.Key+": "+fieldDetail(f), fieldDoc(f))
		}
	case connectionSite:
		if c := declaredConnection(file, at.name); c != nil {
			return explained(d, at.span, "connection "+c.Name.Name+" "+c.Kind.Name, "")
		}
	case schemaSite:
		if declared := declaredSchema(file, at.name); declared != nil {
			span := declared.Span()
			return explained(d, at.span, d.text()[span.Start:span.End], "")
		}
	case columnSite:
		return hoverColumn(d, at.span, at.name, planner.ScopeAt(file, at.span.Start).Columns, "")
	case expressionSite:
		return hoverExpression(d, file, at, offset)
	}
	return nil
}

// explained shows code and, below it, a text.
func explained(d *document, span lang.Span, code, doc string) *hoverResult {
	text := "```flow\n" + code + "\n```"
	if doc != "" {
		text += "\n\n" + doc
	}
	return &hoverResult{Contents: markdown(text), Range: d.lines.rangeOf(span)}
}

func hoverExpression(d *document, file *lang.File, at site, offset int) *hoverResult {
	if ref, span, ok := referenceAt(at, offset); ok {
		scope := planner.ScopeAt(file, at.span.Start)
		switch ref.Kind {
		case expression.ColumnReference:
			return hoverColumn(d, span, ref.Name, slices.Concat(scope.Columns, planner.EnvelopeColumns()), "")
		case expression.ParamReference:
			return hoverColumn(d, span, ref.Name, scope.Params, "param.")
		default:
			return hoverColumn(d, span, ref.Name, planner.MessageMembers(), "msg.")
		}
	}
	return hoverFunction(d, offset)
}

// referenceAt finds the name in an expression at an offset of the document.
func referenceAt(at site, offset int) (expression.Reference, lang.Span, bool) {
	parsed, _ := expression.Parse(at.expr.Text)
	if parsed == nil {
		return expression.Reference{}, lang.Span{}, false
	}
	for _, ref := range parsed.Columns() {
		span := lang.Span{Start: at.span.Start + ref.Start, End: at.span.Start + ref.End}
		if span.Start <= offset && offset <= span.End {
			return ref, span, true
		}
	}
	return expression.Reference{}, lang.Span{}, false
}

func hoverColumn(d *document, span lang.Span, name string, columns []rows.Column, prefix string) *hoverResult {
	i := slices.IndexFunc(columns, func(c rows.Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return explained(d, span, fmt.Sprintf("%s%s: %s", prefix, name, typeText(columns[i].Type)), "")
}

// hoverFunction explains the function whose name stands before a parenthesis.
func hoverFunction(d *document, offset int) *hoverResult {
	text := d.text()
	start := wordStart(text, offset)
	for _, f := range expression.Functions() {
		end := start + len(f.Name)
		if offset <= end && strings.HasPrefix(text[start:], f.Name+"(") {
			return explained(d, lang.Span{Start: start, End: end}, f.Signature, functionDoc(f))
		}
	}
	return nil
}
