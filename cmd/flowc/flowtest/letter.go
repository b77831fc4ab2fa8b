package flowtest

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// seeLetter reads a dead letter in the form of an input line. Its body is the
// original one, which may be anything. The text of its headers depends on which of
// them matter.
func seeLetter(m *jetstream.RawStreamMsg) written {
	w := written{object: map[string]any{}}
	w.add("subject", m.Subject, encode(m.Subject))
	w.add("headers", seeHeaders(m.Header).object, "")
	if len(m.Data) == 0 {
		return w
	}
	value, err := decodeValue(m.Data)
	if err != nil {
		text := base64.StdEncoding.EncodeToString(m.Data)
		w.add("data_base64", text, encode(text))
		return w
	}
	var line bytes.Buffer
	_ = json.Compact(&line, m.Data) // it has been read above
	w.add("data", value, line.String())
	return w
}

// The headers by which a dead letter is known: what was wrong with the message, and
// where it stood, as STREAM/SEQUENCE.
const (
	errorCodeHeader = "Flow-Error-Code"
	originHeader    = "Flow-Source"
)

func isLetter(m *jetstream.RawStreamMsg) bool { return m.Header.Get(errorCodeHeader) != "" }

// byOrigin orders dead letters as their messages came in: that is also the order of
// the input, whatever was found to be wrong with which of them first.
func byOrigin(a, b *jetstream.RawStreamMsg) int {
	streamA, sequenceA := origin(a)
	streamB, sequenceB := origin(b)
	return cmp.Or(cmp.Compare(streamA, streamB), cmp.Compare(sequenceA, sequenceB))
}

func origin(m *jetstream.RawStreamMsg) (stream string, sequence uint64) {
	stream, number, _ := strings.Cut(m.Header.Get(originHeader), "/")
	sequence, _ = strconv.ParseUint(number, 10, 64) // the flow writes nothing else
	return stream, sequence
}
