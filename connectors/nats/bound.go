package nats

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// explicit says whether a spec names a stream and a consumer of the user's.
func explicit(spec connectors.SourceSpec) bool { return spec.Select == "" }

// checkExplicit judges a source that is bound to a consumer.
func checkExplicit(specs []connectors.SourceSpec, i int) error {
	s := specs[i].Settings
	refuse := func(key, help, format string, args ...any) error {
		return connectors.Errorf(connectors.Refused, format, args...).WithHelp("%s", help).About(connectors.SourceRole, i, key)
	}
	const form = "write `from nats stream \"ORDERS\" consumer \"exporter\"`"
	switch {
	case !s.Has("stream") && !s.Has("consumer"):
		return refuse("", `name subjects, as in from nats "orders.>", or `+form, "the source does not say what to read")
	case !s.Has("stream") || !s.Has("consumer"):
		return refuse("", form, "a source that is bound to a consumer names its stream and the consumer")
	case s.Has("streams"):
		return refuse("streams", "keep `stream` and `consumer`, or name subjects and `streams`", "a source that is bound to a consumer names one stream")
	case s.Has("start"):
		return refuse("start", "leave `start` out, or name subjects instead of the consumer", "a source that is bound to a consumer begins where that one does")
	case len(specs) > 1:
		return refuse("stream", "give it a flow of its own", "a source that is bound to a consumer is the only one of its flow")
	}
	if err := checkStreamName(s.Text("stream")); err != nil {
		return (&connectors.Error{Class: connectors.Refused, Err: err}).About(connectors.SourceRole, i, "stream")
	}
	if name := s.Text("consumer"); strings.ContainsFunc(name, func(r rune) bool { return strings.ContainsRune(".*>/\\", r) || blankOrControl(r) }) {
		return refuse("consumer", "a consumer's name has no dots, wildcards, slashes or white space", "%q is no consumer name", name)
	}
	return nil
}

// bound finds the stream of an explicit binding.
func (c *connection) bound(ctx context.Context, spec connectors.SourceSpec) (*found, error) {
	name := spec.Settings.Text("stream")
	info, err := c.streamInfo(ctx, name)
	if err != nil {
		return nil, err
	}
	if info == nil {
		return nil, c.noStreamNamed(ctx, name).About(connectors.SourceRole, 0, "stream")
	}
	f := newFound(info)
	f.bound = spec.Settings.Text("consumer")
	return f, nil
}

// bind looks at the user's consumer, which is never reset or changed.
func (s *source) bind(ctx context.Context, f *found, floor connectors.Position) (*jetstream.ConsumerInfo, error) {
	info, err := s.conn.consumerInfo(ctx, f.Stream, f.bound)
	if err != nil {
		return nil, err
	}
	if info == nil {
		return nil, connectors.Errorf(connectors.Environment, "stream %s has no consumer %s", f.Stream, f.bound).
			WithHelp("make it: nats consumer add %s %s --pull --ack explicit --deliver all --max-deliver=-1 --max-pending 1", f.Stream, f.bound).
			About(connectors.SourceRole, 0, "consumer")
	}
	if why := unfit(info.Config); why != "" {
		return nil, connectors.Errorf(connectors.Environment, "the consumer %s of stream %s does not fit: %s", f.bound, f.Stream, why).
			WithHelp("a bound consumer is a durable pull consumer without filter, with explicit acknowledgement, deliver all, unlimited deliveries, MaxAckPending 1 and AckWait of at least 1s").
			About(connectors.SourceRole, 0, "consumer")
	}
	s.ackWait = info.Config.AckWait
	if info.AckFloor.Stream > floor.Sequence {
		return nil, connectors.Errorf(connectors.Permanent, "continuity cannot be proven: the consumer %s of stream %s has acknowledged up to sequence %d, and the flow has certified up to %d",
			f.bound, f.Stream, info.AckFloor.Stream, floor.Sequence).
			WithHelp("bind a consumer that nothing else has read through")
	}
	return info, nil
}

// unfit names the setting that a bound consumer must not have; empty if it fits.
func unfit(c jetstream.ConsumerConfig) string {
	switch {
	case c.Durable == "":
		return "it is not durable"
	case c.DeliverSubject != "":
		return "it pushes (DeliverSubject), and must be a pull consumer"
	case len(filters(c)) > 0:
		return fmt.Sprintf("it filters %s (FilterSubject)", strings.Join(filters(c), ", "))
	case c.AckPolicy != jetstream.AckExplicitPolicy:
		return fmt.Sprintf("AckPolicy is %s, and must be explicit", c.AckPolicy)
	case c.DeliverPolicy != jetstream.DeliverAllPolicy:
		return "DeliverPolicy is not all"
	case c.MaxDeliver > 0:
		return fmt.Sprintf("MaxDeliver=%d, and deliveries must be unlimited", c.MaxDeliver)
	case c.MaxAckPending != 1:
		return fmt.Sprintf("MaxAckPending=%d, and must be 1", c.MaxAckPending)
	case c.HeadersOnly:
		return "it delivers headers only (HeadersOnly)"
	case len(c.PriorityGroups) > 0:
		return "it has priority groups (PriorityGroups)"
	case c.AckWait < time.Second:
		return fmt.Sprintf("AckWait=%s, and must be at least 1s", c.AckWait)
	}
	return ""
}

// follows says what is wrong with the next sequence of a bound stream: each has to
// follow the one before, or something is missing.
func (r *reader) follows(sequence uint64) error {
	expected := r.last + 1
	if r.last == 0 {
		expected = max(r.first, 1)
	}
	if sequence == expected {
		return nil
	}
	return connectors.Errorf(connectors.Permanent, "continuity of stream %s cannot be proven: after sequence %d came %d, so sequences %d to %d are missing",
		r.stream.Stream, expected-1, sequence, expected, sequence-1).
		WithHelp("what is missing was removed before it was read; restore it, or go on from a new consumer under a new flow name")
}
