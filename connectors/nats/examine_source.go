package nats

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// Examine implements connectors.SourceExaminer.
func (s *source) Examine(ctx context.Context, records string, from []connectors.Position) connectors.Examination {
	var e connectors.Examination
	s.records = records
	for _, f := range s.streams {
		s.examineStream(ctx, f, positionOf(from, f.Stream), &e)
	}
	e.Add(powerFailure(s.conn.where()))
	return e
}

func (s *source) examineStream(ctx context.Context, f *found, floor connectors.Position, e *connectors.Examination) {
	where := "stream " + f.Stream
	info, err := s.identify(ctx, f, &floor)
	if err != nil {
		e.Add(failing("source", where, err))
		return
	}
	e.Depths = append(e.Depths, s.conn.depth(info))
	finding := connectors.Finding{Level: connectors.Good, What: "source", Where: where, Found: describeStream(info)}
	if f.named && copies(info.Config) != "" && info.State.Msgs == 0 {
		finding.Level, finding.Expected = connectors.Warned, fmt.Sprintf("a message on %q, to show that it gets any", strings.Join(f.filters, " "))
		finding.Help = "look at what it copies, or wait until it has something"
	}
	e.Add(finding)
	if f.bound != "" {
		consumer, err := s.bind(ctx, f, floor)
		if err != nil {
			e.Add(failing("consumer", f.bound+" of "+where, err))
			return
		}
		e.Add(connectors.Finding{Level: connectors.Good, What: "consumer", Where: f.bound + " of " + where,
			Found: fmt.Sprintf("yours, never changed; %s unread", plural(int64(unsettled(consumer)), "message"))})
		s.examineRisk(ctx, f, info, max(floor.Sequence, consumer.AckFloor.Stream), e)
		return
	}
	s.examineConsumer(ctx, f, info, floor, e)
}

// examineConsumer says what would be made or changed of the flow's own consumer.
func (s *source) examineConsumer(ctx context.Context, f *found, info *jetstream.StreamInfo, floor connectors.Position, e *connectors.Examination) {
	want := s.consumerConfig(f)
	where := want.Durable + " of stream " + f.Stream
	have, err := s.conn.consumerInfo(ctx, f.Stream, want.Durable)
	if err != nil {
		e.Add(failing("consumer", where, err))
		return
	}
	if have == nil {
		s.examineNew(ctx, f, info, floor, e)
		return
	}
	for _, judge := range []func(*found, *jetstream.ConsumerInfo) error{s.ours, s.goesWith, notPaused} {
		if err := judge(f, have); err != nil {
			e.Add(failing("consumer", where, err))
			return
		}
	}
	finding := connectors.Finding{Level: connectors.Good, What: "consumer", Where: where, Found: plural(int64(unsettled(have)), "message") + " unread"}
	if changes := drift(have.Config, want); len(changes) > 0 {
		finding.Found += "; " + strings.Join(changes, ", ")
		finding.Level, finding.Expected, finding.Help = connectors.Warned, "the settings that the flow asks for", "nothing: the next start changes them in place"
	}
	e.Add(finding)
	s.examineRisk(ctx, f, info, max(floor.Sequence, have.AckFloor.Stream), e)
}

// examineNew says what a first start would read.
func (s *source) examineNew(ctx context.Context, f *found, info *jetstream.StreamInfo, floor connectors.Position, e *connectors.Examination) {
	where := consumerName(s.flow) + " of stream " + f.Stream
	if floor.Stream == "" {
		var err error
		if floor, err = s.begin(ctx, f, info); err != nil {
			e.Add(failing("consumer", where, err))
			return
		}
	}
	finding := connectors.Finding{Level: connectors.Good, What: "consumer", Where: where,
		Found: fmt.Sprintf("missing; it will be made, with credit %s, to read from sequence %d on", connectors.FormatCount(int64(s.credit(f))), floor.Sequence+1)}
	if credit := s.credit(f); credit < s.epoch.MaxRecords {
		finding.Level, finding.Expected = connectors.Warned, fmt.Sprintf("credit for an epoch of %s records", connectors.FormatCount(int64(s.epoch.MaxRecords)))
		finding.Help = "raise max_ack_pending of the account or the stream, or let epochs be smaller"
	}
	e.Add(finding)
}

// drift lists in what a consumer of ours differs from what it has to be.
func drift(have, want jetstream.ConsumerConfig) []string {
	var all []string
	differ := func(name string, have, want any) {
		if fmt.Sprint(have) != fmt.Sprint(want) {
			all = append(all, fmt.Sprintf("%s is %v instead of %v", name, have, want))
		}
	}
	differ("ack wait", connectors.ShortDuration(have.AckWait), connectors.ShortDuration(want.AckWait))
	differ("credit", have.MaxAckPending, want.MaxAckPending)
	differ("the limit of deliveries", have.MaxDeliver, want.MaxDeliver)
	differ("the filter", strings.Join(filters(have), " "), strings.Join(filters(want), " "))
	differ("headers only", have.HeadersOnly, want.HeadersOnly)
	differ("the plan", have.Metadata[metaPlan], want.Metadata[metaPlan])
	if !samePin(have, want) {
		all = append(all, "it pins no reader as a standby needs it")
	}
	return all
}

// examineRisk says how long the oldest unread message stays.
func (s *source) examineRisk(ctx context.Context, f *found, info *jetstream.StreamInfo, read uint64, e *connectors.Examination) {
	where := "stream " + f.Stream
	now := time.Now()
	keeps := keepingOf(info, now)
	finding := connectors.Finding{Level: connectors.Good, What: "retention", Where: where, Found: "nothing is removed before it is read, as far as limits go"}
	if !keeps.limited() {
		e.Add(finding)
		return
	}
	next, err := s.conn.firstAfter(ctx, f, read)
	if err != nil {
		e.Add(failing("retention", where, failed(err, "looking for the oldest unread message")))
		return
	}
	if next == 0 {
		finding.Found = "nothing is unread"
		e.Add(finding)
		return
	}
	stored, err := s.storedAt(ctx, f, next)
	if err != nil || stored == 0 {
		return // it was removed just now
	}
	lag := now.Sub(time.Unix(0, stored))
	switch loss := keeps.loss(next, time.Unix(0, stored), now); {
	case loss == connectors.NoLoss:
		finding.Found = fmt.Sprintf("the oldest unread message is %s old, and its stream does not grow", roughly(lag))
	case loss < lag:
		finding.Level = connectors.Warned
		finding.Found = fmt.Sprintf("the oldest unread message is %s old; at this lag it is removed in %s", roughly(lag), roughly(loss))
		finding.Expected, finding.Help = "time for more than the lag again", "run the flow, or raise the stream's limits"
	default:
		finding.Found = fmt.Sprintf("the oldest unread message is %s old, and stays for another %s", roughly(lag), roughly(loss))
	}
	e.Add(finding)
}
