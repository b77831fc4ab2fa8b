package nats

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// streamInterval is how often a source looks for streams that have come to match.
const streamInterval = 5 * time.Second

// Streams implements connectors.Source.
func (s *source) Streams() []connectors.SourceStream {
	streams := make([]connectors.SourceStream, len(s.streams))
	for i, f := range s.streams {
		state := f.info.State
		streams[i] = connectors.SourceStream{
			Stream: f.Stream, Replicas: f.info.Config.Replicas,
			Messages: state.Msgs, Bytes: state.Bytes, Oldest: state.FirstTime,
			All: !slices.ContainsFunc(f.subjects, func(subject string) bool { _, all := coversAny(f.reads(), subject); return !all }),
		}
		if f.bound != "" {
			continue
		}
		streams[i].Makes = fmt.Sprintf("the durable consumer %s", consumerName(s.flow))
		if start := s.startOf(f); !start.First() {
			streams[i].Begins = fmt.Sprintf("with `start %s`", start)
		}
	}
	return streams
}

// Confine implements connectors.Source.
func (s *source) Confine(streams []string) {
	s.streams = slices.DeleteFunc(s.streams, func(f *found) bool {
		left := !slices.Contains(streams, f.Stream)
		if left {
			s.left = append(s.left, f.Stream)
			s.reportNew(f.Stream)
		}
		return left
	})
}

func (s *source) reportNew(stream string) {
	s.conn.report(connectors.Notice{Warning: true, Text: "a stream has come to match what the flow reads, and is not read; --adopt-streams reads it, from the next start on",
		Attributes: []any{"stream", stream}})
}

// watchForStreams reports, once each, the streams that come to match while the flow
// runs. It is nil for a source that is bound to a consumer.
func (s *source) watchForStreams() *ticking {
	if explicit(s.specs[0]) {
		return nil
	}
	known := slices.Clone(s.left)
	for _, f := range s.streams {
		known = append(known, f.Stream)
	}
	return every(streamInterval, func(ctx context.Context) {
		for _, name := range s.newStreams(ctx, known) {
			known = append(known, name)
			s.reportNew(name)
		}
	})
}

// newStreams are those that match and are not known. If they cannot be listed now,
// they are the next time.
func (s *source) newStreams(ctx context.Context, known []string) (names []string) {
	for _, spec := range s.specs {
		if len(named(spec)) > 0 {
			continue
		}
		infos, err := s.conn.streamsOn(ctx, spec.Select)
		if err != nil {
			return nil
		}
		for _, info := range infos {
			name := info.Config.Name
			if !slices.Contains(known, name) && !slices.Contains(names, name) && !s.isTarget(info) && unread(info, spec.Select, s.conn.settings.Text("ledger_subject")) == "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// aim remembers what the flow writes to.
func (s *source) aim(targets []connectors.Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range targets {
		if !slices.ContainsFunc(s.targets, func(other connectors.Target) bool { return other.Stream == t.Stream && other.Subject == t.Subject }) {
			s.targets = append(s.targets, t)
		}
	}
}

// isTarget says whether the flow writes to a stream, or made it for that.
func (s *source) isTarget(info *jetstream.StreamInfo) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.targets, func(t connectors.Target) bool {
		_, captured := overlapAny(info.Config.Subjects, t.Subject)
		return captured || t.Stream == info.Config.Name
	})
}
