package nats

import (
	"context"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// checkStart judges where the sources of a flow begin: through one consumer a
// stream they can only begin together.
func checkStart(specs []connectors.SourceSpec, i int) error {
	first, start := specs[0].Settings.Start("start"), specs[i].Settings.Start("start")
	if first == start {
		return nil
	}
	return connectors.Errorf(connectors.Refused, "the sources of a flow begin at one place, and these have `start %s` and `start %s`", first, start).
		WithHelp("give all of them the same `start`, or write several flows").
		About(connectors.SourceRole, i, "start").Against(connectors.SourceRole, 0, "the other source")
}

// begin is the position that a stream is read from which has none yet. A consumer
// of the flow that is there already knows it; else it is what `start` says, which
// holds from then on.
func (s *source) begin(ctx context.Context, f *found, stream *jetstream.StreamInfo) (connectors.Position, error) {
	at := connectors.Position{Incarnation: f.Incarnation}
	start := s.startOf(f)
	if start.First() {
		return at, nil
	}
	if f.retention == jetstream.WorkQueuePolicy {
		return at, s.cannotStart(f, "stream %s is a work queue, which gives out all that it holds", f.Stream).
			WithHelp("leave `start` out, or purge what is not to be read: nats stream purge %s", f.Stream)
	}
	next, known, err := s.begunAt(ctx, f)
	if err == nil && !known {
		next, err = s.resolve(ctx, f, stream, start)
	}
	if err != nil {
		return at, err
	}
	at.Sequence = next - 1
	at.Time, err = s.storedAt(ctx, f, at.Sequence)
	return at, err
}

// startOf is where the flow begins in a stream that it has not read yet.
func (s *source) startOf(f *found) connectors.Start {
	return s.specs[s.specOf(f)].Settings.Start("start")
}

// begunAt is where the flow's consumer of the stream began, if it has one.
func (s *source) begunAt(ctx context.Context, f *found) (next uint64, known bool, err error) {
	info, err := s.conn.consumerInfo(ctx, f.Stream, consumerName(s.flow))
	if err != nil || info == nil {
		return 0, false, err
	}
	return max(info.Config.OptStartSeq, 1), info.Config.Metadata[metaRecords] == s.records, nil
}

// resolve is the first sequence that `start` asks for.
func (s *source) resolve(ctx context.Context, f *found, stream *jetstream.StreamInfo, start connectors.Start) (uint64, error) {
	state := stream.State
	behind := state.LastSeq + 1
	switch {
	case start.Word == "new":
		return behind, nil
	case start.Word == "last":
		last, err := s.conn.lastOf(ctx, f)
		if err != nil {
			return 0, failed(err, "looking for the last message of stream %s", f.Stream)
		}
		if last == 0 {
			return behind, nil
		}
		return last, nil
	case !start.Time.IsZero():
		return s.resolveTime(ctx, f, stream, start.Time)
	case len(s.streams) > 1:
		return 0, s.cannotStart(f, "a sequence is that of one stream, and %d streams are read", len(s.streams)).
			WithHelp("name the stream, with `streams [%q]`, or begin at a time", f.Stream)
	case start.Sequence > behind:
		return 0, s.cannotStart(f, "stream %s ends at sequence %d, and `start` asks for %d", f.Stream, state.LastSeq, start.Sequence).
			WithHelp("`start new` reads what comes from now on")
	}
	if start.Sequence < state.FirstSeq {
		s.conn.report(connectors.Notice{Warning: true, Text: "the sequence to start at is gone; reading begins at the first that is there",
			Attributes: []any{"stream", f.Stream, "start", start.Sequence, "first", state.FirstSeq}})
	}
	return start.Sequence, nil
}

// resolveTime halves the stream until the first message is found that was stored at
// that time or later. No request of older servers tells it.
func (s *source) resolveTime(ctx context.Context, f *found, stream *jetstream.StreamInfo, at time.Time) (uint64, error) {
	if now := time.Now(); at.After(now) {
		return 0, s.cannotStart(f, "the time to start at, %s, is in the future", at.Format(time.RFC3339)).
			WithHelp("`start new` reads what comes from now on")
	}
	low, high := stream.State.FirstSeq, stream.State.LastSeq+1
	for low < high {
		middle := low + (high-low)/2
		reply, err := s.conn.get(ctx, f.Stream, getRequest{Sequence: middle, Next: ">"})
		switch {
		case hasCode(err, codeMessageNotFound):
			high = middle
		case err != nil:
			return 0, failed(err, "looking for the messages of stream %s from %s on", f.Stream, at.Format(time.RFC3339))
		case reply.Message.Time.Before(at):
			low = reply.Message.Sequence + 1
		default:
			high = middle
		}
	}
	return max(low, 1), nil
}

// storedAt is when a message was stored, in Unix nanoseconds; 0 if it is not there.
func (s *source) storedAt(ctx context.Context, f *found, sequence uint64) (int64, error) {
	if sequence == 0 {
		return 0, nil
	}
	reply, err := s.conn.get(ctx, f.Stream, getRequest{Sequence: sequence})
	switch {
	case hasCode(err, codeMessageNotFound):
		return 0, nil
	case err != nil:
		return 0, failed(err, "looking at sequence %d of stream %s", sequence, f.Stream)
	}
	return reply.Message.Time.UnixNano(), nil
}

func (s *source) cannotStart(f *found, format string, args ...any) *connectors.Error {
	return connectors.Errorf(connectors.Environment, format, args...).About(connectors.SourceRole, s.specOf(f), "start")
}

// describeStart says where a new flow begins.
func describeStart(start connectors.Start) string {
	switch {
	case start.Word == "new":
		return "begins with what is stored after its first start"
	case start.Word == "last":
		return "begins with the last message that is there at its first start"
	case start.Sequence > 0:
		return "begins at sequence " + start.String()
	case !start.Time.IsZero():
		return "begins with what was stored at " + start.String() + " or later"
	}
	return "begins with the first message that is there"
}
