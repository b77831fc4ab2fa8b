package nats

import (
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// held is one delivered message that is not acknowledged yet.
type held struct {
	message connectors.Message
	reply   *natsgo.Msg // acknowledges
	size    int64
}

func (h *held) position() connectors.Position {
	return connectors.Position{Incarnation: *h.message.Source, Sequence: h.message.Sequence, Time: h.message.Time}
}

// reader reads one stream through its consumer. Its source's mutex guards it.
type reader struct {
	source   *source
	stream   *found
	life     connectors.Incarnation // of the stream, as it was when this reader began
	consumer string
	limits   jetstream.ConsumerConfig // what the consumer allows of a pull

	sub   *natsgo.Subscription
	inbox string
	pulls int
	pull  *pull             // nil if none is outstanding
	asked connectors.Bounds // of the last pull

	// queue is what was delivered and not acknowledged; the first loaned of it
	// are in deliveries that the executor has.
	queue  []held
	loaned int
	bytes  int64 // of what is not loaned
	kept   int64 // bytes of all of it

	floor     connectors.Position // everything up to it is certified
	last      uint64              // the newest stream sequence that came in and is not certified
	seen      uint64              // the newest one, also of what is certified and came again
	delivered uint64              // the newest consumer sequence
	pending   uint64              // what the consumer has yet to deliver, as last heard: it lags behind the stream
	target    uint64              // the last sequence to come before the run is caught up
	first     uint64              // the stream's first sequence when it was found
	keeps     keeping             // what the stream keeps
	came      time.Time           // when the last message did, or reading began
	looked    time.Time           // when somebody looked last whether the consumer is paused
	single    bool                // the next pull takes one message of any size
	broken    string              // why only Seek can go on; empty if all is well
	fault     error               // why reading cannot go on at all
}

// begin starts afresh after the consumer was positioned.
func (r *reader) begin(info *jetstream.ConsumerInfo, floor connectors.Position) error {
	r.queue, r.loaned, r.bytes, r.kept, r.pull, r.single, r.broken = nil, 0, 0, 0, nil, false, ""
	r.floor, r.last, r.life = floor, floor.Sequence, r.stream.Incarnation
	r.limits, r.seen = info.Config, floor.Sequence
	if r.stream.retention == jetstream.WorkQueuePolicy {
		r.seen = 0 // what is certified may still be there, see position
	}
	if r.stream.bound != "" {
		r.seen = max(r.seen, info.AckFloor.Stream) // which it never delivers again
	}
	r.delivered, r.pending, r.came = info.Delivered.Consumer, unsettled(info), time.Now()
	r.inbox = r.source.conn.nc.NewInbox()
	sub, err := r.source.conn.nc.Subscribe(r.inbox+".*", func(m *natsgo.Msg) { r.source.arrive(r, m) })
	if err != nil {
		return failed(err, "subscribing for messages of stream %s", r.stream.Stream)
	}
	// The source bounds what it asks for; the client must not drop any of it.
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return failed(err, "subscribing for messages of stream %s", r.stream.Stream)
	}
	r.sub = sub
	return nil
}

// leave stops listening, so that nothing of an older position comes in.
func (r *reader) leave() {
	if r.sub != nil {
		_ = r.sub.Unsubscribe() // a closed connection has no subscription left to end
		r.sub = nil
	}
}

// handBack gives back everything in hand. It stops listening first: the server
// would otherwise deliver it again at once, into the pull that is outstanding.
func (r *reader) handBack() {
	r.leave()
	for _, h := range r.queue {
		_ = h.reply.Nak() // unheard, the ack wait does the same later
	}
	r.drop()
	r.broken = "what was read has been handed back"
}

// drop forgets what is in hand: it is to be delivered again.
func (r *reader) drop() {
	if len(r.queue) > 0 {
		r.stream.watched.left = r.queue[0].position()
	}
	r.pending += uint64(len(r.queue))
	r.queue, r.loaned, r.bytes, r.kept = nil, 0, 0, 0
}

// take handles what came in on the inbox. A status names the pull that it is
// about by the last token of its subject. A message has its own subject, and
// belongs to the outstanding pull: whatever came of an older one came before the
// status that ended it.
func (r *reader) take(m *natsgo.Msg) {
	status := isStatus(m)
	if status && (r.pull == nil || r.pull.token != m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]) {
		return
	}
	now := time.Now()
	if r.pull != nil {
		r.pull.lastBeat = now
	}
	if status {
		r.takeStatus(m)
		return
	}
	r.came = now
	if r.pull != nil {
		if r.pull.want--; r.pull.want == 0 {
			r.pull = nil
		}
	}
	r.takeMessage(m)
}

func (r *reader) takeStatus(m *natsgo.Msg) {
	end, why := status(m)
	switch end {
	case pullGoesOn:
		return
	case pullTooSmall:
		r.single = true
	case pullBroken:
		r.broken = why
		if m.Header.Get("Status") == pinLost {
			r.source.presence.unpinned(r.stream.Stream)
		}
	case pullRefused:
		r.fault = connectors.Errorf(connectors.Environment, "the consumer %s of stream %s refuses to be read: %s", r.consumer, r.stream.Stream, why).
			WithHelp("raise that limit of the consumer, the account or the server")
	}
	r.pull = nil
	if end == pullDone && pins(r.limits) {
		_ = r.ask(r.asked.MaxRecords, r.asked.MaxBytes) // if that fails, the next Read finds no pull
	}
}

func (r *reader) takeMessage(m *natsgo.Msg) {
	meta, err := m.Metadata()
	if err != nil {
		return // nothing that JetStream delivered
	}
	r.takePin(m)
	expected := r.delivered + 1
	r.delivered, r.pending = meta.Sequence.Consumer, meta.NumPending
	r.seen = max(r.seen, meta.Sequence.Stream)
	if meta.NumDelivered > 1 {
		r.pending++ // more may come again behind it, which the number does not count
	}
	switch {
	case meta.Sequence.Stream <= r.floor.Sequence:
		// Certified already: only its acknowledgement was lost.
		r.source.redelivered++
		_ = m.Ack() // lost again, it comes again
		return
	case meta.Sequence.Consumer != expected:
		r.broken = "a delivery was lost on the way"
		return
	case meta.Sequence.Stream <= r.last:
		return // a redelivery of what is in hand; the first delivery's acknowledgement counts for both
	}
	if r.stream.bound != "" {
		if r.fault = r.follows(meta.Sequence.Stream); r.fault != nil {
			return
		}
	}
	r.last = meta.Sequence.Stream
	h := held{reply: m, size: int64(m.Size())}
	h.message = r.source.message(m, r.stream, &r.life, meta.Sequence.Stream, meta.Timestamp.UnixNano())
	r.queue = append(r.queue, h)
	r.bytes += h.size
	r.kept += h.size
}

// message is what a message of a stream is to the flow.
func (s *source) message(m *natsgo.Msg, f *found, life *connectors.Incarnation, sequence uint64, stored int64) connectors.Message {
	message := connectors.Message{Resource: s.resourceOf(f, m.Subject), Subject: m.Subject, Key: keyOf(m.Subject), Data: m.Data, Headers: m.Header,
		Source: life, Sequence: sequence, Time: stored}
	message.Operation, message.Marker = operation(m, message.Key)
	return message
}

// unsettled is how many messages the consumer will still deliver, those included
// that somebody else was given and has not acknowledged.
func unsettled(info *jetstream.ConsumerInfo) uint64 {
	return info.NumPending + uint64(info.NumAckPending)
}

// ready is how many messages wait to be loaned.
func (r *reader) ready() int { return len(r.queue) - r.loaned }

// ask makes sure that a pull is outstanding while there is room for more, and more to
// come.
func (r *reader) ask(records int, maxBytes int64) error {
	r.asked = connectors.Bounds{MaxRecords: records, MaxBytes: maxBytes}
	want := min(records, r.source.credit(r.stream)) - r.ready()
	if r.pull != nil || want <= 0 || r.broken != "" || r.source.until && r.arrived() {
		return nil
	}
	if maxBytes > 0 {
		// Two epochs, of which each may be a little larger than its bound.
		maxBytes = min(maxBytes-r.bytes, 2*maxBytes+maxBytes/4-r.kept)
		if maxBytes <= 0 {
			return nil
		}
	}
	if r.single {
		r.single = false
		return r.request(1, 0)
	}
	return r.request(want, maxBytes)
}

// silent says whether the server missed two beats of the outstanding pull.
func (r *reader) silent(now time.Time) bool {
	return r.pull != nil && now.Sub(r.pull.lastBeat) > 2*pullHeartbeat+pullHeartbeat/2
}

// arrived says whether everything that was there when the run began has come in.
func (r *reader) arrived() bool { return r.seen >= r.target }
