package record

import (
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/monitor"
)

// mark is an epoch that has ended, as the executor told it.
type mark struct {
	number   uint64
	outcome  monitor.Outcome
	ended    time.Time
	took     time.Duration
	messages int
	written  int
	spent    []time.Duration // by phase
	ranges   []connectors.Range
	receipts []connectors.Receipt // the first ones
	err      error
}

// moved is what had been moved when an epoch was certified.
type moved struct {
	at             time.Time
	in, out, bytes uint64
}

const (
	// movedEpochs bounds how many epochs a rate is taken over.
	movedEpochs = 1000
	// slowAtLeast is how long an epoch takes that counts as slow, whatever is usual.
	slowAtLeast = 100 * time.Millisecond
)

func (r *Recorder) certify(e exec.Event) {
	d, now := e.Done, time.Now()
	outcome := r.outcome(e.Epoch, d)
	delete(r.failures, e.Epoch)
	r.certified = now
	r.totals.Outcomes[outcome]++
	r.moved.add(moved{at: now, in: e.Totals.Read, out: e.Totals.Written, bytes: e.Totals.Bytes})
	r.count(d)
	for _, fault := range d.Bad {
		r.totals.Reasons[string(fault.Code)]++
	}
	for _, fault := range d.Bad[max(0, len(d.Bad)-monitor.DeadLetters):] {
		r.dead.add(letterOf(e.Epoch, now, fault, r.about.Data))
	}
	if r.about.Phase != nil {
		for _, phase := range exec.Phases() {
			if d.Spent[phase] > 0 {
				r.about.Phase(phase.String(), d.Spent[phase].Seconds())
			}
		}
	}
	r.keep(mark{number: e.Epoch, outcome: outcome, ended: now}, d)
}

func (r *Recorder) failed(e exec.Event) {
	if e.Done == nil {
		return // it failed between epochs
	}
	r.totals.Failures++
	r.totals.Outcomes[monitor.EpochFailed]++
	r.failures[e.Epoch] = true
	r.keep(mark{number: e.Epoch, outcome: monitor.EpochFailed, ended: time.Now(), err: e.Err}, e.Done)
}

func (r *Recorder) keep(m mark, d *exec.Done) {
	m.messages = len(d.Messages)
	for _, spent := range d.Spent {
		m.took += spent
	}
	for _, receipt := range d.Receipts {
		m.written += receipt.Rows
	}
	m.spent, m.ranges, m.receipts = slices.Clone(d.Spent[:]), d.Ranges, slices.Clone(d.Receipts[:min(len(d.Receipts), markReceipts)])
	r.marks.add(m)
}

// outcome judges an epoch that is certified.
func (r *Recorder) outcome(number uint64, d *exec.Done) monitor.Outcome {
	var took time.Duration
	for phase := exec.Decoding; phase <= exec.Acknowledging; phase++ {
		took += d.Spent[phase]
	}
	usual := r.usual
	if usual == 0 {
		r.usual = took
	} else {
		r.usual += (took - usual) / 16
	}
	switch {
	case r.failures[number] || repeated(d):
		return monitor.Replay
	case usual > 0 && took > 2*usual && took > slowAtLeast:
		return monitor.Slow
	}
	return monitor.OK
}

// repeated says whether the destination had rows of an earlier try already.
func repeated(d *exec.Done) bool {
	for _, receipt := range d.Receipts {
		if receipt.Duplicates > 0 {
			return true
		}
	}
	return false
}

// count adds an epoch to the counts of its resources.
func (r *Recorder) count(d *exec.Done) {
	for i, c := range d.Counts {
		resource := &r.resources[i]
		resource.In += uint64(c.Read)
		resource.Dropped += uint64(c.Dropped)
		resource.Dead += uint64(c.Bad)
	}
	for _, receipt := range d.Receipts {
		i, ok := r.index[receipt.Resource]
		if !ok {
			continue
		}
		resource := &r.resources[i]
		resource.Out += uint64(receipt.Rows)
		resource.Bytes += uint64(receipt.Bytes)
		if receipt.Last > 0 {
			resource.Last = receipt.Last
		}
	}
}

func (m mark) shown() monitor.Mark {
	shown := monitor.Mark{Number: m.number, Outcome: m.outcome, Ended: m.ended.UTC(), Seconds: m.took.Seconds(), Messages: m.messages, Written: m.written,
		Phases: phases(m.spent), Ranges: ranges(m.ranges), Receipts: receipts(m.receipts)}
	if m.err != nil {
		shown.Error = m.err.Error()
	}
	return shown
}

// markReceipts is how many receipts a snapshot shows of one epoch; the ledger has all.
const markReceipts = 20

// markOf is the mark of a certificate.
func markOf(e exec.Entry) monitor.Mark {
	m := monitor.Mark{Number: e.State.Epoch, Outcome: monitor.OK, Ended: e.Written.UTC(), Ranges: ranges(e.Epoch.Ranges), Receipts: receipts(e.Epoch.Receipts)}
	for _, r := range e.Epoch.Ranges {
		m.Messages += r.Records
	}
	for _, receipt := range e.Epoch.Receipts {
		m.Written += receipt.Rows
		if receipt.Duplicates > 0 {
			m.Outcome = monitor.Replay
		}
	}
	for _, phase := range exec.Phases() {
		if spent := time.Duration(e.Epoch.Times[phase.String()]); spent > 0 {
			m.Phases = append(m.Phases, monitor.Cause{Name: phase.String(), Seconds: spent.Seconds()})
			m.Seconds += spent.Seconds()
		}
	}
	return m
}

// phases are those that took any time.
func phases(spent []time.Duration) []monitor.Cause {
	var all []monitor.Cause
	for _, phase := range exec.Phases() {
		if spent[phase] > 0 {
			all = append(all, monitor.Cause{Name: phase.String(), Seconds: spent[phase].Seconds()})
		}
	}
	return all
}

func ranges(all []connectors.Range) []monitor.Range {
	shown := make([]monitor.Range, len(all))
	for i, r := range all {
		shown[i] = monitor.Range(r)
	}
	return shown
}

func receipts(all []connectors.Receipt) []monitor.Receipt {
	shown := make([]monitor.Receipt, len(all))
	for i, r := range all {
		shown[i] = monitor.Receipt{Resource: r.Resource, Stream: r.Stream, Rows: r.Rows, Bytes: r.Bytes, First: r.First, Last: r.Last, CRC32C: r.CRC32C, Duplicates: r.Duplicates}
	}
	return shown
}
