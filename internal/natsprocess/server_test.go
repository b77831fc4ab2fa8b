package natsprocess_test

import (
	"testing"

	"github.com/flowlang/flow/internal/natsprocess"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestStoreAndPortOutliveTheProcess(t *testing.T) {
	for _, end := range []struct {
		name string
		how  func(*natsprocess.Server)
	}{{"kill", (*natsprocess.Server).Kill}, {"stop", (*natsprocess.Server).Stop}} {
		t.Run(end.name, func(t *testing.T) {
			s := natsprocess.Start(t)
			js := connect(t, s.URL())
			if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err != nil {
				t.Fatal(err)
			}
			if _, err := js.Publish(t.Context(), "s", []byte("kept")); err != nil {
				t.Fatal(err)
			}
			before := s.URL()
			end.how(s)
			if nc, err := natsgo.Connect(before); err == nil {
				nc.Close()
				t.Fatal("the server still answers after its end")
			}
			s.Restart()
			if s.URL() != before {
				t.Fatalf("expected the server at %s again, found it at %s", before, s.URL())
			}
			stream, err := connect(t, s.URL()).Stream(t.Context(), "S")
			if err != nil {
				t.Fatal(err)
			}
			if m, err := stream.GetMsg(t.Context(), 1); err != nil || string(m.Data) != "kept" {
				t.Fatalf("expected the message to be kept, found %v, %v", m, err)
			}
		})
	}
}

func connect(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	nc, err := natsgo.Connect(url, natsgo.NoReconnect())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}
