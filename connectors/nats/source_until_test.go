package nats

import (
	"slices"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// untilCaughtUp is a source that ends; change happens between Seek and Read.
func untilCaughtUp(t *testing.T, js jetstream.JetStream, url string, change func()) []uint64 {
	t.Helper()
	c, _ := link(t, url, nil)
	s := openSource(t, c, connectors.SourceOptions{UntilCaughtUp: true}, sourcesOf(nil, "orders.>")...)
	seek(t, s)
	change()
	return drain(t, s, records(4))
}

func TestCaughtUpDespiteMessagesThatNeverCome(t *testing.T) {
	nothing := func(*testing.T, jetstream.JetStream, jetstream.Stream) {}
	for _, v := range []struct {
		name          string
		before, after func(*testing.T, jetstream.JetStream, jetstream.Stream)
		want          []uint64
	}{
		{"empty", nothing, nothing, nil},
		{"all", func(t *testing.T, js jetstream.JetStream, _ jetstream.Stream) { fill(t, js, 10, "orders.x") }, nothing, upTo(1, 10)},
		{"only foreign", func(t *testing.T, js jetstream.JetStream, _ jetstream.Stream) { fill(t, js, 10, "foreign") }, nothing, nil},
		{"foreign at the end", func(t *testing.T, js jetstream.JetStream, _ jetstream.Stream) {
			fill(t, js, 5, "orders.x")
			fill(t, js, 5, "foreign")
		}, nothing, upTo(1, 5)},
		{"foreign between", func(t *testing.T, js jetstream.JetStream, _ jetstream.Stream) {
			fill(t, js, 6, "orders.x", "foreign")
		}, nothing, []uint64{1, 3, 5}},
		{"deleted before", func(t *testing.T, js jetstream.JetStream, s jetstream.Stream) {
			fill(t, js, 6, "orders.x")
			remove(t, s, 2, 5, 6)
		}, nothing, []uint64{1, 3, 4}},
		{"deleted at the end while reading", func(t *testing.T, js jetstream.JetStream, _ jetstream.Stream) {
			fill(t, js, 6, "orders.x")
		}, func(t *testing.T, _ jetstream.JetStream, s jetstream.Stream) { remove(t, s, 5, 6) }, upTo(1, 4)},
		{"purged while reading", func(t *testing.T, js jetstream.JetStream, _ jetstream.Stream) {
			fill(t, js, 6, "orders.x")
		}, func(t *testing.T, _ jetstream.JetStream, s jetstream.Stream) {
			if err := s.Purge(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, nil},
	} {
		t.Run(v.name, func(t *testing.T) {
			url := startEmbedded(t)
			js := client(t, url)
			stream := makeStream(t, js, streamOn("ORDERS", "orders.>", "foreign"))
			v.before(t, js, stream)
			got := untilCaughtUp(t, js, url, func() { v.after(t, js, stream) })
			if !slices.Equal(got, v.want) {
				t.Errorf("expected %v, found %v", v.want, got)
			}
		})
	}
}

func remove(t *testing.T, s jetstream.Stream, sequences ...uint64) {
	t.Helper()
	for _, sequence := range sequences {
		if err := s.DeleteMsg(t.Context(), sequence); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCaughtUpMeansWhatWasThereAtTheStart(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 10, "orders.x")
	got := untilCaughtUp(t, js, url, func() { fill(t, js, 1000, "orders.x") })
	if len(got) < 10 || len(got) >= 1010 || !slices.Equal(got, upTo(1, uint64(len(got)))) {
		t.Errorf("expected the first ten in order and not all of the later ones, found %d", len(got))
	}
}

func TestCaughtUpOverSeveralStreams(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("A", "orders.a"))
	makeStream(t, js, streamOn("B", "orders.b"))
	makeStream(t, js, streamOn("EMPTY", "orders.c"))
	fill(t, js, 9, "orders.a", "orders.b", "orders.b")
	got := untilCaughtUp(t, js, url, func() {})
	slices.Sort(got)
	if want := slices.Sorted(slices.Values(append(upTo(1, 3), upTo(1, 6)...))); !slices.Equal(got, want) {
		t.Errorf("expected %v, found %v", want, got)
	}
}

func TestTheTargetStaysAfterAnInterruption(t *testing.T) {
	c, _, js := someOrders(t, 10)
	s := openSource(t, c, connectors.SourceOptions{UntilCaughtUp: true}, sourcesOf(nil, "orders.>")...)
	seek(t, s)
	d := read(t, s, records(4))
	ack(t, d)
	read(t, s, records(4)).Release(t.Context())
	fill(t, js, 1000, "orders.x")
	seek(t, s, d.Position()...)
	got := drain(t, s, records(4))
	if len(got) < 6 || len(got) >= 1006 || !slices.Equal(got, upTo(5, 4+uint64(len(got)))) {
		t.Errorf("expected what was there at the start and not all of the later ones, found %d from %v", len(got), got[:min(len(got), 1)])
	}
}

func TestTheConsumersNumberOfPendingMessagesMayLag(t *testing.T) {
	c, _, _ := someOrders(t, 10)
	s := openSource(t, c, connectors.SourceOptions{UntilCaughtUp: true}, sourcesOf(nil, "orders.>")...)
	seek(t, s)
	s.mu.Lock()
	s.readers[0].pending = 0 // as a server tells that has not counted the newest
	s.mu.Unlock()
	if got := drain(t, s, records(4)); !slices.Equal(got, upTo(1, 10)) {
		t.Errorf("expected all that the stream held, found %v", got)
	}
}
