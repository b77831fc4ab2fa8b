package embedded

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// SeedStream holds the seed's messages.
const SeedStream = "SEED"

// metaSeeded marks a stream into which the whole seed has been published.
const metaSeeded = "flow.seeded"

// SeedMessage is one line of a seed file: a subject, and data (any JSON) or
// data_base64 (any bytes).
type SeedMessage struct {
	Subject string            `json:"subject"`
	Headers map[string]string `json:"headers"`
	Data    json.RawMessage   `json:"data"`
	Base64  []byte            `json:"data_base64"`
}

// maxSeedLine is the longest line of a seed file, in bytes.
const maxSeedLine = 16 << 20

// stallWait is how long a slow server may keep a full window of messages waiting.
const stallWait = 30 * time.Second

// ReadSeed reads a seed file. Name is for errors, which tell the line.
func ReadSeed(r io.Reader, name string) ([]SeedMessage, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxSeedLine)
	var messages []SeedMessage
	number := 0
	for lines.Scan() {
		number++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		m, err := readLine(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		messages = append(messages, m)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, number+1, err)
	}
	if len(messages) == 0 {
		return nil, fmt.Errorf("%s: the seed has no messages", name)
	}
	return messages, nil
}

func readLine(line []byte) (SeedMessage, error) {
	var m SeedMessage
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, fmt.Errorf(`expected {"subject": "...", "headers": {...}, "data": ...}: %w`, err)
	}
	switch {
	case d.More():
		return m, errors.New("expected one JSON object on the line, found more behind it")
	case m.Subject == "" || strings.ContainsAny(m.Subject, "*> \t\r\n"):
		return m, fmt.Errorf("expected a subject without wildcards and white space, found %q", m.Subject)
	case m.Data != nil && m.Base64 != nil:
		return m, errors.New("expected data or data_base64, found both")
	}
	return m, nil
}

// Seed publishes the messages into SeedStream, which it makes for their exact
// subjects. A store that has the whole seed is left as it is: seeded is false.
func (s *Server) Seed(ctx context.Context, messages []SeedMessage) (seeded bool, err error) {
	nc, err := natsgo.Connect(s.URL())
	if err != nil {
		return false, fmt.Errorf("seeding: %w", err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(1024))
	if err != nil {
		return false, fmt.Errorf("seeding: %w", err)
	}
	stream, err := js.Stream(ctx, SeedStream)
	switch {
	case err == nil && stream.CachedInfo().Config.Metadata[metaSeeded] != "":
		return false, nil
	case err == nil: // cut off last time, before any flow ran
		err = js.DeleteStream(ctx, SeedStream)
	case errors.Is(err, jetstream.ErrStreamNotFound):
		err = nil
	}
	if err == nil {
		err = publishSeed(ctx, js, messages)
	}
	if err != nil {
		return false, fmt.Errorf("seeding stream %s: %w", SeedStream, err)
	}
	return true, nil
}

func publishSeed(ctx context.Context, js jetstream.JetStream, messages []SeedMessage) error {
	config := jetstream.StreamConfig{Name: SeedStream, Subjects: subjects(messages), Storage: jetstream.FileStorage}
	if _, err := js.CreateStream(ctx, config); err != nil {
		return err
	}
	futures := make([]jetstream.PubAckFuture, len(messages))
	for i, m := range messages {
		var err error
		if futures[i], err = js.PublishMsgAsync(m.Message(), jetstream.WithStallWait(stallWait)); err != nil {
			return err
		}
	}
	for _, f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	config.Metadata = map[string]string{metaSeeded: strconv.Itoa(len(messages))}
	_, err := js.UpdateStream(ctx, config)
	return err
}

func subjects(messages []SeedMessage) []string {
	seen := map[string]bool{}
	var all []string
	for _, m := range messages {
		if !seen[m.Subject] {
			seen[m.Subject] = true
			all = append(all, m.Subject)
		}
	}
	slices.Sort(all)
	return all
}

// Message is the message as it is published.
func (m SeedMessage) Message() *natsgo.Msg {
	msg := &natsgo.Msg{Subject: m.Subject, Data: m.Data}
	if m.Base64 != nil {
		msg.Data = m.Base64
	}
	for k, v := range m.Headers {
		if msg.Header == nil {
			msg.Header = natsgo.Header{}
		}
		msg.Header.Set(k, v)
	}
	return msg
}
