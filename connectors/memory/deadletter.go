package memory

import (
	"context"
	"fmt"

	"github.com/flowlang/flow/connectors"
)

// deadLetters writes what a flow cannot process into a stream.
type deadLetters struct {
	*connection
	flow connectors.Identity
	to   string
	link int // of the broker, when they were opened
}

// OpenDeadLetters implements connectors.Connection.
func (c *connection) OpenDeadLetters(_ context.Context, flow connectors.Identity, spec connectors.DeadLetterSpec) (connectors.DeadLetters, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, errDown()
	}
	d := &deadLetters{connection: c, flow: flow, to: spec.Settings.Text("stream"), link: c.Broker.link}
	c.stream(d.to)
	return d, nil
}

// Targets implements connectors.DeadLetters.
func (d *deadLetters) Targets() []connectors.Target {
	d.mu.Lock()
	defer d.mu.Unlock()
	return []connectors.Target{{Stream: d.to, Account: d.account(), Created: d.stream(d.to).life.Created, Key: "stream"}}
}

// Write implements connectors.DeadLetters.
func (d *deadLetters) Write(ctx context.Context, letters []connectors.DeadLetter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.lost(d.link); err != nil {
		return err
	}
	for _, l := range letters {
		s := d.letter(l)
		s.time = d.tick()
		d.stream(d.to).append(s)
	}
	d.signal()
	return nil
}

// letter is a dead letter as it is stored, but for the time.
func (d *deadLetters) letter(l connectors.DeadLetter) stored {
	m := l.Message
	headers := cloneHeaders(m.Headers)
	if headers == nil {
		headers = map[string][]string{}
	}
	headers["Flow-Error"], headers["Flow-Error-Code"] = []string{l.Reason}, []string{l.Code}
	headers["Flow-Source"] = []string{fmt.Sprintf("%s/%d", m.Source.Stream, m.Sequence)}
	headers["Flow-Name"] = []string{d.flow.String()}
	event := string(m.AppendEventID(nil))
	return stored{Message: Message{Subject: m.Subject, Headers: headers, Data: m.Data, Operation: m.Operation, Marker: m.Marker},
		id: event + " " + d.flow.String() + " dead letter", event: event}
}

// Close implements connectors.DeadLetters.
func (d *deadLetters) Close() error { return nil }
