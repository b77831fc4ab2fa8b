package langserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// findings are everything that flowc check would say of the document alone.
func (s *server) findings(d *document) []diagnostic {
	if d.tooLarge {
		return []diagnostic{{Severity: severityWarning, Source: sourceOfFindings,
			Message: fmt.Sprintf("the document is larger than %d bytes and is not checked", maxDocument)}}
	}
	file, found := d.parsed()
	if !found.HasErrors() {
		_, planned := planner.Compile([]*lang.File{file}, planner.Options{Kinds: s.options.Kinds, Namespace: s.options.Namespace})
		found = slices.Concat(found, planned)
	}
	shown := make([]diagnostic, len(found))
	for i, f := range found {
		shown[i] = s.diagnostic(d, f)
	}
	return shown
}

const sourceOfFindings = "flowc"

func (s *server) diagnostic(d *document, f lang.Diagnostic) diagnostic {
	shown := diagnostic{Range: d.lines.rangeOf(f.Span), Severity: severityError, Code: string(f.Code), Source: sourceOfFindings}
	if f.Severity == lang.Warning {
		shown.Severity = severityWarning
	}
	message := []string{f.Summary}
	if f.Label != "" {
		message = append(message, f.Label)
	}
	for _, n := range f.Notes {
		if n.Source != nil && s.related {
			shown.Related = append(shown.Related, relatedInformation{location{d.uri, d.lines.rangeOf(n.Span)}, n.Text})
		} else {
			message = append(message, "note: "+n.Text)
		}
	}
	if f.Help != "" {
		message = append(message, "help: "+f.Help)
	}
	shown.Message = strings.Join(message, "\n")
	return shown
}
