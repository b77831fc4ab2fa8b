package nats

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// storedMessage is a message of a stream with its place there.
type storedMessage struct {
	*natsgo.Msg
	sequence uint64
	time     int64 // Unix nanoseconds
}

// scanIdle bounds how long the server keeps the consumer of a scan that died.
const scanIdle = 10 * time.Second

// A scan that gets nothing for scanPatience asks whether anything is left, and gives up
// after so many tries.
const (
	scanPatience = 2 * time.Second
	scanTries    = 5
)

// scan calls each for what a stream holds from sequence first to last, of these
// subjects or of all, in its order.
func (c *connection) scan(ctx context.Context, stream string, filters []string, first, last uint64, each func(*storedMessage) error) error {
	info, err := c.streamInfo(ctx, stream)
	if err != nil || info == nil {
		return err
	}
	first, last = max(first, info.State.FirstSeq, 1), min(last, info.State.LastSeq)
	if first > last || info.State.Msgs == 0 {
		return nil
	}
	f := &found{Incarnation: connectors.Incarnation{Stream: stream}, filters: filters}
	if info.Config.Retention != jetstream.LimitsPolicy {
		// Another consumer would use messages up, or make the stream keep them.
		err = c.scanByGets(ctx, f, first, last, each)
	} else {
		err = c.scanByConsumer(ctx, f, first, last, each)
	}
	if denied, ok := errors.AsType[*connectors.Error](err); ok && denied.Class == connectors.Environment {
		copied := *denied
		err = copied.WithHelp("looking at what is stored takes more rights than a run: to publish to %q, %q and %q", c.api("CONSUMER.CREATE."+stream+".>"), c.api("CONSUMER.MSG.NEXT."+stream+".*"), c.api("CONSUMER.DELETE."+stream+".*"))
	}
	if err != nil {
		return failed(err, "reading stream %s", stream)
	}
	return nil
}

// scanByConsumer reads through a consumer that lives only in the server's memory.
func (c *connection) scanByConsumer(ctx context.Context, f *found, first, last uint64, each func(*storedMessage) error) error {
	var consumer jetstream.Consumer
	err := c.call(ctx, func(ctx context.Context) (err error) {
		consumer, err = c.js.OrderedConsumer(ctx, f.Stream, jetstream.OrderedConsumerConfig{FilterSubjects: f.filters,
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: first, InactiveThreshold: scanIdle})
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		_ = c.call(context.WithoutCancel(ctx), func(ctx context.Context) error {
			return c.js.DeleteConsumer(ctx, f.Stream, consumer.CachedInfo().Name) // it ends by itself, later
		})
	}()
	if consumer.CachedInfo().NumPending == 0 {
		return nil
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for at := first - 1; ; {
		m, err := c.nextOf(ctx, messages, f, at, last)
		if err != nil || m == nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if at = meta.Sequence.Stream; at > last {
			return nil
		}
		if err := each(&storedMessage{Msg: &natsgo.Msg{Subject: m.Subject(), Header: m.Headers(), Data: m.Data()}, sequence: at, time: meta.Timestamp.UnixNano()}); err != nil {
			return err
		}
		if meta.NumPending == 0 || at == last {
			return nil
		}
	}
}

// nextOf waits for the next message behind a sequence; nil says that none is left, since
// what was to come has been removed. A right that is missing shows only here.
func (c *connection) nextOf(ctx context.Context, messages jetstream.MessagesContext, f *found, after, last uint64) (jetstream.Msg, error) {
	violations := c.denied.seen()
	for range scanTries {
		wait, cancel := context.WithTimeout(ctx, scanPatience)
		m, err := messages.Next(jetstream.NextContext(wait))
		cancel()
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return m, err
		}
		if denied := c.denied.since(violations); denied != nil {
			return nil, denied
		}
		next, err := c.firstAfter(ctx, f, after)
		if err != nil || next == 0 || next > last {
			return nil, err
		}
	}
	return nil, connectors.Errorf(connectors.Transient, "the server holds more behind sequence %d, and did not send it within %s", after, scanTries*scanPatience)
}

// scanByGets asks for one message after the other.
func (c *connection) scanByGets(ctx context.Context, f *found, first, last uint64, each func(*storedMessage) error) error {
	for at := first - 1; ; {
		next, err := c.firstAfter(ctx, f, at)
		if err != nil || next == 0 || next > last {
			return err
		}
		reply, err := c.get(ctx, f.Stream, getRequest{Sequence: next})
		if at = next; hasCode(err, codeMessageNotFound) {
			continue // used up just now
		}
		if err != nil {
			return err
		}
		m, err := reply.message()
		if err != nil {
			return err
		}
		if err := each(m); err != nil {
			return err
		}
	}
}

// message is what a get found, with its headers.
func (r getReply) message() (*storedMessage, error) {
	m := &natsgo.Msg{Subject: r.Message.Subject, Data: r.Message.Data}
	if len(r.Message.Headers) > 0 {
		header, err := natsgo.DecodeHeadersMsg(r.Message.Headers)
		if err != nil {
			return nil, fmt.Errorf("the headers of sequence %d: %w", r.Message.Sequence, err)
		}
		m.Header = header
	}
	return &storedMessage{Msg: m, sequence: r.Message.Sequence, time: r.Message.Time.UnixNano()}, nil
}
