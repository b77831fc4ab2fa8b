package langserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// list collects completions, all for the same part of a text.
type list struct {
	items    []completionItem
	lines    lines
	replaced lang.Span
}

func (l *list) add(kind int, label, detail, doc string) {
	item := completionItem{Label: label, Kind: kind, Detail: detail, TextEdit: textEdit{l.lines.rangeOf(l.replaced), label}}
	if doc != "" {
		text := markdown(doc)
		item.Documentation = &text
	}
	l.items = append(l.items, item)
}

func (l *list) names(kind int, names []string) {
	for _, name := range names {
		l.add(kind, name, "", "")
	}
}

func (l *list) connections(file *lang.File) {
	for _, c := range file.Connections {
		l.add(kindModule, c.Name.Name, "connection of kind "+c.Kind.Name, "")
	}
}

func (l *list) kinds(kinds []connectors.Kind) {
	for _, k := range kinds {
		l.add(kindModule, k.Name, "kind of connection", "")
	}
}

func (l *list) schemas(file *lang.File) {
	for _, s := range file.Schemas {
		l.add(kindStruct, s.Name.Name, "schema", "")
	}
}

// keys are the options that are not given yet.
func (l *list) keys(fields connectors.Fields, given []*lang.Option) {
	for _, f := range fields {
		if !slices.ContainsFunc(given, func(o *lang.Option) bool { return o.Key.Name == f.Key }) {
			l.add(kindProperty, f.Key, fieldDetail(f), fieldDoc(f))
		}
	}
}

func (l *list) values(fields connectors.Fields, key string) {
	f, ok := fields.Lookup(key)
	switch {
	case !ok:
	case f.Secret:
		l.names(kindKeyword, []string{"env", "file", "secret"})
	case f.Type == connectors.Word:
		l.names(kindValue, f.Values)
	case f.Type == connectors.Bool:
		l.names(kindValue, booleans)
	case f.Type == connectors.Origin:
		l.names(kindValue, connectors.StartWords())
	case f.Default != nil && f.Type != connectors.Text && f.Type != connectors.List:
		text, _ := planner.FormatSetting(f.Default)
		l.add(kindValue, text, "the default", "")
	}
}

// columns lists columns in the form that the place asks for.
func (l *list) columns(columns []rows.Column, written func(name string) string) {
	for _, c := range columns {
		l.add(kindField, written(c.Name), typeText(c.Type), "")
	}
}

func plainly(name string) string { return name }

// operandName writes a column for an expression.
func operandName(name string) string {
	if parsed, _ := expression.Parse(name); parsed != nil {
		if refs := parsed.Columns(); len(refs) == 1 && refs[0].Kind == expression.ColumnReference && refs[0].End-refs[0].Start == len(name) && refs[0].Name == name {
			return name
		}
	}
	return fmt.Sprintf("$env[%q]", name)
}

// columnName writes a column for a select or a drop.
func columnName(name string) string {
	if name != "" && wordStart(name, len(name)) == 0 && (name[0] < '0' || name[0] > '9') {
		return name
	}
	return strconv.Quote(name)
}

func (l *list) functions() {
	for _, f := range expression.Functions() {
		l.add(kindFunction, f.Name, f.Signature, functionDoc(f))
	}
}

// textHoles are the holes of a template, in place of one that is begun.
func (l *list) textHoles(fields connectors.Fields, key, text string, scope planner.Scope) {
	f, ok := fields.Lookup(key)
	if !ok || !f.Template {
		return
	}
	line := text[strings.LastIndexByte(text[:l.replaced.Start], '\n')+1 : l.replaced.End]
	if open := strings.LastIndexAny(line, "<>\"`"); open >= 0 && line[open] == '<' {
		l.replaced.Start = l.replaced.End - len(line) + open
		if strings.HasPrefix(text[l.replaced.End:], ">") {
			l.replaced.End++
		}
	}
	l.add(kindVariable, "<resource>", "the resource's name", "")
	l.add(kindVariable, "<subject>", "the subject of the source's message", "")
	l.add(kindVariable, "<1>", "what the source's first wildcard matched", "")
	for _, p := range scope.Params {
		l.add(kindVariable, "<param."+p.Name+">", typeText(p.Type), "")
	}
	for _, c := range scope.Columns {
		l.add(kindField, "<"+c.Name+">", typeText(c.Type), "")
	}
}
