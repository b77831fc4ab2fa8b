package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// Keys of the metadata by which a flow knows its own consumers.
const (
	metaFlow   = "flow.name"
	metaFormat = "flow.format"

	consumerFormat = 1
)

// consumerName is the durable's name: hyphens of the namespace are doubled, so
// that no two flows get one name.
func consumerName(id connectors.Identity) string {
	return "flow-" + strings.ReplaceAll(id.Namespace, "-", "--") + "-" + id.Flow
}

// consumerConfig is what a managed consumer of the stream has to be.
func (s *source) consumerConfig(f *found) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:        consumerName(s.flow),
		Description:    "made by flow " + s.flow.String(),
		DeliverPolicy:  jetstream.DeliverAllPolicy,
		AckPolicy:      jetstream.AckExplicitPolicy,
		AckWait:        s.ackWait,
		MaxDeliver:     -1,
		FilterSubjects: f.filters,
		MaxAckPending:  s.credit(f),
		Metadata:       map[string]string{metaFlow: s.flow.String(), metaFormat: strconv.Itoa(consumerFormat)},
	}
}

// readAhead is how many epochs may be in hand besides the one that is applied.
const readAhead = 2

// credit is how many messages may be unacknowledged: enough for the epochs in
// hand, within the limits of the stream and the account.
func (s *source) credit(f *found) int {
	if f.bound != "" {
		return 1
	}
	credit := max(1000, s.epoch.MaxRecords) * (readAhead + 1)
	for _, limit := range []int{f.maxAcks, s.conn.limits.MaxAckPending} {
		if limit > 0 {
			credit = min(credit, limit)
		}
	}
	return credit
}

// position makes the consumer deliver what comes after sequence next-1, creating
// it where it is missing, and returns it as it is then.
func (s *source) position(ctx context.Context, f *found, next uint64, known bool) (*jetstream.ConsumerInfo, error) {
	config := s.consumerConfig(f)
	consumer, err := s.lookUp(ctx, f.Stream, config.Durable)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		if known {
			s.conn.report(connectors.Notice{Warning: true, Text: "the consumer was missing and is made again at the last certified position",
				Attributes: []any{"stream", f.Stream, "consumer", config.Durable, "next", next}})
		}
		return s.create(ctx, f, config, next)
	}
	if err != nil {
		return nil, failed(err, "looking up the consumer %s of stream %s", config.Durable, f.Stream)
	}
	info := consumer.CachedInfo()
	if err := s.ours(f, info); err != nil {
		return nil, err
	}
	changed := !sameConsumer(info.Config, config)
	if changed {
		if info, err = s.update(ctx, f, info.Config, config); err != nil {
			return nil, err
		}
	}
	if !changed && settled(info, next) {
		return info, nil
	}
	return s.reset(ctx, f, config, next)
}

func (s *source) lookUp(ctx context.Context, stream, name string) (consumer jetstream.Consumer, err error) {
	err = s.conn.call(ctx, func(ctx context.Context) error {
		consumer, err = s.conn.js.Consumer(ctx, stream, name)
		return err
	})
	return consumer, err
}

// ours refuses a consumer of the same name that somebody else made.
func (s *source) ours(f *found, info *jetstream.ConsumerInfo) error {
	owner := info.Config.Metadata[metaFlow]
	if owner != s.flow.String() {
		if owner == "" {
			owner = "somebody else"
		}
		return connectors.Errorf(connectors.Environment, "the consumer %s of stream %s belongs to %s, not to flow %s", info.Name, f.Stream, owner, s.flow).
			WithHelp("give the flow another name, or delete that consumer: nats consumer rm %s %s", f.Stream, info.Name)
	}
	if format, err := strconv.Atoi(info.Config.Metadata[metaFormat]); err != nil || format > consumerFormat {
		return connectors.Errorf(connectors.Environment, "the consumer %s of stream %s was made by a newer flowc (format %s)", info.Name, f.Stream, info.Config.Metadata[metaFormat]).
			WithHelp("update flowc")
	}
	return nil
}

func sameConsumer(have, want jetstream.ConsumerConfig) bool {
	return have.AckWait == want.AckWait && have.MaxAckPending == want.MaxAckPending && have.MaxDeliver == want.MaxDeliver &&
		slices.Equal(filters(have), filters(want))
}

func filters(c jetstream.ConsumerConfig) []string {
	all := slices.Clone(c.FilterSubjects)
	if c.FilterSubject != "" {
		all = append(all, c.FilterSubject)
	}
	slices.Sort(all)
	return all
}

// settled says whether the consumer holds nothing and delivers from next on.
func settled(info *jetstream.ConsumerInfo, next uint64) bool {
	return info.NumAckPending == 0 && info.NumRedelivered == 0 &&
		info.AckFloor.Consumer == info.Delivered.Consumer && info.AckFloor.Stream == info.Delivered.Stream && info.Delivered.Stream+1 == next
}

func (s *source) create(ctx context.Context, f *found, config jetstream.ConsumerConfig, next uint64) (*jetstream.ConsumerInfo, error) {
	// A work queue takes no start sequence: what was acknowledged is gone from it.
	if next > 1 && f.retention != jetstream.WorkQueuePolicy {
		config.DeliverPolicy, config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, next
	}
	var info *jetstream.ConsumerInfo
	err := s.conn.call(ctx, func(ctx context.Context) error {
		consumer, err := s.conn.js.CreateConsumer(ctx, f.Stream, config)
		if err == nil {
			info = consumer.CachedInfo()
		}
		return err
	})
	if err != nil {
		return nil, failed(err, "making the consumer %s on stream %s", config.Durable, f.Stream)
	}
	return info, nil
}

// update changes in place what the server allows, keeping what it does not.
func (s *source) update(ctx context.Context, f *found, have, want jetstream.ConsumerConfig) (*jetstream.ConsumerInfo, error) {
	have.AckWait, have.MaxAckPending, have.MaxDeliver = want.AckWait, want.MaxAckPending, want.MaxDeliver
	have.FilterSubject, have.FilterSubjects = "", want.FilterSubjects
	var info *jetstream.ConsumerInfo
	err := s.conn.call(ctx, func(ctx context.Context) error {
		consumer, err := s.conn.js.UpdateConsumer(ctx, f.Stream, have)
		if err == nil {
			info = consumer.CachedInfo()
		}
		return err
	})
	if err != nil {
		return nil, failed(err, "updating the consumer %s of stream %s", have.Durable, f.Stream)
	}
	return info, nil
}

// reset moves the consumer to next and clears what it holds. Servers before 2.14
// cannot: there a limits stream's consumer is made anew, and one of another
// retention waits out the ack wait, since deleting it could lose messages.
func (s *source) reset(ctx context.Context, f *found, config jetstream.ConsumerConfig, next uint64) (*jetstream.ConsumerInfo, error) {
	var info *jetstream.ConsumerInfo
	err := s.conn.call(ctx, func(ctx context.Context) error {
		reply, err := s.conn.js.ResetConsumerToSequence(ctx, f.Stream, config.Durable, next)
		if err == nil {
			info = reply.ConsumerInfo
		}
		return err
	})
	switch {
	case err == nil:
		return info, nil
	case s.canReset():
		return nil, failed(err, "moving the consumer %s of stream %s to sequence %d", config.Durable, f.Stream, next)
	case f.retention != jetstream.LimitsPolicy:
		return s.waitOut(ctx, f, config.Durable)
	}
	if err := s.conn.call(ctx, func(ctx context.Context) error {
		return s.conn.js.DeleteConsumer(ctx, f.Stream, config.Durable)
	}); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, failed(err, "making the consumer %s of stream %s anew", config.Durable, f.Stream)
	}
	return s.create(ctx, f, config, next)
}

// canReset says whether the server has the reset of consumers, of 2.14.
func (s *source) canReset() bool {
	var major, minor int
	if _, err := fmt.Sscanf(s.conn.nc.ConnectedServerVersion(), "%d.%d", &major, &minor); err != nil {
		return true
	}
	return major > 2 || major == 2 && minor >= 14
}

// waitOut lets the ack wait of what a dead reader holds pass: the server then
// delivers that first, and nothing new overtakes it.
func (s *source) waitOut(ctx context.Context, f *found, name string) (*jetstream.ConsumerInfo, error) {
	consumer, err := s.lookUp(ctx, f.Stream, name)
	if err != nil {
		return nil, failed(err, "looking up the consumer %s of stream %s", name, f.Stream)
	}
	info := consumer.CachedInfo()
	if info.NumAckPending == 0 {
		return info, nil
	}
	s.conn.report(connectors.Notice{Text: "waiting until the server delivers again what a former reader held",
		Attributes: []any{"stream", f.Stream, "messages", info.NumAckPending, "wait", info.Config.AckWait.String()}})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(info.Config.AckWait):
		return info, nil
	}
}
