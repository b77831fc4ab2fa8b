package nats

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

func deadLetterSpec(subject string, given connectors.Settings) connectors.DeadLetterSpec {
	settings := complete(deadLetterFields, connectors.Settings{"subject": connectors.ParseTemplate(subject)})
	maps.Copy(settings, given)
	return connectors.DeadLetterSpec{Connection: "main", Settings: settings, Resources: []string{"orders", "users"}, Selects: []string{"orders.*", "users.>"}}
}

func openDeadLetters(t *testing.T, c *connection, spec connectors.DeadLetterSpec) connectors.DeadLetters {
	t.Helper()
	d, err := c.OpenDeadLetters(t.Context(), someFlow, spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // the test may have ended the session
	return d
}

// badMessage is what a source delivered and nobody can process.
func badMessage(sequence uint64) *connectors.Message {
	return &connectors.Message{Subject: "orders.created", Data: []byte("\x00not json"), Source: &someLife, Sequence: sequence, Time: int64(sequence),
		Headers: map[string][]string{"X-Tenant": {"acme"}, "Nats-Rollup": {"all"}, "nats-msg-id": {"old"}}}
}

func TestADeadLetterIsTheOriginalWithItsReason(t *testing.T) {
	url := startEmbedded(t)
	c, said := link(t, url, nil)
	d := openDeadLetters(t, c, deadLetterSpec("dead.<resource>.<1>", nil))
	letters := []connectors.DeadLetter{{Message: badMessage(7), Code: "F5001", Reason: "a\r\nNats-Rollup: all"}}
	for range 2 { // the second one is a duplicate
		if err := d.Write(t.Context(), letters); err != nil {
			t.Fatal(err)
		}
	}
	stream, err := client(t, url).Stream(t.Context(), defaultDeadStream)
	if err != nil {
		t.Fatal(err)
	}
	if got := state(t, stream).Msgs; got != 1 || !said.holds("made the stream for dead letters") {
		t.Errorf("expected one letter and a notice, found %d, %q", got, said.all)
	}
	m, err := stream.GetMsg(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if m.Subject != "dead.orders.created" || string(m.Data) != "\x00not json" {
		t.Errorf("found %q on %s", m.Data, m.Subject)
	}
	if m.Header.Get("Nats-Msg-Id") == "" {
		t.Error("the letter has no id")
	}
	m.Header.Del("Nats-Msg-Id")
	want := natsgo.Header{"X-Tenant": {"acme"}, "Flow-Original-Nats-Rollup": {"all"}, "Flow-Original-nats-msg-id": {"old"},
		"Flow-Error": {"a  Nats-Rollup: all"}, "Flow-Error-Code": {"F5001"}, "Flow-Source": {"ORDERS/7"}, "Flow-Source-Subject": {"orders.created"},
		"Flow-Source-Event-Id": {someLife.Stream + ".1700000000000000000.7.7"}, "Flow-Name": {"default/orders"}, "Nats-Expected-Stream": {defaultDeadStream}}
	if !reflect.DeepEqual(m.Header, want) {
		t.Errorf("expected %v\nfound %v", want, m.Header)
	}
	if targets := d.Targets(); len(targets) != 2 || targets[0].Stream != defaultDeadStream || targets[0].Subject != "dead.orders.*" || targets[0].Created == 0 {
		t.Errorf("found the targets %+v", targets)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestWhichStreamTakesDeadLetters(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ANY", "any.>"))
	makeStream(t, js, streamOn("PART", "part.orders"))
	noAck := streamOn("NOACK", "noack.>")
	noAck.NoAck = true
	makeStream(t, js, noAck)
	c, _ := link(t, url, nil)
	d := openDeadLetters(t, c, deadLetterSpec("any.<resource>", nil))
	if got := d.Targets()[0].Stream; got != "ANY" {
		t.Errorf("expected the stream that captures the subject, found %s", got)
	}
	for _, v := range []struct {
		subject string
		given   connectors.Settings
		err     string
	}{
		{"dead.<resource>", connectors.Settings{"create_stream": false}, `no stream captures the dead letters' subject "dead.orders"`},
		{"part.<resource>", nil, "stream PART captures part of it"},
		{"other.x", connectors.Settings{"stream": "ANY"}, "ANY is there with other subjects"},
		{"noack.x", nil, "no_ack"},
	} {
		_, err := c.OpenDeadLetters(t.Context(), someFlow, deadLetterSpec(v.subject, v.given))
		check(t, v.subject, err, v.err)
		if e, ok := errors.AsType[*connectors.Error](err); !ok || e.Class != connectors.Environment || e.Help == "" || e.Role != connectors.DeadLetterRole || e.Key != "subject" {
			t.Errorf("%s: expected an environment error about the dead letters with help, found %#v", v.subject, err)
		}
	}
}

func TestCheckDeadLetter(t *testing.T) {
	for _, v := range []struct{ subject, stream, key, err string }{
		{"dead.<resource>", "FLOW_DEAD", "", ""},
		{"dead.<1>", "FLOW_DEAD", "", ""},
		{"dead.<2>", "FLOW_DEAD", "subject", "wildcard 2"},
		{"dead.>", "FLOW_DEAD", "subject", "wildcard >"},
		{"dead letters", "FLOW_DEAD", "subject", "white space"},
		{"orders.<resource>", "FLOW_DEAD", "subject", "the flow would read them again"},
		{"dead", "FLOW.DEAD", "stream", `holds '.'`},
	} {
		checkRefusal(t, checkDeadLetter(deadLetterSpec(v.subject, connectors.Settings{"stream": v.stream})), v.key, v.err)
	}
}

func TestHeaderText(t *testing.T) {
	if got := headerText("a\r\nb\tc\x00größe\u0085"); got != "a  b c größe " {
		t.Errorf("found %q", got)
	}
	got := headerText(strings.Repeat("ä", 600) + "\xff")
	if len(got) > maxHeaderText+3 || !strings.HasSuffix(got, "ä...") {
		t.Errorf("expected a text cut between characters, found %q with %d bytes", got[len(got)-8:], len(got))
	}
}

func TestDeadLettersEndWhenTheServerIsSilent(t *testing.T) {
	url := startEmbedded(t)
	p, through := startProxy(t, url)
	c, _ := link(t, through, nil)
	d := openDeadLetters(t, c, deadLetterSpec("dead.<resource>", connectors.Settings{"publish_timeout": 200 * time.Millisecond}))
	p.down.hold()
	done := make(chan error, 1)
	go func() { done <- d.Write(t.Context(), []connectors.DeadLetter{{Message: badMessage(1)}}) }()
	check(t, "silence", soon(t, "the time-out", done), "uncertain")
	if err := d.Close(); !errors.Is(err, connectors.ErrUnproven) {
		t.Errorf("expected %v, found %v", connectors.ErrUnproven, err)
	}
}

// A filter that would begin with a wildcard becomes the exact subjects, of all resources.
func TestTheDeadLetterStreamIsMadeForEveryResource(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	openDeadLetters(t, c, deadLetterSpec("<resource>.dead", nil))
	stream := mustStream(t, client(t, url), defaultDeadStream)
	if got, want := stream.CachedInfo().Config.Subjects, []string{"orders.dead", "users.dead"}; !slices.Equal(got, want) {
		t.Errorf("expected the subjects %v, found %v", want, got)
	}
}
