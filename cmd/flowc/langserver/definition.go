package langserver

import (
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
)

// definition finds where the connection, schema or parameter at an offset is
// declared; nil if there is none or it is declared nowhere.
func definition(d *document, offset int) *location {
	file, _ := d.parsed()
	var name *lang.Ident
	switch at := siteAt(file, offset); at.kind {
	case connectionSite:
		if c := declaredConnection(file, at.name); c != nil {
			name = c.Name
		}
	case schemaSite:
		if s := declaredSchema(file, at.name); s != nil {
			name = s.Name
		}
	case expressionSite:
		if ref, _, ok := referenceAt(at, offset); ok && ref.Kind == expression.ParamReference {
			name = declaredParam(file, ref.Name)
		}
	case textSite:
		if param, ok := strings.CutPrefix(holeAt(at.text, offset), "param."); ok {
			name = declaredParam(file, param)
		}
	}
	if name == nil {
		return nil
	}
	return &location{URI: d.uri, Range: d.lines.rangeOf(name.Span())}
}

func declaredSchema(file *lang.File, name string) *lang.Schema {
	for _, s := range file.Schemas {
		if s.Name.Name == name {
			return s
		}
	}
	return nil
}

func declaredParam(file *lang.File, name string) *lang.Ident {
	for _, p := range file.Params {
		if p.Name.Name == name {
			return p.Name
		}
	}
	return nil
}

// holeAt is the name of the hole of a text at an offset of the document.
func holeAt(text *lang.String, offset int) string {
	for _, hole := range connectors.ParseTemplate(text.Value).Holes() {
		if span := text.Sub(hole.Start, hole.End); span.Start <= offset && offset <= span.End {
			return hole.Hole
		}
	}
	return ""
}
