package nats

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// Keys of the metadata by which a flow knows its own consumers.
const (
	metaFlow    = "flow.name"
	metaRecords = "flow.records"
	metaFormat  = "flow.format"
	metaPlan    = "flow.plan" // the fingerprint

	consumerFormat = 2
)

// consumerName is the durable's name: hyphens of the namespace are doubled, so
// that no two flows get one name.
func consumerName(id connectors.Identity) string {
	return "flow-" + strings.ReplaceAll(id.Namespace, "-", "--") + "-" + id.Flow
}

// consumerConfig is what a managed consumer of the stream has to be.
func (s *source) consumerConfig(f *found) jetstream.ConsumerConfig {
	return s.conn.withPin(jetstream.ConsumerConfig{
		Durable:        consumerName(s.flow),
		Description:    "made by flow " + s.flow.String(),
		DeliverPolicy:  jetstream.DeliverAllPolicy,
		AckPolicy:      jetstream.AckExplicitPolicy,
		AckWait:        s.ackWait,
		MaxDeliver:     -1,
		FilterSubjects: f.filters,
		MaxAckPending:  s.credit(f),
		Metadata:       map[string]string{metaFlow: s.flow.String(), metaRecords: s.records, metaFormat: strconv.Itoa(consumerFormat), metaPlan: s.fingerprint},
	})
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
	for _, limit := range []int{f.maxAcks, s.conn.limits.MaxAckPending, s.maxAcks} {
		if limit > 0 {
			credit = min(credit, limit)
		}
	}
	return credit
}

// take positions the consumer, and shows that this process reads through it.
func (s *source) take(ctx context.Context, f *found, next uint64, known bool) (*jetstream.ConsumerInfo, error) {
	info, err := s.position(ctx, f, next, known)
	if err != nil || !pins(info.Config) {
		return info, err
	}
	return info, s.presence.show(f.Stream, info.Name)
}

// expel takes the pin from whoever has been taken over. It comes before the consumer is
// moved, or that one's pulls would be given what is delivered again.
func (s *source) expel(ctx context.Context, f *found, info *jetstream.ConsumerInfo) error {
	by := pinnedTo(info)
	if by == s.presence.pinOf(f.Stream) {
		return nil
	}
	s.presence.unpinned(f.Stream)
	if by == "" {
		return nil
	}
	if err := s.conn.unpin(ctx, f.Stream, info.Name); err != nil {
		return failed(err, "letting go of who read through the consumer %s of stream %s before", info.Name, f.Stream)
	}
	return nil
}

// position makes the consumer deliver what comes after sequence next-1, creating
// it where it is missing, and returns it as it is then. Known says that it was
// there before.
func (s *source) position(ctx context.Context, f *found, next uint64, known bool) (*jetstream.ConsumerInfo, error) {
	if f.retention == jetstream.WorkQueuePolicy {
		next = 1 // what is certified and still there was never acknowledged: it comes again, and is
	}
	config := s.consumerConfig(f)
	info, err := s.conn.consumerInfo(ctx, f.Stream, config.Durable)
	if err != nil {
		return nil, err
	}
	if info == nil {
		if known {
			s.conn.report(connectors.Notice{Warning: true, Text: "the consumer was missing and is made again at the last certified position",
				Attributes: []any{"stream", f.Stream, "consumer", config.Durable, "next", next}})
		}
		s.presence.unpinned(f.Stream)
		return s.succeed(ctx, f, config, next)
	}
	if err := s.ours(f, info); err != nil {
		return nil, err
	}
	if err := s.goesWith(f, info); err != nil {
		return nil, err
	}
	if err := s.expel(ctx, f, info); err != nil {
		return nil, err
	}
	changed := !sameConsumer(info.Config, config)
	if before := filters(info.Config); next > 1 && !slices.Equal(before, filters(config)) {
		s.conn.report(connectors.Notice{Warning: true, Text: "the flow reads other subjects of a stream than before, from the certified position on; what they held before it is not read",
			Attributes: []any{"stream", f.Stream, "before", strings.Join(before, " "), "now", strings.Join(f.filters, " "), "from", next}})
	}
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

// succeed makes the consumer, and takes away that of the flow which this one goes on
// from. A work queue has room for one of them only, and keeps what is not acknowledged;
// an interest stream keeps it only while one of them is there.
func (s *source) succeed(ctx context.Context, f *found, config jetstream.ConsumerConfig, next uint64) (*jetstream.ConsumerInfo, error) {
	if s.from.Flow == "" {
		return s.create(ctx, f, config, next)
	}
	if f.retention == jetstream.WorkQueuePolicy {
		if err := s.removeFormer(ctx, f); err != nil {
			return nil, err
		}
	}
	info, err := s.create(ctx, f, config, next)
	if err != nil || f.retention == jetstream.WorkQueuePolicy {
		return info, err
	}
	return info, s.removeFormer(ctx, f)
}

// removeFormer takes away the consumer of the flow that this one goes on from.
func (s *source) removeFormer(ctx context.Context, f *found) error {
	name := consumerName(s.from)
	former, err := s.conn.consumerInfo(ctx, f.Stream, name)
	if err != nil || former == nil || former.Config.Metadata[metaFlow] != s.from.String() {
		return err
	}
	if err := s.conn.deleteConsumer(ctx, f.Stream, name); err != nil {
		return failed(err, "removing the consumer %s of stream %s, which flow %s goes on from", name, f.Stream, s.flow)
	}
	return nil
}

// ours refuses a consumer of the same name that somebody else made.
func (s *source) ours(f *found, info *jetstream.ConsumerInfo) error {
	owner := info.Config.Metadata[metaFlow]
	if owner != s.flow.String() {
		if owner == "" {
			owner = "somebody else"
		}
		return connectors.Errorf(connectors.Environment, "the consumer %s of stream %s belongs to %s and reads %s; flow %s, which would read %s, does not change it",
			info.Name, f.Stream, owner, quotedFilters(filters(info.Config)), s.flow, quotedFilters(f.filters)).
			WithHelp("give the flow another name, or delete that consumer: nats consumer rm %s %s", f.Stream, info.Name)
	}
	if format, err := strconv.Atoi(info.Config.Metadata[metaFormat]); err != nil || format > consumerFormat {
		return connectors.Errorf(connectors.Environment, "the consumer %s of stream %s was made by a newer flowc (format %s)", info.Name, f.Stream, info.Config.Metadata[metaFormat]).
			WithHelp("update flowc")
	}
	return nil
}

// quotedFilters shows what a consumer reads.
func quotedFilters(filters []string) string {
	if len(filters) == 0 {
		return "everything"
	}
	return fmt.Sprintf("%q", strings.Join(filters, " "))
}

// goesWith refuses a consumer of ours whose records the ledger does not hold.
func (s *source) goesWith(f *found, info *jetstream.ConsumerInfo) error {
	if info.Config.Metadata[metaRecords] == s.records {
		return nil
	}
	return connectors.Errorf(connectors.Environment, "the consumer %s of stream %s goes with other records of this flow than the ledger holds: the ledger has lost them, or is not the one that the flow ran with", info.Name, f.Stream).
		WithHelp("run with the ledger of the earlier runs, or restore it; to begin anew, so that everything is written again: nats consumer rm %s %s", f.Stream, info.Name)
}

// notPaused refuses a consumer that delivers nothing.
func notPaused(f *found, info *jetstream.ConsumerInfo) error {
	if !info.Paused {
		return nil
	}
	return connectors.Errorf(connectors.Environment, "the consumer %s of stream %s is paused for another %s", info.Name, f.Stream, info.PauseRemaining.Round(time.Second)).
		WithHelp("resume it: nats consumer resume %s %s", f.Stream, info.Name)
}

func sameConsumer(have, want jetstream.ConsumerConfig) bool {
	return have.AckWait == want.AckWait && !have.HeadersOnly && have.MaxAckPending == want.MaxAckPending && have.MaxDeliver == want.MaxDeliver &&
		samePin(have, want) && slices.Equal(filters(have), filters(want)) &&
		have.Metadata[metaFormat] == want.Metadata[metaFormat] && have.Metadata[metaPlan] == want.Metadata[metaPlan]
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
	if limit, ok := creditLimit(err); ok && limit < config.MaxAckPending {
		s.maxAcks = limit
		config.MaxAckPending = s.credit(f)
		return s.create(ctx, f, config, next)
	}
	if err != nil {
		return nil, failed(err, "making the consumer %s on stream %s", config.Durable, f.Stream)
	}
	return info, nil
}

// creditLimit is the server's own limit of a consumer's credit, which it tells only
// in the text of its refusal.
func creditLimit(err error) (int, bool) {
	if !hasCode(err, codeMaximumAcks) {
		return 0, false
	}
	digits := regexp.MustCompile(`\d+`).FindAllString(apiText(err), -1)
	if len(digits) == 0 {
		return 0, false
	}
	limit, err := strconv.Atoi(digits[len(digits)-1])
	return limit, err == nil && limit > 0
}

// update changes in place what the server allows, keeping what it does not.
func (s *source) update(ctx context.Context, f *found, have, want jetstream.ConsumerConfig) (*jetstream.ConsumerInfo, error) {
	have.AckWait, have.MaxAckPending, have.MaxDeliver = want.AckWait, want.MaxAckPending, want.MaxDeliver
	have.FilterSubject, have.FilterSubjects, have.HeadersOnly = "", want.FilterSubjects, false
	have.PriorityPolicy, have.PinnedTTL, have.PriorityGroups = want.PriorityPolicy, want.PinnedTTL, want.PriorityGroups
	have.Metadata = maps.Clone(have.Metadata)
	maps.Copy(have.Metadata, want.Metadata)
	var info *jetstream.ConsumerInfo
	err := s.conn.ask(ctx, func(ctx context.Context) error {
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
// cannot, and none moves a consumer to before its start: there it is made anew, on
// streams with limits retention, where that loses nothing.
func (s *source) reset(ctx context.Context, f *found, config jetstream.ConsumerConfig, next uint64) (*jetstream.ConsumerInfo, error) {
	if s.conn.canReset() {
		var info *jetstream.ConsumerInfo
		err := s.conn.ask(ctx, func(ctx context.Context) error {
			reply, err := s.conn.js.ResetConsumerToSequence(ctx, f.Stream, config.Durable, next)
			if err == nil {
				info = reply.ConsumerInfo
			}
			return err
		})
		if err == nil {
			return info, nil
		}
		if !errors.Is(err, jetstream.ErrConsumerInvalidReset) {
			return nil, failed(err, "moving the consumer %s of stream %s to sequence %d", config.Durable, f.Stream, next)
		}
	}
	if err := s.conn.deleteConsumer(ctx, f.Stream, config.Durable); err != nil {
		return nil, failed(err, "making the consumer %s of stream %s anew", config.Durable, f.Stream)
	}
	return s.create(ctx, f, config, next)
}

// canReset says whether the server has the reset of consumers, of 2.14.
func (c *connection) canReset() bool { return c.atLeast(14) }

// atLeast says whether the server is of version 2 and that minor one, or newer. A
// version that cannot be read counts as new.
func (c *connection) atLeast(want int) bool {
	var major, minor int
	if _, err := fmt.Sscanf(c.nc.ConnectedServerVersion(), "%d.%d", &major, &minor); err != nil {
		return true
	}
	return major > 2 || major == 2 && minor >= want
}
