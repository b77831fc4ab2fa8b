package nats

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

func TestUnsuitableStreamsAreRefusedAtOpen(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	js := client(t, url)
	makeStream(t, js, streamOn("ORIGIN", "origin"))
	noAck := streamOn("NOACK", "noack.>")
	noAck.NoAck = true
	makeStream(t, js, noAck)
	makeStream(t, js, jetstream.StreamConfig{Name: "MIRROR", Mirror: &jetstream.StreamSource{Name: "ORIGIN"}})
	makeStream(t, js, streamOn("SEALED", "sealed.>"))
	sealed := streamOn("SEALED", "sealed.>")
	sealed.Sealed = true
	if _, err := js.UpdateStream(t.Context(), sealed); err != nil {
		t.Fatal(err)
	}
	makeStream(t, js, streamOn("EVENTS", "events.>"))
	for _, v := range []struct {
		stream, subject string
		create          bool
		key, err        string
	}{
		{"NOACK", "noack.x", true, "stream", "no_ack"},
		{"MIRROR", "mirror.x", true, "stream", "is a mirror"},
		{"SEALED", "sealed.x", true, "stream", "is sealed"},
		{"EVENTS", "events", true, "subject", `does not capture "events"`},
		{"EVENTS", "others.<resource>", true, "subject", `does not capture "others.orders": its subjects are events.>`},
		{"EVENTS", "<1>.x", true, "subject", `does not capture "*.x"`},
		{"MISSING", "missing.x", false, "stream", "is missing: stream not found"},
	} {
		_, err := c.OpenSink(t.Context(), someFlow, ordersTo(v.stream, v.subject, connectors.Settings{"create_stream": v.create}))
		checkEnvironment(t, v.stream+" "+v.subject, err, v.key, v.err)
	}
}

// checkEnvironment expects an error of the surroundings about a setting of the sink.
func checkEnvironment(t *testing.T, what string, err error, key, text string) {
	t.Helper()
	check(t, what, err, text)
	if e, ok := errors.AsType[*connectors.Error](err); !ok || e.Class != connectors.Environment || e.Key != key || e.Help == "" {
		t.Errorf("%s: expected an environment error about %q with help, found %#v", what, key, err)
	}
}

func TestInterestWithoutConsumersIsWarnedAbout(t *testing.T) {
	url := startEmbedded(t)
	c, said := link(t, url, nil)
	config := streamOn("V1", "v1.>")
	config.Retention = jetstream.InterestPolicy
	makeStream(t, client(t, url), config)
	openSink(t, c, ordersTo("V1", "v1.<resource>", nil))
	if !said.holds("only while somebody is interested") {
		t.Errorf("expected a warning, found %q", said.all)
	}
}

func TestOpeningMakesNothingAndBeginMakesTheStream(t *testing.T) {
	url := startEmbedded(t)
	c, said := link(t, url, nil)
	js := client(t, url)
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", nil))
	if _, err := js.Stream(t.Context(), "V1"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Fatalf("expected no stream before Begin, found %v", err)
	}
	if target := s.Targets()[0]; target.Created != 0 || target.Stream != "V1" || target.Subject != "v1.orders" || target.Account != c.account {
		t.Errorf("expected a target that is not there yet, found %+v", target)
	}
	begin(t, s, 1)
	stream := mustStream(t, js, "V1")
	config := stream.CachedInfo().Config
	if !slices.Equal(config.Subjects, []string{"v1.>"}) || config.Storage != jetstream.FileStorage || config.Retention != jetstream.LimitsPolicy {
		t.Errorf("found %+v", config)
	}
	if target := s.Targets()[0]; target.Created != stream.CachedInfo().Created.UnixNano() {
		t.Errorf("expected the target to be known as made, found %+v", target)
	}
	if !said.holds("made the destination stream") {
		t.Errorf("expected a notice, found %q", said.all)
	}
}

func TestAnExistingStreamIsNeverChanged(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	config := streamOn("V1", "v1.orders", "extra")
	config.Storage, config.MaxMsgs, config.Description = jetstream.MemoryStorage, 100, "by hand"
	stream := makeStream(t, client(t, url), config)
	before := stream.CachedInfo().Config
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", nil))
	begin(t, s, 1)
	apply(t, s, numbered(t, 1, 3))
	after, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(after.Config.Subjects, before.Subjects) || after.Config.Storage != before.Storage || after.Config.MaxMsgs != before.MaxMsgs || after.Config.Description != before.Description {
		t.Errorf("expected %+v, found %+v", before, after.Config)
	}
}

func TestAStreamThatOverlapsAnotherIsNotMade(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	makeStream(t, client(t, url), streamOn("HOLDER", "v1.>"))
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", nil))
	checkEnvironment(t, "overlap", s.Begin(t.Context(), 1), "subject", "stream HOLDER already captures it")
}

func TestPerResourceStreamsAreResolvedBeforeAnyMessageIsSent(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	js := client(t, url)
	good := makeStream(t, js, streamOn("S_created", "by.created"))
	spec := ordersTo("S_<1>", "by.<1>", connectors.Settings{"create_stream": false})
	s := openSink(t, c, spec)
	begin(t, s, 1)
	batch := numbered(t, 1, 3)
	batch.Messages[2].Subject = "orders.paid"
	err := prepareAndApply(t.Context(), s, batch)
	check(t, "missing stream", err, "the destination stream S_paid is missing")
	if got := state(t, good).Msgs; got != 0 {
		t.Errorf("expected nothing to be sent, found %d messages", got)
	}
}

func TestRowsWithBadSubjectsAreRowErrors(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	stream := makeStream(t, client(t, url), streamOn("V1", "v1.*"))
	s := openSink(t, c, sinkSpec("V1", "v1.<1>", []string{"orders"}, []string{"orders.>"}))
	begin(t, s, 1)
	batch := numbered(t, 1, 4)
	batch.Messages[1].Subject = "orders.a.b" // the stream takes one token
	batch.Messages[3].Subject = "orders.\xff"
	err := prepareAndApply(t.Context(), s, batch)
	bad, ok := errors.AsType[connectors.RowErrors](err)
	if !ok || len(bad) != 2 || bad[0].Row != 1 || bad[1].Row != 3 {
		t.Fatalf("expected errors of rows 1 and 3, found %v", err)
	}
	check(t, "row 1", bad[0].Err, `does not capture "v1.a.b"`)
	check(t, "row 3", bad[1].Err, "not UTF-8")
	if got := state(t, stream).Msgs; got != 0 {
		t.Errorf("expected nothing to be sent, found %d messages", got)
	}
	apply(t, s, numbered(t, 1, 1)) // the session goes on
	if receipts := commit(t, s, 1); len(receipts) != 1 || receipts[0].Rows != 1 {
		t.Errorf("expected a receipt for one row, found %+v", receipts)
	}
}

func TestDescribeSink(t *testing.T) {
	lines := strings.Join(describeSink(ordersTo("V1", "v1.<resource>", nil)), "\n")
	for _, want := range []string{"orders goes to stream V1 on subject v1.orders", "a missing stream is made: V1 (v1.>)", "at most 1,024 messages and 16 MiB in flight, each acknowledged within 5s"} {
		if !strings.Contains(lines, want) {
			t.Errorf("expected %q in\n%s", want, lines)
		}
	}
}

// TestDescribeSinkOfManyResources tells of some streams, and does not look for
// what they hold once a resource.
func TestDescribeSinkOfManyResources(t *testing.T) {
	resources := make([]string, 1000)
	for i := range resources {
		resources[i] = fmt.Sprintf("r%04d", i)
	}
	for stream, want := range map[string]string{
		"<resource>": "a missing stream is made: r0000 (out.r0000), r0001 (out.r0001), r0002 (out.r0002), r0003 (out.r0003), r0004 (out.r0004), r0005 (out.r0005), r0006 (out.r0006), r0007 (out.r0007), r0008 (out.r0008), r0009 (out.r0009), 990 more, with",
		"OUT":        "a missing stream is made: OUT (out.>), with",
	} {
		if lines := strings.Join(describeSink(sinkSpec(stream, "out.<resource>", resources, resources)), "\n"); !strings.Contains(lines, want) {
			t.Errorf("expected %q in\n%s", want, lines[len(lines)-500:])
		}
	}
}
