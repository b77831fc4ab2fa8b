package memory

import (
	"context"
	"slices"

	"github.com/flowlang/flow/connectors"
)

// letterHeaders are those that a dead letter adds.
var letterHeaders = []string{"Flow-Error", "Flow-Error-Code", "Flow-Source", "Flow-Name"}

// Letters implements connectors.Letters. There is no place for them by default.
func (c *connection) Letters(ctx context.Context, flow connectors.Identity, spec *connectors.DeadLetterSpec, sources []connectors.SourceSpec, each func(*connectors.Letter) error) error {
	if spec == nil {
		return nil
	}
	name := spec.Settings.Text("stream")
	return c.scan(ctx, name, func(sequence uint64, m *stored) error {
		if l := letterOf(name, sequence, m, sources); l != nil && m.Headers["Flow-Name"][0] == flow.String() {
			return each(l)
		}
		return nil // somebody else's
	})
}

// letterOf reads a dead letter; nil if the message is none.
func letterOf(stream string, sequence uint64, m *stored, sources []connectors.SourceSpec) *connectors.Letter {
	life, at, stored, ok := connectors.ParseEventID(m.event)
	if !ok || slices.ContainsFunc(letterHeaders, func(name string) bool { return len(m.Headers[name]) != 1 }) {
		return nil
	}
	original := cloneHeaders(m.Headers)
	for _, name := range letterHeaders {
		delete(original, name)
	}
	if len(original) == 0 {
		original = nil
	}
	return &connectors.Letter{Stream: stream, Sequence: sequence, Subject: m.Subject, Stored: m.time, Code: m.Headers["Flow-Error-Code"][0], Reason: m.Headers["Flow-Error"][0],
		Message: connectors.Message{Resource: resourceOf(sources, life.Stream), Subject: m.Subject, Data: m.Data, Headers: original,
			Source: &life, Sequence: at, Time: stored, Operation: m.Operation, Marker: m.Marker}}
}

// RemoveLetter implements connectors.Letters. A sequence that is removed stays a gap.
func (c *connection) RemoveLetter(_ context.Context, stream string, sequence uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return errDown()
	}
	if in := c.streams[stream]; in != nil && sequence >= 1 && sequence <= in.last() {
		m := &in.messages[sequence-1]
		delete(in.ids, m.id) // or the message could not become a letter again
		*m = stored{gone: true, time: m.time}
		c.signal()
	}
	return nil
}
