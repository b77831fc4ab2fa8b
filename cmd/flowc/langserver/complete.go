package langserver

import (
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// complete lists what may be written at an offset. It leaves choosing among it by
// what is typed already to the editor.
func (s *server) complete(d *document, offset int) []completionItem {
	file, _ := d.parsed()
	start := wordStart(d.text(), offset)
	l := &list{items: []completionItem{}, lines: d.lines, replaced: lang.Span{Start: start, End: offset}}
	p, ok := newProbe(file, start)
	if !ok {
		return l.items
	}
	at := p.word()
	switch at.kind {
	case connectionSite:
		l.connections(file)
		l.kinds(s.options.Kinds)
	case kindSite:
		l.kinds(s.options.Kinds)
	case schemaSite:
		l.schemas(file)
	case typeSite:
		l.names(kindType, planner.TypeNames())
	case keySite:
		l.keys(s.fields(file, at.holder), at.holder.options)
	case valueSite:
		l.values(s.fields(file, at.holder), at.key)
	case defaultSite:
		l.names(kindValue, booleans)
	case textSite:
		l.textHoles(s.fields(file, at.holder), at.key, d.text(), planner.ScopeAt(file, start))
	case expressionSite:
		l.expression(at, p.at(), planner.ScopeAt(file, start))
	case columnSite:
		l.columns(planner.ScopeAt(file, start).Columns, columnName)
		l.columns(planner.EnvelopeColumns(), columnName)
	}
	if at.kind == noSite || at.kind == keySite {
		l.phrases(p)
	}
	if at.kind != textSite && p.clause() {
		l.names(kindKeyword, lang.ClauseWords())
	}
	return l.items
}

// phrases are the words within clauses that start no clause and name nothing,
// each with what completes it.
var phrases = []struct{ words, rest string }{
	{"as", " " + placeholder},
	{"when", " true"},
	{"otherwise", ""},
	{"error", " stop"},
	{"retry", " 1"},
	{"backoff", " 1s"},
	{"then", " stop"},
	{"stop", ""},
	{"skip", ""},
	{"dead letter to", " " + placeholder},
}

func (l *list) phrases(p probe) {
	for _, phrase := range phrases {
		if p.phrase(phrase.words + phrase.rest) {
			l.names(kindKeyword, []string{phrase.words})
		}
	}
}

// expression lists what an operand may be at an offset of the probe, or the
// members of what stands before a point.
func (l *list) expression(s site, at int, scope planner.Scope) {
	base, point := strings.CutSuffix(s.expr.Text[:at-1-s.span.Start], ".")
	if !point {
		l.operands(scope)
		return
	}
	switch path := pathAtEnd(base); path[0] {
	case "param":
		l.columns(scope.Params, plainly)
	case "msg":
		l.columns(planner.MessageMembers(), plainly)
		l.names(kindField, []string{"headers"})
	default:
		l.columns(membersOf(scope.Columns, path), plainly)
	}
}

// pathAtEnd are the names, joined by points, that a text ends with.
func pathAtEnd(text string) []string {
	text = strings.TrimSuffix(text, "?")
	start := wordStart(text, len(text))
	name := text[start:]
	if before, ok := strings.CutSuffix(text[:start], "."); ok {
		return append(pathAtEnd(before), name)
	}
	return []string{name}
}

// membersOf are the members of the record that a path of names leads to.
func membersOf(columns []rows.Column, path []string) []rows.Column {
	for _, name := range path {
		i := slices.IndexFunc(columns, func(c rows.Column) bool { return c.Name == name })
		if i < 0 {
			return nil
		}
		columns = columns[i].Type.Fields
	}
	return columns
}

func (l *list) operands(scope planner.Scope) {
	l.columns(scope.Columns, operandName)
	l.columns(planner.EnvelopeColumns(), plainly)
	l.functions()
	l.names(kindVariable, []string{"msg"})
	if len(scope.Params) > 0 {
		l.names(kindVariable, []string{"param"})
	}
	l.names(kindKeyword, slices.Concat(booleans, []string{"nil", "not"}))
}

var booleans = []string{"true", "false"}
