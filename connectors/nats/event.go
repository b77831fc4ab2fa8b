package nats

import (
	"bytes"
	"encoding/json"

	natsgo "github.com/nats-io/nats.go"
)

// eventOf is the id of the event that a written message came from: that of its
// header, or of the envelope in its body; empty if it has neither.
func eventOf(m *natsgo.Msg) string {
	if id := m.Header.Get(headerEventID); id != "" {
		return id
	}
	if !bytes.Contains(m.Data, []byte(`"_flow_event_id"`)) {
		return ""
	}
	var body struct {
		Event string `json:"_flow_event_id"`
	}
	if json.Unmarshal(m.Data, &body) != nil { // no object: somebody else's
		return ""
	}
	return body.Event
}
