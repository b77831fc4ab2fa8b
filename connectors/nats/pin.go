package nats

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A managed consumer has the pinned client policy: while one process is pinned the
// server gives messages to no other. The server pins whom it delivers to, and lets
// go of one whose pulls stay away for longer than pinTimeout.
const (
	pinGroup   = "flow"
	pinTimeout = time.Second
	pinHeader  = "Nats-Pin-Id"
	// pinLost is the status of a pull by a process that was pinned and is not any more.
	pinLost     = "423"
	pinLostText = "the server has given the consumer to another process, or waited too long for this one"
)

// canPin says whether the server has the pinned client policy, of 2.11.
func (c *connection) canPin() bool { return c.atLeast(11) }

// withPin adds the policy to the configuration of a managed consumer.
func (c *connection) withPin(config jetstream.ConsumerConfig) jetstream.ConsumerConfig {
	if c.canPin() {
		config.PriorityPolicy, config.PinnedTTL, config.PriorityGroups = jetstream.PriorityPolicyPinned, pinTimeout, []string{pinGroup}
	}
	return config
}

func samePin(have, want jetstream.ConsumerConfig) bool {
	return have.PriorityPolicy == want.PriorityPolicy && have.PinnedTTL == want.PinnedTTL && slices.Equal(have.PriorityGroups, want.PriorityGroups)
}

// pins says whether a consumer pins its reader.
func pins(c jetstream.ConsumerConfig) bool {
	return c.PriorityPolicy == jetstream.PriorityPolicyPinned && slices.Contains(c.PriorityGroups, pinGroup)
}

// pinnedTo is who the server has pinned; empty if nobody is.
func pinnedTo(info *jetstream.ConsumerInfo) string {
	for _, group := range info.PriorityGroups {
		if group.Group == pinGroup {
			return group.PinnedClientID
		}
	}
	return ""
}

// takePin remembers the pin that a delivery brings, and takes it out of the headers:
// it is no part of the message. The source's mutex is held.
func (r *reader) takePin(m *natsgo.Msg) {
	values := m.Header[pinHeader]
	if len(values) == 0 || !pins(r.limits) {
		return
	}
	last := len(values) - 1 // those before it were stored
	r.source.presence.pin(r.stream.Stream, values[last])
	switch {
	case last > 0:
		m.Header[pinHeader] = values[:last]
	case len(m.Header) == 1:
		m.Header = nil
	default:
		delete(m.Header, pinHeader)
	}
}

// presence shows the server, and whoever asks it, that this process reads through
// its consumers, whatever the process is busy with. Only pulls renew a pin; so every
// third of the pin's time it sends one that brings nothing, since no message is as
// small as it asks for. It works from the first Seek until Close.
type presence struct {
	conn *connection
	lost func(stream string) // called when a pin is not this process's any more

	mu        sync.Mutex
	consumers map[string]string // by stream
	pinned    map[string]string // this process's pins, by stream
	inbox     string
	sub       *natsgo.Subscription // nil if it does not work
	tick      *ticking
}

func newPresence(conn *connection, lost func(string)) *presence {
	return &presence{conn: conn, lost: lost, consumers: map[string]string{}, pinned: map[string]string{}}
}

// show adds a consumer.
func (p *presence) show(stream, consumer string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.consumers[stream] = consumer
	if p.sub != nil {
		return nil
	}
	p.inbox = p.conn.nc.NewInbox()
	sub, err := p.conn.nc.Subscribe(p.inbox+".*", p.take)
	if err != nil {
		return failed(err, "subscribing for the consumers' answers")
	}
	p.sub, p.tick = sub, every(pinTimeout/3, p.pull)
	return nil
}

// pull asks each consumer for a message of one byte. While the link is down the client
// would keep the pulls, and send them late.
func (p *presence) pull(context.Context) {
	if !p.conn.nc.IsConnected() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for stream, consumer := range p.consumers {
		body, err := json.Marshal(pullRequest{Batch: 1, MaxBytes: 1, Expires: pinTimeout, Group: pinGroup, Pin: p.pinned[stream]})
		if err != nil {
			panic(err) // numbers and text
		}
		subject := p.conn.api(fmt.Sprintf("CONSUMER.MSG.NEXT.%s.%s", stream, consumer))
		_ = p.conn.nc.PublishRequest(subject, p.inbox+"."+stream, body) // a lost link is noticed where messages are read
	}
}

// take hears whether a pin is lost; all else that the server says of these pulls is
// that they brought nothing.
func (p *presence) take(m *natsgo.Msg) {
	if isStatus(m) && m.Header.Get("Status") == pinLost {
		stream := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
		p.unpinned(stream)
		p.lost(stream)
	}
}

func (p *presence) pin(stream, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pinned[stream] = id
}

func (p *presence) unpinned(stream string) { p.pin(stream, "") }

// forget drops all pins: after a reconnect nobody knows whether they hold.
func (p *presence) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.pinned)
}

// pinOf is this process's pin on a stream's consumer; empty if it has none.
func (p *presence) pinOf(stream string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pinned[stream]
}

// end stops to show anything, and frees the consumers at once.
func (p *presence) end(ctx context.Context) {
	p.mu.Lock()
	sub := p.sub
	p.sub = nil
	p.mu.Unlock()
	if sub == nil {
		return
	}
	p.tick.stop()
	_ = sub.Unsubscribe() // a closed connection has no subscription left to end
	for stream, consumer := range p.consumers {
		if ctx.Err() != nil || !p.conn.nc.IsConnected() {
			return
		}
		p.free(ctx, stream, consumer)
	}
}

// free lets go of the pin, unless it is another process's. The server then looks
// again who waits, too, and drops the pulls that nobody listens to any more. What
// fails here costs the next reader the pin's time.
func (p *presence) free(ctx context.Context, stream, consumer string) {
	info, err := p.conn.consumerInfo(ctx, stream, consumer)
	if err != nil || info == nil {
		return
	}
	if by := pinnedTo(info); by == "" || by == p.pinOf(stream) {
		_ = p.conn.unpin(ctx, stream, consumer)
	}
}

// unpin lets the server pin whoever pulls next.
func (c *connection) unpin(ctx context.Context, stream, consumer string) error {
	body, err := json.Marshal(map[string]string{"group": pinGroup})
	if err != nil {
		return err
	}
	return c.call(ctx, func(ctx context.Context) error {
		_, err := c.nc.RequestWithContext(ctx, c.api("CONSUMER.UNPIN."+stream+"."+consumer), body)
		return err
	})
}

// Held implements connectors.Source.
func (s *source) Held(ctx context.Context) (connectors.Tenure, error) {
	if !s.conn.canPin() {
		return connectors.TenureUnknown, nil
	}
	for _, f := range s.streams {
		if f.bound != "" {
			return connectors.TenureUnknown, nil
		}
		info, err := s.conn.consumerInfo(ctx, f.Stream, consumerName(s.flow))
		if err != nil {
			return connectors.TenureUnknown, err
		}
		if info != nil && (info.NumWaiting > 0 || pinnedTo(info) != "") {
			return connectors.Occupied, nil
		}
	}
	return connectors.Vacant, nil
}
