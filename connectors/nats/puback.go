package nats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// pubAck is a stream's acknowledgement of one message.
type pubAck struct {
	sequence  uint64
	duplicate bool
}

// errForeignReply says that a reply does not tell what became of the publish.
var errForeignReply = errors.New("was answered by something other than")

// parseAck reads the reply to a publish into stream on subject. Whatever does not
// parse, names another stream or has no sequence is no acknowledgement.
func parseAck(m *natsgo.Msg, stream, subject string) (pubAck, error) {
	if len(m.Data) == 0 && m.Header.Get("Status") == "503" {
		return pubAck{}, connectors.Errorf(connectors.Transient, "no stream answered the publish to %q (no responders): stream %s does not take it now", subject, stream)
	}
	if ack, ok := parsePlainAck(m.Data, stream); ok {
		return ack, nil
	}
	var reply struct {
		Error     *jetstream.APIError `json:"error"`
		Stream    string              `json:"stream"`
		Sequence  uint64              `json:"seq"`
		Duplicate bool                `json:"duplicate"`
	}
	foreign := func(why string) error {
		return connectors.Errorf(connectors.Permanent, "the publish to %q %w stream %s: %s", subject, errForeignReply, stream, why).
			WithHelp("find what else subscribes to %q and replies", subject)
	}
	switch err := json.Unmarshal(m.Data, &reply); {
	case err != nil:
		return pubAck{}, foreign(fmt.Sprintf("%q is no acknowledgement", clip(m.Data)))
	case reply.Error != nil:
		return pubAck{}, failed(reply.Error, "stream %s refused the publish to %q", stream, subject)
	case reply.Stream != stream:
		return pubAck{}, foreign(fmt.Sprintf("the acknowledgement names the stream %q", reply.Stream))
	case reply.Sequence == 0:
		return pubAck{}, foreign("the acknowledgement has no sequence")
	}
	return pubAck{sequence: reply.Sequence, duplicate: reply.Duplicate}, nil
}

func clip(b []byte) []byte { return b[:min(len(b), 120)] }

// parsePlainAck reads the form that servers write in the ordinary case without
// the cost of a JSON decoder: {"stream":"S","seq":N} and maybe "duplicate":true.
func parsePlainAck(data []byte, stream string) (ack pubAck, ok bool) {
	rest, ok := bytes.CutPrefix(data, []byte(`{"stream":"`))
	if !ok || len(rest) < len(stream) || string(rest[:len(stream)]) != stream {
		return pubAck{}, false
	}
	if rest, ok = bytes.CutPrefix(rest[len(stream):], []byte(`","seq":`)); !ok {
		return pubAck{}, false
	}
	digits := 0
	for digits < len(rest) && digits < 19 && '0' <= rest[digits] && rest[digits] <= '9' {
		ack.sequence = ack.sequence*10 + uint64(rest[digits]-'0')
		digits++
	}
	if digits == 0 || rest[0] == '0' {
		return pubAck{}, false
	}
	switch string(rest[digits:]) {
	case "}":
		return ack, true
	case `,"duplicate":true}`, `,"duplicate": true}`:
		ack.duplicate = true
		return ack, true
	}
	return pubAck{}, false
}
