package exec

import (
	"context"
	"fmt"
	"slices"

	"github.com/flowlang/flow/connectors"
)

// checkDepth is how many of the newest records a start looks at for the destinations
// that it has not met in a newer one.
const checkDepth = 30

// checkDestinations compares the destinations with what the newest certificates say
// of them: a stream that was made anew or went back has lost what is certified, and
// what is acknowledged never comes again by itself.
func (m *machine) checkDestinations(ctx context.Context) error {
	newest, err := m.newestReceipts(ctx)
	if err != nil {
		return err
	}
	for i := range m.sinks {
		s := m.flow.Sinks[i]
		for stream, n := range newest[i] {
			holding, err := m.conns[s.Connection].Holding(ctx, stream)
			if err != nil {
				return ofSink(err, i)
			}
			if holding.Created != n.Created || holding.Last < n.Last {
				return m.destinationLost(ctx, i, holding, n)
			}
		}
	}
	return nil
}

// newestReceipts are the newest ones of the streams that each sink may write to, by
// stream. Their Last is the newest sequence of all that were looked at.
func (m *machine) newestReceipts(ctx context.Context) ([]map[string]connectors.Receipt, error) {
	newest := make([]map[string]connectors.Receipt, len(m.sinks))
	for i := range newest {
		newest[i] = map[string]connectors.Receipt{}
	}
	if last, err := m.ledger.Last(ctx, epochChain); err != nil || last.Version == 0 {
		return newest, err
	}
	seen := 0
	for e, err := range History(ctx, m.ledger) {
		if err != nil {
			return nil, err
		}
		if seen++; seen > checkDepth || e.Kind == AcceptRecord {
			break
		}
		missing := false
		for i, sink := range m.sinks {
			targets := sink.Targets()
			for _, r := range e.receipts() {
				if r.Connection == m.flow.Sinks[i].Connection.Name && writes(targets, r.Stream) {
					note(newest[i], r)
				}
			}
			missing = missing || lacks(newest[i], targets)
		}
		if !missing {
			break
		}
	}
	return newest, nil
}

// note keeps the newest receipt of a stream; r is older than what is there.
func note(newest map[string]connectors.Receipt, r connectors.Receipt) {
	n, known := newest[r.Stream]
	switch {
	case !known:
		n = r
	case n.Created == r.Created:
		n.Last = max(n.Last, r.Last)
	}
	newest[r.Stream] = n
}

// lacks says whether older records may tell of a target that newer ones did not.
func lacks(newest map[string]connectors.Receipt, targets []connectors.Target) bool {
	return slices.ContainsFunc(targets, func(t connectors.Target) bool {
		r, known := newest[t.Stream]
		return !known || r.Last == 0
	})
}

// receipts are those of a certificate or a repair.
func (r *Record) receipts() []connectors.Receipt {
	switch {
	case r.Epoch != nil:
		return r.Epoch.Receipts
	case r.Repair != nil:
		return r.Repair.Receipts
	}
	return nil
}

// writes says whether one of the targets is that stream, or may be.
func writes(targets []connectors.Target, stream string) bool {
	for _, t := range targets {
		if t.Stream == stream || !connectors.ParseTemplate(t.Stream).Constant() {
			return true
		}
	}
	return false
}

// destinationLost says what is missing, as far as certificates tell, and what to do.
func (m *machine) destinationLost(ctx context.Context, sink int, holding connectors.Holding, newest connectors.Receipt) error {
	stream := newest.Stream
	what := fmt.Sprintf("the destination stream %s went back: it ends at sequence %d, and sequences up to %d are certified", stream, holding.Last, newest.Last)
	switch {
	case holding.Created == 0:
		what = fmt.Sprintf("the destination stream %s is gone, and sequences up to %d of it are certified", stream, newest.Last)
	case holding.Created != newest.Created:
		what = fmt.Sprintf("the destination stream %s was deleted and made again, and sequences up to %d of the former one are certified", stream, newest.Last)
	}
	lost, err := m.lostRows(ctx, m.flow.Sinks[sink].Connection.Name, holding, newest)
	if err != nil {
		return err
	}
	return connectors.Errorf(connectors.Permanent, "%s; %s", what, lost).
		WithHelp("send what is missing again: flowc verify FILE --repair; or go on without it: flowc verify FILE --accept").
		About(connectors.SinkRole, sink, "stream")
}

// lostRows counts what the certificates say was written behind what the stream holds.
func (m *machine) lostRows(ctx context.Context, connection string, holding connectors.Holding, of connectors.Receipt) (string, error) {
	rows, oldest, newest := 0, uint64(0), uint64(0)
	for e, err := range History(ctx, m.ledger) {
		if err != nil {
			return "", err
		}
		if e.Kind == AcceptRecord {
			break
		}
		if e.Epoch == nil {
			continue
		}
		n := 0
		for _, r := range e.Epoch.Receipts {
			if r.Stream == of.Stream && r.Connection == connection && r.Created == of.Created {
				n += behind(r, holding)
			}
		}
		if n > 0 {
			rows += n
			oldest, newest = e.State.Epoch, max(newest, e.State.Epoch)
		} else if holding.Created == of.Created && rows > 0 {
			break // what is older stands before
		}
	}
	epochs := fmt.Sprintf("epochs %d to %d", oldest, newest)
	if oldest == newest {
		epochs = fmt.Sprintf("epoch %d", oldest)
	}
	if rows == 1 {
		return "1 row of " + epochs + " is missing", nil
	}
	return fmt.Sprintf("%s rows of %s are missing", connectors.FormatCount(int64(rows)), epochs), nil
}

// behind is how many rows of a receipt stand behind the end of the stream; all of
// them, if it is another one.
func behind(r connectors.Receipt, holding connectors.Holding) int {
	if r.Created != holding.Created {
		return r.Rows
	}
	if r.Last <= holding.Last {
		return 0
	}
	return min(r.Rows, int(r.Last-max(r.First-1, holding.Last)))
}

// AcceptDestinations makes what is missing at the destinations count as given up: a
// start does not look at what was certified before, and Verify begins behind it. An
// owner that runs meanwhile is superseded.
func AcceptDestinations(ctx context.Context, ledger connectors.Ledger) (Entry, error) {
	c, err := takeOver(ctx, ledger)
	if err != nil {
		return Entry{}, err
	}
	if err := c.append(ctx, AcceptRecord, c.state.unmarked()); err != nil {
		return Entry{}, changedMeanwhile(err)
	}
	return c.entry(ctx)
}
