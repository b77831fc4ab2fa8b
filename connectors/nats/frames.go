package nats

import (
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/go-json-experiment/json/jsontext"
	natsgo "github.com/nats-io/nats.go"
)

// frames are all messages of an epoch, encoded and checked before any of them is
// sent. The buffers are used again for the next epoch.
type frames struct {
	sink *sink
	ids  *messageIDs

	schema *arrow.Schema // that member is for
	member *rows.Encoder

	bodies []byte
	text   []byte // of the headers that differ from row to row
	list   []frame
}

// frame is one message to be sent.
type frame struct {
	resource              int // index of its resource
	message               *connectors.Message
	route                 *route
	subject               string
	body                  span  // of bodies
	id                    span  // of text, as the next three; empty without ids
	event, sequence, time span  // only where the envelope goes into headers, and event in a batch
	size                  int64 // of payload, headers and subject

	deletes bool         // it deletes the key of a bucket, and has no body
	expects *expectation // of the key; nil unless revisions are checked
}

type span struct{ start, end int }

func newFrames(s *sink) *frames {
	return &frames{sink: s, ids: newMessageIDs(s.flow, s.spec.Connection)}
}

// reset forgets all frames.
func (f *frames) reset() { f.bodies, f.text, f.list = f.bodies[:0], f.text[:0], f.list[:0] }

// frameMark is how far the frames go.
type frameMark struct{ bodies, text, list int }

func (f *frames) mark() frameMark { return frameMark{len(f.bodies), len(f.text), len(f.list)} }

// rewind forgets what came after the mark.
func (f *frames) rewind(m frameMark) {
	f.bodies, f.text, f.list = f.bodies[:m.bodies], f.text[:m.text], f.list[:m.list]
}

// encode makes the frames of a batch. Rows that can never be sent come back as
// RowErrors, and then the caller forgets what there is of it.
func (f *frames) encode(batch connectors.Batch, routes func(row int) (*route, string, error)) error {
	encoder, err := f.encoder(batch.Rows)
	if err != nil {
		return err
	}
	var bad connectors.RowErrors
	for _, row := range batch.Selected {
		route, subject, err := routes(row)
		if err == nil {
			err = f.add(encoder, batch, row, route, subject)
		}
		if _, ok := errors.AsType[*rowFault](err); ok {
			bad = append(bad, connectors.RowError{Row: row, Err: err})
		} else if err != nil {
			return err
		}
	}
	if bad != nil {
		return bad
	}
	return nil
}

// rowFault is a reason for which one row can never be sent.
type rowFault struct{ err error }

func (f *rowFault) Error() string { return f.err.Error() }
func (f *rowFault) Unwrap() error { return f.err }

func rowFaultf(format string, args ...any) error { return &rowFault{fmt.Errorf(format, args...)} }

// encoder is bound to the batch; it is made anew only for another schema.
func (f *frames) encoder(batch arrow.RecordBatch) (*rows.Encoder, error) {
	if f.schema != batch.Schema() {
		encoder, err := rows.NewEncoder(batch.Schema())
		if err != nil {
			return nil, err
		}
		f.schema, f.member = batch.Schema(), encoder
	}
	return f.member, f.member.Bind(batch)
}

func (f *frames) add(encoder *rows.Encoder, batch connectors.Batch, row int, r *route, subject string) error {
	m := &batch.Messages[row]
	frame := frame{resource: batch.Resource, message: m, route: r, subject: subject}
	frame.deletes = m.Operation == connectors.Delete && f.sink.spec.Settings.Has("kv")
	if frame.body.start = len(f.bodies); !frame.deletes {
		if err := f.appendBody(encoder, row, m); err != nil {
			return err
		}
	}
	frame.body.end = len(f.bodies)
	if f.sink.ids {
		frame.id = f.write(func(dst []byte) []byte {
			return f.ids.append(dst, m, r.to.name, subject, f.sink.spec.Resources[batch.Resource])
		})
	}
	if f.sink.exactly || f.sink.envelopeInHeaders {
		frame.event = f.write(m.AppendEventID)
	}
	if f.sink.envelopeInHeaders {
		frame.sequence = f.write(func(dst []byte) []byte { return strconv.AppendUint(dst, m.Sequence, 10) })
		frame.time = f.write(m.AppendTime)
	}
	if f.sink.revisions {
		revision, err := f.sink.routers[batch.Resource].expected(batch, row)
		if err != nil {
			return err
		}
		frame.expects = &expectation{revision: revision}
	}
	if err := f.measure(&frame); err != nil {
		return err
	}
	f.list = append(f.list, frame)
	return nil
}

// appendBody appends a row as a JSON object.
func (f *frames) appendBody(encoder *rows.Encoder, row int, m *connectors.Message) (err error) {
	f.bodies = encoder.AppendMembers(append(f.bodies, '{'), row)
	if f.sink.envelopeInBody {
		f.bodies, err = f.appendEnvelope(f.bodies, m)
	}
	f.bodies = append(f.bodies, '}')
	return err
}

// write appends to the headers' text.
func (f *frames) write(appendTo func([]byte) []byte) span {
	start := len(f.text)
	f.text = appendTo(f.text)
	return span{start, len(f.text)}
}

// appendEnvelope appends the columns of the envelope after those of the payload.
func (f *frames) appendEnvelope(dst []byte, m *connectors.Message) ([]byte, error) {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, `"_flow_event_id":"`...)
	dst = m.AppendEventID(dst)
	dst = append(dst, `","_flow_subject":`...)
	dst, err := jsontext.AppendQuote(dst, m.Subject)
	if err != nil {
		return dst, rowFaultf("the subject %q is not UTF-8 and cannot stand in a JSON body", m.Subject)
	}
	dst = append(dst, `,"_flow_stream":"`...)
	dst = append(dst, m.Source.Stream...)
	dst = append(dst, `","_flow_sequence":`...)
	dst = strconv.AppendUint(dst, m.Sequence, 10)
	dst = append(dst, `,"_flow_time":"`...)
	dst = m.AppendTime(dst)
	dst = append(dst, `","_flow_operation":"`...)
	dst = append(dst, m.Operation.String()...)
	dst = append(dst, '"')
	if m.Key == "" {
		return dst, nil
	}
	return jsontext.AppendQuote(append(dst, `,"_flow_key":`...), m.Key) // a part of the subject, which is good
}

// The headers of every message; more are those of the envelope and those passed on.
const (
	headerContentType = "Content-Type"
	headerOperation   = "Flow-Operation"
	contentTypeJSON   = "application/json"
	headerTraceParent = "traceparent"
)

// Names of the envelope's columns as headers.
const (
	headerEventID        = "Flow-Event-Id"
	headerSourceSubject  = "Flow-Source-Subject"
	headerSourceStream   = "Flow-Source-Stream"
	headerSourceSequence = "Flow-Source-Sequence"
	headerSourceTime     = "Flow-Source-Time"
	headerSourceKey      = "Flow-Source-Key"
)

// headers fills h, which is used again for every message of the sink. Text is that
// of all frames.
func (f *frames) headers(h natsgo.Header, frame *frame, text string) {
	m := frame.message
	set(h, headerContentType, contentTypeJSON)
	set(h, headerOperation, m.Operation.String())
	set(h, natsgo.ExpectedStreamHdr, frame.route.to.name)
	if f.sink.ids {
		set(h, natsgo.MsgIdHdr, text[frame.id.start:frame.id.end])
	}
	if f.sink.exactly || f.sink.envelopeInHeaders {
		set(h, headerEventID, text[frame.event.start:frame.event.end])
	}
	if f.sink.envelopeInHeaders {
		set(h, headerSourceSubject, m.Subject)
		set(h, headerSourceStream, m.Source.Stream)
		set(h, headerSourceSequence, text[frame.sequence.start:frame.sequence.end])
		set(h, headerSourceTime, text[frame.time.start:frame.time.end])
		if m.Key != "" {
			set(h, headerSourceKey, m.Key)
		} else {
			delete(h, headerSourceKey)
		}
	}
	frame.bucketHeaders(h)
	frame.revisionHeaders(h)
	for _, name := range f.sink.passed {
		if values := m.Headers[name]; len(values) > 0 {
			h[name] = values
		} else {
			delete(h, name)
		}
	}
}

// headerBytes is how many bytes nats.go writes for the headers of a frame.
func (f *frames) headerBytes(frame *frame) int {
	m := frame.message
	size := len("NATS/1.0\r\n") + len("\r\n") +
		line(headerContentType, len(contentTypeJSON)) + line(headerOperation, len(m.Operation.String())) +
		line(natsgo.ExpectedStreamHdr, len(frame.route.to.name))
	if f.sink.exactly {
		size += batchHeaderBytes
	}
	if f.sink.ids {
		size += line(natsgo.MsgIdHdr, frame.id.length())
	}
	if f.sink.exactly || f.sink.envelopeInHeaders {
		size += line(headerEventID, frame.event.length())
	}
	if f.sink.envelopeInHeaders {
		size += line(headerSourceSubject, len(m.Subject)) + line(headerSourceStream, len(m.Source.Stream)) +
			line(headerSourceSequence, frame.sequence.length()) + line(headerSourceTime, frame.time.length())
		if m.Key != "" {
			size += line(headerSourceKey, len(m.Key))
		}
	}
	size += frame.bucketHeaderBytes() + frame.revisionHeaderBytes()
	for _, name := range f.sink.passed {
		for _, value := range m.Headers[name] {
			size += line(name, len(value))
		}
	}
	return size
}

func line(key string, value int) int { return len(key) + len(": ") + value + len("\r\n") }

func (s span) length() int { return s.end - s.start }

func set(h natsgo.Header, key, value string) {
	if values := h[key]; len(values) == 1 {
		values[0] = value
		return
	}
	h[key] = []string{value}
}

// headerSize is how many bytes nats.go writes for the headers.
func headerSize(h natsgo.Header) int {
	size := len("NATS/1.0\r\n") + len("\r\n")
	for key, values := range h {
		for _, v := range values {
			size += line(key, len(v))
		}
	}
	return size
}

// measure sets the frame's size and refuses what the stream, the server or the
// flow's own limit cannot take.
func (f *frames) measure(frame *frame) error {
	body := frame.body.length()
	message := body + f.headerBytes(frame)
	frame.size = int64(message + len(frame.subject))
	stream, server := frame.route.to.maxSize, int(f.sink.link.nc.MaxPayload())
	switch {
	case stream > 0 && message > stream:
		return rowFaultf("the message has %d bytes (%d of them headers), and stream %s takes at most %d", message, message-body, frame.route.to.name, stream)
	case server > 0 && message > server:
		return rowFaultf("the message has %d bytes (%d of them headers), and the server takes at most %d", message, message-body, server)
	case frame.size > f.sink.limits.Bytes:
		return rowFaultf("the message has %d bytes with its subject and headers, and `max_in_flight` lets at most %d be outstanding", frame.size, f.sink.limits.Bytes)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
