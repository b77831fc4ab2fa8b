package nats

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

func TestParseAck(t *testing.T) {
	for _, c := range []struct {
		reply string
		want  pubAck
		err   string
		class connectors.Class
	}{
		{reply: `{"stream":"S","seq":1}`, want: pubAck{sequence: 1}},
		{reply: `{"stream":"S","seq":18446744073709551615}`, want: pubAck{sequence: math.MaxUint64}},
		{reply: `{"stream":"S","seq":7,"duplicate":true}`, want: pubAck{sequence: 7, duplicate: true}},
		{reply: `{"stream":"S","seq":7,"duplicate": true}`, want: pubAck{sequence: 7, duplicate: true}},
		{reply: `{"stream":"S","seq":7,"duplicate":false}`, want: pubAck{sequence: 7}},
		{reply: `{"stream":"S","domain":"hub","seq":7}`, want: pubAck{sequence: 7}},
		{reply: ` {"seq": 7, "stream": "S"} `, want: pubAck{sequence: 7}},
		{reply: `{"stream":"S","seq":0}`, err: "has no sequence"},
		{reply: `{"stream":"S"}`, err: "has no sequence"},
		{reply: `{"stream":"SS","seq":1}`, err: `names the stream "SS"`},
		{reply: `{"seq":1}`, err: `names the stream ""`},
		{reply: `+OK`, err: `"+OK" is no acknowledgement`},
		{reply: ``, err: "is no acknowledgement"},
		{reply: `{"stream":"S","seq":01}`, err: "is no acknowledgement"},
		{reply: `{"stream":"S","seq":-1}`, err: "is no acknowledgement"},
		{reply: `{"stream":"S","seq":18446744073709551616}`, err: "is no acknowledgement"},
		{reply: `{"stream":"S","seq":1}}`, err: "is no acknowledgement"},
		{reply: `{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"}}`, err: "maximum messages exceeded (error 10077)", class: connectors.Transient},
		{reply: `{"error":{"code":503,"err_code":10023,"description":"insufficient resources"}}`, err: "insufficient resources (error 10023)", class: connectors.Transient},
		{reply: `{"error":{"code":400,"err_code":10060,"description":"expected stream does not match"}}`, err: "expected stream does not match (error 10060)"},
		{reply: `{"error":{"code":400,"err_code":10054,"description":"message size exceeds maximum allowed"}}`, err: "(error 10054)"},
	} {
		got, err := parseAck(&natsgo.Msg{Data: []byte(c.reply)}, "S", "s.x")
		check(t, c.reply, err, c.err)
		if got != c.want {
			t.Errorf("%s: expected %+v, found %+v", c.reply, c.want, got)
		}
		if err != nil && connectors.ClassOf(err) != c.class {
			t.Errorf("%s: expected class %d, found %d", c.reply, c.class, connectors.ClassOf(err))
		}
	}
}

func TestParseAckWithoutResponders(t *testing.T) {
	_, err := parseAck(&natsgo.Msg{Header: natsgo.Header{"Status": {"503"}}}, "S", "s.x")
	check(t, "503", err, "no responders")
	if !connectors.Retryable(err) {
		t.Errorf("expected an error that may pass, found %v", err)
	}
}

func TestParseAckShowsOnlyTheBeginningOfARubbishReply(t *testing.T) {
	_, err := parseAck(&natsgo.Msg{Data: make([]byte, 1<<20)}, "S", "s.x")
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("expected a short error, found one of %d bytes", len(err.Error()))
	}
	if e, ok := errors.AsType[*connectors.Error](err); !ok || e.Help == "" {
		t.Errorf("expected an error with help, found %#v", err)
	}
}

// FuzzParseAck checks that the fast path never says anything else than a JSON decoder.
func FuzzParseAck(f *testing.F) {
	for _, seed := range []string{`{"stream":"S","seq":1}`, `{"stream":"S","seq":9999999999999999999}`, `{"stream":"S","seq":7,"duplicate":true}`,
		`{"stream":"S","seq":7,"duplicate":false}`, `{"stream":"S","seq":1`, `{"stream":"S","seq":1e3}`, `{"stream":"S","seq":01}`, `{"stream":"S\u0000","seq":1}`} {
		f.Add([]byte(seed), "S")
	}
	f.Fuzz(func(t *testing.T, data []byte, stream string) {
		_, _ = parseAck(&natsgo.Msg{Data: data}, stream, "s") // whatever comes in, it returns
		if checkStreamName(stream) != nil {
			return
		}
		got, ok := parsePlainAck(data, stream)
		if !ok {
			return
		}
		var want struct {
			Stream    string `json:"stream"`
			Sequence  uint64 `json:"seq"`
			Duplicate bool   `json:"duplicate"`
		}
		if err := json.Unmarshal(data, &want); err != nil || want.Stream != stream || want.Sequence != got.sequence || want.Duplicate != got.duplicate || got.sequence == 0 {
			t.Fatalf("%s: %+v by the fast path, %+v (%v) by the JSON decoder", data, got, want, err)
		}
	})
}
