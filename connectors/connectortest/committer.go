package connectortest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
)

// committer is an open transaction with what the tests ask of it.
type committer struct {
	t    testing.TB
	conn connectors.Connection
	connectors.Transaction
}

// transact opens a transaction of the flow.
func (w World) transact(t testing.TB) committer {
	t.Helper()
	return w.transactAs(t, Flow, w.Exactly...)
}

func (w World) transactAs(t testing.TB, flow connectors.Identity, specs ...connectors.SinkSpec) committer {
	t.Helper()
	conn := w.Connect()
	opened, err := conn.(connectors.Transactor).OpenTransaction(t.Context(), flow, specs)
	must(t, err)
	t.Cleanup(func() { _ = opened.Close() }) // the test may have ended the session
	return committer{t, conn, opened}
}

// owns opens a transaction and marks all places, as an owner does that takes over.
func (w World) owns(t testing.TB) committer {
	t.Helper()
	c := w.transact(t)
	for place := range c.Places() {
		c.marker(place)
		c.mark(place, "start")
	}
	return c
}

func (c committer) marker(place int) connectors.Marker {
	c.t.Helper()
	m, err := c.Marker(c.t.Context(), place)
	must(c.t, err)
	return m
}

func (c committer) mark(place int, says string) connectors.Marker {
	c.t.Helper()
	m, err := c.Mark(c.t.Context(), place, content(says))
	must(c.t, err)
	return m
}

// prepare starts an epoch, with a batch for each sink or with none.
func (c committer) prepare(batches ...connectors.Batch) {
	c.t.Helper()
	for _, s := range c.Sinks() {
		must(c.t, s.Begin(c.t.Context(), 1))
	}
	for i, b := range batches {
		must(c.t, c.Sinks()[i].Prepare(c.t.Context(), b))
	}
	for _, s := range c.Sinks() {
		must(c.t, s.Apply(c.t.Context()))
		receipts, err := s.Commit(c.t.Context(), 1)
		must(c.t, err)
		if len(receipts) != 0 {
			c.t.Errorf("a sink tells of %+v before the transaction's Commit", receipts)
		}
	}
}

func (c committer) commit(place int, says string, held ...connectors.Position) ([]connectors.Receipt, connectors.Marker) {
	c.t.Helper()
	receipts, m, err := c.Commit(c.t.Context(), seal(place, says, held...))
	must(c.t, err)
	return receipts, m
}

func seal(place int, says string, held ...connectors.Position) connectors.Seal {
	return connectors.Seal{Place: place, Content: content(says), Held: held}
}

// content is what a marker says, with what an encoding may not keep.
func content(says string) []byte {
	b, err := json.Marshal(map[string]any{"says": says, "text": "<ü \x01 \u2028&>", "n": uint64(1<<63 + 1)})
	if err != nil {
		panic(err) // a map of texts and numbers is JSON
	}
	return b
}

// newest is the marker that a place has for whoever asks.
func (c committer) newest(place int) connectors.Marker {
	c.t.Helper()
	m, err := c.conn.(connectors.Transactor).ReadMarker(c.t.Context(), c.Places()[place])
	must(c.t, err)
	return m
}

// rows are the messages at a place without markers. Of these there may be the newest only.
func (c committer) rows(place int) []connectors.Stored {
	c.t.Helper()
	at, markers := c.Places()[place], 0
	var all []connectors.Stored
	must(c.t, c.conn.Scan(c.t.Context(), at.Stream, 0, 1<<62, func(m *connectors.Stored) error {
		if m.Subject == at.Subject {
			markers++
			return nil
		}
		kept := *m
		kept.Data = slices.Clone(m.Data)
		all = append(all, kept)
		return nil
	}))
	if markers > 1 {
		c.t.Errorf("stream %s keeps %d markers of the flow", at.Stream, markers)
	}
	return all
}

// holds checks the rows and what the newest marker says.
func (c committer) holds(place int, says string, texts ...string) {
	c.t.Helper()
	all := c.rows(place)
	if len(all) != len(texts) {
		c.t.Fatalf("expected %d rows, found %d", len(texts), len(all))
	}
	for i, text := range texts {
		if !strings.Contains(string(all[i].Data), `"text":"`+text+`"`) {
			c.t.Errorf("row %d: expected the text %q, found %s", i+1, text, all[i].Data)
		}
	}
	if m := c.newest(place); string(m.Content) != string(content(says)) {
		c.t.Errorf("expected that the marker says %q, found %s", says, m.Content)
	}
}

// isOver checks that the session goes on in no way.
func (c committer) isOver() {
	c.t.Helper()
	if _, err := c.Mark(c.t.Context(), 0, content("late")); err == nil {
		c.t.Error("a session that is over writes a marker")
	}
	if _, _, err := c.Commit(c.t.Context(), connectors.Seal{Content: content("late"), Always: true}); err == nil {
		c.t.Error("a session that is over commits")
	}
}

// held is the position of the messages of batch.
func held(created int64, sequence uint64) connectors.Position {
	return connectors.Position{Incarnation: connectors.Incarnation{Stream: "FROM", Created: created}, Sequence: sequence}
}

// disturb commits again and again, and lets something happen later each time. Whatever
// Commit says, all rows are there with the marker, or none of either, and the marker
// that the next owner replaces tells which.
func (w World) disturb(t *testing.T, disturbance func(c committer, after time.Duration) (context.Context, func())) {
	t.Helper()
	var all []string
	for round := range 8 {
		c := w.owns(t)
		c.prepare(batch("a", "b", "c"))
		before := c.newest(0)
		ctx, end := disturbance(c, time.Duration(round)*100*time.Microsecond)
		_, committed, err := c.Commit(ctx, seal(0, "disturbed"))
		end()
		if err == nil {
			all = append(all, "a", "b", "c")
			if round == 0 {
				t.Error("nothing disturbs the commit")
			}
		}
		_ = c.Close() // the session may be over
		next, m := w.fence(t)
		switch {
		case err == nil && (m.Batch != committed.Batch || m.Sequence != committed.Sequence):
			t.Errorf("round %d: %+v was committed, and %+v is the newest", round, committed, m)
		case err != nil && m.Sequence != before.Sequence:
			all = append(all, "a", "b", "c") // it happened
		}
		next.holds(0, "fenced", all...)
	}
}

// fence takes over from an owner of whom something may still be under way, and returns
// the marker that it found and replaced.
func (w World) fence(t *testing.T) (committer, connectors.Marker) {
	t.Helper()
	for range 10 {
		c := w.transact(t)
		m := c.marker(0)
		_, err := c.Mark(t.Context(), 0, content("fenced"))
		if err == nil {
			return c, m
		}
		if !errors.Is(err, connectors.ErrInterrupted) {
			t.Fatal(err)
		}
	}
	t.Fatal("there is another marker again and again")
	return committer{}, connectors.Marker{}
}
