package exec

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/flowlang/flow/connectors"
)

// join attributes what the receipts alone do not explain: by the event that a message
// names, or by its id, which is that of one row only.
func (d *destination) join(ctx context.Context) error {
	slices.SortStableFunc(d.stray, func(a, b *stray) int { return cmp.Compare(a.sequence, b.sequence) })
	index := d.index()
	unknown := map[string][]*stray{}
	for _, s := range d.stray {
		_, given := d.given.rows[letterRow{d.connection, d.stream, s.key()}]
		switch {
		case given:
		case s.event != "":
			if l, from := index.owner(d, s); l != nil {
				s.from = from
				d.count(s, l)
			}
		case s.id != "" && d.seen[s.id] != nil:
			d.count(s, d.seen[s.id])
		case s.id != "":
			unknown[s.id] = append(unknown[s.id], s)
		}
	}
	if len(unknown) > 0 {
		if err := d.reread(ctx, unknown); err != nil {
			return err
		}
	}
	d.order()
	d.alterations()
	return nil
}

// rangeIndex finds the lots that an event may belong to.
type rangeIndex map[connectors.Incarnation][]indexed

type indexed struct {
	connectors.Range
	lot *lot
}

func (d *destination) index() rangeIndex {
	index := rangeIndex{}
	for _, l := range d.lots {
		for _, r := range l.sources {
			index[r.life] = append(index[r.life], indexed{r.Range, l})
		}
	}
	for _, ranges := range index {
		slices.SortStableFunc(ranges, func(a, b indexed) int { return cmp.Compare(a.First, b.First) })
	}
	return index
}

// owner is the lot of the row that a message holds; nil if it is none of the flow's,
// or of no epoch that is looked at.
func (index rangeIndex) owner(d *destination, s *stray) (*lot, sourceMessage) {
	life, sequence, stored, ok := connectors.ParseEventID(s.event)
	if !ok {
		return nil, sourceMessage{}
	}
	from := &connectors.Message{Source: &life, Sequence: sequence, Time: stored}
	ranges := index[life]
	var owners []*lot
	for i := sort.Search(len(ranges), func(i int) bool { return ranges[i].First > sequence }) - 1; i >= 0 && sequence <= ranges[i].Last; i-- {
		if l := ranges[i].lot; s.id == "" || s.id == d.archive.MessageID(d.flow, d.connection, from, d.stream, s.subject, l.resource) {
			owners = append(owners, l)
		}
	}
	switch {
	case len(owners) == 0:
		return nil, sourceMessage{}
	case s.within != nil && slices.Contains(owners, s.within.lot):
		return s.within.lot, sourceMessage{life, sequence}
	}
	return owners[0], sourceMessage{life, sequence}
}

// reread goes through the source messages of epochs that are not whole yet, and looks
// for the ids that their rows have.
func (d *destination) reread(ctx context.Context, unknown map[string][]*stray) error {
	subjects := map[string]bool{}
	for _, strays := range unknown {
		for _, s := range strays {
			subjects[s.subject] = true
		}
	}
	for _, l := range d.lots {
		if l.found == l.rows() {
			continue
		}
		for _, r := range l.sources {
			messages, err := d.source.Reread(ctx, nil, r.life, r.Range)
			if err != nil {
				return err
			}
			l.unread = l.unread || len(messages) < r.Records
			for i := range messages {
				for subject := range subjects {
					id := d.archive.MessageID(d.flow, d.connection, &messages[i], d.stream, subject, l.resource)
					for _, s := range unknown[id] {
						s.from = sourceMessage{r.life, messages[i].Sequence}
						d.count(s, l)
					}
				}
			}
		}
	}
	return nil
}

// order counts rows that stand behind one that came after them. What a repair wrote
// again stands where it can, and copies stand for nothing.
func (d *destination) order() {
	type lane struct {
		resource string
		life     connectors.Incarnation
		subject  string
	}
	last := map[lane]uint64{}
	for _, s := range d.stray {
		if s.of == nil || s.copied || s.within != nil && s.within.repair {
			continue
		}
		in := lane{resource: s.of.resource, life: s.from.life}
		if len(s.of.receipts) > 1 { // of several sinks, each in its own order
			in.subject = s.subject
		}
		if s.from.sequence < last[in] || d.behindLater(s) {
			s.of.counts.OutOfOrder++
		}
		last[in] = max(last[in], s.from.sequence)
	}
}

// behindLater says whether a row stands behind those of a later epoch.
func (d *destination) behindLater(s *stray) bool {
	for i := len(d.lots) - 1; i >= 0 && d.lots[i].epoch > s.of.epoch; i-- {
		l := d.lots[i]
		if l.resource != s.of.resource || !slices.ContainsFunc(l.sources, func(r sourceRange) bool { return r.life == s.from.life }) {
			continue
		}
		if slices.ContainsFunc(l.clean, func(r connectors.Receipt) bool { return r.First < s.sequence }) {
			return true
		}
	}
	return false
}

// alterations finds receipts whose rows are all in their place, and yet not those that
// were written.
func (d *destination) alterations() {
	for _, s := range d.unclear {
		r := s.receipt
		if s.repair || r.Duplicates > 0 || s.count != r.Rows || s.sum == r.CRC32C || s.lot.counts.OutOfOrder > 0 {
			continue
		}
		if !slices.ContainsFunc(s.held, func(h *stray) bool { return h.of != s.lot || h.copied }) {
			s.lot.counts.Altered++
		}
	}
}

// judge says what has become of a lot's rows.
func (d *destination) judge(l *lot) RowCounts {
	c := l.counts
	c.Rows = l.rows()
	c.Found = min(l.found, c.Rows)
	open := c.Rows - c.Found
	take := func(n int, into *int) {
		n = min(n, open)
		*into += n
		open -= n
	}
	take(d.removed(l), &c.Removed)
	if l.unread {
		take(d.unresolved(l), &c.Unproven)
	}
	take(open, &c.Missing)
	return c
}

// removed is how many rows of a lot the stream's own limits may have taken.
func (d *destination) removed(l *lot) int {
	n := 0
	for _, r := range l.receipts {
		first := d.holding.First
		if first == 0 {
			first = d.holding.Last + 1
		}
		switch {
		case r.Created != d.holding.Created || !d.holding.Limited || r.Last > d.holding.Last:
		case d.holding.Sparse:
			n += r.Rows
		case first > 1:
			n += r.Duplicates // which stand anywhere before
			if r.First > 0 && first > r.First {
				n += int(min(first, r.Last+1) - r.First)
			}
		}
	}
	return n
}

// unresolved is how many messages stand where the lot's are to be, and are not known
// to be others.
func (d *destination) unresolved(l *lot) int {
	n := 0
	for _, s := range d.unclear {
		if s.lot != l {
			continue
		}
		for _, h := range s.held {
			if h.of == nil && h.event == "" {
				n++
			}
		}
	}
	return n
}
