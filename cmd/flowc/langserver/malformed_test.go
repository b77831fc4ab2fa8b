package langserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestRefused checks what a client is told that does not keep to the protocol,
// and that the conversation goes on.
func TestRefused(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		code int
	}{
		"no JSON":               {`{"jsonrpc":`, codeParseError},
		"nothing":               {``, codeParseError},
		"bytes":                 {"\xff\xfe\x00", codeParseError},
		"a batch":               {`[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`, codeInvalidRequest},
		"a number":              {`7`, codeInvalidRequest},
		"no method":             {`{"jsonrpc":"2.0","id":1}`, codeInvalidRequest},
		"a method of a number":  {`{"jsonrpc":"2.0","id":1,"method":5}`, codeInvalidRequest},
		"an id that is null":    {`{"jsonrpc":"2.0","id":null,"method":"shutdown"}`, codeInvalidRequest},
		"an unknown method":     {`{"jsonrpc":"2.0","id":"x","method":"textDocument/rename"}`, codeMethodNotFound},
		"a second initialize":   {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, codeInvalidRequest},
		"no params":             {`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover"}`, codeInvalidParams},
		"params of a list":      {`{"jsonrpc":"2.0","id":1,"method":"textDocument/completion","params":[1]}`, codeInvalidParams},
		"a line of text":        {`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"position":{"line":"1"}}}`, codeInvalidParams},
		"a line out of range":   {`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"position":{"line":1e99}}}`, codeInvalidParams},
		"brackets without end":  {strings.Repeat("[", 100_000), codeParseError},
		"a message too large":   {strings.Repeat(" ", maxMessage+1), codeInvalidRequest},
		"a string without pair": {`"\ud800`, codeParseError},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			c.initialize()
			c.body(test.body)
			if a := c.next(); a.Error == nil || a.Error.Code != test.code {
				t.Errorf("expected the error %d, found %+v", test.code, a)
			}
			if a := c.call("shutdown", nil); a.Error != nil {
				t.Errorf("the server does not go on: %v", a.Error)
			}
		})
	}
}

// TestDropped checks notifications that cannot be answered.
func TestDropped(t *testing.T) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration"}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///none"},"contentChanges":[{"text":""}]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///none"}}}`,
	} {
		c := connect(t)
		c.initialize()
		c.body(body)
		if a := c.call("shutdown", nil); a.Error != nil {
			t.Errorf("%s: %v", body, a.Error)
		}
	}
}

func TestUnreadableNotificationsAreLogged(t *testing.T) {
	for _, method := range []string{"textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"} {
		c := connect(t)
		c.initialize()
		c.notify(method, 7)
		if a := c.next(); a.Method != "window/logMessage" {
			t.Errorf("%s: expected a line for the log, found %+v", method, a)
		}
	}
}

func TestOrderOfTheSession(t *testing.T) {
	c := connect(t)
	c.notify("textDocument/didOpen", didOpenParams{textDocumentItem{URI: testURI, Text: "x"}})
	if a := c.call("shutdown", nil); a.Error == nil || a.Error.Code != codeNotInitialized {
		t.Errorf("before initialize: found %+v", a)
	}
	c.initialize()
	if a := c.call("shutdown", nil); a.Error != nil {
		t.Error(a.Error)
	}
	if a := c.call("textDocument/hover", positionParams{}); a.Error == nil || a.Error.Code != codeInvalidRequest {
		t.Errorf("after shutdown: found %+v", a)
	}
	c.out.Close()
	if err := c.ended(); err != nil {
		t.Errorf("after shutdown the input may end: %v", err)
	}
}

func TestEndsWithoutShutdown(t *testing.T) {
	for name, test := range map[string]struct{ bytes, want string }{
		"nothing":              {"", "the client ended its input without shutdown"},
		"exit":                 {"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}", "the client said exit without shutdown"},
		"no length":            {"Content-Type: x\r\n\r\n{}", "expected a header Content-Length"},
		"a length of letters":  {"Content-Length: many\r\n\r\n", "expected a length in bytes"},
		"a negative length":    {"Content-Length: -1\r\n\r\n", "expected a length in bytes"},
		"a length too large":   {"Content-Length: 99999999999999999999\r\n\r\n", "expected a length in bytes"},
		"a length of exabytes": {"Content-Length: 9000000000000000000\r\n\r\n{}", "skipping a message"},
		"a body cut short":     {"Content-Length: 9\r\n\r\n{}", "reading a message of 9 bytes"},
		"a header cut short":   {"Content-Le", "reading a header"},
		"headers cut short":    {"Content-Length: 9\r\n", "reading a header"},
		"no header":            {"hello\n", "expected a header `Name: value`"},
		"a header too long":    {strings.Repeat("x", 10_000) + "\n", "reading a header"},
		"too many headers":     {strings.Repeat("X: y\r\n", 10_000), "expected headers of at most"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Serve(strings.NewReader(test.bytes), io.Discard, testOptions)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("expected %q, found %v", test.want, err)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	for _, headers := range []string{
		"Content-Length: 2\r\n\r\n", "content-length:2\n\n",
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
	} {
		body, err := readMessage(bufio.NewReader(strings.NewReader(headers + "{}")))
		if err != nil || string(body) != "{}" {
			t.Errorf("%q: found %q, %v", headers, body, err)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

var errBroken = errors.New("broken pipe")

func TestServeEndsWhenNobodyListens(t *testing.T) {
	message := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", 2, "{}")
	if err := Serve(strings.NewReader(strings.Repeat(message, 2)), brokenWriter{}, testOptions); !errors.Is(err, errBroken) {
		t.Errorf("expected the error of the output, found %v", err)
	}
}
