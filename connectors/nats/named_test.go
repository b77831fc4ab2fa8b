package nats

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// namedSources are sources that name their streams.
func namedSources(streams []string, subjects ...string) []connectors.SourceSpec {
	return sourcesOf(connectors.Settings{"streams": streams}, subjects...)
}

func TestNamedStreamsAreRead(t *testing.T) {
	c, js := somePlaces(t)
	fill(t, js, 4, "orders.x", "users.x")
	fill(t, js, 2, "changed.y")
	for _, v := range []struct {
		name string
		spec connectors.SourceSpec
		want []string
	}{
		{"its own subjects", namedSources([]string{"ORDERS"}, "orders.>")[0], []string{"orders.x", "orders.x"}},
		{"one of several", namedSources([]string{"USERS"}, ">")[0], []string{"users.x", "users.x"}},
		{"a mirror", namedSources([]string{"MIRROR"}, "orders.>")[0], []string{"orders.x", "orders.x"}},
		{"what a stream copies", namedSources([]string{"COPY"}, "users.>")[0], []string{"users.x", "users.x"}},
		{"the subjects that are stored", namedSources([]string{"CHANGED"}, "orders.changed.>")[0], []string{"orders.changed.y", "orders.changed.y"}},
	} {
		t.Run(v.name, func(t *testing.T) {
			name := v.spec.Settings.List("streams")[0]
			eventually(t, "the stream has its messages", func() bool {
				info, err := c.streamInfo(t.Context(), name)
				return err == nil && info.State.Msgs >= 2
			})
			s := openSource(t, c, connectors.SourceOptions{}, v.spec)
			seek(t, s)
			d := read(t, s, records(2))
			var got []string
			for _, m := range d.Messages() {
				got = append(got, m.Subject)
			}
			if !slices.Equal(got, v.want) {
				t.Errorf("expected %q, found %q", v.want, got)
			}
			ack(t, d)
		})
	}
}

func TestNamedStreamsThatCannotBeRead(t *testing.T) {
	c, js := somePlaces(t)
	fill(t, js, 2, "orders.x", "changed.y")
	eventually(t, "the mirror has its message", func() bool {
		info, err := c.streamInfo(t.Context(), "MIRROR")
		return err == nil && info.State.Msgs == 1
	})
	for _, v := range []struct {
		name string
		spec connectors.SourceSpec
		err  string
	}{
		{"other subjects", namedSources([]string{"USERS"}, "orders.>")[0], `the stream USERS holds nothing of "orders.>"`},
		{"a mirror of other subjects", namedSources([]string{"MIRROR"}, "users.>")[0], `the stream MIRROR holds nothing of "users.>"`},
		{"the subject before it was changed", namedSources([]string{"CHANGED"}, "changed.>")[0], `the stream CHANGED holds nothing of "changed.>"`},
	} {
		_, err := c.OpenSource(t.Context(), someFlow, []connectors.SourceSpec{v.spec}, connectors.SourceOptions{})
		expectEnvironment(t, v.name, err, v.err)
	}
	_, err := c.OpenSource(t.Context(), someFlow, namedSources([]string{"ORDER"}, "orders.>"), connectors.SourceOptions{})
	check(t, "none of that name", err, "there is no stream ORDER on")
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Named != "ORDER" || !slices.Contains(e.Among, "ORDERS") || e.Key != "streams" || !errors.Is(err, connectors.ErrNoSource) {
		t.Errorf("expected the streams there are, found %+v", e)
	}
}

func TestANamedCopyThatIsEmptyIsReadWithAWarning(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	makeStream(t, js, jetstream.StreamConfig{Name: "MIRROR", Mirror: &jetstream.StreamSource{Name: "ORDERS"}})
	c, said := link(t, url, nil)
	s := openSource(t, c, connectors.SourceOptions{}, namedSources([]string{"MIRROR"}, "orders.>")...)
	seek(t, s)
	if !said.holds("the stream holds nothing yet") {
		t.Errorf("expected a warning, found %q", said.all)
	}
	fill(t, js, 1, "orders.x")
	expectSequences(t, read(t, s, records(1)), []uint64{1})
}

// Two sources may read equal subjects of different streams; each is a resource.
func TestEqualSubjectsOfNamedStreams(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("A", "orders.>"))
	makeStream(t, js, jetstream.StreamConfig{Name: "B", Mirror: &jetstream.StreamSource{Name: "A"}})
	fill(t, js, 1, "orders.x")
	specs := append(namedSources([]string{"A"}, "orders.>"), namedSources([]string{"B"}, "orders.>")...)
	check(t, "apart", checkSources(specs), "")
	c, _ := link(t, url, nil)
	s := openSource(t, c, connectors.SourceOptions{}, specs...)
	seek(t, s)
	resources := map[string]int{}
	for len(resources) < 2 {
		d := read(t, s, records(1))
		resources[d.Messages()[0].Source.Stream] = d.Messages()[0].Resource
		ack(t, d)
	}
	if resources["A"] != 0 || resources["B"] != 1 {
		t.Errorf("expected a resource for each stream, found %v", resources)
	}
	check(t, "together", checkSources(append(namedSources([]string{"A"}, "orders.>"), sourcesOf(nil, "orders.x")...)), "overlap")
	check(t, "shared", checkSources(append(namedSources([]string{"A", "B"}, "orders.>"), namedSources([]string{"B"}, "orders.>")...)), "overlap")
}

func TestCheckNamed(t *testing.T) {
	for _, v := range []struct {
		streams []string
		err     string
	}{
		{[]string{"A", "B-1_2"}, ""},
		{[]string{"A.B"}, "letters, digits"},
		{[]string{"A", "B", "A"}, "the stream A is named twice"},
		{[]string{ledgerStream}, "is the ledger"},
	} {
		err := checkSources(namedSources(v.streams, "orders.>"))
		if v.err == "" {
			check(t, strings.Join(v.streams, " "), err, "")
			continue
		}
		checkRefusal(t, err, "streams", v.err)
	}
	checkRefusal(t, checkSources([]connectors.SourceSpec{{Settings: connectors.Settings{"stream": "S", "consumer": "C", "streams": []string{"S"}}}}), "streams", "names one stream")
}

// A flow must not read a copy of what it writes, over however many streams.
func TestANamedCopyOfTheDestinationIsALoop(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	out := makeStream(t, js, streamOn("OUT", "out.>"))
	makeStream(t, js, jetstream.StreamConfig{Name: "COPY", Sources: []*jetstream.StreamSource{{Name: "OUT"}}})
	makeStream(t, js, jetstream.StreamConfig{Name: "FAR", Mirror: &jetstream.StreamSource{Name: "COPY"}})
	fill(t, js, 1, "out.x")
	c, _ := link(t, url, nil)
	target := connectors.Target{Stream: "OUT", Subject: "out.v1", Account: c.account, Created: out.CachedInfo().Created.UnixNano(), Key: "subject"}
	for name, want := range map[string]string{
		"OUT":  `it reads the stream OUT, into which it writes "out.v1"`,
		"COPY": `it reads the stream COPY, which copies from OUT, into which it writes "out.v1"`,
		"FAR":  `it reads the stream FAR, which copies from OUT, into which it writes "out.v1"`,
	} {
		err := openSource(t, c, connectors.SourceOptions{}, namedSources([]string{name}, "out.>")...).Avoid([]connectors.Target{target})
		check(t, name, err, want)
		if e, ok := errors.AsType[*connectors.Error](err); !ok || e.Class != connectors.Refused || e.Help == "" {
			t.Errorf("%s: expected a refusal with help, found %#v", name, err)
		}
	}
}

// A filter that begins with a wildcard is no loop by itself where streams are named.
func TestLoopsByNamesOfNamedStreams(t *testing.T) {
	sink := sinkSpec("OUT", "out.v1", []string{"all"}, []string{">"})
	check(t, "named", checkLoop(namedSources([]string{"A"}, ">"), sink), "")
	check(t, "found", checkLoop(sourcesOf(nil, ">"), sink), "read what it writes")
	if reads(namedSources([]string{"A"}, "out.>")[0], writes(sink)) || !reads(namedSources([]string{"OUT"}, "out.>")[0], writes(sink)) || !reads(sourcesOf(nil, "out.>")[0], writes(sink)) {
		t.Error("expected only the named stream, or any that is found, to be fed")
	}
}
