package nats

import (
	"hash/crc32"
	"slices"
	"testing"

	"github.com/flowlang/flow/connectors"
)

func TestReceipts(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	js := client(t, url)
	stream := makeStream(t, js, streamOn("V1", "v1.>"))
	fill(t, js, 4, "v1.other") // the stream is not the flow's alone
	spec := sinkSpec("V1", "v1.<resource>", []string{"orders", "users"}, []string{"orders.*", "users.*"})
	s := openSink(t, c, spec)

	begin(t, s, 1)
	apply(t, s, numbered(t, 1, 3))
	users := numbered(t, 50, 2)
	users.Resource = 1
	apply(t, s, users)
	apply(t, s, numbered(t, 4, 2))
	first := commit(t, s, 1)

	begin(t, s, 2)
	apply(t, s, numbered(t, 5, 2)) // 5 is there already
	second := commit(t, s, 2)

	begin(t, s, 3)
	empty := commit(t, s, 3)

	created := stream.CachedInfo().Created.UnixNano()
	bodies := storedBodies(t, js, "V1")
	receipt := func(resource string, rows, duplicates int, first, last uint64, sequences ...uint64) connectors.Receipt {
		r := connectors.Receipt{Resource: resource, Stream: "V1", Created: created, Rows: rows, Duplicates: duplicates, First: first, Last: last}
		var all []byte
		for _, sequence := range sequences {
			all = append(all, bodies[sequence]...)
		}
		r.Bytes, r.CRC32C = int64(len(all)), crc32.Checksum(all, crc32.MakeTable(crc32.Castagnoli))
		return r
	}
	if want := []connectors.Receipt{receipt("orders", 5, 0, 5, 11, 5, 6, 7, 10, 11), receipt("users", 2, 0, 8, 9, 8, 9)}; !slices.Equal(first, want) {
		t.Errorf("epoch 1: expected %+v\nfound %+v", want, first)
	}
	if want := []connectors.Receipt{receipt("orders", 2, 1, 12, 12, 11, 12)}; !slices.Equal(second, want) {
		t.Errorf("epoch 2: expected %+v\nfound %+v", want, second)
	}
	if len(empty) != 0 {
		t.Errorf("epoch 3: expected no receipts, found %+v", empty)
	}
}

func TestAllDuplicatesHaveNoSequences(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	for i, want := range []connectors.Receipt{{Rows: 10, First: 1, Last: 10}, {Rows: 10, Duplicates: 10}} {
		s := openSink(t, c, ordersTo("V1", "v1.<resource>", nil))
		begin(t, s, 1)
		apply(t, s, numbered(t, 1, 10))
		got := commit(t, s, 1)
		if len(got) != 1 || got[0].Rows != want.Rows || got[0].Duplicates != want.Duplicates || got[0].First != want.First || got[0].Last != want.Last {
			t.Errorf("attempt %d: expected %+v, found %+v", i+1, want, got)
		}
		if err := s.Close(); err != nil {
			t.Errorf("attempt %d: closing: %v", i+1, err)
		}
	}
	stream, err := client(t, url).Stream(t.Context(), "V1")
	if err != nil {
		t.Fatal(err)
	}
	if got := state(t, stream).Msgs; got != 10 {
		t.Errorf("expected 10 stored messages, found %d", got)
	}
}

func TestAbortForgetsTheEpochsReceipts(t *testing.T) {
	c, _ := link(t, startEmbedded(t), nil)
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", nil))
	begin(t, s, 1)
	apply(t, s, numbered(t, 1, 3))
	if err := s.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin(t, s, 1)
	apply(t, s, numbered(t, 1, 2))
	if got := commit(t, s, 1); len(got) != 1 || got[0].Rows != 2 || got[0].Duplicates != 2 {
		t.Errorf("expected two rows, both duplicates of the aborted attempt, found %+v", got)
	}
}
