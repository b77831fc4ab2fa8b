package exec

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

func TestBackoff(t *testing.T) {
	r := planner.Retry{Min: 200 * time.Millisecond, Max: time.Second}
	var waits []time.Duration
	for failures := 1; failures <= 5; failures++ {
		waits = append(waits, backoff(r, failures))
	}
	want := []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond, time.Second, time.Second}
	if !slices.Equal(waits, want) {
		t.Errorf("waits are %v", waits)
	}
}

func TestResourceChain(t *testing.T) {
	names := map[string]string{}
	for _, name := range []string{"orders", "orders_v1", "a-b", "a.b", "*", "ä", "x y"} {
		chain := schemaChainOf(name)
		if other, again := names[chain]; again {
			t.Errorf("%q and %q share %s", name, other, chain)
		}
		names[chain] = name
		for _, c := range chain[len(schemaChain):] {
			if !chainRune(c) && c != '=' {
				t.Errorf("%q has the chain %q", name, chain)
			}
		}
	}
	if chain := schemaChainOf("orders"); chain != "schema.orders" {
		t.Errorf("a plain name has the chain %s", chain)
	}
}

func TestRecordOfANewerProgram(t *testing.T) {
	var r Record
	err := decodeRecord([]byte(`{"format":3}`), &r)
	if connectors.ClassOf(err) != connectors.Environment {
		t.Errorf("a newer format gives %v", err)
	}
	if err := decodeRecord([]byte(`{"format":1,"attempt":3}`), &r); err != nil || r.Attempt != 3 {
		t.Errorf("a known format gives %+v, %v", r, err)
	}
	if err := decodeRecord([]byte(`{`), &r); err == nil {
		t.Error("half a record was read")
	}
}

func TestDifference(t *testing.T) {
	a := Specification{Options: []string{"from a", "to b"}, Boundary: connectors.Bounds{MaxRecords: 1000, MaxWait: time.Second}}
	b := Specification{Options: []string{"from a", "to c"}, Boundary: connectors.Bounds{MaxRecords: 10, MaxWait: time.Minute, MaxBytes: 4 << 20, MaxAge: 5 * time.Second}}
	want := []string{"- to b", "+ to c", "- epoch 1000/1s", "+ epoch 10/1m/4MiB max_age 5s"}
	if lines := difference(a, b); !slices.Equal(lines, want) {
		t.Errorf("differences are %q", lines)
	}
	if lines := difference(a, a); lines != nil {
		t.Errorf("equal specifications differ in %q", lines)
	}
}

func TestAdvance(t *testing.T) {
	at := func(stream string, sequence uint64) connectors.Position {
		return connectors.Position{Incarnation: connectors.Incarnation{Stream: stream}, Sequence: sequence}
	}
	got := advance([]connectors.Position{at("A", 1), at("B", 2)}, []connectors.Position{at("B", 5)})
	if !slices.Equal(got, []connectors.Position{at("A", 1), at("B", 5)}) {
		t.Errorf("positions are %v", got)
	}
}

func TestTheStateOfARun(t *testing.T) {
	failure := errors.New("it failed")
	for _, v := range []struct {
		shown    shown
		stopping bool
		want     RunState
	}{
		{shown{}, false, IsStarting},
		{shown{standby: true}, false, IsStandby},
		{shown{admitted: true}, false, IsRunning},
		{shown{admitted: true, paused: true}, false, IsPaused},
		{shown{admitted: true, failing: true, paused: true, err: failure}, false, IsWaiting},
		{shown{admitted: true, failing: true, unproven: true, err: failure}, false, IsBlocked},
		{shown{admitted: true, unproven: true}, true, IsDraining},
		{shown{over: true}, true, IsEnded},
		{shown{over: true, err: failure}, true, IsFailed},
	} {
		if got := v.shown.state(v.stopping); got != v.want {
			t.Errorf("%+v: expected %s, found %s", v.shown, v.want, got)
		}
	}
}
