package flowtest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/flowlang/flow/connectors/nats/embedded"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ledgerStream holds the flow's certificates, which are no output.
const ledgerStream = "FLOW_LEDGER"

// markerHeader is on what a flow keeps in a stream besides its rows.
const markerHeader = "Flow-Marker"

// world is the server of one run, and what was put into it.
type world struct {
	server *embedded.Server
	nc     *natsgo.Conn
	js     jetstream.JetStream
	input  map[string]uint64 // by stream, the sequence of its last input message
}

func newWorld() (*world, error) {
	server, err := embedded.Start("")
	if err != nil {
		return nil, err
	}
	w := &world{server: server, input: map[string]uint64{}}
	if w.nc, err = natsgo.Connect(server.URL()); err == nil {
		w.js, err = jetstream.New(w.nc)
	}
	if err != nil {
		w.close()
		return nil, fmt.Errorf("connecting to the embedded server: %w", err)
	}
	return w, nil
}

func (w *world) close() {
	if w.nc != nil {
		w.nc.Close()
	}
	w.server.Stop()
}

// fill makes the streams, and publishes the messages. Those that no given stream
// captures go into one that is made for their exact subjects.
func (w *world) fill(ctx context.Context, streams []streamConfig, messages []embedded.SeedMessage) error {
	for _, config := range streams {
		stream, err := w.js.CreateStream(ctx, config.StreamConfig)
		if err != nil {
			return fmt.Errorf("making the stream %s: %w", config.Name, err)
		}
		for _, consumer := range config.Consumers {
			if _, err := stream.CreateConsumer(ctx, consumer); err != nil {
				return fmt.Errorf("making the consumer %s of stream %s: %w", consumer.Durable, config.Name, err)
			}
		}
	}
	if err := w.seedStream(ctx, messages); err != nil {
		return err
	}
	for i, m := range messages {
		ack, err := w.js.PublishMsg(ctx, m.Message())
		if err != nil {
			return fmt.Errorf("publishing message %d of %s, subject %s: %w", i+1, inputSection, m.Subject, err)
		}
		w.input[ack.Stream] = max(w.input[ack.Stream], ack.Sequence)
	}
	return nil
}

func (w *world) seedStream(ctx context.Context, messages []embedded.SeedMessage) error {
	var subjects []string
	for _, m := range messages {
		if slices.Contains(subjects, m.Subject) {
			continue
		}
		_, err := w.js.StreamNameBySubject(ctx, m.Subject)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			subjects = append(subjects, m.Subject)
		case err != nil:
			return fmt.Errorf("looking for the stream of %s: %w", m.Subject, err)
		}
	}
	if len(subjects) == 0 {
		return nil
	}
	_, err := w.js.CreateStream(ctx, jetstream.StreamConfig{Name: embedded.SeedStream, Subjects: subjects})
	if err != nil {
		return fmt.Errorf("making the stream %s for %s: %w", embedded.SeedStream, inputSection, err)
	}
	return nil
}

// collect hands over what the flow wrote, in the order of each stream, and dead
// letters in that of their origin.
func (w *world) collect(ctx context.Context, r *Result) error {
	r.output = map[place][]*jetstream.RawStreamMsg{}
	names := w.js.StreamNames(ctx)
	for name := range names.Name() {
		if name == ledgerStream {
			continue
		}
		messages, err := w.written(ctx, name)
		if err != nil {
			return fmt.Errorf("reading stream %s: %w", name, err)
		}
		for _, m := range messages {
			switch {
			case m.Header.Get(markerHeader) != "":
			case isLetter(m):
				r.letters = append(r.letters, m)
			default:
				at := place{name, m.Subject}
				r.output[at] = append(r.output[at], m)
			}
		}
	}
	slices.SortStableFunc(r.letters, byOrigin)
	if err := names.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return fmt.Errorf("listing the streams: %w", err)
	}
	return nil
}

// written are the messages that came into a stream after the input.
func (w *world) written(ctx context.Context, name string) ([]*jetstream.RawStreamMsg, error) {
	stream, err := w.js.Stream(ctx, name)
	if err != nil {
		return nil, err
	}
	var messages []*jetstream.RawStreamMsg
	for next := w.input[name] + 1; ; next++ {
		m, err := stream.GetMsg(ctx, next, jetstream.WithGetMsgSubject(">")) // the first from there on
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return messages, nil
		}
		if err != nil {
			return nil, err
		}
		messages = append(messages, m)
		next = m.Sequence
	}
}
