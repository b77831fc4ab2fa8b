package exec_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// A replay is cut at any place, and made again once no message id helps any more: what
// it has written is not written again, and what it had announced only is.
func TestACutReplayWritesNothingTwice(t *testing.T) {
	const strict = `from nats "orders.>" schema { id: int } epoch 10/200ms to nats stream "OUT" subject "out.v1"%s
		on error dead letter to nats subject "dead.<resource>"`
	for guarantee, at := range map[string]string{"": "plain", " envelope none": "without an event", " exactly once marker \"mark\"": "exactly once"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
			w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>", "mark"}, AllowAtomicPublish: true, AllowRollup: true, Duplicates: 100 * time.Millisecond})
			w.publish("orders.a", `{"id":1}`, `{"id":2,"note":"more"}`, `{"id":3,"note":"more"}`, `{"id":4,"note":"more"}`)
			first := fmt.Sprintf(strict, guarantee)
			w.mustDrain(first)
			letters := w.lettersOf(first)
			mended := strings.Replace(first, "{ id: int }", "{ id: int, note: string? }", 1)
			replay := func(ledger connectors.Ledger) error {
				return exec.ReplayLetters(t.Context(), w.plan(mended), ledger, letters, func(connectors.Notice) {}, func(l exec.ReplayedLetter) {
					if l.Rows != 1 || l.Failed != "" {
						t.Errorf("found %+v", l)
					}
				})
			}
			cut := errors.New("the process is gone")
			announced := &faultyLedger{Ledger: w.ledger(), append: func(ctx context.Context, l connectors.Ledger, chain string, previous uint64, data []byte) (uint64, error) {
				if _, err := l.Append(ctx, chain, previous, data); err != nil {
					return 0, err
				}
				return 0, cut
			}}
			if err := replay(announced); !errors.Is(err, cut) || !slices.Equal(w.rowIDs("OUT", "out.probe"), []int{1}) {
				t.Fatalf("found %v; OUT holds %v", err, w.rowIDs("OUT", "out.probe"))
			}
			if err := replay(w.ledger()); err != nil || !slices.Equal(w.rowIDs("OUT", "out.probe"), []int{1, 2, 3, 4}) {
				t.Fatalf("found %v; OUT holds %v", err, w.rowIDs("OUT", "out.probe"))
			}
			for _, m := range w.messages("OUT") { // as if the one in the middle had not been sent
				if strings.Contains(string(m.Data), `"id":3`) {
					w.remove(m.Sequence)
				}
			}
			w.forgets()
			if err := replay(w.ledger()); err != nil || !slices.Equal(w.rowIDs("OUT", "out.probe"), []int{1, 2, 4, 3}) {
				t.Fatalf("found %v; OUT holds %v", err, w.rowIDs("OUT", "out.probe"))
			}
			expectCounts(t, w.verify(), exec.RowCounts{Rows: 1, Found: 1})
		})
	}
}

// Two persons replay the same letters, and the second one does it all at once while the
// first is between two epochs, or has looked and not yet said what it writes. By the
// time that the first goes on, no message id helps any more.
func TestTwoReplaysOfOneLetterWriteItOnce(t *testing.T) {
	const strict = `from nats "orders.>" schema { id: int } epoch 2/200ms to nats stream "OUT" subject "out.v1" exactly once marker "mark"
		on error dead letter to nats subject "dead.<resource>"`
	for _, at := range []string{"between epochs", "before the record"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
			w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>", "mark"}, AllowAtomicPublish: true, AllowRollup: true, Duplicates: 100 * time.Millisecond})
			w.publish("orders.a", `{"id":1}`, `{"id":2,"note":"more"}`, `{"id":3,"note":"more"}`, `{"id":4,"note":"more"}`)
			w.mustDrain(strict)
			letters := w.lettersOf(strict)
			replay := func(ledger connectors.Ledger, told func(exec.ReplayedLetter)) error {
				mended := strings.Replace(strict, "{ id: int }", "{ id: int, note: string? }", 1)
				return exec.ReplayLetters(t.Context(), w.plan(mended), ledger, letters, func(connectors.Notice) {}, told)
			}
			done := false
			other := func() {
				if done {
					return
				}
				done = true
				if err := replay(w.ledger(), func(exec.ReplayedLetter) {}); err != nil {
					t.Error(err)
				}
				w.forgets()
			}
			ledger := &faultyLedger{Ledger: w.ledger()}
			told := func(exec.ReplayedLetter) { other() }
			if at == "before the record" {
				told = func(exec.ReplayedLetter) {}
				ledger.append = func(ctx context.Context, l connectors.Ledger, chain string, previous uint64, data []byte) (uint64, error) {
					other()
					return l.Append(ctx, chain, previous, data)
				}
			}
			if err := replay(ledger, told); err != nil || !done {
				t.Fatal(done, err)
			}
			if ids := w.rowIDs("OUT", "out.probe"); !slices.Equal(ids, []int{1, 2, 3, 4}) {
				t.Errorf("OUT holds %v", ids)
			}
			for _, m := range w.messages("OUT") { // by its id the server drops what both write at one moment
				replayed := strings.Contains(string(m.Data), `"note"`)
				if replayed && m.Header.Get("Nats-Msg-Id") == "" {
					t.Errorf("%s was written without an id", m.Data)
				}
			}
		})
	}
}
