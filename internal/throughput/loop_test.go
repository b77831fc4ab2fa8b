package throughput

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// byHand are the programs without flowc, each a process of its own: they move
// messages from the consumer "reader" of IN to the stream OUT.
var byHand = map[string]func(hand, context.Context) error{
	"publish":  hand.publishOnly,
	"consume":  hand.consumeOnly,
	"loop":     hand.loop,
	"loop ids": hand.loop,
}

// hand is one run of such a program.
type hand struct {
	js       jetstream.JetStream
	messages int
	ids      bool
}

// environment of the child processes.
const (
	envProgram  = "FLOW_THROUGHPUT_PROGRAM"
	envServer   = "FLOW_THROUGHPUT_SERVER"
	envMessages = "FLOW_THROUGHPUT_MESSAGES"
)

// runByHand is the main function of a child process.
func runByHand(name string) error {
	nc, err := natsgo.Connect(os.Getenv(envServer))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(1024))
	if err != nil {
		return err
	}
	messages, err := strconv.Atoi(os.Getenv(envMessages))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return byHand[name](hand{js: js, messages: messages, ids: name == "loop ids"}, ctx)
}

// patient lets a publish wait for room: the client gives up after 200 ms otherwise.
var patient = jetstream.WithStallWait(time.Minute)

// publishOnly is the limit of asynchronous publishing.
func (h hand) publishOnly(ctx context.Context) error {
	for i := range h.messages {
		if _, err := h.js.PublishMsgAsync(&natsgo.Msg{Subject: "out.v1", Data: event(i)}, patient); err != nil {
			return err
		}
	}
	return h.published(ctx)
}

func (h hand) published(ctx context.Context) error {
	select {
	case <-h.js.PublishAsyncComplete():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// consumeOnly is the limit of reading.
func (h hand) consumeOnly(ctx context.Context) error {
	return h.batches(ctx, func(m jetstream.Msg) error { return m.Ack() }, func() error { return nil })
}

// loop is the plain loop: fetch, publish all, wait for all, acknowledge each.
func (h hand) loop(ctx context.Context) error {
	var held []jetstream.Msg
	return h.batches(ctx, func(m jetstream.Msg) error {
		out := &natsgo.Msg{Subject: "out.v1", Data: m.Data()}
		if h.ids {
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			out.Header = natsgo.Header{natsgo.MsgIdHdr: []string{fmt.Sprintf("%s.%d", meta.Stream, meta.Sequence.Stream)}}
		}
		held = append(held, m)
		_, err := h.js.PublishMsgAsync(out, patient)
		return err
	}, func() error {
		if err := h.published(ctx); err != nil {
			return err
		}
		for _, m := range held {
			if err := m.Ack(); err != nil {
				return err
			}
		}
		held = held[:0]
		return nil
	})
}

// batches fetches a thousand messages at a time until it has all.
func (h hand) batches(ctx context.Context, each func(jetstream.Msg) error, end func() error) error {
	consumer, err := h.js.Consumer(ctx, "IN", "reader")
	if err != nil {
		return err
	}
	for seen := 0; seen < h.messages; {
		batch, err := consumer.Fetch(min(1000, h.messages-seen), jetstream.FetchMaxWait(10*time.Second))
		if err != nil {
			return err
		}
		before := seen
		for m := range batch.Messages() {
			seen++
			if err := each(m); err != nil {
				return err
			}
		}
		if err := batch.Error(); err != nil {
			return err
		}
		if seen == before {
			return errors.New("nothing came within ten seconds")
		}
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}

// event is the body of message i, of about 200 bytes.
func event(i int) []byte {
	return fmt.Appendf(nil, `{"id":"o-%08d","customer":"c-%04d","amount":%d.25,"qty":%d,"country":"%s","placed_at":"2024-05-17T12:34:56.789Z","tags":["new","web"],"note":"a short text that makes the event longer"}`,
		i, i%997, i%500, i%7, []string{"DE", "FR", "IT", "PL"}[i%4])
}
