package exec

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
)

// admission is what the ledger knows of a flow when a process wants to run it.
type admission struct {
	last          *Record // the newest one; nil before the first run
	version       uint64  // of last
	specification *Specification
}

// enter checks the flow against what is there and what has run before, and makes this
// process its owner. Before the claim it changes nothing, but for a ledger that is
// missing. It fails with errHeld where another process owns the flow.
func (m *machine) enter(ctx context.Context) error {
	if err := m.openSource(ctx); err != nil {
		return err
	}
	if err := m.openSinks(ctx); err != nil {
		return err
	}
	found, err := m.findLedger(ctx)
	if err != nil {
		return err
	}
	a := &admission{}
	if found {
		if a, err = m.known(ctx); err != nil {
			return err
		}
		if err := m.mayClaim(ctx, a.last); err != nil {
			return err
		}
		if err := m.checkDestinations(ctx); err != nil {
			return err
		}
	}
	if err := m.confine(a); err != nil {
		return err
	}
	begin, err := m.beginning(ctx, a)
	if err != nil {
		return err
	}
	if a.last == nil {
		m.announce(found, begin)
	}
	if !found {
		if err := m.openLedger(ctx); err != nil {
			return err
		}
	}
	if err := m.claim(ctx, a, begin); err != nil {
		return err
	}
	differences, err := m.specify(ctx)
	if err != nil {
		return err
	}
	m.show(func(s *shown) { s.admitted, s.standby = true, false })
	m.emit(Event{Kind: Admitted, Epoch: m.chain.state.Epoch, Ledger: m.ledger, Text: m.ledger.String(), Lines: differences})
	return nil
}

// known reads what the ledger holds of the flow.
func (m *machine) known(ctx context.Context) (*admission, error) {
	a := &admission{}
	var err error
	if a.specification, _, err = readSpecification(ctx, m.ledger); err != nil {
		return nil, err
	}
	a.last, a.version, err = m.chain.readRecord(ctx)
	return a, err
}

// readSpecification is the newest run specification of a flow; nil if there is none.
func readSpecification(ctx context.Context, l connectors.Ledger) (*Specification, uint64, error) {
	entry, err := l.Last(ctx, specificationChain)
	if err != nil || entry.Version == 0 {
		return nil, 0, err
	}
	s := &Specification{}
	if err := decodeRecord(entry.Data, s); err != nil {
		return nil, 0, fmt.Errorf("run specification %d of the ledger (%s): %w", entry.Version, l, err)
	}
	return s, entry.Version, nil
}

// claim claims the flow. Where it is to take over whoever has it, the former owner's
// certificates may come in between for a while; another claim ends the attempt.
func (m *machine) claim(ctx context.Context, a *admission, begin State) error {
	tenure, err := m.source.Held(ctx)
	if err != nil {
		return err
	}
	insists := m.options.Replace || tenure == connectors.TenureUnknown
	for attempt := uint64(0); ; {
		if err := m.mayClaim(ctx, a.last); err != nil {
			return err
		}
		err = m.chain.claim(ctx, a.last, a.version, begin)
		switch {
		case err == nil:
			return m.drain(ctx, a.last)
		case !errors.Is(err, connectors.ErrSuperseded):
			return err
		case !insists:
			return errHeld
		case attempt != 0 && attempt != m.chain.attempt:
			return supersededBy(a.last)
		}
		attempt = m.chain.attempt
		if a.last, a.version, err = m.chain.readRecord(ctx); err != nil {
			return err
		}
		if a.last != nil {
			begin = a.last.State
		}
	}
}

// specify writes the run specification, before anything is read, and says in what it
// differs from the last one. A former owner may write its own until it notices.
func (m *machine) specify(ctx context.Context) (differences []string, err error) {
	for {
		last, version, err := readSpecification(ctx, m.ledger)
		if err != nil {
			return nil, err
		}
		now := m.specification()
		if last != nil {
			now.continues(*last)
			differences = difference(*last, now)
			if len(differences) == 0 && now.same(*last) {
				return nil, nil
			}
		}
		data, err := json.Marshal(now)
		if err != nil {
			return nil, err
		}
		_, err = m.ledger.Append(ctx, specificationChain, version, data)
		if !errors.Is(err, connectors.ErrSuperseded) {
			return differences, err
		}
		if _, err := m.chain.refresh(ctx); err != nil {
			return nil, err
		}
	}
}

// continues takes from the last specification what holds for every later one. A stream
// that is gone is read when it is there again, as long as the sources are the same.
func (s *Specification) continues(last Specification) {
	if s.Adopted == "" {
		s.Adopted = last.Adopted
	}
	for _, stream := range last.Streams {
		if slices.Equal(s.Reads, last.Reads) && !slices.Contains(s.Streams, stream) {
			s.Streams = append(s.Streams, stream)
		}
	}
	slices.Sort(s.Streams)
}

func (s *Specification) same(last Specification) bool {
	return s.Fingerprint == last.Fingerprint && s.Adopted == last.Adopted && slices.Equal(s.Streams, last.Streams) && slices.Equal(s.Reads, last.Reads) && slices.Equal(s.Writes, last.Writes)
}

func (m *machine) specification() Specification {
	s := Specification{
		Format: recordFormat, Flow: m.flow.Identity.String(), Fingerprint: m.flow.Fingerprint,
		Admitted: time.Now().UTC(), Owner: m.chain.owner, Boundary: m.bounds, Options: m.flow.Options(), Reads: m.flow.Reads(), Writes: m.flow.Writes(), Adopted: m.options.Adopt,
	}
	for _, stream := range m.source.Streams() {
		s.Streams = append(s.Streams, stream.Stream)
	}
	return s
}

// refuseOther refuses this program where another one was admitted last, under the same
// name. A record alone does not tell: it may certify what an earlier program committed.
func (m *machine) refuseOther(ctx context.Context, owner Owner) error {
	last, _, err := readSpecification(ctx, m.ledger)
	if err != nil || last != nil && last.Fingerprint == m.flow.Fingerprint {
		return err
	}
	var differences []string
	if last != nil {
		differences = difference(*last, m.specification())
	}
	text := fmt.Sprintf("it is run by %s, since %s, with another program", owner, owner.Started.Format(time.RFC3339))
	if len(differences) > 0 {
		text += ": " + strings.Join(differences, "; ")
	}
	return connectors.Errorf(connectors.Refused, "%s", text).
		WithHelp("stop that process first, or run with --replace, which makes it stop and takes over; two programs need two names")
}

// difference lists what changed between two admissions, a line each.
func difference(last, now Specification) []string {
	var lines []string
	for _, l := range last.Options {
		if !slices.Contains(now.Options, l) {
			lines = append(lines, "- "+l)
		}
	}
	for _, l := range now.Options {
		if !slices.Contains(last.Options, l) {
			lines = append(lines, "+ "+l)
		}
	}
	if last.Boundary != now.Boundary {
		lines = append(lines, "- epoch "+FormatBounds(last.Boundary), "+ epoch "+FormatBounds(now.Boundary))
	}
	return lines
}

// newState begins a chain of records.
func newState() State { return State{Records: rand.Text()} }

// FormatBounds writes bounds as an epoch clause does.
func FormatBounds(b connectors.Bounds) string {
	parts := []string{fmt.Sprint(b.MaxRecords), connectors.ShortDuration(b.MaxWait)}
	if b.MaxBytes > 0 {
		parts = append(parts, strings.ReplaceAll(connectors.FormatSize(b.MaxBytes), " ", ""))
	}
	text := strings.Join(parts, "/")
	if b.MaxAge > 0 {
		text += " max_age " + connectors.ShortDuration(b.MaxAge)
	}
	return text
}
