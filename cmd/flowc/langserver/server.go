package langserver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/flowlang/flow/connectors"
)

// Options are what the server needs to know besides the documents.
type Options struct {
	Kinds     []connectors.Kind
	Namespace string
	Version   string // of the program, for the client's log
}

// Serve answers a client until it says exit, or ends its input. The error is nil
// if the client has asked for the shutdown before, as the protocol wants it; else
// it says how the conversation broke, and wraps what in or out returned. Serve uses
// both from the calling goroutine only.
func Serve(in io.Reader, out io.Writer, options Options) error {
	s := &server{in: bufio.NewReader(in), out: out, options: options, documents: map[string]*document{}}
	for s.state != exited {
		if err := s.next(); err != nil {
			return s.ended(err)
		}
	}
	if !s.wasShutDown {
		return errors.New("the client said exit without shutdown")
	}
	return nil
}

type server struct {
	in          *bufio.Reader
	out         io.Writer
	options     Options
	state       state
	wasShutDown bool
	related     bool // the client shows related information
	documents   map[string]*document
}

type state int

const (
	fresh state = iota // not initialized yet
	ready
	shutDown // only exit is left
	exited
)

// ended is what an error of reading or writing means for the whole.
func (s *server) ended(err error) error {
	if errors.Is(err, io.EOF) && s.wasShutDown {
		return nil
	}
	if err == io.EOF { //nolint:errorlint // a wrapped one ended within a message
		return errors.New("the client ended its input without shutdown")
	}
	return fmt.Errorf("the conversation with the client broke: %w", err)
}

// next handles one message, and publishes findings once no other one waits.
func (s *server) next() error {
	body, err := readMessage(s.in)
	switch {
	case errors.Is(err, errTooLarge):
		err = s.refuse(nil, rpcErrorf(codeInvalidRequest, "%v", err))
	case err == nil:
		err = s.message(body)
	}
	if err != nil || s.in.Buffered() > 0 {
		return err
	}
	return s.publishChanged()
}

func (s *server) message(body []byte) error {
	var m incoming
	if err := json.Unmarshal(body, &m); err != nil {
		if !json.Valid(body) {
			return s.refuse(nil, rpcErrorf(codeParseError, "the message is not JSON: %v", err))
		}
		return s.refuse(nil, rpcErrorf(codeInvalidRequest, "expected one request or notification: %v", err))
	}
	if m.Method == "" || string(m.ID) == "null" {
		return s.refuse(nil, rpcErrorf(codeInvalidRequest, "expected a method, and an id that is not null"))
	}
	if !m.isRequest() {
		return s.notified(m)
	}
	result, err := s.request(m)
	if err != nil {
		return s.refuse(m.ID, err)
	}
	return writeMessage(s.out, response{rpcVersion, m.ID, result})
}

func (s *server) refuse(id json.RawMessage, err error) error {
	told, ok := errors.AsType[*rpcError](err)
	if !ok {
		told = rpcErrorf(codeInvalidRequest, "%v", err)
	}
	return writeMessage(s.out, errorResponse{rpcVersion, id, told})
}

func (s *server) notify(method string, params any) error {
	return writeMessage(s.out, notification{rpcVersion, method, params})
}

// publishChanged publishes the findings of every document that has changed.
func (s *server) publishChanged() error {
	for _, uri := range slices.Sorted(maps.Keys(s.documents)) {
		d := s.documents[uri]
		if !d.changed {
			continue
		}
		d.changed = false
		if err := s.publish(d.uri, d.version, s.findings(d)); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) publish(uri string, version int, found []diagnostic) error {
	return s.notify("textDocument/publishDiagnostics", publishDiagnosticsParams{uri, version, found})
}
