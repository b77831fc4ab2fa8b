package nats

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// scanned are the sequences of a scan.
func scanned(t *testing.T, c *connection, stream string, first, last uint64) []uint64 {
	t.Helper()
	var all []uint64
	err := c.Scan(t.Context(), stream, first, last, func(m *connectors.Stored) error {
		all = append(all, m.Sequence)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestScan(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	c, _ := link(t, url, nil)
	for name, retention := range map[string]jetstream.RetentionPolicy{"KEPT": jetstream.LimitsPolicy, "QUEUE": jetstream.WorkQueuePolicy} {
		subject := strings.ToLower(name)
		s := makeStream(t, js, jetstream.StreamConfig{Name: name, Subjects: []string{subject + ".>"}, Retention: retention})
		fill(t, js, 10, subject+".a", subject+".b")
		if err := s.DeleteMsg(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
		for _, r := range []struct {
			first, last uint64
			want        []uint64
		}{
			{0, 100, []uint64{1, 2, 3, 5, 6, 7, 8, 9, 10}}, {3, 5, []uint64{3, 5}}, {4, 4, nil}, {10, 10, []uint64{10}}, {11, 20, nil}, {5, 3, nil},
		} {
			if got := scanned(t, c, name, r.first, r.last); !slices.Equal(got, r.want) {
				t.Errorf("%s from %d to %d: expected %v, found %v", name, r.first, r.last, r.want, got)
			}
		}
		if err := c.Scan(t.Context(), name, 1, 10, func(*connectors.Stored) error { return io.EOF }); !errors.Is(err, io.EOF) {
			t.Errorf("expected the caller's error to end the scan, found %v", err)
		}
		info, err := s.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.State.Msgs != 9 {
			t.Errorf("%s: the scan changed the stream: %d messages", name, info.State.Msgs)
		}
		eventually(t, "the scan leaves no consumer behind", func() bool {
			return state(t, s).Consumers == 0
		})
	}
	if got := scanned(t, c, "MISSING", 1, 10); got != nil {
		t.Errorf("expected nothing of a stream that is not there, found %v", got)
	}
}

// TestScanOfWhatIsRemovedMeanwhile removes what the server has not sent yet.
func TestScanOfWhatIsRemovedMeanwhile(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	c, _ := link(t, url, nil)
	s := makeStream(t, js, streamOn("LONG", "long.>"))
	fill(t, js, 1500, "long.a")
	n := 0
	err := c.Scan(t.Context(), "LONG", 1, 1500, func(*connectors.Stored) error {
		if n++; n == 1 {
			return s.Purge(t.Context())
		}
		return nil
	})
	if err != nil || n == 0 || n == 1500 {
		t.Errorf("found %d messages, %v", n, err)
	}
}

func TestScannedMessagesSayWhatTheyAre(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	c, _ := link(t, url, nil)
	makeStream(t, js, streamOn("OUT", "out.>"))
	for _, m := range []*natsgo.Msg{
		{Subject: "out.a", Data: []byte(`{"x":1,"_flow_event_id":"S.1.2.3"}`), Header: natsgo.Header{"Nats-Msg-Id": {"f1.A"}}},
		{Subject: "out.b", Data: []byte(`{}`), Header: natsgo.Header{"Flow-Event-Id": {"S.1.2.4"}}},
		{Subject: "out.c", Data: []byte(`not "_flow_event_id" but text`)},
	} {
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	if err := c.Scan(t.Context(), "OUT", 1, 9, func(m *connectors.Stored) error {
		got = append(got, strings.Join([]string{m.Subject, m.ID, m.Event}, " "))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"out.a f1.A S.1.2.3", "out.b  S.1.2.4", "out.c  "}; !slices.Equal(got, want) {
		t.Errorf("expected %q, found %q", want, got)
	}
}

func TestHolding(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	c, _ := link(t, url, nil)
	if h, err := c.Holding(t.Context(), "MISSING"); err != nil || h.Created != 0 {
		t.Errorf("found %+v, %v", h, err)
	}
	for i, w := range []struct {
		config          jetstream.StreamConfig
		limited, sparse bool
	}{
		{jetstream.StreamConfig{}, false, false},
		{jetstream.StreamConfig{MaxAge: time.Hour}, true, false},
		{jetstream.StreamConfig{MaxMsgs: 100}, true, false},
		{jetstream.StreamConfig{MaxMsgs: 100, Discard: jetstream.DiscardNew}, false, false},
		{jetstream.StreamConfig{MaxMsgsPerSubject: 100}, true, true},
		{jetstream.StreamConfig{Retention: jetstream.WorkQueuePolicy}, true, true},
	} {
		w.config.Name = fmt.Sprintf("S%d", i)
		w.config.Subjects = []string{w.config.Name + ".>"}
		s := makeStream(t, js, w.config)
		fill(t, js, 5, w.config.Name+".a")
		if err := s.Purge(t.Context(), jetstream.WithPurgeSequence(3)); err != nil {
			t.Fatal(err)
		}
		h, err := c.Holding(t.Context(), w.config.Name)
		if err != nil || h.First != 3 || h.Last != 5 || h.Limited != w.limited || h.Sparse != w.sparse || h.Created == 0 {
			t.Errorf("%+v: found %+v, %v", w.config, h, err)
		}
	}
}

func TestReread(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	c, _ := link(t, url, nil)
	s := makeStream(t, js, streamOn("ORDERS", "orders.>", "other.>"))
	fill(t, js, 6, "orders.a", "other.x", "orders.b")
	life := connectors.Incarnation{Stream: "ORDERS", Created: s.CachedInfo().Created.UnixNano()}
	specs := []connectors.SourceSpec{{Select: "orders.a"}, {Select: "orders.b"}, {Select: "elsewhere.>"}}
	got, err := c.Reread(t.Context(), specs, life, connectors.Range{Stream: "ORDERS", First: 1, Last: 4})
	if err != nil || len(got) != 3 {
		t.Fatalf("expected 3 messages, found %+v, %v", got, err)
	}
	for i, want := range []struct {
		sequence uint64
		resource int
	}{{1, 0}, {3, 1}, {4, 0}} {
		m := got[i]
		if m.Sequence != want.sequence || m.Resource != want.resource || *m.Source != life || m.Time == 0 || len(m.Data) == 0 {
			t.Errorf("message %d: found %+v", i, m)
		}
	}
	if all, err := c.Reread(t.Context(), nil, life, connectors.Range{First: 1, Last: 4}); err != nil || len(all) != 4 {
		t.Errorf("without specs: expected 4 messages, found %d, %v", len(all), err)
	}
	life.Created++
	if other, err := c.Reread(t.Context(), specs, life, connectors.Range{First: 1, Last: 4}); err != nil || other != nil {
		t.Errorf("expected nothing of another life of the stream, found %+v, %v", other, err)
	}
}
