package langserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
)

// client speaks with a server over pipes, as an editor does.
type client struct {
	t      *testing.T
	out    *io.PipeWriter
	in     *bufio.Reader
	served chan error
	lastID int
}

// answer is any message of the server.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// connect starts a server and does not initialize it.
func connect(t *testing.T) *client {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &client{t: t, out: toServer, in: bufio.NewReader(fromServer), served: make(chan error, 1)}
	var wg sync.WaitGroup
	wg.Go(func() {
		err := Serve(fromClient, toClient, testOptions)
		c.served <- err
		fromClient.CloseWithError(io.ErrClosedPipe)
		toClient.CloseWithError(io.EOF)
	})
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
		wg.Wait()
	})
	return c
}

// open connects, initializes and opens a document; it returns its findings too.
func open(t *testing.T, text string) (*client, []diagnostic) {
	t.Helper()
	c := connect(t)
	c.initialize()
	c.notify("textDocument/didOpen", didOpenParams{textDocumentItem{URI: testURI, Version: 1, Text: text}})
	return c, c.findings(1)
}

const testURI = "file:///flows/orders.flow"

func (c *client) initialize() {
	c.t.Helper()
	var p initializeParams
	p.Capabilities.TextDocument.PublishDiagnostics.RelatedInformation = true
	if a := c.call("initialize", p); a.Error != nil {
		c.t.Fatal(a.Error)
	}
	c.notify("initialized", struct{}{})
}

// raw sends bytes as they are.
func (c *client) raw(bytes string) {
	c.t.Helper()
	if _, err := io.WriteString(c.out, bytes); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) body(body string) {
	c.t.Helper()
	c.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (c *client) send(message any) {
	c.t.Helper()
	body, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	c.body(string(body))
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	c.send(notification{rpcVersion, method, params})
}

func (c *client) call(method string, params any) answer {
	c.t.Helper()
	c.lastID++
	c.send(struct {
		notification
		ID int `json:"id"`
	}{notification{rpcVersion, method, params}, c.lastID})
	a := c.next()
	if string(a.ID) != fmt.Sprint(c.lastID) {
		c.t.Fatalf("%s: expected the answer %d, found %+v", method, c.lastID, a)
	}
	return a
}

// next is the next message of the server.
func (c *client) next() answer {
	c.t.Helper()
	body, err := readMessage(c.in)
	if err != nil {
		c.t.Fatalf("no further message: %v", err)
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		c.t.Fatal(err)
	}
	return a
}

// findings are those that are published next, which must be of a version.
func (c *client) findings(version int) []diagnostic {
	c.t.Helper()
	a := c.next()
	var p publishDiagnosticsParams
	if err := json.Unmarshal(a.Params, &p); err != nil || a.Method != "textDocument/publishDiagnostics" {
		c.t.Fatalf("expected findings, found %+v (%v)", a, err)
	}
	if p.URI != testURI || p.Version != version {
		c.t.Fatalf("expected findings of version %d of %s, found %+v", version, testURI, p)
	}
	return p.Diagnostics
}

func result[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	if a.Error != nil {
		t.Fatal(a.Error)
	}
	if err := json.Unmarshal(a.Result, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// ended is how Serve returned.
func (c *client) ended() error {
	c.t.Helper()
	return <-c.served
}
