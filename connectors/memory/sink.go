package memory

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
)

// sink writes each row as one JSON object.
type sink struct {
	*connection
	flow     connectors.Identity
	spec     connectors.SinkSpec
	schema   *arrow.Schema // that encoder is for
	encoder  *rows.Encoder
	frames   []frame
	receipts []*connectors.Receipt
	link     int   // of the broker, when the sink was opened
	failed   error // why the session is over; nil if it is not
}

// frame is a message that is ready to be stored.
type frame struct {
	resource string
	stream   string
	from     *connectors.Message
	stored   stored
}

// OpenSink implements connectors.Connection.
func (c *connection) OpenSink(_ context.Context, flow connectors.Identity, spec connectors.SinkSpec) (connectors.Sink, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, errDown()
	}
	return &sink{connection: c, flow: flow, spec: spec, link: c.Broker.link}, nil
}

// Targets implements connectors.Sink.
func (s *sink) Targets() []connectors.Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	var targets []connectors.Target
	for i := range s.spec.Resources {
		t := connectors.Target{Stream: streamOf(s.spec, i).Text, Account: s.account(), Key: "stream"}
		if in := s.streams[t.Stream]; in != nil {
			t.Created = in.life.Created
		}
		targets = append(targets, t)
	}
	return targets
}

// Begin implements connectors.Sink.
func (s *sink) Begin(context.Context, uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = s.lost(s.link)
	}
	if s.failed == nil && !s.spec.Preview {
		for i := range s.spec.Resources {
			s.stream(streamOf(s.spec, i).Text)
		}
	}
	s.frames, s.receipts = s.frames[:0], nil
	return s.failed
}

// Prepare implements connectors.Sink.
func (s *sink) Prepare(_ context.Context, batch connectors.Batch) error {
	if err := s.bind(batch.Rows); err != nil {
		return err
	}
	var bad connectors.RowErrors
	taken := len(s.frames)
	most := s.spec.Settings.Count("max_size")
	for _, row := range batch.Selected {
		f := s.frame(batch, row)
		if size := int64(len(f.stored.Data)); most > 0 && size > most {
			bad = append(bad, connectors.RowError{Row: row, Err: fmt.Errorf("the message has %d bytes, and stream %s takes at most %d", size, f.stream, most)})
			continue
		}
		s.frames = append(s.frames, f)
	}
	if bad != nil {
		s.frames = s.frames[:taken]
		return bad
	}
	return nil
}

// bind makes the encoder anew where the schema is another one.
func (s *sink) bind(batch arrow.RecordBatch) (err error) {
	if s.schema != batch.Schema() {
		if s.encoder, err = rows.NewEncoder(batch.Schema()); err != nil {
			return err
		}
		s.schema = batch.Schema()
	}
	return s.encoder.Bind(batch)
}

func (s *sink) frame(batch connectors.Batch, row int) frame {
	m := &batch.Messages[row]
	body := append(s.encoder.AppendMembers([]byte{'{'}, row), '}')
	f := frame{resource: s.spec.Resources[batch.Resource], stream: streamOf(s.spec, batch.Resource).Text, from: m}
	f.stored = stored{
		Message: Message{Subject: m.Subject, Data: body, Operation: m.Operation, Headers: map[string][]string{"Flow-Operation": {m.Operation.String()}}},
		event:   string(m.AppendEventID(nil)),
	}
	if !s.spec.ExactlyOnce() { // a marker tells what is there, and no id
		f.stored.id = s.MessageID(s.flow, s.spec.Connection, m, f.stream, m.Subject, f.resource)
	}
	return f
}

// MessageID implements connectors.Archive. It is readable, since nothing bounds it.
func (c *connection) MessageID(flow connectors.Identity, connection string, from *connectors.Message, stream, _, resource string) string {
	return strings.Join([]string{string(from.AppendEventID(nil)), flow.String(), connection, stream, resource}, " ")
}

// Prepared implements connectors.Sink.
func (s *sink) Prepared(each func(connectors.Prepared)) {
	for i := range s.frames {
		f := &s.frames[i]
		each(connectors.Prepared{Resource: f.resource, From: f.from, Stream: f.stream, Subject: f.stored.Subject,
			ID: f.stored.id, Event: f.stored.event, Headers: f.stored.Headers, Data: f.stored.Data})
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Apply implements connectors.Sink. The whole epoch is stored at once or not at all.
func (s *sink) Apply(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = s.storable(ctx)
	}
	if s.failed != nil {
		return s.failed
	}
	for _, f := range s.frames {
		in := s.streams[f.stream]
		f.stored.time = s.tick()
		sequence, duplicate := in.append(f.stored)
		count(s.receipt(f, in), sequence, duplicate, f.stored.Data)
	}
	s.frames = s.frames[:0]
	s.signal()
	return nil
}

// storable says why the epoch cannot be stored now.
func (s *sink) storable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.lost(s.link); err != nil {
		return err
	}
	for _, f := range s.frames {
		if s.streams[f.stream] == nil {
			return gone(f.stream)
		}
	}
	return nil
}

func gone(stream string) error {
	return connectors.Errorf(connectors.Environment, "the destination stream %s is gone", stream).About(connectors.SinkRole, 0, "stream")
}

func (s *sink) receipt(f frame, in *stream) *connectors.Receipt {
	for _, r := range s.receipts {
		if r.Resource == f.resource && r.Stream == f.stream {
			return r
		}
	}
	r := &connectors.Receipt{Resource: f.resource, Stream: f.stream, Created: in.life.Created}
	s.receipts = append(s.receipts, r)
	return r
}

func count(r *connectors.Receipt, sequence uint64, duplicate bool, body []byte) {
	r.Rows++
	r.Bytes += int64(len(body))
	r.CRC32C = crc32.Update(r.CRC32C, castagnoli, body)
	if duplicate {
		r.Duplicates++
		return
	}
	if r.First == 0 {
		r.First = sequence
	}
	r.Last = sequence
}

// Commit implements connectors.Sink.
func (s *sink) Commit(context.Context, uint64) ([]connectors.Receipt, error) {
	receipts := make([]connectors.Receipt, len(s.receipts))
	for i, r := range s.receipts {
		receipts[i] = *r
	}
	return receipts, s.failed
}

// Abort implements connectors.Sink.
func (s *sink) Abort(context.Context) error {
	s.frames, s.receipts = s.frames[:0], nil
	return nil
}

// Stats implements connectors.Sink: nothing is ever on its way.
func (s *sink) Stats() connectors.SinkStats { return connectors.SinkStats{} }

// Close implements connectors.Sink.
func (s *sink) Close() error {
	s.failed = connectors.Errorf(connectors.Permanent, "the sink is closed")
	return nil
}
