package exec

import (
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/flowlang/flow/connectors"
)

// destination is one stream that a flow wrote to, as certificates and the stream
// itself tell.
type destination struct {
	connection string
	stream     string
	lots       []*lot           // by epoch
	after      map[int64]uint64 // by creation time: the last sequence of the epochs before the range

	flow    connectors.Identity
	archive connectors.Archive
	source  connectors.Archive
	holding connectors.Holding

	given   *announcements  // rows that came of dead letters, which no certificate counts
	seen    map[string]*lot // rows that are there, by key
	unclear []*stretch      // that do not hold what their receipts say
	stray   []*stray        // what has to be attributed one by one
}

// lot is the rows of one epoch and resource in a stream.
type lot struct {
	epoch    uint64
	resource string
	receipts []connectors.Receipt
	repaired []connectors.Receipt // of what was written again
	sources  []sourceRange
	clean    []connectors.Receipt // whose stretches hold what they say
	found    int
	counts   RowCounts // what is known so far: duplicates, order, content
	// unread says that the source does not hold all of the epoch any more.
	unread bool
}

// sourceRange is what an epoch took of one source stream.
type sourceRange struct {
	connectors.Range
	life connectors.Incarnation
}

// stretch is where a receipt says that its rows are.
type stretch struct {
	lot     *lot
	receipt connectors.Receipt
	repair  bool
	count   int
	sum     uint32
	held    []*stray
}

// stray is a message that a receipt alone does not explain.
type stray struct {
	sequence uint64
	subject  string
	id       string
	event    string
	within   *stretch // nil if it stands in none
	of       *lot     // nil as long as it is not attributed
	from     sourceMessage
	copied   bool // it is a copy of what stands before it
}

// sourceMessage is where an event stands in its stream.
type sourceMessage struct {
	life     connectors.Incarnation
	sequence uint64
}

// key is the same for two copies of one row.
func (s *stray) key() string {
	if s.event != "" {
		return s.event + " " + s.subject
	}
	return s.id
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// lot is that of an epoch and resource, which it makes if there is none.
func (d *destination) lot(e Entry, resource string) *lot {
	for i := len(d.lots) - 1; i >= 0 && d.lots[i].epoch == e.State.Epoch; i-- {
		if d.lots[i].resource == resource {
			return d.lots[i]
		}
	}
	l := &lot{epoch: e.State.Epoch, resource: resource}
	for _, r := range e.Epoch.Ranges {
		for _, p := range e.State.Positions {
			if p.Stream == r.Stream {
				l.sources = append(l.sources, sourceRange{Range: r, life: p.Incarnation})
			}
		}
	}
	d.lots = append(d.lots, l)
	return l
}

func (l *lot) rows() int {
	n := 0
	for _, r := range l.receipts {
		n += r.Rows
	}
	return n
}

// stretches are those of all receipts that are about the stream as it is now.
func (d *destination) stretches() []*stretch {
	var all []*stretch
	for _, l := range d.lots {
		for i, r := range slices.Concat(l.receipts, l.repaired) {
			if r.First > 0 && r.Created == d.holding.Created {
				all = append(all, &stretch{lot: l, receipt: r, repair: i >= len(l.receipts)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *stretch) int { return cmp.Compare(a.receipt.First, b.receipt.First) })
	return all
}

// scan goes through the stream once. A stretch that holds just what its receipt says
// is explained; every other message is kept, to be attributed.
func (d *destination) scan(ctx context.Context) error {
	d.seen = map[string]*lot{}
	stretches := d.stretches()
	err := d.archive.Scan(ctx, d.stream, d.after[d.holding.Created]+1, toTheEnd, func(m *connectors.Stored) error {
		for len(stretches) > 0 && stretches[0].receipt.Last < m.Sequence {
			d.close(stretches[0])
			stretches = stretches[1:]
		}
		s := &stray{sequence: m.Sequence, subject: m.Subject, id: m.ID, event: m.Event}
		if len(stretches) == 0 || stretches[0].receipt.First > m.Sequence {
			if s.key() != "" {
				d.stray = append(d.stray, s)
			}
			return nil
		}
		in := stretches[0]
		s.within = in
		in.count++
		in.sum = crc32.Update(in.sum, castagnoli, m.Data)
		in.held = append(in.held, s)
		return nil
	})
	for _, s := range stretches {
		d.close(s)
	}
	return err
}

// close judges a stretch by its receipt.
func (d *destination) close(s *stretch) {
	r := s.receipt
	if r.Duplicates > 0 || s.count != r.Rows || s.sum != r.CRC32C {
		d.unclear = append(d.unclear, s)
		d.stray = append(d.stray, s.held...)
		return
	}
	s.lot.clean = append(s.lot.clean, r)
	for _, h := range s.held {
		d.count(h, s.lot)
	}
	s.held = nil
}

// count counts a row that is there, or another copy of one.
func (d *destination) count(s *stray, l *lot) {
	s.of = l
	if key := s.key(); key != "" {
		if first := d.seen[key]; first != nil {
			s.copied = true
			first.counts.Duplicate++
			return
		}
		d.seen[key] = l
	}
	l.found++
}

// Unchanged is the state of a destination stream that was neither made anew nor cut.
const Unchanged = "the same"

// state says in words what has become of the stream.
func (d *destination) state() string {
	if d.holding.Created == 0 {
		return "gone"
	}
	for _, l := range d.lots {
		for _, r := range l.receipts {
			switch {
			case r.Created != d.holding.Created:
				return "made anew"
			case r.Last > d.holding.Last:
				return fmt.Sprintf("went back to sequence %d", d.holding.Last)
			}
		}
	}
	return Unchanged
}
