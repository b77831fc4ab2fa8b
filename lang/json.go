package lang

import "encoding/json"

type jsonPlace struct {
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
}

type jsonNote struct {
	jsonPlace
	Text string `json:"text"`
}

type jsonDiagnostic struct {
	Code     Code   `json:"code"`
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	jsonPlace
	Label string     `json:"label,omitempty"`
	Notes []jsonNote `json:"notes,omitempty"`
	Help  string     `json:"help,omitempty"`
}

// MarshalJSON gives the diagnostic as data: the same as [Render] shows, with
// the span's end as a place just behind it, and without the source line. JSON
// alone would let C1 and bidirectional controls through to a terminal, so its
// texts are escaped like the rendered ones.
func (d Diagnostic) MarshalJSON() ([]byte, error) {
	out := jsonDiagnostic{
		Code: d.Code, Severity: d.Severity.String(), Summary: printableLine(d.Summary),
		jsonPlace: placeOf(d.Source, d.Span), Label: printableLine(d.Label), Help: printableLine(d.Help),
	}
	for _, n := range d.Notes {
		out.Notes = append(out.Notes, jsonNote{placeOf(n.Source, n.Span), printableLine(n.Text)})
	}
	return json.Marshal(out)
}

func placeOf(src *Source, span Span) jsonPlace {
	if src == nil {
		return jsonPlace{}
	}
	start, end := src.Position(span.Start), src.Position(span.End)
	return jsonPlace{printableLine(src.Name), start.Line, start.Column, end.Line, end.Column}
}
