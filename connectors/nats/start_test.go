package nats

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// startAt are settings with a `start`.
func startAt(t testing.TB, text string) connectors.Settings {
	t.Helper()
	start, err := connectors.ParseStart(text)
	if err != nil {
		t.Fatal(err)
	}
	return connectors.Settings{"start": start}
}

// storedTime is when the stream stored a message, as `start` writes it.
func storedTime(t testing.TB, s jetstream.Stream, sequence uint64) string {
	t.Helper()
	m, err := s.GetMsg(t.Context(), sequence)
	if err != nil {
		t.Fatal(err)
	}
	return m.Time.Format(time.RFC3339Nano)
}

func TestStart(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	// Sequences 1, 3, 5, 7, 9 are orders.a, the others orders.b.
	stream := makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 10, "orders.a", "orders.b")
	c, said := link(t, url, nil)
	for i, v := range []struct {
		start, subject string
		before         func()
		want           []uint64 // of the 12 messages that are there in the end
	}{
		{"all", "orders.>", nil, upTo(1, 12)},
		{"new", "orders.>", nil, []uint64{11, 12}},
		{"new", "orders.b", nil, []uint64{12}},
		{"last", "orders.>", nil, []uint64{10, 11, 12}},
		{"last", "orders.a", nil, []uint64{9, 11}},
		{"last", "orders.c", nil, nil},
		{"8", "orders.>", nil, upTo(8, 12)},
		{"8", "orders.a", nil, []uint64{9, 11}},
		{"11", "orders.>", nil, []uint64{11, 12}},
		{storedTime(t, stream, 6), "orders.>", nil, upTo(6, 12)},
		{storedTime(t, stream, 6), "orders.a", nil, []uint64{7, 9, 11}},
		{"2000-01-01T00:00:00Z", "orders.>", nil, upTo(1, 12)},
		{"now", "orders.>", nil, []uint64{11, 12}},
		{storedTime(t, stream, 6), "orders.>", func() { remove(t, stream, 6, 7) }, upTo(8, 12)},
	} {
		t.Run(v.start+" "+v.subject, func(t *testing.T) {
			if v.start == "now" {
				v.start = time.Now().Format(time.RFC3339Nano)
			}
			if v.before != nil {
				v.before()
			}
			flow := connectors.Identity{Namespace: "default", Flow: fmt.Sprint("orders", i)}
			s, err := c.OpenSource(t.Context(), flow, sourcesOf(startAt(t, v.start), v.subject), connectors.SourceOptions{UntilCaughtUp: true, Epoch: records(100)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { closeSource(t, s.(*source)) })
			seek(t, s.(*source))
			if got := readStarted(t, js, stream, s.(*source)); !slices.Equal(got, v.want) {
				t.Errorf("expected %v, found %v", v.want, got)
			}
		})
	}
	if said.holds("made again") {
		t.Errorf("a new flow had a consumer before: %q", said.all)
	}
}

// readStarted reads two more messages than there were when the source began, which
// it removes again.
func readStarted(t *testing.T, js jetstream.JetStream, stream jetstream.Stream, s *source) []uint64 {
	t.Helper()
	fill(t, js, 2, "orders.a", "orders.b")
	last := state(t, stream).LastSeq
	s.mu.Lock()
	s.readers[0].target = last
	s.mu.Unlock()
	var got []uint64
	for _, sequence := range drain(t, s, records(100)) {
		if sequence > 10 {
			sequence -= last - 12
		}
		got = append(got, sequence)
	}
	remove(t, stream, last-1, last)
	return got
}

func TestWhereNoStartIs(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	makeStream(t, js, streamOn("RETURNS", "returns.>"))
	queue := streamOn("QUEUE", "queue.>")
	queue.Retention = jetstream.WorkQueuePolicy
	makeStream(t, js, queue)
	fill(t, js, 10, "orders.x")
	c, _ := link(t, url, nil)
	for _, v := range []struct {
		name, start string
		subjects    []string
		err         string
	}{
		{"beyond the end", "12", []string{"orders.>"}, "stream ORDERS ends at sequence 10, and `start` asks for 12"},
		{"beyond the end of an empty stream", "2", []string{"returns.>"}, "stream RETURNS ends at sequence 0, and `start` asks for 2"},
		{"a sequence of two streams", "5", []string{"orders.>", "returns.>"}, "a sequence is that of one stream, and 2 streams are read"},
		{"in the future", time.Now().Add(time.Hour).Format(time.RFC3339), []string{"orders.>"}, "is in the future"},
		{"a work queue", "new", []string{"queue.>"}, "stream QUEUE is a work queue"},
	} {
		t.Run(v.name, func(t *testing.T) {
			_, err := openSource(t, c, connectors.SourceOptions{}, sourcesOf(startAt(t, v.start), v.subjects...)...).Seek(t.Context(), someRecords, nil)
			expectEnvironment(t, v.name, err, v.err)
			for _, stream := range []string{"ORDERS", "RETURNS", "QUEUE"} {
				if info, err := c.consumerInfo(t.Context(), stream, consumerName(someFlow)); err != nil || info != nil {
					t.Errorf("expected no consumer of %s to be made, found %+v, %v", stream, info, err)
				}
			}
		})
	}
}

// Where a flow began holds for its later starts, whatever came meanwhile.
func TestAStartHolds(t *testing.T) {
	for _, v := range []struct {
		name, start string
		filled      int
		want        []uint64
	}{
		{"new", "new", 10, upTo(11, 15)},
		{"new in an empty stream", "new", 0, upTo(1, 5)},
		{"last", "last", 10, upTo(10, 15)},
	} {
		for _, lost := range []string{"nothing", "the position", "the consumer"} {
			t.Run(v.name+" without "+lost, func(t *testing.T) {
				c, _, js := someOrders(t, v.filled)
				open := func() *source {
					return openSource(t, c, connectors.SourceOptions{}, sourcesOf(startAt(t, v.start), "orders.>")...)
				}
				s := open()
				at := seek(t, s)
				if len(at) != 1 || at[0].Stream != "ORDERS" || at[0].Created == 0 {
					t.Fatalf("expected the position to keep, found %+v", at)
				}
				closeSource(t, s)
				fill(t, js, 5, "orders.x")
				switch lost {
				case "the position":
					at = nil
				case "the consumer":
					if err := js.DeleteConsumer(t.Context(), "ORDERS", consumerName(someFlow)); err != nil {
						t.Fatal(err)
					}
				}
				s = open()
				seek(t, s, at...)
				expectSequences(t, read(t, s, records(len(v.want))), v.want)
			})
		}
	}
}

// What a start skipped stays skipped when the consumer is reset; a stream that is
// made anew is read from its first message.
func TestAStartAfterResetAndRecreation(t *testing.T) {
	c, said, js := someOrders(t, 10)
	s := openSource(t, c, connectors.SourceOptions{}, sourcesOf(startAt(t, "new"), "orders.>")...)
	at := seek(t, s)
	fill(t, js, 5, "orders.x")
	d := read(t, s, records(3))
	expectSequences(t, d, upTo(11, 13))
	d.Release(t.Context())
	seek(t, s, at...)
	expectSequences(t, read(t, s, records(5)), upTo(11, 15))
	if err := js.DeleteStream(t.Context(), "ORDERS"); err != nil {
		t.Fatal(err)
	}
	mustInterrupt(t, s)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 3, "orders.x")
	at = seek(t, s, at...)
	if len(at) != 1 || at[0].Sequence != 0 || !said.holds("was deleted and made again") {
		t.Errorf("expected a position at the beginning of the new stream and a notice, found %+v, %q", at, said.all)
	}
	expectSequences(t, read(t, s, records(3)), upTo(1, 3))
}

func TestAStartWhoseMessagesAreGone(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	stream := makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 10, "orders.x")
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSequence(7)); err != nil {
		t.Fatal(err)
	}
	c, said := link(t, url, nil)
	s := openSource(t, c, connectors.SourceOptions{}, sourcesOf(startAt(t, "3"), "orders.>")...)
	seek(t, s)
	expectSequences(t, read(t, s, records(4)), upTo(7, 10))
	if !said.holds("the sequence to start at is gone") {
		t.Errorf("expected a warning, found %q", said.all)
	}
}

func TestSourcesOfOneFlowStartTogether(t *testing.T) {
	specs := append(sourcesOf(startAt(t, "new"), "a.>"), sourcesOf(startAt(t, "last"), "b.>")...)
	check(t, "two starts", checkSources(specs), "these have `start new` and `start last`")
	specs = append(sourcesOf(startAt(t, "new"), "a.>"), sourcesOf(nil, "b.>")...)
	check(t, "one start", checkSources(specs), "these have `start new` and `start all`")
	check(t, "equal", checkSources(sourcesOf(startAt(t, "new"), "a.>", "b.>")), "")
}
