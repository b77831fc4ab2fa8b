package exec

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/planner"
)

// epoch is one turn of the machine, and the buffers that it works in.
type epoch struct {
	number    uint64
	delivery  connectors.Delivery // nil if reading failed
	parts     []*part             // by resource
	bad       badRows
	receipts  []connectors.Receipt
	state     *State // after the epoch, once its schemas are in the ledger
	phase     Phase  // that it is in, or failed in
	times     [phases]time.Duration
	began     [phases]time.Time // zero where it did not come to a phase
	certified bool
}

// part is what one epoch has of one resource. Only the certified half of the resource
// belongs to whoever writes, see resource.
type part struct {
	*resource
	decoder  *rows.Decoder
	messages []connectors.Message
	batch    arrow.RecordBatch // on loan from the decoder; nil if there is none

	transformer
	output arrow.RecordBatch // of the transformer; nil if there is none
}

func newEpoch(resources []*resource, flow *planner.Flow) *epoch {
	e := &epoch{}
	for _, r := range resources {
		p := &part{resource: r, decoder: rows.NewDecoder(flow.Schema), transformer: transformer{flow: flow}}
		if flow.BadRow != planner.StopAtBadRow {
			p.decoder.RefuseRaw() // else one bad first message would make all others bad
		}
		e.parts = append(e.parts, p)
	}
	return e
}

// begin forgets what the epoch held, and keeps its buffers.
func (e *epoch) begin(action planner.BadRow) {
	*e = epoch{parts: e.parts, bad: badRows{action: action}}
	for _, p := range e.parts {
		for _, lent := range []*arrow.RecordBatch{&p.output, &p.batch} {
			if *lent != nil {
				(*lent).Release()
				*lent = nil
			}
		}
		clear(p.messages) // a smaller epoch would keep some of them
		p.messages = p.messages[:0]
	}
}

// certificate is what is proven of the epoch so far.
func (e *epoch) certificate() CertifiedEpoch {
	times := map[string]int64{}
	for phase := Reading; phase < Certifying; phase++ {
		times[phase.String()] = e.times[phase].Nanoseconds()
	}
	return CertifiedEpoch{Ranges: e.delivery.Covers(), Receipts: e.receipts, Times: times}
}

// timed runs a phase and adds up how long it took.
func (e *epoch) timed(p Phase, run func() error) error {
	e.phase = p
	began := time.Now()
	e.began[p] = began
	defer func() { e.times[p] += time.Since(began) }()
	return run()
}

// add decodes one message.
func (p *part) add(message *connectors.Message) error {
	if message.Marker {
		p.decoder.AppendNull()
	} else if err := p.decoder.Append(message.Data); err != nil {
		return err
	}
	p.messages = append(p.messages, *message)
	return nil
}
