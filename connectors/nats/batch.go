package nats

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Headers of the messages of an atomic batch.
const (
	headerBatch         = "Nats-Batch-Id"
	headerBatchSequence = "Nats-Batch-Sequence"
	headerBatchCommit   = "Nats-Batch-Commit"
)

// batchHeaderBytes is the most that these take, for batches of up to 999,999 messages.
var batchHeaderBytes = line(headerBatch, len(rand.Text())) + line(headerBatchSequence, 6) + line(headerBatchCommit, 1)

// batchRow is a row of a batch, and the sink that encoded it.
type batchRow struct {
	part  *part
	frame *frame
}

// Commit implements connectors.Transaction.
func (t *transaction) Commit(ctx context.Context, seal connectors.Seal) ([]connectors.Receipt, connectors.Marker, error) {
	p := t.places[seal.Place]
	rows, receipts := t.rowsOf(p, seal.Held)
	letters := slices.DeleteFunc(p.letters, func(l letter) bool { return holds(seal.Held, l.of) })
	p.letters = nil
	if len(rows)+len(letters) == 0 && !seal.Always {
		return receipts, p.marker, nil
	}
	sent, marker, err := t.write(ctx, p, rows, letters, seal.Content, receipts...)
	return sent, marker, err
}

// rowsOf are the prepared rows of a place that it does not hold yet, and the receipts
// for all of them. First and Last count within the batch.
func (t *transaction) rowsOf(p *markedPlace, held []connectors.Position) (rows []batchRow, receipts []connectors.Receipt) {
	for _, part := range t.parts {
		for i := range part.frames.list {
			f := &part.frames.list[i]
			if f.route.to != p.to {
				continue
			}
			receipt := part.receiptFor(f.resource, f.route)
			body := part.frames.bodies[f.body.start:f.body.end]
			counted(receipt, body)
			if holds(held, f.message) {
				receipt.Duplicates++
				continue
			}
			rows = append(rows, batchRow{part, f})
			if receipt.Last = uint64(len(rows)); receipt.First == 0 {
				receipt.First = receipt.Last
			}
		}
		for _, r := range part.sink.sorted() {
			if r.Stream == p.Stream {
				receipts = append(receipts, r)
			}
		}
	}
	return rows, receipts
}

// holds says whether a message is at or below the position that its stream is held to.
func holds(held []connectors.Position, m *connectors.Message) bool {
	for i := range held {
		if h := &held[i]; h.Stream == m.Source.Stream {
			return h.Created == m.Source.Created && m.Sequence <= h.Sequence
		}
	}
	return false
}

// write sends rows and letters as one batch that the marker ends and commits, or the
// marker alone. It returns the receipts with the sequences that the batch got.
func (t *transaction) write(ctx context.Context, p *markedPlace, rows []batchRow, letters []letter, content []byte, receipts ...connectors.Receipt) ([]connectors.Receipt, connectors.Marker, error) {
	body := markerBody{Batch: rand.Text(), Messages: len(rows) + len(letters) + 1, Receipts: receipts, Content: content}
	message, err := t.link.newMarker(t.flow.String(), p, body)
	if err != nil {
		return nil, connectors.Marker{}, err
	}
	release := t.untilCancelled(ctx)
	sequence, err := t.send(ctx, p, body, rows, letters, message)
	release()
	if err != nil {
		if sequence = t.happened(ctx, p, body.Batch, err); sequence == 0 {
			return nil, connectors.Marker{}, t.broken(p.refused(err, body.Messages))
		}
	}
	p.marker = connectors.Marker{MarkedPlace: p.MarkedPlace, Created: p.to.created, Sequence: sequence, Batch: body.Batch, Content: content}
	return placed(receipts, sequence, body.Messages), p.marker, nil
}

// send returns the marker's sequence. All but the last message go without a reply;
// the first one, and one each time that as many bytes are under way as may be, ask
// for a sign that they came in.
func (t *transaction) send(ctx context.Context, p *markedPlace, body markerBody, rows []batchRow, letters []letter, marker *natsgo.Msg) (uint64, error) {
	alone := body.Messages == 1
	b := batchSender{transaction: t, to: p, id: body.Batch}
	message := natsgo.Msg{Header: t.header}
	text := ""
	for i, row := range rows {
		if i == 0 || row.part != rows[i-1].part {
			text = string(row.part.frames.text)
			clear(t.header)
		}
		f := row.frame
		row.part.frames.headers(t.header, f, text)
		message.Subject, message.Data = f.subject, row.part.frames.bodies[f.body.start:f.body.end]
		if err := b.stage(ctx, &message, f.size); err != nil {
			return 0, err
		}
	}
	for _, l := range letters {
		if err := b.stage(ctx, l.message, int64(l.message.Size())); err != nil {
			return 0, err
		}
	}
	if !alone {
		b.number(marker)
		marker.Header.Set(headerBatchCommit, "1")
	}
	receipt := &connectors.Receipt{}
	if err := t.publisher.publish(ctx, marker, slot{size: b.underWay, stream: p.Stream, subject: p.Subject, receipt: receipt}); err != nil {
		return 0, err
	}
	err := t.publisher.wait(ctx)
	return receipt.Last, err
}

// batchSender numbers the messages of one batch.
type batchSender struct {
	*transaction
	to       *markedPlace
	id       string
	sequence int
	underWay int64 // bytes since the last message that asked for a reply
}

func (b *batchSender) number(m *natsgo.Msg) {
	b.sequence++
	set(m.Header, headerBatch, b.id)
	set(m.Header, headerBatchSequence, strconv.Itoa(b.sequence))
}

// stage sends one message that is not the last.
func (b *batchSender) stage(ctx context.Context, m *natsgo.Msg, size int64) error {
	b.number(m)
	m.Reply = ""
	b.underWay += size
	if b.sequence == 1 || b.underWay >= b.publisher.limits.Bytes/2 {
		s := slot{size: min(b.underWay, b.publisher.limits.Bytes), stream: b.to.Stream, subject: m.Subject, staged: true}
		b.underWay = 0
		return b.publisher.publish(ctx, m, s)
	}
	if err := b.link.nc.PublishMsg(m); err != nil {
		b.publisher.fail(failed(err, "publishing to %q", m.Subject))
		return b.publisher.failed()
	}
	return nil
}

// happened is the sequence of the marker if the batch was committed, though its
// acknowledgement says otherwise or did not come; 0 if not, or if that is not known.
func (t *transaction) happened(ctx context.Context, p *markedPlace, batch string, err error) uint64 {
	_, refused := apiError(err)
	uncertain := !refused || hasCode(err, codeWrongLastSequence, codeAppendPending)
	if !uncertain || ctx.Err() != nil || !t.link.nc.IsConnected() {
		return 0
	}
	if marker, err := t.lastMarker(ctx, p); err == nil && marker.Batch == batch {
		return marker.Sequence
	}
	return 0
}

// Codes with which a stream refuses a batch.
const (
	codeBatchDisabled   jetstream.ErrorCode = 10174
	codeBatchIncomplete jetstream.ErrorCode = 10176
	codeBatchMirror     jetstream.ErrorCode = 10198
	codeBatchTooLarge   jetstream.ErrorCode = 10199
	codeBatchDuplicate  jetstream.ErrorCode = 10201
	codeBatchTooMany    jetstream.ErrorCode = 10210
	codeRollup          jetstream.ErrorCode = 10111
)

// refused says what a refusal of a batch of so many messages means.
func (p *markedPlace) refused(err error, messages int) error {
	say := func(class connectors.Class, help, format string, args ...any) error {
		return connectors.Errorf(class, "%s: %w", fmt.Sprintf(format, args...), err).WithHelp("%s", help).About(connectors.SinkRole, p.sink, "stream")
	}
	switch {
	case hasCode(err, codeWrongLastSequence, codeAppendPending):
		return fmt.Errorf("stream %s has another marker than the one of sequence %d, so nothing of the epoch was stored there (%w): %w", p.Stream, p.marker.Sequence, err, connectors.ErrInterrupted)
	case hasCode(err, codeBatchDisabled):
		return say(connectors.Environment, fmt.Sprintf("change it: nats stream edit %s --allow-batch", p.Stream), "stream %s takes no atomic batches any more", p.Stream)
	case hasCode(err, codeRollup):
		return say(connectors.Environment, fmt.Sprintf("change it: nats stream edit %s --allow-rollup", p.Stream), "stream %s does not let the marker replace the one before", p.Stream)
	case hasCode(err, codeBatchIncomplete):
		return say(connectors.Transient, "if it goes on, look whether the storage of the stream, the account or the server is full",
			"stream %s did not get all %d messages of the batch, or refused one of them on the way", p.Stream, messages)
	case hasCode(err, codeBatchTooLarge):
		return say(connectors.Environment, fmt.Sprintf("let epochs be smaller, as in `epoch %d`, or raise the server's jetstream limit batch.max_batch_size", max(1, (messages-1)/2)),
			"the server takes fewer than the %d messages of this batch", messages)
	case hasCode(err, codeBatchTooMany):
		return say(connectors.Transient, "wait until other publishers end theirs, or raise the server's jetstream limit batch.max_batch_inflight_per_stream", "too many batches are open on stream %s or on the server", p.Stream)
	case hasCode(err, codeBatchDuplicate):
		return say(connectors.Permanent, "find what publishes the flow's rows besides it, with Nats-Msg-Id", "a message of the batch has the id of one that stream %s holds", p.Stream)
	case hasCode(err, codeBatchMirror):
		return say(connectors.Environment, "write into the stream that it mirrors", "stream %s is a mirror, and takes no batches", p.Stream)
	case hasCode(err, codeBadStream):
		return say(connectors.Environment, "write into a stream that is persisted synchronously", "stream %s has a setting that atomic batches do not go with", p.Stream)
	}
	return err
}
