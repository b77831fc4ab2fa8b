package nats

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

// publisher sends messages without waiting for each: at most so many messages
// and bytes are outstanding, and one table of slots, not a goroutine or a timer
// a message, keeps track of their acknowledgements, in whatever order they come.
//
// The first failure is final: nothing is sent after it, and acknowledgements
// that come late change nothing.
type publisher struct {
	nc      *natsgo.Conn
	inbox   string
	limits  connectors.Limits
	timeout time.Duration

	changed chan struct{} // of capacity 1: room was made, or it failed

	mu       sync.Mutex
	inFlight connectors.Limits
	slots    []slot // by number modulo their count
	next     uint64 // number of the next message
	oldest   uint64 // number of the oldest one without an acknowledgement
	failure  error
	waited   connectors.Waited
	cause    *time.Duration // of waited, to which the time goes since then; nil if none is waited
	since    time.Time
}

// slot is one message that waits for its acknowledgement.
type slot struct {
	waiting   bool
	size      int64 // of payload, headers and subject
	submitted time.Time
	stream    string
	subject   string
	receipt   *connectors.Receipt // that counts it
	staged    bool                // one of a batch, for which an empty reply says that it came in
}

func newPublisher(nc *natsgo.Conn, limits connectors.Limits, timeout time.Duration) (*publisher, error) {
	p := &publisher{nc: nc, inbox: nc.NewInbox(), limits: limits, timeout: timeout,
		changed: make(chan struct{}, 1), slots: make([]slot, limits.Messages)}
	sub, err := nc.Subscribe(p.inbox+".*", p.acknowledged)
	if err != nil {
		return nil, failed(err, "subscribing for acknowledgements")
	}
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return nil, failed(err, "subscribing for acknowledgements")
	}
	return p, nil
}

// publish sends one message as soon as there is room for it.
func (p *publisher) publish(ctx context.Context, m *natsgo.Msg, s slot) error {
	if err := p.await(ctx, func() *time.Duration { return p.noRoom(s.size) }); err != nil {
		return err
	}
	p.mu.Lock()
	number := p.next
	p.next++
	s.waiting, s.submitted = true, time.Now()
	p.slots[number%uint64(len(p.slots))] = s
	p.inFlight.Messages++
	p.inFlight.Bytes += s.size
	p.mu.Unlock()
	m.Reply = p.inbox + "." + strconv.FormatUint(number, 10)
	if err := p.nc.PublishMsg(m); err != nil {
		p.fail(failed(err, "publishing to %q", s.subject))
		return p.failed()
	}
	return nil
}

// noRoom is what a message of that size has to wait for; nil if it has room. It needs
// the mutex. A message beyond the byte limit never gets here. Numbers and slots go
// together, so the oldest one may hold up the next lap.
func (p *publisher) noRoom(size int64) *time.Duration {
	switch {
	case p.next-p.oldest >= uint64(len(p.slots)):
		return &p.waited.Messages
	case p.inFlight.Bytes+size > p.limits.Bytes:
		return &p.waited.Bytes
	}
	return nil
}

// wait returns once everything is acknowledged.
func (p *publisher) wait(ctx context.Context) error {
	return p.await(ctx, func() *time.Duration {
		if p.inFlight.Messages > 0 {
			return &p.waited.Acks
		}
		return nil
	})
}

// await returns nil once there is nothing to wait for, which is asked with the mutex
// held.
func (p *publisher) await(ctx context.Context, obstacle func() *time.Duration) error {
	var timer *time.Timer
	for {
		p.mu.Lock()
		if p.failure != nil {
			defer p.mu.Unlock()
			p.waitFor(nil, time.Now())
			return p.failure
		}
		cause := obstacle()
		if cause == nil {
			if p.cause != nil {
				p.waitFor(nil, time.Now())
			}
			p.mu.Unlock()
			return nil
		}
		late := p.slots[p.oldest%uint64(len(p.slots))]
		now := time.Now()
		p.waitFor(cause, now)
		p.mu.Unlock()
		left := p.timeout - now.Sub(late.submitted)
		if left <= 0 {
			p.fail(connectors.Errorf(connectors.Transient, "no acknowledgement from stream %s for the publish to %q within %s; whether it was stored is uncertain", late.stream, late.subject, connectors.ShortDuration(p.timeout)))
			continue
		}
		if timer == nil {
			timer = time.NewTimer(left)
			defer timer.Stop()
		} else {
			timer.Reset(left)
		}
		select {
		case <-p.changed:
		case <-timer.C:
		case <-ctx.Done():
			p.fail(ctx.Err())
		}
	}
}

// waitFor ends the waiting for one cause, and begins that for another one; nil is none.
// It needs the mutex.
func (p *publisher) waitFor(cause *time.Duration, now time.Time) {
	if p.cause != nil {
		*p.cause += now.Sub(p.since)
	}
	p.cause, p.since = cause, now
}

// acknowledged is called by the client for each reply.
func (p *publisher) acknowledged(m *natsgo.Msg) {
	number, err := strconv.ParseUint(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:], 10, 64)
	if err != nil {
		return // not one of ours
	}
	p.mu.Lock()
	s := &p.slots[number%uint64(len(p.slots))]
	if number < p.oldest || number >= p.next || !s.waiting {
		p.mu.Unlock()
		return
	}
	ack, err := p.reply(m, s)
	if err == nil && !s.staged && p.failure == nil { // after a failure it is too late to count
		count(s.receipt, ack)
	}
	if !errors.Is(err, errForeignReply) { // it is stored or refused, and not uncertain any more
		p.settle(s)
	}
	// With the settling, or whoever waits for it would find nothing outstanding and no
	// failure, and take what was refused for stored.
	if err != nil && p.failure == nil {
		p.failure = err
	}
	p.mu.Unlock()
	p.signal()
}

func (p *publisher) reply(m *natsgo.Msg, s *slot) (pubAck, error) {
	if s.staged && len(m.Data) == 0 && len(m.Header) == 0 {
		return pubAck{}, nil
	}
	return parseAck(m, s.stream, s.subject)
}

func (p *publisher) settle(s *slot) {
	s.waiting = false
	p.inFlight.Messages--
	p.inFlight.Bytes -= s.size
	for p.oldest < p.next && !p.slots[p.oldest%uint64(len(p.slots))].waiting {
		p.oldest++
	}
}

func count(r *connectors.Receipt, ack pubAck) {
	if ack.duplicate {
		r.Duplicates++
		return
	}
	if r.First == 0 || ack.sequence < r.First {
		r.First = ack.sequence
	}
	r.Last = max(r.Last, ack.sequence)
}

// repeated counts a message that is stored already, and is not sent.
func (p *publisher) repeated(r *connectors.Receipt) {
	p.mu.Lock() // as acknowledgements count, too
	defer p.mu.Unlock()
	count(r, pubAck{duplicate: true})
}

// refused settles what was published on a subject to which the right is denied:
// the server has dropped it.
func (p *publisher) refused(subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.slots {
		if s := &p.slots[i]; s.waiting && s.subject == subject {
			p.settle(s)
		}
	}
}

// calmTime is how long a publisher that failed waits for the answers to what it had
// sent.
const calmTime = 200 * time.Millisecond

// calm waits a little, after a failure, for what is still outstanding: mostly its
// answers are on the way.
func (p *publisher) calm() {
	deadline := time.NewTimer(calmTime)
	defer deadline.Stop()
	for p.outstanding().Messages > 0 {
		select {
		case <-p.changed:
		case <-deadline.C:
			return
		}
	}
}

// fail keeps the first failure.
func (p *publisher) fail(err error) {
	p.mu.Lock()
	if p.failure == nil {
		p.failure = err
	}
	p.mu.Unlock()
	p.signal()
}

func (p *publisher) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

func (p *publisher) signal() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

func (p *publisher) stats() connectors.SinkStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waitFor(p.cause, time.Now())
	return connectors.SinkStats{InFlight: p.inFlight, Limits: p.limits, Waited: p.waited}
}

func (p *publisher) outstanding() connectors.Limits {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inFlight
}
