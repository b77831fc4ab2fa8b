package flowtest

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/nats-io/nats.go/jetstream"
)

// readInput reads the messages. The blank lines before them make the line numbers
// of its errors those of the archive.
func readInput(s section) ([]embedded.SeedMessage, error) {
	if strings.TrimSpace(s.text) == "" {
		return nil, s.errorf(-1, `%s is empty: expected a message a line, such as {"subject": "orders.created", "data": {"id": 1}}`, inputSection)
	}
	return embedded.ReadSeed(strings.NewReader(strings.Repeat("\n", s.line-1)+s.text), s.path)
}

// readAssignments reads NAME=VALUE lines.
func readAssignments(s section, into map[string]string) error {
	texts, numbers := s.lines()
	for i, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return s.errorf(numbers[i], "expected NAME=VALUE in the section %s, found %q", s.name, text)
		}
		if _, again := into[name]; again {
			return s.errorf(numbers[i], "%s has a value already", name)
		}
		into[name] = strings.TrimSpace(value)
	}
	return nil
}

// streamConfig is a stream that is made before the flow runs, with its consumers.
type streamConfig struct {
	jetstream.StreamConfig
	Consumers []jetstream.ConsumerConfig `json:"consumers"`
}

// readStreams reads one JSON object after the other.
func readStreams(s section) ([]streamConfig, error) {
	var streams []streamConfig
	d := json.NewDecoder(strings.NewReader(s.text))
	d.DisallowUnknownFields()
	for {
		rest := s.text[d.InputOffset():]
		before := s.text[:len(s.text)-len(strings.TrimLeft(rest, " \t\r\n"))]
		var config streamConfig
		err := d.Decode(&config)
		if errors.Is(err, io.EOF) {
			return streams, nil
		}
		if err == nil && config.Name == "" {
			err = errors.New("the stream has no name")
		}
		if err != nil {
			return nil, s.errorf(strings.Count(before, "\n"), `expected the configuration of a stream, such as {"name": "ORDERS", "subjects": ["orders.>"]}: %w`, err)
		}
		streams = append(streams, config)
	}
}
