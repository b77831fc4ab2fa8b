package langserver

import "encoding/json"

// requests are the methods that have an answer.
var requests = map[string]func(*server, json.RawMessage) (any, error){
	"shutdown": (*server).shutdown,
	"textDocument/completion": onPosition(func(s *server, d *document, offset int) any {
		return s.complete(d, offset)
	}),
	"textDocument/hover": onPosition(func(s *server, d *document, offset int) any {
		return orNull(s.hover(d, offset))
	}),
	"textDocument/definition": onPosition(func(_ *server, d *document, offset int) any {
		return orNull(definition(d, offset))
	}),
	"textDocument/formatting": (*server).formatting,
}

// notifications are the methods that have none.
var notifications = map[string]func(*server, json.RawMessage) error{
	"textDocument/didOpen":   (*server).didOpen,
	"textDocument/didChange": (*server).didChange,
	"textDocument/didClose":  (*server).didClose,
}

func (s *server) request(m incoming) (any, error) {
	switch {
	case s.state == fresh && m.Method == "initialize":
		return s.initialize(m.Params)
	case s.state == fresh:
		return nil, rpcErrorf(codeNotInitialized, "expected initialize first, found %s", m.Method)
	case s.state == shutDown:
		return nil, rpcErrorf(codeInvalidRequest, "expected exit after shutdown, found %s", m.Method)
	case m.Method == "initialize":
		return nil, rpcErrorf(codeInvalidRequest, "the server is initialized already")
	}
	handle, ok := requests[m.Method]
	if !ok {
		return nil, rpcErrorf(codeMethodNotFound, "there is no method %s", m.Method)
	}
	return handle(s, m.Params)
}

// notified handles a notification. One that is not known, comes too early or
// cannot be read has nobody to tell, and is dropped.
func (s *server) notified(m incoming) error {
	if m.Method == "exit" {
		s.state = exited
		return nil
	}
	handle, ok := notifications[m.Method]
	if !ok || s.state != ready {
		return nil
	}
	return handle(s, m.Params)
}

func (s *server) initialize(params json.RawMessage) (any, error) {
	p, err := decode[initializeParams](params)
	if err != nil {
		return nil, err
	}
	s.state, s.related = ready, p.Capabilities.TextDocument.PublishDiagnostics.RelatedInformation
	return initializeResult{
		ServerInfo: serverInfo{Name: "flowc", Version: s.options.Version},
		Capabilities: serverCapabilities{
			PositionEncoding:           "utf-16",
			TextDocumentSync:           syncOptions{OpenClose: true, Change: syncIncremental},
			CompletionProvider:         completionOptions{TriggerCharacters: []string{".", "<"}},
			HoverProvider:              true,
			DefinitionProvider:         true,
			DocumentFormattingProvider: true,
		},
	}, nil
}

func (s *server) shutdown(json.RawMessage) (any, error) {
	s.state, s.wasShutDown = shutDown, true
	return nil, nil
}

// onPosition makes a method of what is asked about a place of a document. Of a
// document that is not open nothing is known.
func onPosition(answer func(*server, *document, int) any) func(*server, json.RawMessage) (any, error) {
	return func(s *server, params json.RawMessage) (any, error) {
		p, err := decode[positionParams](params)
		if err != nil {
			return nil, err
		}
		d, ok := s.documents[p.TextDocument.URI]
		if !ok {
			return nil, nil
		}
		return answer(s, d, d.lines.offset(p.Position)), nil
	}
}

// orNull keeps a nil pointer from becoming an interface that is not nil.
func orNull[T any](p *T) any {
	if p == nil {
		return nil
	}
	return p
}
