package nats

import (
	"context"
	"hash/crc32"
	"slices"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

// sink publishes rows as messages over a link of its own, which does not
// reconnect: once the link or an acknowledgement is lost, the session is over.
type sink struct {
	session
	flow connectors.Identity
	spec connectors.SinkSpec

	revisions         bool // each row expects one of its key
	exactly           bool // its rows go out in the batches of a transaction
	ids               bool // each message has an id, by which the server drops a copy; a batch takes none
	limits            connectors.Limits
	envelopeInBody    bool
	envelopeInHeaders bool
	passed            []string // names of source headers that are passed on

	streams  map[string]*destination
	routers  []*router
	frames   *frames
	header   natsgo.Header // of the message that is being sent
	receipts []*connectors.Receipt
	written  map[string]bool // subjects of the epoch's keys, where revisions are checked
	begun    bool
}

// OpenSink implements connectors.Connection.
func (c *connection) OpenSink(ctx context.Context, flow connectors.Identity, spec connectors.SinkSpec) (connectors.Sink, error) {
	s := newSink(flow, spec)
	s.ids = !s.exactly || !spec.Preview // what is written again goes out in no batch
	if err := s.connect(ctx, c, s.limits, spec.Settings.Duration("publish_timeout")); err != nil {
		return nil, err
	}
	if err := s.survey(ctx); err != nil {
		s.link.Close()
		return nil, err
	}
	return s, nil
}

func newSink(flow connectors.Identity, spec connectors.SinkSpec) *sink {
	s := &sink{flow: flow, spec: spec, header: natsgo.Header{}, streams: map[string]*destination{}, exactly: spec.ExactlyOnce()}
	s.limits = spec.Settings.Limits("max_in_flight")
	s.envelopeInBody = spec.Settings.Text("envelope") == "body" && !spec.Shaped
	s.envelopeInHeaders = spec.Settings.Text("envelope") == "headers"
	s.passed = append([]string{headerTraceParent}, spec.Settings.List("headers")...)
	for i := range spec.Resources {
		s.routers = append(s.routers, newRouter(s, i))
	}
	s.frames = newFrames(s)
	s.revisions, s.written = checksRevisions(spec), map[string]bool{}
	return s
}

// survey looks at every stream that is named before a row is seen.
func (s *sink) survey(ctx context.Context) error {
	if s.exactly {
		if err := s.link.needsBatches(); err != nil {
			return err
		}
	}
	for _, r := range s.routers {
		if !r.stream.Constant() {
			continue
		}
		name := r.stream.Text
		d, ok := s.streams[name]
		if !ok {
			var err error
			if d, err = s.inspect(ctx, name); err != nil {
				return err
			}
			s.streams[name] = d
		}
		if d.created != 0 {
			if err := d.capture(pattern(r.subject)); err != nil {
				return err
			}
		} else if s.shared() && !s.spec.Settings.Bool("create_stream") {
			return s.missingStream(ctx, name)
		}
	}
	return nil
}

// shared says whether all resources go into one stream.
func (s *sink) shared() bool { return s.spec.Settings.Template("stream").Constant() }

// Targets implements connectors.Sink.
func (s *sink) Targets() []connectors.Target {
	var targets []connectors.Target
	for _, r := range s.routers {
		t := connectors.Target{Stream: r.stream.Text, Subject: pattern(r.subject), Account: s.link.account, Key: "subject"}
		if d, ok := s.streams[r.stream.Text]; ok {
			t.Created, t.Replicas = d.created, d.replicas
		}
		targets = append(targets, t)
	}
	return targets
}

// Begin implements connectors.Sink.
func (s *sink) Begin(ctx context.Context, _ uint64) error {
	if !s.begun && s.shared() {
		if _, err := s.ensure(ctx, s.spec.Settings.Template("stream").Text, ""); err != nil {
			return err
		}
	}
	s.begun = true
	s.startEpoch()
	return s.publisher.failed()
}

func (s *sink) startEpoch() {
	s.receipts = nil
	s.frames.reset()
	clear(s.written)
	for _, r := range s.routers {
		for _, route := range r.routes {
			route.started = false
		}
	}
}

// Prepare implements connectors.Sink.
func (s *sink) Prepare(ctx context.Context, batch connectors.Batch) error {
	router := s.routers[batch.Resource]
	return s.prepare(ctx, batch, func(row int) (*route, string, error) {
		return router.route(ctx, batch, row)
	})
}

// prepare takes the rows of a batch, or none of them.
func (s *sink) prepare(ctx context.Context, batch connectors.Batch, routes func(row int) (*route, string, error)) error {
	before := s.frames.mark()
	err := s.frames.encode(batch, routes)
	if err == nil && s.revisions && !s.spec.Preview {
		err = s.judgeRevisions(ctx, s.frames.list[before.list:], batch.Selected)
	}
	if err != nil {
		s.frames.rewind(before)
	}
	return err
}

// Prepared implements connectors.Sink.
func (s *sink) Prepared(each func(connectors.Prepared)) {
	text := string(s.frames.text)
	for i := range s.frames.list {
		f := &s.frames.list[i]
		s.frames.headers(s.header, f, text)
		m := &natsgo.Msg{Header: s.header, Data: s.frames.bodies[f.body.start:f.body.end]}
		each(connectors.Prepared{Resource: s.spec.Resources[f.resource], From: f.message, Stream: f.route.to.name, Subject: f.subject,
			ID: text[f.id.start:f.id.end], Event: eventOf(m), Headers: s.header, Data: m.Data})
	}
}

// Apply implements connectors.Sink.
func (s *sink) Apply(ctx context.Context) error {
	if err := s.send(ctx); err != nil {
		return s.broken(s.changedMeanwhile(err))
	}
	s.frames.reset()
	return nil
}

// send publishes what is prepared and waits for every acknowledgement.
func (s *sink) send(ctx context.Context) error {
	defer s.untilCancelled(ctx)()
	message := natsgo.Msg{Header: s.header}
	text := string(s.frames.text)
	for i := range s.frames.list {
		f := &s.frames.list[i]
		receipt := s.receiptFor(f.resource, f.route)
		body := s.frames.bodies[f.body.start:f.body.end]
		counted(receipt, body)
		if f.expects != nil && f.expects.there {
			s.publisher.repeated(receipt)
			continue
		}
		s.frames.headers(s.header, f, text)
		message.Subject, message.Data = f.subject, body
		if err := s.publisher.publish(ctx, &message, slot{size: f.size, stream: f.route.to.name, subject: f.subject, receipt: receipt}); err != nil {
			return err
		}
	}
	return s.publisher.wait(ctx)
}

// counted adds a row to a receipt.
func counted(receipt *connectors.Receipt, body []byte) {
	receipt.Rows++
	receipt.Bytes += int64(len(body))
	receipt.CRC32C = crc32.Update(receipt.CRC32C, castagnoli, body)
}

func (s *sink) receiptFor(resource int, r *route) *connectors.Receipt {
	if !r.started {
		r.receipt = &connectors.Receipt{Resource: s.spec.Resources[resource], Stream: r.to.name, Created: r.to.created}
		r.started = true
		s.receipts = append(s.receipts, r.receipt)
	}
	return r.receipt
}

// Commit implements connectors.Sink.
func (s *sink) Commit(context.Context, uint64) ([]connectors.Receipt, error) {
	return s.sorted(), s.publisher.failed()
}

// sorted are the epoch's receipts in the order of the resources.
func (s *sink) sorted() []connectors.Receipt {
	receipts := make([]connectors.Receipt, len(s.receipts))
	for i, r := range s.receipts {
		receipts[i] = *r
	}
	slices.SortStableFunc(receipts, func(a, b connectors.Receipt) int {
		return slices.Index(s.spec.Resources, a.Resource) - slices.Index(s.spec.Resources, b.Resource)
	})
	return receipts
}

// Abort implements connectors.Sink.
func (s *sink) Abort(context.Context) error {
	s.startEpoch()
	return nil
}

// Stats implements connectors.Sink.
func (s *sink) Stats() connectors.SinkStats {
	return s.publisher.stats()
}
