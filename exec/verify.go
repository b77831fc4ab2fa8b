package exec

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
)

// Verification says what Verify looks at.
type Verification struct {
	Flow   connectors.Identity
	Ledger connectors.Ledger
	Source connectors.Archive // that holds the source streams
	// Destinations are those of the flow's connections, by name.
	Destinations map[string]connectors.Archive
	// From and To are epochs. From 0 is the oldest one that the ledger holds, or the
	// first one after the destinations were accepted as they are; To 0 is the newest.
	From, To uint64
}

// Evidence is what Verify found. Only if Complete it proves that all is there.
type Evidence struct {
	Flow   string `json:"flow"`
	Ledger Reach  `json:"ledger"`
	From   uint64 `json:"from"`
	To     uint64 `json:"to"`
	Epochs int    `json:"epochs"` // that have a certificate, of From to To
	RowCounts
	Holes        []Hole        `json:"holes"`
	Destinations []Destination `json:"destinations"`
	Lots         []LotEvidence `json:"epochs_at_fault"` // those that are not as certified

	looked       []*destination
	certificates []Entry         // of From to To
	missing      map[uint64]bool // epochs with missing rows
}

// Reach says how far back the certificates go.
type Reach struct {
	Oldest      uint64    `json:"oldest"` // epochs; 0 if there is none
	OldestTime  time.Time `json:"oldest_time"`
	Newest      uint64    `json:"newest"`
	NewestTime  time.Time `json:"newest_time"`
	Accepted    uint64    `json:"accepted,omitempty"` // epochs up to this one were accepted as they are
	Cut         bool      `json:"cut"`                // older certificates were dropped
	Description string    `json:"description"`
}

// RowCounts are rows. Rows is Found, Missing, Removed and Unproven together.
type RowCounts struct {
	Rows       int `json:"rows"`         // that the certificates say were written
	Found      int `json:"found"`        // of them, those that are there
	Missing    int `json:"missing"`      // and those that are not, though nothing was to remove them
	Removed    int `json:"removed"`      // that the destination's own limits may have removed
	Unproven   int `json:"unproven"`     // that cannot be told from others: their source messages are gone
	Duplicate  int `json:"duplicate"`    // copies beyond the first
	OutOfOrder int `json:"out_of_order"` // rows that stand behind one that came after them
	Altered    int `json:"altered"`      // receipts whose messages are there, with another content
}

func (c *RowCounts) add(o RowCounts) {
	c.Rows += o.Rows
	c.Found += o.Found
	c.Missing += o.Missing
	c.Removed += o.Removed
	c.Unproven += o.Unproven
	c.Duplicate += o.Duplicate
	c.OutOfOrder += o.OutOfOrder
	c.Altered += o.Altered
}

func (c RowCounts) faulty() bool {
	return c.Missing+c.Duplicate+c.OutOfOrder+c.Altered > 0
}

// Destination is a stream that the flow wrote to.
type Destination struct {
	Connection string `json:"connection"`
	Stream     string `json:"stream"`
	State      string `json:"state"`
	RowCounts
}

// LotEvidence is about the rows of one epoch and resource in one stream.
type LotEvidence struct {
	Epoch    uint64 `json:"epoch"`
	Stream   string `json:"stream"`
	Resource string `json:"resource"`
	RowCounts
}

// Faulty says whether something is not as the certificates say.
func (e *Evidence) Faulty() bool { return e.faulty() || len(e.Holes) > 0 }

// Complete says whether all of the range is there, once and in order.
func (e *Evidence) Complete() bool { return !e.Faulty() && e.Removed+e.Unproven == 0 }

// Verify compares the destinations with the certificates, and both with the source
// where only that can tell. Nothing is changed. The flow may run meanwhile.
func Verify(ctx context.Context, v Verification) (*Evidence, error) {
	all, err := readChronicle(ctx, v.Ledger)
	if err != nil {
		return nil, err
	}
	if len(all.certificates) == 0 {
		return nil, connectors.Errorf(connectors.Permanent, "the ledger (%s) has no certificates of flow %s", v.Ledger, v.Flow).
			WithHelp("check the flow's name and its --namespace; a flow's first epoch leaves the first certificate")
	}
	e := &Evidence{Flow: v.Flow.String(), Ledger: reachOf(all, v.Ledger), From: v.From, To: v.To, Holes: []Hole{}, Destinations: []Destination{}, Lots: []LotEvidence{}, missing: map[uint64]bool{}}
	if err := e.bound(); err != nil {
		return nil, err
	}
	for _, h := range all.holes {
		if h.Before > e.From && h.After < e.To {
			e.Holes = append(e.Holes, h)
		}
	}
	before, within := all.between(e.From, e.To)
	e.Epochs, e.certificates = len(within), within
	given := newAnnouncements()
	if err := given.follow(ctx, v.Ledger); err != nil {
		return nil, err
	}
	for _, d := range destinationsOf(before, within, all.repairs) {
		d.given = given
		if err := e.look(ctx, v, d); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(e.Lots, func(a, b LotEvidence) int { return cmp.Compare(a.Epoch, b.Epoch) })
	return e, nil
}

func reachOf(all *chronicle, ledger connectors.Ledger) Reach {
	oldest, newest := all.certificates[0], all.certificates[len(all.certificates)-1]
	return Reach{Oldest: oldest.State.Epoch, OldestTime: oldest.Written, Newest: newest.State.Epoch, NewestTime: newest.Written,
		Accepted: all.accepted, Cut: all.cut, Description: ledger.String()}
}

// bound fills what was left open of the range, and refuses what the ledger does not hold.
func (e *Evidence) bound() error {
	if e.From == 0 {
		e.From = max(e.Ledger.Oldest, e.Ledger.Accepted+1)
	}
	if e.To == 0 {
		e.To = max(e.Ledger.Newest, e.From)
	}
	switch {
	case e.From > e.To:
		return connectors.Errorf(connectors.Refused, "the range from epoch %d to %d is empty", e.From, e.To)
	case e.From < e.Ledger.Oldest:
		return connectors.Errorf(connectors.Permanent, "the ledger reaches back to epoch %d (%s), and not to %d", e.Ledger.Oldest, e.Ledger.OldestTime.Format(time.RFC3339), e.From).
			WithHelp("older epochs cannot be verified any more")
	case e.To > e.Ledger.Newest && e.Ledger.Newest > e.Ledger.Accepted:
		return connectors.Errorf(connectors.Permanent, "the newest certified epoch is %d, and %d was asked for", e.Ledger.Newest, e.To)
	}
	return nil
}

// look verifies one destination stream.
func (e *Evidence) look(ctx context.Context, v Verification, d *destination) error {
	archive, ok := v.Destinations[d.connection]
	if !ok {
		return connectors.Errorf(connectors.Refused, "the flow wrote to stream %s through its connection %q, which is not known here", d.stream, d.connection).
			WithHelp("give the flow's file instead of its name")
	}
	holding, err := archive.Holding(ctx, d.stream)
	if err != nil {
		return err
	}
	d.archive, d.holding, d.source, d.flow = archive, holding, v.Source, v.Flow
	if holding.Created != 0 {
		if err := d.scan(ctx); err != nil {
			return err
		}
	}
	if err := d.join(ctx); err != nil {
		return err
	}
	found := Destination{Connection: d.connection, Stream: d.stream, State: d.state()}
	for _, l := range d.lots {
		counts := d.judge(l)
		found.add(counts)
		if counts.Missing > 0 {
			e.missing[l.epoch] = true
		}
		if counts.faulty() || counts.Removed+counts.Unproven > 0 {
			e.Lots = append(e.Lots, LotEvidence{Epoch: l.epoch, Stream: d.stream, Resource: l.resource, RowCounts: counts})
		}
	}
	e.looked = append(e.looked, d)
	e.add(found.RowCounts)
	e.Destinations = append(e.Destinations, found)
	return nil
}

// destinationsOf sorts the receipts by the streams that they are about.
func destinationsOf(before, within []Entry, repairs map[uint64][]connectors.Receipt) []*destination {
	byName := map[[2]string]*destination{}
	var all []*destination
	for _, e := range within {
		for _, r := range e.Epoch.Receipts {
			key := [2]string{r.Connection, r.Stream}
			d := byName[key]
			if d == nil {
				d = &destination{connection: r.Connection, stream: r.Stream}
				byName[key] = d
				all = append(all, d)
			}
			l := d.lot(e, r.Resource)
			l.receipts = append(l.receipts, r)
		}
	}
	for _, d := range all {
		for _, l := range d.lots {
			for _, r := range repairs[l.epoch] {
				if r.Connection == d.connection && r.Stream == d.stream && r.Resource == l.resource {
					l.repaired = append(l.repaired, r)
				}
			}
		}
		d.begin(before)
	}
	slices.SortFunc(all, func(a, b *destination) int { return strings.Compare(a.stream, b.stream) })
	return all
}

// begin finds where the epochs before the range end in the stream.
func (d *destination) begin(before []Entry) {
	d.after = map[int64]uint64{}
	for _, e := range before {
		for _, r := range e.Epoch.Receipts {
			if r.Connection == d.connection && r.Stream == d.stream {
				d.after[r.Created] = max(d.after[r.Created], r.Last)
			}
		}
	}
}

// toTheEnd is the end of a scan that goes to the end of its stream.
const toTheEnd = math.MaxUint64
