package connectors

import (
	"testing"
	"time"
)

func TestEventID(t *testing.T) {
	m := Message{Source: &Incarnation{Stream: "ORDERS", Created: 1700000000000000001}, Sequence: 18446744073709551615, Time: -5}
	if got := string(m.AppendEventID([]byte("id="))); got != "id=ORDERS.1700000000000000001.18446744073709551615.-5" {
		t.Errorf("found %q", got)
	}
}

func TestMessageTimeIsUTCWithAllItsDigits(t *testing.T) {
	m := Message{Time: time.Date(2024, 2, 29, 23, 59, 58, 123456789, time.FixedZone("", 3600)).UnixNano()}
	if got := string(m.AppendTime(nil)); got != "2024-02-29T22:59:58.123456789Z" {
		t.Errorf("found %q", got)
	}
}

func TestOperationNames(t *testing.T) {
	for op, want := range map[Operation]string{Insert: "insert", Update: "update", Delete: "delete"} {
		if op.String() != want {
			t.Errorf("expected %q, found %q", want, op)
		}
	}
}

func TestIdentityString(t *testing.T) {
	if got := (Identity{Namespace: "default", Flow: "orders"}).String(); got != "default/orders" {
		t.Errorf("found %q", got)
	}
}

// FuzzParseEventID takes apart what AppendEventID makes, and nothing else.
func FuzzParseEventID(f *testing.F) {
	for _, seed := range []string{"ORDERS.1.2.3", "A.-1.18446744073709551615.9223372036854775807", "", "...", "a.b.c.d", "A.1.2", "A.1.2.3.4", "A.+1.2.3", "A.01.2.3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		life, sequence, stored, ok := ParseEventID(id)
		if !ok {
			return
		}
		m := Message{Source: &life, Sequence: sequence, Time: stored}
		again, s, st, ok := ParseEventID(string(m.AppendEventID(nil)))
		if !ok || again != life || s != sequence || st != stored {
			t.Errorf("%q: %v %d %d, and then %v %d %d %v", id, life, sequence, stored, again, s, st, ok)
		}
	})
}
