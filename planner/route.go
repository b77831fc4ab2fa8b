package planner

import (
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
)

// Reads says where the flow reads, a line a source, and Writes where it writes, a
// line a sink. They are equal for two flows of which one could be the other under a
// new name: what it does with the messages, and how, is left out.
func (f *Flow) Reads() []string {
	var lines []string
	for _, s := range f.Sources {
		lines = append(lines, fmt.Sprintf("%s %q%s", s.Connection.Kind.Name, s.Spec.Select,
			chosen(s.Connection.Kind.Source, s.Spec.Settings, func(field connectors.Field) bool {
				return field.Type == connectors.Text || field.Type == connectors.List
			})))
	}
	return lines
}

// Writes is described at Reads. A connection other than the sources' counts, too.
func (f *Flow) Writes() []string {
	var lines []string
	for _, s := range f.Sinks {
		line := s.Connection.Kind.Name
		if s.Connection != f.Sources[0].Connection {
			line += chosen(s.Connection.Kind.Connection, s.Connection.Settings, func(field connectors.Field) bool { return field.Key == "url" || field.Key == "context" })
		}
		lines = append(lines, line+chosen(s.Connection.Kind.Sink, s.Spec.Settings, func(field connectors.Field) bool { return field.Template }))
	}
	return lines
}

// chosen are those settings of which the choice is true, as text.
func chosen(fields connectors.Fields, s connectors.Settings, choice func(connectors.Field) bool) string {
	var b strings.Builder
	for _, f := range fields {
		if text, ok := FormatSetting(s[f.Key]); ok && choice(f) {
			fmt.Fprintf(&b, " %s %q", f.Key, text)
		}
	}
	return b.String()
}
