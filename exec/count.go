package exec

import (
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
)

// count adds a certified epoch to the run's totals.
func (m *machine) count(e *epoch) {
	m.badLog.add(&e.bad)
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &m.totals
	t.Epochs++
	t.Read += uint64(len(e.delivery.Messages()))
	t.Bad += uint64(len(e.bad.letters()))
	for _, p := range e.parts {
		if p.output != nil {
			t.Dropped += uint64(p.dropped())
		}
	}
	t.receipts(e.receipts)
}

// tellFrom counts and tells an epoch of which only the certificate is known.
func (m *machine) tellFrom(number uint64, e CertifiedEpoch) {
	m.countFrom(e)
	m.emit(Event{Kind: Certified, Epoch: number, Done: m.doneBefore(e)})
}

// countFrom adds an epoch of which only the certificate is known: not what was dropped
// or bad of it.
func (m *machine) countFrom(e CertifiedEpoch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.totals.Epochs++
	for _, r := range e.Ranges {
		m.totals.Read += uint64(r.Records)
	}
	m.totals.receipts(e.Receipts)
}

func (t *Totals) receipts(all []connectors.Receipt) {
	for _, r := range all {
		t.Written += uint64(r.Rows)
		t.Bytes += uint64(r.Bytes)
		t.Duplicates += uint64(r.Duplicates)
		t.place(r)
	}
}

func (t *Totals) place(r connectors.Receipt) {
	for i := range t.Places {
		p := &t.Places[i]
		if p.Stream == r.Stream && p.Resource == r.Resource {
			p.Rows += uint64(r.Rows - r.Duplicates)
			if p.First == 0 {
				p.First = r.First
			}
			p.Last = max(p.Last, r.Last)
			return
		}
	}
	t.Places = append(t.Places, Place{Resource: r.Resource, Stream: r.Stream, Rows: uint64(r.Rows - r.Duplicates), First: r.First, Last: r.Last})
}

// done is what there is to tell of an epoch that has ended.
func (m *machine) done(e *epoch) *Done {
	if m.options.OnEvent == nil {
		return nil
	}
	d := &Done{Began: e.began, Spent: e.times, Receipts: e.receipts, Bad: e.bad.faults, Counts: make([]Counts, len(e.parts))}
	if e.delivery != nil {
		d.Messages, d.Ranges = e.delivery.Messages(), e.delivery.Covers()
	}
	for i := range d.Messages {
		d.Counts[d.Messages[i].Resource].Read++
	}
	for i, p := range e.parts {
		if p.output != nil {
			d.Counts[i].Dropped = p.dropped()
		}
	}
	for _, l := range e.bad.letters() {
		d.Counts[l.Message.Resource].Bad++
	}
	return d
}

// doneBefore is what there is to tell of an epoch of which only the certificate is known.
func (m *machine) doneBefore(e CertifiedEpoch) *Done {
	d := &Done{Ranges: e.Ranges, Receipts: e.Receipts, Counts: make([]Counts, len(m.resources))}
	for phase := Reading; phase < phases; phase++ {
		d.Spent[phase] = time.Duration(e.Times[phase.String()])
	}
	if len(d.Counts) == 1 { // else it is not known whose messages they were
		for _, r := range e.Ranges {
			d.Counts[0].Read += r.Records
		}
	}
	return d
}

func (m *machine) snapshot() Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total()
}

// total needs the mutex.
func (m *machine) total() Totals {
	t := m.totals
	t.Time, _ = m.clock.soFar()
	t.Places = slices.Clone(m.totals.Places)
	if m.source != nil {
		stats := m.source.Stats()
		t.Redelivered, t.Pending, t.Sources = stats.Redelivered, stats.Pending, stats.Streams
	}
	for _, sink := range m.sinks {
		if sink != nil {
			stats := sink.Stats()
			t.InFlight.Messages += stats.InFlight.Messages
			t.InFlight.Bytes += stats.InFlight.Bytes
			t.Limits.Messages += stats.Limits.Messages
			t.Limits.Bytes += stats.Limits.Bytes
		}
	}
	return t
}
