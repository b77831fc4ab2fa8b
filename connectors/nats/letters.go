package nats

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// Letters implements connectors.Letters.
func (c *connection) Letters(ctx context.Context, flow connectors.Identity, spec *connectors.DeadLetterSpec, sources []connectors.SourceSpec, each func(*connectors.Letter) error) error {
	places := map[string][]string{defaultDeadStream: nil}
	if spec != nil {
		var err error
		if places, err = c.letterPlaces(ctx, *spec); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		err := c.scan(ctx, name, places[name], 0, math.MaxUint64, func(m *storedMessage) error {
			if m.Header.Get(headerLetterFlow) != flow.String() || m.Header.Get(headerErrorCode) == "" {
				return nil // somebody else's
			}
			return each(letterOf(name, m, sources))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// letterPlaces are the streams that hold the dead letters of a spec, and the subjects
// that these have there.
func (c *connection) letterPlaces(ctx context.Context, spec connectors.DeadLetterSpec) (map[string][]string, error) {
	asSink := templatesOf(spec)
	places := map[string][]string{}
	for i := range spec.Resources {
		subject := pattern(fillResource(asSink, i, "subject"))
		infos, err := c.streamsOn(ctx, subject)
		if err != nil {
			return nil, failed(err, "looking for the stream that holds dead letters on %q", subject)
		}
		for _, info := range infos {
			name := info.Config.Name
			if _, ok := overlapAny(info.Config.Subjects, subject); ok && !slices.Contains(places[name], subject) {
				places[name] = append(places[name], subject)
			}
		}
	}
	return places, nil
}

// letterOf reads a dead letter. Its message is what a source makes of the original.
func letterOf(stream string, m *storedMessage, sources []connectors.SourceSpec) *connectors.Letter {
	l := &connectors.Letter{Stream: stream, Sequence: m.sequence, Subject: m.Subject, Stored: m.time,
		Code: m.Header.Get(headerErrorCode), Reason: m.Header.Get(headerError), Shortened: m.Header.Get(headerLetterCut)}
	life, sequence, stored, known := connectors.ParseEventID(m.Header.Get(headerLetterEvent))
	back := restored(m.Msg)
	s, f := &source{specs: sources}, &found{}
	for i, spec := range sources {
		if spec.Select == "" || covers(spec.Select, back.Subject) {
			f.specs = append(f.specs, i)
		}
	}
	if l.Message = s.message(back, f, &life, sequence, stored); !known {
		l.Message.Source = nil
	}
	return l
}

// RemoveLetter implements connectors.Letters.
func (c *connection) RemoveLetter(ctx context.Context, stream string, sequence uint64) error {
	err := c.call(ctx, func(ctx context.Context) error {
		s, err := c.js.Stream(ctx, stream)
		if err != nil {
			return err
		}
		return s.DeleteMsg(ctx, sequence)
	})
	if err == nil || errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	// What the server says of one that is gone is a general error.
	if _, lookErr := c.get(ctx, stream, getRequest{Sequence: sequence}); hasCode(lookErr, codeMessageNotFound) {
		return nil
	}
	return failed(err, "removing sequence %d of stream %s", sequence, stream)
}
