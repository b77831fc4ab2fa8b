package nats

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash"

	"github.com/flowlang/flow/connectors"
)

// messageIDs makes the ids by which a stream drops what it already has: equal for
// one row of one sink in every attempt and epoch, and different for all others.
type messageIDs struct {
	hash  hash.Hash
	flow  []byte // namespace, flow and connection, with their lengths
	event []byte
	part  []byte
	sum   [sha256.Size]byte
}

const messageIDPrefix = "f1."

// idEncoding has 26 characters for 16 bytes.
var idEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

func newMessageIDs(flow connectors.Identity, connection string) *messageIDs {
	ids := &messageIDs{hash: sha256.New()}
	ids.flow = appendPart(ids.flow, flow.Namespace)
	ids.flow = appendPart(ids.flow, flow.Flow)
	ids.flow = appendPart(ids.flow, connection)
	return ids
}

// appendPart appends a text after its length, so that no two lists of texts
// become the same bytes.
func appendPart[T string | []byte](dst []byte, text T) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(text)))
	return append(dst, text...)
}

// append appends the id of the row that came from m and goes to subject in stream.
func (ids *messageIDs) append(dst []byte, m *connectors.Message, stream, subject, resource string) []byte {
	ids.event = m.AppendEventID(ids.event[:0])
	ids.part = appendPart(ids.part[:0], ids.event)
	ids.part = append(ids.part, ids.flow...)
	ids.part = appendPart(ids.part, stream)
	ids.part = appendPart(ids.part, subject)
	ids.part = appendPart(ids.part, resource)
	ids.hash.Reset()
	ids.hash.Write(ids.part)
	sum := ids.hash.Sum(ids.sum[:0])
	dst = append(dst, messageIDPrefix...)
	return idEncoding.AppendEncode(dst, sum[:16])
}
