package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// watchedLedger calls before ahead of each certificate that is written.
type watchedLedger struct {
	connectors.Ledger
	before func() error
}

func (l *watchedLedger) Append(ctx context.Context, chain string, previous uint64, data []byte) (uint64, error) {
	if chain == epochChain && strings.Contains(string(data), `"kind":"certificate"`) {
		if err := l.before(); err != nil {
			return 0, err
		}
	}
	return l.Ledger.Append(ctx, chain, previous, data)
}

// drainWatched runs a flow of epochs of five over ORDERS, which has these messages,
// until it is caught up, and returns its machine and what is in OUT.
func drainWatched(t *testing.T, messages []string, before func(*machine) error) (*machine, []string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	server, err := embedded.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	nc, err := natsgo.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}}); err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if _, err := js.Publish(ctx, "orders.a", []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	file, found := lang.Parse(&lang.Source{Name: "orders.flow",
		Text: `from nats "orders.>" epoch 5/1s select { id } to nats stream "OUT" subject "out.v1"`})
	if found.HasErrors() {
		t.Fatal(found)
	}
	plan, found := planner.Compile([]*lang.File{file}, planner.Options{Kinds: []connectors.Kind{nats.Kind()},
		Defaults: map[string]connectors.Settings{"nats": {"url": []string{server.URL()}}}})
	if found.HasErrors() {
		t.Fatal(found)
	}
	m, err := newMachine(plan.Flows[0], Options{UntilCaughtUp: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	if err := m.open(ctx); err != nil {
		t.Fatal(err)
	}
	m.chain.ledger = &watchedLedger{Ledger: m.ledger, before: func() error { return before(m) }}
	ran := m.loop(ctx)
	var out []string
	if stream, err := js.Stream(ctx, "OUT"); err == nil {
		for sequence := uint64(1); sequence <= stream.CachedInfo().State.LastSeq; sequence++ {
			stored, err := stream.GetMsg(ctx, sequence)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(stored.Data))
		}
	}
	return m, out, ran
}

func orders(from, to int) []string {
	var all []string
	for i := from; i <= to; i++ {
		all = append(all, fmt.Sprintf(`{"id":%d}`, i))
	}
	return all
}

// whole waits until the epoch behind the present one is read, decoded and transformed.
func whole(m *machine) error {
	deadline := time.Now().Add(10 * time.Second)
	for len(m.ahead.done) == 0 {
		if time.Now().After(deadline) {
			return errors.New("the next epoch was not read while this one waited")
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

func TestNextEpochIsReadWhileOneWaits(t *testing.T) {
	var ahead []int64
	m, out, err := drainWatched(t, orders(1, 20), func(m *machine) error {
		if err := whole(m); err != nil {
			return err
		}
		if p := m.ahead.epoch.parts[0]; p.output != nil {
			ahead = append(ahead, p.output.NumRows())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(ahead) != "[5 5 5]" {
		t.Errorf("while the epochs were certified, the next ones had %v rows transformed", ahead)
	}
	if fmt.Sprint(out) != fmt.Sprint(orders(1, 20)) || m.totals.Epochs != 4 {
		t.Errorf("%d epochs wrote %v", m.totals.Epochs, out)
	}
}

func TestEpochAheadOfAFailedOneIsReleasedUntouched(t *testing.T) {
	failed := false
	m, out, err := drainWatched(t, orders(1, 20), func(m *machine) error {
		if !failed && m.number == 2 {
			failed = true
			if err := whole(m); err != nil {
				return err
			}
			return connectors.Errorf(connectors.Transient, "planted")
		}
		return nil
	})
	if err != nil || !failed {
		t.Fatal(failed, err)
	}
	if fmt.Sprint(out) != fmt.Sprint(orders(1, 20)) {
		t.Errorf("wrote %v", out)
	}
	if m.totals.Epochs != 4 || m.totals.Read != 20 || m.totals.Duplicates != 5 {
		t.Errorf("%d epochs of %d messages, %d duplicates: only the failed epoch is written again", m.totals.Epochs, m.totals.Read, m.totals.Duplicates)
	}
}

func TestFaultAheadLetsTheEpochBeforeItEnd(t *testing.T) {
	m, out, err := drainWatched(t, append(orders(1, 7), `{"id":"eight"}`), whole)
	fault, ok := errors.AsType[*RowFault](err)
	if !ok || fault.Sequence != 8 {
		t.Fatalf("the error is %v", err)
	}
	if fmt.Sprint(out) != fmt.Sprint(orders(1, 5)) || m.chain.state.Epoch != 1 {
		t.Errorf("epoch %d is the last certified one, and %v are written", m.chain.state.Epoch, out)
	}
}
