package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// source reads the flow's subjects from every stream that holds them, through
// one durable pull consumer a stream. One of them contributes to each epoch.
type source struct {
	conn        *connection
	flow        connectors.Identity
	records     string // of the flow, in its ledger
	fingerprint string // of its plan
	specs       []connectors.SourceSpec
	streams     []*found
	ackWait     time.Duration
	epoch       connectors.Bounds
	until       bool
	idle        func(bool)          // nil if nobody wants to know
	idling      bool                // what it was told last, by Read
	from        connectors.Identity // the flow whose position this one goes on from; empty if there is none
	left        []string            // streams that match and are not read
	maxAcks     int                 // the server's limit of a consumer's credit, once it has told; 0 is none
	denied      int                 // denied rights of the connection that are older than the last Seek

	wake     chan struct{} // of capacity 1: something came in
	watch    *time.Ticker  // when to look after the consumers
	beat     *ticking
	guard    *ticking
	presence *presence
	scout    *ticking
	deaf     func() // ends to be told of reconnects

	mu          sync.Mutex // guards all below, and the readers
	readers     []*reader
	next        int // the reader whose turn it is
	sought      bool
	redelivered uint64
	targets     []connectors.Target // what the flow writes to
}

// OpenSource implements connectors.Connection.
func (c *connection) OpenSource(ctx context.Context, flow connectors.Identity, specs []connectors.SourceSpec, options connectors.SourceOptions) (connectors.Source, error) {
	s := &source{conn: c, flow: flow, fingerprint: options.Fingerprint, specs: specs, epoch: options.Epoch, until: options.UntilCaughtUp, idle: options.Idle, from: options.Inherits, wake: make(chan struct{}, 1)}
	s.watch = time.NewTicker(time.Second)
	for _, spec := range specs {
		s.ackWait = max(s.ackWait, spec.Settings.Duration("ack_wait"))
	}
	streams, err := discover(ctx, c, specs)
	if err != nil {
		return nil, err
	}
	for _, f := range streams {
		if f.bound == "" && f.retention != jetstream.LimitsPolicy && !c.canReset() {
			return nil, connectors.Errorf(connectors.Environment, "stream %s has %s retention, and the server %s cannot move its consumers back (2.14 can): a message could be lost", f.Stream, f.retention, c.nc.ConnectedServerVersion()).
				WithHelp("update the server, or read through a stream with limits retention")
		}
	}
	s.streams = streams
	s.presence = newPresence(c, s.lostPin)
	s.deaf = c.onEachReconnect(s.interrupt)
	return s, nil
}

// Avoid implements connectors.Source.
func (s *source) Avoid(targets []connectors.Target) error {
	s.aim(targets)
	for _, t := range targets {
		if err := s.avoid(t); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) avoid(t connectors.Target) error {
	for i, f := range s.streams {
		own := f.Stream == t.Stream && t.Created == f.Created
		captured, captures := overlapAny(f.subjects, t.Subject)
		switch {
		case own && f.named, slices.Contains(f.origins, t.Stream) && t.Account == s.conn.account:
			return s.feedsNamed(f, t)
		case own && len(s.streams) == 1:
			return connectors.Errorf(connectors.Refused, "the flow would feed itself: the only stream that holds %q is %s, into which it writes %q", strings.Join(f.reads(), " "), f.Stream, t.Subject).
				WithHelp("write into another stream, on a subject that %s does not capture", f.Stream).About(connectors.SinkRole, 0, t.Key).
				Against(connectors.SourceRole, s.specOf(f), "the source")
		case own:
			s.streams = append(s.streams[:i:i], s.streams[i+1:]...)
			s.reportUnread(f, t)
			return nil
		case captures && t.Created == 0 && t.Account == s.conn.account:
			return connectors.Errorf(connectors.Refused, "the flow would feed itself: the source stream %s captures the destination %q by its subject %q", f.Stream, t.Subject, captured).
				WithHelp("write to a subject that %s does not capture, such as %q", f.Stream, "v1."+t.Subject).About(connectors.SinkRole, 0, t.Key).
				Against(connectors.SourceRole, s.specOf(f), "the source")
		}
	}
	return nil
}

// feedsNamed refuses to read a stream that was named, and gets what the flow writes.
func (s *source) feedsNamed(f *found, t connectors.Target) error {
	how := "into which it writes"
	if f.Stream != t.Stream {
		how = "which copies from " + t.Stream + ", into which it writes"
	}
	return connectors.Errorf(connectors.Refused, "the flow would feed itself: it reads the stream %s, %s %q", f.Stream, how, t.Subject).
		WithHelp("write into another stream, or leave %s out of `streams`", f.Stream).About(connectors.SinkRole, 0, t.Key).
		Against(connectors.SourceRole, s.specOf(f), "the source")
}

// specOf is the first spec that a stream serves.
func (s *source) specOf(f *found) int {
	if len(f.specs) == 0 {
		return 0 // a bound one
	}
	return f.specs[0]
}

// reads are the subjects that the flow reads of the stream.
func (f *found) reads() []string {
	if f.bound != "" {
		return f.subjects
	}
	return f.filters
}

// reportUnread warns where the destination stream holds more of what the flow
// asks for than the flow itself writes there.
func (s *source) reportUnread(f *found, t connectors.Target) {
	for _, subject := range f.subjects {
		if _, wanted := overlapAny(f.filters, subject); wanted && !covers(t.Subject, subject) {
			s.conn.report(connectors.Notice{Warning: true, Text: "the destination stream is never read, though it holds more of what the flow asks for",
				Attributes: []any{"stream", f.Stream, "subject", subject}})
			return
		}
	}
}

// Seek implements connectors.Source.
func (s *source) Seek(ctx context.Context, records string, from []connectors.Position) ([]connectors.Position, error) {
	s.forget()
	s.records = records
	s.denied = s.conn.denied.seen()
	good := s.others(from)
	readers := make([]*reader, 0, len(s.streams))
	for _, f := range s.streams {
		r, err := s.seek(ctx, f, positionOf(from, f.Stream))
		if err != nil {
			for _, r := range readers {
				r.leave()
			}
			return nil, err
		}
		readers = append(readers, r)
		if r.floor.Sequence > 0 || !s.startOf(f).First() {
			good = append(good, r.floor)
		}
	}
	if !s.sought {
		s.reportReading()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sought {
		s.beat = every(s.ackWait/3, s.extend)
		s.guard = every(lookInterval, s.lookAfter)
		s.scout = s.watchForStreams()
	}
	s.readers, s.sought = readers, true
	if s.until {
		return good, nil // Read comes at once
	}
	// Read may come much later: where messages wait, a pull that brings nothing is
	// refused at once, and shows nobody. Who is given one is pinned.
	return good, s.askAll(s.epoch)
}

// lookAfter looks at what reading itself does not show.
func (s *source) lookAfter(ctx context.Context) {
	s.guardRetention(ctx)
	s.guardPauses(ctx)
}

// reportReading says once which streams are read.
func (s *source) reportReading() {
	names := make([]string, len(s.streams))
	for i, f := range s.streams {
		names[i] = f.Stream
	}
	s.conn.report(connectors.Notice{Text: "reading", Attributes: []any{"streams", strings.Join(names, " ")}})
}

// others are the positions of streams that this run does not read: they hold for
// a later one that does.
func (s *source) others(from []connectors.Position) []connectors.Position {
	return slices.DeleteFunc(slices.Clone(from), func(p connectors.Position) bool {
		return slices.ContainsFunc(s.streams, func(f *found) bool { return f.Stream == p.Stream })
	})
}

func positionOf(from []connectors.Position, stream string) connectors.Position {
	for _, p := range from {
		if p.Stream == stream {
			return p
		}
	}
	return connectors.Position{}
}

// forget leaves everything that was delivered to the coming reset.
func (s *source) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.readers {
		r.leave()
		r.drop()
	}
}

func (s *source) seek(ctx context.Context, f *found, floor connectors.Position) (*reader, error) {
	stream, err := s.identify(ctx, f, &floor)
	if err != nil {
		return nil, err
	}
	if floor.Stream == "" {
		if floor, err = s.begin(ctx, f, stream); err != nil {
			return nil, err
		}
	}
	state := stream.State
	var info *jetstream.ConsumerInfo
	if f.bound != "" {
		info, err = s.bind(ctx, f, floor)
	} else {
		info, err = s.take(ctx, f, floor.Sequence+1, s.sought)
	}
	if err != nil {
		return nil, err
	}
	if err := notPaused(f, info); err != nil {
		return nil, err
	}
	r := &reader{source: s, stream: f, consumer: info.Name, target: state.LastSeq, first: state.FirstSeq, keeps: keepingOf(stream, time.Now())}
	if s.sought {
		r.target = s.targetOf(f, state.LastSeq)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return r, r.begin(info, floor)
}

// targetOf keeps the target of the first Seek, unless the stream is a new one.
func (s *source) targetOf(f *found, last uint64) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.readers {
		if r.stream == f && r.target <= last {
			return r.target
		}
	}
	return last
}

// identify compares the stream with the position: a stream made anew is read
// from its beginning, one that lost what was certified stops the flow.
func (s *source) identify(ctx context.Context, f *found, floor *connectors.Position) (*jetstream.StreamInfo, error) {
	var info *jetstream.StreamInfo
	var at *jetstream.RawStreamMsg
	err := s.conn.ask(ctx, func(ctx context.Context) error {
		stream, err := s.conn.js.Stream(ctx, f.Stream)
		if err != nil {
			return err
		}
		info = stream.CachedInfo()
		if floor.Sequence == 0 || floor.Created != info.Created.UnixNano() {
			return nil
		}
		at, err = stream.GetMsg(ctx, floor.Sequence)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil // removed since, as retention does
		}
		return err
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, connectors.Errorf(connectors.Environment, "the source stream %s is gone: stream not found", f.Stream).
			WithHelp("make the stream again, or change the flow's source")
	}
	if err != nil {
		return nil, failed(err, "looking at the source stream %s", f.Stream)
	}
	created := info.Created.UnixNano()
	known := f.Created
	f.Created = created
	anew := floor.Stream != "" && floor.Created != created || s.sought && known != created
	switch {
	case anew && f.bound != "":
		return nil, connectors.Errorf(connectors.Permanent, "continuity of stream %s cannot be proven: it was deleted and made again at %s", f.Stream, info.Created.UTC().Format(time.RFC3339Nano)).
			WithHelp("go on from a new consumer under a new flow name")
	case anew:
		before := known
		if floor.Stream != "" {
			before = floor.Created
		}
		s.reportAnew(f, before, created)
		*floor = connectors.Position{Incarnation: f.Incarnation}
	case floor.Sequence > info.State.LastSeq:
		return nil, connectors.Errorf(connectors.Permanent, "the source stream %s went back: it ends at sequence %d, and the flow has certified up to %d", f.Stream, info.State.LastSeq, floor.Sequence).
			WithHelp("its storage lost messages that were already processed; restore it, or run the flow under a new name")
	case at != nil && at.Time.UnixNano() != floor.Time:
		return nil, connectors.Errorf(connectors.Permanent, "the source stream %s went back: sequence %d was stored at %s, and another message with that sequence was certified", f.Stream, floor.Sequence, at.Time.UTC().Format(time.RFC3339Nano)).
			WithHelp("its storage was rolled back; restore it, or run the flow under a new name")
	}
	return info, nil
}

func (s *source) reportAnew(f *found, before, now int64) {
	stamp := func(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }
	s.conn.report(connectors.Notice{Warning: true, Text: "the source stream was deleted and made again; it is read from its first message",
		Attributes: []any{"stream", f.Stream, "created before", stamp(before), "created now", stamp(now)}})
}

// arrive is called by the client for whatever comes in on a reader's inbox.
func (s *source) arrive(r *reader, m *natsgo.Msg) {
	s.mu.Lock()
	if r.sub != nil {
		r.take(m)
	}
	s.mu.Unlock()
	s.signal()
}

func (s *source) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// interrupt makes the next Read fail: after a reconnect it is unknown what was
// lost on the way, and only a reset brings it back before the ack wait is over.
func (s *source) interrupt() {
	s.presence.forget()
	s.mu.Lock()
	for _, r := range s.readers {
		r.broken = "the connection was lost"
	}
	s.mu.Unlock()
	s.signal()
}

// lostPin makes the next Read fail: who is not pinned any more may have been taken
// over, and only the ledger knows.
func (s *source) lostPin(stream string) {
	s.mu.Lock()
	for _, r := range s.readers {
		if r.stream.Stream == stream {
			r.broken = pinLostText
		}
	}
	s.mu.Unlock()
	s.signal()
}

// resourceOf is the spec that a subject of a stream belongs to; those that read the
// stream do not overlap.
func (s *source) resourceOf(f *found, subject string) int {
	if len(f.specs) > 1 {
		for _, i := range f.specs {
			if covers(s.specs[i].Select, subject) {
				return i
			}
		}
	}
	return s.specOf(f)
}

// Stats implements connectors.Source.
func (s *source) Stats() connectors.SourceStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	stats := connectors.SourceStats{Redelivered: s.redelivered, Streams: make([]connectors.StreamStats, 0, len(s.readers))}
	for _, r := range s.readers {
		stats.Pending += r.pending + uint64(r.ready())
		stats.Interrupted = stats.Interrupted || r.broken != ""
		stats.Streams = append(stats.Streams, r.stats(now))
	}
	return stats
}

// Close implements connectors.Source.
func (s *source) Close(ctx context.Context) error {
	s.deaf()
	s.watch.Stop()
	for _, t := range []*ticking{s.beat, s.guard, s.scout} {
		if t != nil {
			t.stop()
		}
	}
	s.mu.Lock()
	for _, r := range s.readers {
		r.handBack()
	}
	s.mu.Unlock()
	defer s.presence.end(ctx)
	if !s.conn.nc.IsConnected() {
		return nil // the server hands out again what it does not hear of
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if err := s.conn.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("handing back what was read: %w", err)
	}
	return nil
}
