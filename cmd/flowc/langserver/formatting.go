package langserver

import (
	"encoding/json"

	"github.com/flowlang/flow/lang"
)

// formatting lays the whole document out anew. One with errors stays as it is:
// its findings say why.
func (s *server) formatting(params json.RawMessage) (any, error) {
	p, err := decode[documentParams](params)
	if err != nil {
		return nil, err
	}
	edits := []textEdit{}
	d, ok := s.documents[p.TextDocument.URI]
	if !ok {
		return edits, nil
	}
	file, _ := d.parsed()
	text, findings := lang.Format(file.Source, lang.Canonical)
	if findings.HasErrors() || text == d.text() {
		return edits, nil
	}
	all := d.lines.rangeOf(lang.Span{End: len(d.text())})
	return append(edits, textEdit{Range: all, NewText: text}), nil
}
