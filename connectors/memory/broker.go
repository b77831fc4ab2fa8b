package memory

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
)

// Broker keeps streams, readers' positions and ledgers. It is safe for concurrent use.
type Broker struct {
	mu      sync.Mutex
	changed chan struct{} // closed when something changes
	down    bool
	link    int   // grows each time that the broker goes down
	now     int64 // the newest time that was given, Unix nanoseconds
	streams map[string]*stream
	readers map[readerKey]*position
	ledgers map[connectors.Identity]map[string][][]byte // chains by name
}

// New makes an empty broker.
func New() *Broker {
	return &Broker{changed: make(chan struct{}), streams: map[string]*stream{}, readers: map[readerKey]*position{},
		ledgers: map[connectors.Identity]map[string][][]byte{}}
}

// Message is what a stream takes.
type Message struct {
	Subject   string // what the row's subject will be; the stream's name if it is empty
	Headers   map[string][]string
	Data      []byte
	Operation connectors.Operation
	// Marker says that the message tells of a removal and has no content.
	Marker bool
}

// stream is a sequence of messages, the first of which has sequence 1.
type stream struct {
	life     connectors.Incarnation
	messages []stored
	ids      map[string]uint64 // sequences by id
	markers  map[string]marker // by subject
	marks    uint64            // markers so far, and the sequence of the newest
}

type stored struct {
	Message
	time  int64
	id    string // empty for what Publish stored
	event string
	gone  bool // it was removed
}

// readerKey is a flow that reads a stream.
type readerKey struct {
	flow   connectors.Identity
	stream string
}

// position is how far a flow has acknowledged a stream, and who reads it.
type position struct {
	records string
	life    connectors.Incarnation
	acked   uint64
	owner   *source
}

// Publish stores a message and returns its sequence. A missing stream is made.
func (b *Broker) Publish(stream string, m Message) (uint64, error) {
	if err := checkStream(stream); err != nil {
		return 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return 0, errDown()
	}
	if m.Subject == "" {
		m.Subject = stream
	}
	m.Data, m.Headers = bytes.Clone(m.Data), cloneHeaders(m.Headers)
	sequence, _ := b.stream(stream).append(stored{Message: m, time: b.tick()})
	b.signal()
	return sequence, nil
}

// Stored is what a stream holds, in its order; nothing if there is no such stream.
func (b *Broker) Stored(stream string) []connectors.Stored {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.streams[stream]
	if s == nil {
		return nil
	}
	var all []connectors.Stored
	for i, m := range s.messages {
		if !m.gone {
			one := m.stored(uint64(i + 1))
			one.Data, one.Headers = bytes.Clone(m.Data), cloneHeaders(m.Headers)
			all = append(all, one)
		}
	}
	return all
}

// Delete removes a stream. One that is made again under its name is another one.
func (b *Broker) Delete(stream string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.streams, stream)
	b.signal()
}

// Make makes an empty stream, unless it is there.
func (b *Broker) Make(stream string) error {
	if err := checkStream(stream); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stream(stream)
	return nil
}

// SetDown lets the broker fail as a server that is away: whatever is asked of it ends
// with an error that may pass, and what was delivered has to be sought again.
func (b *Broker) SetDown(down bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if down && !b.down {
		b.link++
	}
	b.down = down
	b.signal()
}

// lost says why what began on a link cannot go on; it needs the mutex.
func (b *Broker) lost(link int) error {
	if b.down || link != b.link {
		return errDown()
	}
	return nil
}

func errDown() error { return connectors.Errorf(connectors.Disconnected, "the broker is down, or was") }

// signal needs the mutex, as all below.
func (b *Broker) signal() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// tick is the time, and never the same twice.
func (b *Broker) tick() int64 {
	b.now = max(b.now+1, time.Now().UnixNano())
	return b.now
}

// stream is the one of that name, made if it is missing.
func (b *Broker) stream(name string) *stream {
	s := b.streams[name]
	if s == nil {
		s = &stream{life: connectors.Incarnation{Stream: name, Created: b.tick()}, ids: map[string]uint64{}, markers: map[string]marker{}}
		b.streams[name] = s
	}
	return s
}

// append stores a message, unless the stream has its id.
func (s *stream) append(m stored) (sequence uint64, duplicate bool) {
	if sequence, duplicate = s.ids[m.id]; duplicate {
		return sequence, true
	}
	s.messages = append(s.messages, m)
	sequence = s.last()
	if m.id != "" {
		s.ids[m.id] = sequence
	}
	return sequence, false
}

func (s *stream) last() uint64 { return uint64(len(s.messages)) }

func (m *stored) stored(sequence uint64) connectors.Stored {
	return connectors.Stored{Sequence: sequence, Subject: m.Subject, Time: m.time, Headers: m.Headers, Data: m.Data, ID: m.id, Event: m.event}
}

// message is one of a stream as a source delivers it.
func (s *stream) message(sequence uint64, life *connectors.Incarnation, resource int) connectors.Message {
	m := &s.messages[sequence-1]
	return connectors.Message{Resource: resource, Subject: m.Subject, Data: m.Data, Headers: m.Headers, Source: life,
		Sequence: sequence, Time: m.time, Operation: m.Operation, Marker: m.Marker}
}

// size is what a message counts against an epoch's bytes.
func (m *stored) size() int64 {
	size := len(m.Subject) + len(m.Data)
	for name, values := range m.Headers {
		for _, v := range values {
			size += len(name) + len(v)
		}
	}
	return int64(size)
}

func (b *Broker) names() []string { return slices.Sorted(maps.Keys(b.streams)) }

func (b *Broker) account() string { return fmt.Sprintf("memory %p", b) }

func cloneHeaders(h map[string][]string) map[string][]string {
	copied := maps.Clone(h)
	for name, values := range copied {
		copied[name] = slices.Clone(values)
	}
	return copied
}
