package nats

import (
	"errors"
	"testing"

	"github.com/flowlang/flow/connectors"
)

func TestColumnsFillHoles(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	stream := makeStream(t, client(t, url), streamOn("V1", "v1.>"))
	for i, v := range []struct {
		row          string
		subject, err string
	}{
		{`{"k":"eu"}`, "v1.eu", ""},
		{`{"k":42}`, "v1.42", ""},
		{`{"k":-9223372036854775808}`, "v1.-9223372036854775808", ""},
		{`{"k":true}`, "v1.true", ""},
		{`{"k":"größe"}`, "v1.größe", ""},
		{`{"k":null}`, "", "the column is null"},
		{`{"k":""}`, "", "the value is empty"},
		{`{"k":"a.b"}`, "", `the value "a.b" has a dot`},
		{`{"k":"a b"}`, "", "white space"},
		{`{"k":"*"}`, "", "wildcard"},
		{`{"k":">"}`, "", "wildcard"},
		{`{"k":{"a":1}}`, "", "no single text or number"},
		{`{"k":["a"]}`, "", "no single text or number"},
		{`{"other":1}`, "", "no column of that name"},
	} {
		t.Run(v.row, func(t *testing.T) {
			s := openSink(t, c, ordersTo("V1", "v1.<k>", nil))
			begin(t, s, 1)
			before := state(t, stream).LastSeq
			err := prepareAndApply(t.Context(), s, batchOf(t, uint64(i+1), v.row))
			check(t, v.row, err, v.err)
			if v.err != "" {
				if bad, ok := errors.AsType[connectors.RowErrors](err); !ok || len(bad) != 1 || bad[0].Row != 0 {
					t.Errorf("expected an error of row 0, found %#v", err)
				}
				if after := state(t, stream).LastSeq; after != before {
					t.Error("a bad row was sent")
				}
				return
			}
			m, err := stream.GetMsg(t.Context(), before+1)
			if err != nil || m.Subject != v.subject {
				t.Errorf("expected a message on %s, found %v, %v", v.subject, m, err)
			}
		})
	}
}

func TestOnlySelectedRowsAreSent(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", connectors.Settings{"envelope": "none"}))
	begin(t, s, 1)
	batch := numbered(t, 1, 5)
	batch.Selected = []int{1, 4}
	batch.Messages[4].Operation = connectors.Delete
	apply(t, s, batch)
	batch.Selected = nil
	apply(t, s, batch)
	if got := commit(t, s, 1); len(got) != 1 || got[0].Rows != 2 || got[0].First != 1 || got[0].Last != 2 {
		t.Errorf("expected a receipt for two rows, found %+v", got)
	}
	stream, err := client(t, url).Stream(t.Context(), "V1")
	if err != nil {
		t.Fatal(err)
	}
	for sequence, want := range map[uint64][2]string{1: {`{"n":2}`, "insert"}, 2: {`{"n":5}`, "delete"}} {
		m, err := stream.GetMsg(t.Context(), sequence)
		if err != nil || string(m.Data) != want[0] || m.Header.Get("Flow-Operation") != want[1] {
			t.Errorf("expected %v, found %v, %v", want, m, err)
		}
	}
	if got := state(t, stream).Msgs; got != 2 {
		t.Errorf("expected two messages, found %d", got)
	}
}
