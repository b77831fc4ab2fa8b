package langserver

import (
	"encoding/json"
	"fmt"

	"github.com/flowlang/flow/lang"
)

func (s *server) didOpen(params json.RawMessage) error {
	p, err := decode[didOpenParams](params)
	if err != nil {
		return s.warn(err)
	}
	if _, again := s.documents[p.TextDocument.URI]; !again && len(s.documents) == maxDocuments {
		return s.warn(fmt.Errorf("%s is not checked: %d documents are open", lang.Printable(p.TextDocument.URI), maxDocuments))
	}
	s.documents[p.TextDocument.URI] = newDocument(p.TextDocument)
	return nil
}

func (s *server) didChange(params json.RawMessage) error {
	p, err := decode[didChangeParams](params)
	if err != nil {
		return s.warn(err)
	}
	if d, ok := s.documents[p.TextDocument.URI]; ok {
		d.change(p.TextDocument.Version, p.ContentChanges)
	}
	return nil
}

// didClose takes the findings from the editor's list.
func (s *server) didClose(params json.RawMessage) error {
	p, err := decode[documentParams](params)
	if err != nil {
		return s.warn(err)
	}
	d, ok := s.documents[p.TextDocument.URI]
	if !ok {
		return nil
	}
	delete(s.documents, d.uri)
	return s.publish(d.uri, d.version, []diagnostic{})
}

// warn writes into the client's log what a notification cannot be answered.
func (s *server) warn(err error) error {
	return s.notify("window/logMessage", logMessageParams{logWarning, err.Error()})
}
