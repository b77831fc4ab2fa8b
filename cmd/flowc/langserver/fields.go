package langserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// fields is the table of what may have options; empty if its kind is not known.
func (s *server) fields(file *lang.File, h holder) connectors.Fields {
	if h.role == epochRole {
		return planner.EpochFields()
	}
	name := h.name
	if h.role != connectionRole {
		if c := declaredConnection(file, name); c != nil {
			name = c.Kind.Name
		}
	}
	i := slices.IndexFunc(s.options.Kinds, func(k connectors.Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	switch kind := s.options.Kinds[i]; h.role {
	case connectionRole:
		return kind.Connection
	case sourceRole:
		return kind.Source
	case sinkRole:
		return kind.Sink
	default:
		return kind.DeadLetter
	}
}

func declaredConnection(file *lang.File, name string) *lang.Connection {
	for _, c := range file.Connections {
		if c.Name.Name == name {
			return c
		}
	}
	return nil
}

// fieldDetail is the type of an option and its default, on one line.
func fieldDetail(f connectors.Field) string {
	detail := string(f.Type)
	if f.Required {
		detail += ", required"
	}
	if text, ok := planner.FormatSetting(f.Default); ok {
		detail += ", default " + text
	}
	return detail
}

// fieldDoc is what an option is for and what it takes, as Markdown.
func fieldDoc(f connectors.Field) string {
	doc := []string{f.Doc}
	switch f.Type {
	case connectors.Word:
		doc = append(doc, "One of `"+strings.Join(f.Values, "`, `")+"`.")
	case connectors.Count, connectors.Duration, connectors.Size:
		doc = append(doc, "Range: "+f.Range()+".")
	case connectors.Window:
		doc = append(doc, fmt.Sprintf("Range: %s messages, 1 B to %s.", f.Range(), connectors.FormatSize(f.MaxBytes)))
	}
	if f.Secret {
		doc = append(doc, "A secret: `env \"NAME\"`, `file \"PATH\"` or `secret \"NAME\"`, never a text.")
	}
	if f.Template {
		doc = append(doc, "May hold `<holes>`.")
	}
	return strings.Join(doc, "\n\n")
}

func functionDoc(f expression.Function) string {
	return fmt.Sprintf("%s\n\n`%s` is `%s`", f.Doc, f.Example, f.Result)
}

// typeText writes a type as a schema does; one that the first message tells is
// not known yet.
func typeText(t rows.Type) string {
	if t.Kind == rows.Open {
		return "typed by the first message"
	}
	return t.String()
}
