package exec

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
)

// Chains of a flow's ledger.
const (
	specificationChain = "spec"
	epochChain         = "epoch"
	schemaChain        = "schema." // and the resource
)

// chain is this owner's end of the epoch chain.
type chain struct {
	ledger      connectors.Ledger
	flow        string
	fingerprint string
	owner       Owner
	attempt     uint64
	version     uint64 // of the newest record, which is this owner's
	state       State
	read        time.Time // when this owner last saw its own record as the newest
}

// readRecord is the newest record of the epoch chain; nil if there is none.
func (c *chain) readRecord(ctx context.Context) (*Record, uint64, error) {
	entry, err := c.ledger.Last(ctx, epochChain)
	if err != nil || entry.Version == 0 {
		return nil, 0, err
	}
	r, err := c.decode(entry)
	return r, entry.Version, err
}

func (c *chain) decode(entry connectors.Entry) (*Record, error) {
	r := &Record{}
	if err := decodeRecord(entry.Data, r); err != nil {
		return nil, fmt.Errorf("record %d of the ledger (%s): %w", entry.Version, c.ledger, err)
	}
	return r, nil
}

// decodeRecord reads a record of the ledger, whose format must be known.
func decodeRecord(data []byte, into any) error {
	var form struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return unreadable(err)
	}
	if form.Format < 1 {
		return unreadable(errors.New("it has no format number"))
	}
	if form.Format > recordFormat {
		return connectors.Errorf(connectors.Environment, "it has format %d, and this flowc knows up to %d", form.Format, recordFormat).
			WithHelp("update flowc; nothing was changed")
	}
	if err := json.Unmarshal(data, into); err != nil {
		return unreadable(err)
	}
	return nil
}

func unreadable(err error) error {
	return connectors.Errorf(connectors.Permanent, "it is no record of flowc: %w", err).
		WithHelp("something else has written there; find and remove its message, so that the record before it is the newest")
}

// claim makes this process the owner, if the newest record is still last, of that
// version; else it fails with ErrSuperseded. A former owner's next append is refused
// then. The state goes on from the record, or begins.
func (c *chain) claim(ctx context.Context, last *Record, version uint64, begin State) error {
	c.attempt, c.state, c.version = 1, begin, version
	if last != nil {
		c.attempt = last.Attempt + 1
	}
	return c.append(ctx, ClaimRecord, begin)
}

// certify appends an epoch's certificate.
func (c *chain) certify(ctx context.Context, state State, epoch *CertifiedEpoch) error {
	return c.certifyAs(ctx, c.fingerprint, state, epoch)
}

// certifyAs is certify for an epoch of a plan with that fingerprint.
func (c *chain) certifyAs(ctx context.Context, fingerprint string, state State, epoch *CertifiedEpoch) error {
	return c.extend(ctx, Record{Kind: CertificateRecord, Fingerprint: fingerprint, State: state, Epoch: epoch})
}

// place takes the positions from which the sources are read, and the markers that this
// owner has written. Where a stream had no position before they are kept as another
// claim: what a source made of `start new` holds for every later start, the next
// certificate or not. So are other markers than before: whoever goes on from here has to
// find what is committed with them.
func (c *chain) place(ctx context.Context, positions []connectors.Position, markers []NamedMarker) error {
	state := c.state
	state.Positions, state.Markers = positions, markers
	begun := slices.ContainsFunc(positions, func(p connectors.Position) bool {
		return !slices.ContainsFunc(c.state.Positions, func(known connectors.Position) bool { return known.Stream == p.Stream })
	})
	if !begun && slices.Equal(markers, c.state.Markers) {
		c.state = state
		return nil
	}
	return c.extend(ctx, Record{Kind: ClaimRecord, State: state})
}

func (c *chain) append(ctx context.Context, kind RecordKind, state State) error {
	return c.write(ctx, Record{Kind: kind, State: state})
}

// signed fills in whose record it is, and keeps another flow's name and another plan's
// fingerprint.
func (c *chain) signed(r Record) Record {
	r.Format, r.Flow, r.Fingerprint, r.Owner = recordFormat, cmp.Or(r.Flow, c.flow), cmp.Or(r.Fingerprint, c.fingerprint), c.owner
	r.Attempt, r.Written, r.Previous = c.attempt, time.Now().UTC(), c.version
	return r
}

// write appends a record of this owner.
func (c *chain) write(ctx context.Context, r Record) error {
	r = c.signed(r)
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	version, err := c.ledger.Append(ctx, epochChain, c.version, data)
	if err != nil {
		return err
	}
	c.version, c.state, c.read = version, r.State, time.Now()
	return nil
}

// refresh reads the newest record again: an append whose outcome was lost may
// have been written, and another owner may have come.
func (c *chain) refresh(ctx context.Context) (*Record, error) {
	last, version, err := c.own(ctx)
	if err != nil {
		return nil, err
	}
	c.version, c.state = version, last.State
	return last, nil
}

// own is the newest record, if it is this owner's.
func (c *chain) own(ctx context.Context) (*Record, uint64, error) {
	last, version, err := c.readRecord(ctx)
	switch {
	case err != nil:
		return nil, 0, err
	case last == nil:
		return nil, 0, connectors.Errorf(connectors.Permanent, "the ledger (%s) has lost this flow's records while it ran", c.ledger).
			WithHelp("somebody removed them; start the flow again to begin anew, or restore the stream")
	case last.Owner.ID != c.owner.ID:
		return nil, 0, supersededBy(last)
	}
	c.read = time.Now()
	return last, version, nil
}

// extend appends a record of the owner that this one is, or was: if it is refused it
// says why.
func (c *chain) extend(ctx context.Context, r Record) error {
	err := c.write(ctx, r)
	if !errors.Is(err, connectors.ErrSuperseded) {
		return err
	}
	if _, _, err := c.own(ctx); err != nil {
		return err
	}
	return fmt.Errorf("an earlier record of this owner was written late: %w", connectors.ErrInterrupted)
}

// supersededBy names who has taken the flow over, and why.
func supersededBy(r *Record) error {
	by := fmt.Sprintf("%s, since %s", r.Owner, r.Owner.Started.Format(time.RFC3339))
	switch r.Kind {
	case ResetRecord:
		by += ", which reset a schema"
	case AdoptedRecord:
		by += ", which continues the flow as " + r.Successor
	case RepairRecord:
		by += ", which repaired a destination"
	case AcceptRecord:
		by += ", which accepted the destinations as they are"
	}
	return connectors.Errorf(connectors.Permanent, "%w: %s; this one stops, and acknowledges nothing more", connectors.ErrSuperseded, by).
		WithHelp("a flow runs in one process at a time: this one was frozen or cut off, and a standby took over, or another was started with --replace or through a consumer of yours; two programs need two names")
}
