package connectortest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
)

var transactionTests = map[string]func(*testing.T, World){
	"transaction/places are those of the sinks, in their order": func(t *testing.T, w World) {
		for _, specs := range [][]connectors.SinkSpec{w.Exactly, {w.Exactly[1], w.Exactly[0]}, {w.Exactly[1], w.Exactly[1]}} {
			c := w.transactAs(t, Flow, specs...)
			var streams []string
			for _, s := range c.Sinks() {
				if stream := s.Targets()[0].Stream; !slices.Contains(streams, stream) {
					streams = append(streams, stream)
				}
			}
			if len(c.Sinks()) != len(specs) || len(c.Places()) != len(streams) {
				t.Fatalf("%d sinks write into %q, and the places are %+v", len(c.Sinks()), streams, c.Places())
			}
			for i, at := range c.Places() {
				if at.Stream != streams[i] || at.Subject == "" {
					t.Errorf("place %d is %+v, and the sinks write into %q", i, at, streams)
				}
			}
		}
	},
	"transaction/a look makes nothing": func(t *testing.T, w World) {
		c := w.transact(t)
		for place, at := range c.Places() {
			if m := c.marker(place); m.Sequence != 0 || m.MarkedPlace != at {
				t.Errorf("found %+v", m)
			}
			if h, err := c.conn.Holding(t.Context(), at.Stream); err != nil || h.Created != 0 {
				t.Errorf("found %+v, %v", h, err)
			}
		}
	},
	"transaction/a first marker makes its place": func(t *testing.T, w World) {
		c := w.transact(t)
		c.marker(1)
		m := c.mark(1, "first")
		h, err := c.conn.Holding(t.Context(), c.Places()[1].Stream)
		if err != nil || h.Created == 0 || m.Created != h.Created || m.MarkedPlace != c.Places()[1] || m.Sequence == 0 || m.Batch == "" {
			t.Errorf("found %+v in %+v, %v", m, h, err)
		}
		c.holds(1, "first")
		if other := c.newest(0); other.Sequence != 0 {
			t.Errorf("the other place has %+v", other)
		}
	},
	"transaction/rows come together with their marker": func(t *testing.T, w World) {
		c := w.owns(t)
		c.prepare(batch("a", "b"), batch("c"))
		c.holds(0, "start")
		c.holds(1, "start")
		c.commit(1, "second")
		c.holds(0, "start")
		c.holds(1, "second", "c")
		c.commit(0, "first")
		c.holds(0, "first", "a", "b")
		c.prepare(batch("d"), batch("e"))
		c.commit(0, "next")
		c.holds(0, "next", "a", "b", "d")
		c.holds(1, "second", "c")
	},
	"transaction/a marker is read as it was written": func(t *testing.T, w World) {
		c := w.owns(t)
		c.prepare(batch("a", "b"), batch())
		receipts, m := c.commit(0, "done")
		all := c.rows(0)
		if len(receipts) != 1 || receipts[0].Resource != w.Source.Resource || receipts[0].Rows != 2 || receipts[0].First != all[0].Sequence || receipts[0].Last != all[1].Sequence ||
			receipts[0].Created != m.Created || receipts[0].Stream != c.Places()[0].Stream || receipts[0].CRC32C == 0 || receipts[0].Bytes != int64(len(all[0].Data)+len(all[1].Data)) {
			t.Errorf("the receipts are %+v", receipts)
		}
		for name, again := range map[string]connectors.Marker{"this one": c.marker(0), "the next one": w.transact(t).marker(0)} {
			if again.MarkedPlace != m.MarkedPlace || again.Created != m.Created || again.Sequence != m.Sequence || again.Batch != m.Batch || string(again.Content) != string(m.Content) || !slices.Equal(again.Receipts, receipts) {
				t.Errorf("%s: it was %+v, and is read as %+v", name, m, again)
			}
		}
	},
	"transaction/each step has another id and a later sequence": func(t *testing.T, w World) {
		c := w.owns(t)
		before := c.newest(0)
		for _, text := range []string{"a", "b", "c"} {
			c.prepare(batch(text))
			_, m := c.commit(0, "the same")
			if m.Sequence <= before.Sequence || m.Batch == before.Batch {
				t.Errorf("after %+v comes %+v", before, m)
			}
			before = m
		}
		c.holds(0, "the same", "a", "b", "c")
	},
	"transaction/what the place holds is left out": func(t *testing.T, w World) {
		c := w.owns(t)
		c.prepare(batch("a", "b", "c"))
		receipts, m := c.commit(0, "done", held(1, 2))
		all := c.rows(0)
		if len(receipts) != 1 || receipts[0].Rows != 3 || receipts[0].Duplicates != 2 || receipts[0].First != all[0].Sequence || receipts[0].Last != all[0].Sequence {
			t.Errorf("the receipts are %+v", receipts)
		}
		c.holds(0, "done", "c")
		c.prepare(batch("a", "b", "c"))
		receipts, same := c.commit(0, "nothing new", held(1, 3))
		if same.Sequence != m.Sequence || len(receipts) != 1 || receipts[0].Duplicates != 3 || receipts[0].First != 0 || receipts[0].Last != 0 {
			t.Errorf("without a new row: %+v, after %+v %+v", receipts, m, same)
		}
		c.holds(0, "done", "c")
		c.prepare(batch("a"))
		c.commit(0, "another life", held(2, 3))
		c.holds(0, "another life", "c", "a")
	},
	"transaction/a marker comes without rows where it has to": func(t *testing.T, w World) {
		c := w.owns(t)
		before := c.newest(0)
		c.prepare()
		receipts, m := c.commit(0, "not this")
		if len(receipts) != 0 || m.Sequence != before.Sequence {
			t.Errorf("nothing was written: found %+v, %+v after %+v", receipts, m, before)
		}
		c.holds(0, "start")
		always := seal(0, "this")
		always.Always = true
		receipts, m, err := c.Commit(t.Context(), always)
		if err != nil || len(receipts) != 0 || m.Sequence <= before.Sequence {
			t.Errorf("found %+v, %+v, %v", receipts, m, err)
		}
		c.holds(0, "this")
	},
	"transaction/Begin prepares anew, and Abort forgets": func(t *testing.T, w World) {
		c := w.owns(t)
		c.prepare(batch("a", "b"))
		c.prepare(batch("c"))
		c.commit(0, "once")
		c.holds(0, "once", "c")
		c.prepare(batch("d"))
		must(t, c.Sinks()[0].Abort(t.Context()))
		c.commit(0, "nothing")
		c.holds(0, "once", "c")
	},
	"transaction/bad rows are told before anything is sent": func(t *testing.T, w World) {
		c := w.owns(t)
		c.prepare(batch("a"))
		b := batch("b", w.Refused, "d")
		bad, ok := errors.AsType[connectors.RowErrors](c.Sinks()[0].Prepare(t.Context(), b))
		if !ok || len(bad) != 1 || bad[0].Row != 1 {
			t.Fatalf("found %+v", bad)
		}
		c.holds(0, "start")
		b.Selected = []int{2}
		must(t, c.Sinks()[0].Prepare(t.Context(), b)) // nothing of it was taken, and the session goes on
		c.commit(0, "done")
		c.holds(0, "done", "a", "d")
	},
	"transaction/more than one step takes is refused whole": func(t *testing.T, w World) {
		c := w.owns(t)
		most := slices.Repeat([]string{"a"}, w.AtomicRows)
		c.prepare(batch(most...))
		c.commit(0, "most")
		c.holds(0, "most", most...)
		c.prepare(batch(append(most, "b")...))
		if _, _, err := c.Commit(t.Context(), seal(0, "more")); err == nil || connectors.Retryable(err) || errors.Is(err, connectors.ErrInterrupted) {
			t.Errorf("found %v", err)
		}
		c.holds(0, "most", most...)
		c.isOver()
	},
	"transaction/a former owner writes nothing": func(t *testing.T, w World) {
		former := w.owns(t)
		former.prepare(batch("old"))
		now := w.owns(t)
		if _, _, err := former.Commit(t.Context(), seal(0, "old")); !errors.Is(err, connectors.ErrInterrupted) {
			t.Errorf("found %v", err)
		}
		former.isOver()
		now.holds(0, "start")
		now.prepare(batch("new"))
		now.commit(0, "new")
		now.holds(0, "new", "new")
	},
	"transaction/a former owner marks nothing": func(t *testing.T, w World) {
		former, now := w.owns(t), w.owns(t)
		now.prepare(batch("new"))
		now.commit(0, "new")
		if _, err := former.Mark(t.Context(), 0, content("old")); !errors.Is(err, connectors.ErrInterrupted) {
			t.Errorf("found %v", err)
		}
		now.holds(0, "new", "new")
	},
	"transaction/of two that find no marker one begins": func(t *testing.T, w World) {
		one, other := w.transact(t), w.transact(t)
		one.marker(0)
		other.marker(0)
		one.mark(0, "one")
		if _, err := other.Mark(t.Context(), 0, content("other")); !errors.Is(err, connectors.ErrInterrupted) {
			t.Errorf("found %v", err)
		}
		one.holds(0, "one")
	},
	"transaction/a place counts on its own marker": func(t *testing.T, w World) {
		first := w.owns(t)
		second := w.transact(t)
		second.marker(1)
		second.mark(1, "taken")
		first.prepare(batch("a"), batch("b"))
		first.commit(0, "mine")
		first.holds(0, "mine", "a")
		if _, _, err := first.Commit(t.Context(), seal(1, "not mine")); !errors.Is(err, connectors.ErrInterrupted) {
			t.Errorf("found %v", err)
		}
		second.holds(1, "taken")
	},
	"transaction/a marker is written over without a sink": func(t *testing.T, w World) {
		c := w.owns(t)
		c.prepare(batch("old"))
		conn := w.Connect().(connectors.Transactor)
		renamed := connectors.Identity{Namespace: "default", Flow: "renamed"}
		former := c.newest(0)
		must(t, conn.Supersede(t.Context(), renamed.String(), former, content("over")))
		if _, _, err := c.Commit(t.Context(), seal(0, "old")); !errors.Is(err, connectors.ErrInterrupted) {
			t.Errorf("found %v", err)
		}
		if err := conn.Supersede(t.Context(), renamed.String(), former, content("again")); !errors.Is(err, connectors.ErrInterrupted) {
			t.Errorf("found %v", err)
		}
		c.holds(0, "over")
		if left, err := c.conn.Remains(t.Context(), renamed, c.Places()[0]); err != nil || !slices.Equal(left.Markers, c.Places()[:1]) {
			t.Errorf("the flow whose it is has %+v, %v", left, err)
		}
		former.Stream = "NOSUCH"
		must(t, conn.Supersede(t.Context(), renamed.String(), former, content("nowhere")))
	},
	"transaction/flows are told apart": func(t *testing.T, w World) {
		c := w.owns(t)
		other := w.transactAs(t, connectors.Identity{Namespace: "default", Flow: "other"}, w.Exactly[0])
		if m := other.marker(0); m.Sequence != 0 {
			t.Errorf("another flow has %+v", m)
		}
		other.mark(0, "other")
		c.prepare(batch("a"))
		c.commit(0, "mine")
		if m := other.newest(0); string(m.Content) != string(content("other")) {
			t.Errorf("it says %s", m.Content)
		}
		if m := c.newest(0); string(m.Content) != string(content("mine")) {
			t.Errorf("it says %s", m.Content)
		}
	},
	"transaction/a cancelled commit is whole or nothing": func(t *testing.T, w World) {
		w.disturb(t, func(c committer, after time.Duration) (context.Context, func()) {
			ctx, cancel := context.WithCancel(t.Context())
			if after == 0 {
				cancel()
			}
			timer := time.AfterFunc(after, cancel)
			return ctx, func() { timer.Stop(); cancel() }
		})
	},
	"transaction/a commit whose link breaks is whole or nothing": func(t *testing.T, w World) {
		w.disturb(t, func(c committer, after time.Duration) (context.Context, func()) {
			if after == 0 {
				w.Cut()
				return t.Context(), func() {}
			}
			done := make(chan struct{})
			time.AfterFunc(after, func() { defer close(done); w.Cut() })
			return t.Context(), func() { <-done }
		})
	},
	"transaction/a closed one commits nothing": func(t *testing.T, w World) {
		c := w.owns(t)
		c.prepare(batch("a"))
		must(t, c.Close())
		if _, _, err := c.Commit(t.Context(), seal(0, "late")); err == nil {
			t.Error("a closed transaction commits")
		}
		c.isOver()
		c.holds(0, "start")
	},
	"transaction/there may be no marker": func(t *testing.T, w World) {
		c := w.transact(t)
		c.marker(0)
		c.mark(0, "first")
		at := c.Places()[0]
		for _, none := range []connectors.MarkedPlace{{Stream: "NOSUCH", Subject: at.Subject}, {Stream: at.Stream, Subject: at.Subject + "x"}} {
			if m, err := c.conn.(connectors.Transactor).ReadMarker(t.Context(), none); err != nil || m.Sequence != 0 || m.MarkedPlace != none {
				t.Errorf("found %+v, %v", m, err)
			}
		}
	},
	"transaction/dead letters come in the step of their place": func(t *testing.T, w World) {
		c := w.owns(t)
		inside, err := c.conn.OpenDeadLetters(t.Context(), Flow, w.DeadInside)
		must(t, err)
		t.Cleanup(func() { _ = inside.Close() }) // nothing of it matters any more
		var letters []connectors.DeadLetter
		for i := range 3 {
			letters = append(letters, connectors.DeadLetter{Code: "F5003", Reason: "it is no JSON", Message: &connectors.Message{Subject: "from.a", Data: []byte("no JSON"),
				Source: &connectors.Incarnation{Stream: "FROM", Created: 1}, Sequence: uint64(i + 1), Time: int64(i + 1)}})
		}
		c.prepare()
		left, err := c.Keep(inside, letters)
		if err != nil || len(left) != 0 {
			t.Fatalf("left are %+v, %v", left, err)
		}
		if n := len(c.rows(0)); n != 0 {
			t.Errorf("%d are there before Commit", n)
		}
		c.commit(0, "letters", held(1, 1))
		c.commit(0, "once")
		all := c.rows(0)
		if len(all) != 2 || string(all[0].Data) != "no JSON" || all[0].Headers["Flow-Source"][0] != "FROM/2" || all[1].Headers["Flow-Source"][0] != "FROM/3" {
			t.Errorf("found %+v", all)
		}
		if m := c.newest(0); string(m.Content) != string(content("letters")) {
			t.Errorf("the marker says %s", m.Content)
		}
	},
	"transaction/other dead letters are left": func(t *testing.T, w World) {
		c := w.owns(t)
		dead, _ := w.dead(t)
		letters := []connectors.DeadLetter{{Code: "F5003", Message: &connectors.Message{Source: &connectors.Incarnation{Stream: "FROM", Created: 1}, Sequence: 1}}}
		c.prepare()
		if left, err := c.Keep(dead, letters); err != nil || !slices.Equal(left, letters) {
			t.Errorf("left are %+v, %v", left, err)
		}
		c.commit(0, "nothing")
		c.holds(0, "start")
	},
	"transaction/markers are removed with the flow": func(t *testing.T, w World) {
		c := w.owns(t)
		left, err := c.conn.Remains(t.Context(), Flow)
		if err != nil || len(left.Markers) != 2 || !slices.Contains(left.Markers, c.Places()[0]) || !slices.Contains(left.Markers, c.Places()[1]) {
			t.Fatalf("found %+v, %v", left, err)
		}
		must(t, c.conn.Remove(t.Context(), Flow, left))
		if left, err := c.conn.Remains(t.Context(), Flow); err != nil || !left.Empty() || c.newest(0).Sequence != 0 {
			t.Errorf("found %+v, %+v, %v", left, c.newest(0), err)
		}
		c.prepare(batch("a"))
		if _, _, err := c.Commit(t.Context(), seal(0, "late")); !errors.Is(err, connectors.ErrInterrupted) {
			t.Errorf("a flow that was removed commits: %v", err)
		}
		if n := len(c.rows(0)); n != 0 {
			t.Errorf("found %d rows", n)
		}
	},
}
