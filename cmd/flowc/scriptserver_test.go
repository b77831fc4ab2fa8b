package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"
)

// startServer runs a NATS server for the rest of the script, and sets SERVER to
// its address. `server USER PASSWORD` asks for credentials, and `server -core`
// has no JetStream.
func startServer(ts *testscript.TestScript, neg bool, args []string) {
	options := &server.Options{}
	switch {
	case neg || len(args) > 2:
		ts.Fatalf("usage: server [-core | USER PASSWORD]")
	case len(args) == 2:
		options.Username, options.Password = args[0], args[1]
	}
	if options.JetStream = len(args) != 1; options.JetStream {
		options.StoreDir = ts.MkAbs("server-store")
	}
	url, stop, err := serve(options)
	ts.Check(err)
	ts.Defer(stop)
	ts.Setenv("SERVER", url)
	ts.Setenv("SERVER_USER", options.Username)
	ts.Setenv("SERVER_PASSWORD", options.Password)
}

// serve runs a NATS server in this process until it is told to stop.
func serve(options *server.Options) (url string, stop func(), err error) {
	options.Host, options.Port, options.NoLog, options.NoSigs = "127.0.0.1", server.RANDOM_PORT, true, true
	s, err := server.NewServer(options)
	if err != nil {
		return "", nil, err
	}
	s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	if !s.ReadyForConnections(bound) {
		stop()
		return "", nil, errors.New("the server is not ready")
	}
	return s.ClientURL(), stop, nil
}

// atServer calls do with JetStream of the script's server.
func atServer(ts *testscript.TestScript, do func(context.Context, jetstream.JetStream) error) {
	nc, err := natsgo.Connect(ts.Getenv("SERVER"), natsgo.UserInfo(ts.Getenv("SERVER_USER"), ts.Getenv("SERVER_PASSWORD")))
	ts.Check(err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	ts.Check(do(ctx, js))
}

// stream NAME SUBJECT... makes a stream.
func makeStream(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: stream NAME SUBJECT...")
	}
	atServer(ts, func(ctx context.Context, js jetstream.JetStream) error {
		_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: args[0], Subjects: args[1:]})
		return err
	})
}

// publish SUBJECT BODY stores a message.
func publishLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: publish SUBJECT BODY")
	}
	atServer(ts, func(ctx context.Context, js jetstream.JetStream) error {
		_, err := js.Publish(ctx, args[0], []byte(args[1]))
		return err
	})
}

// messages STREAM FILE writes what a stream holds into a file, a subject and a
// body a line.
func showMessages(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: messages STREAM FILE")
	}
	var text strings.Builder
	atServer(ts, func(ctx context.Context, js jetstream.JetStream) error {
		s, err := js.Stream(ctx, args[0])
		if err != nil {
			return err
		}
		state := s.CachedInfo().State
		for sequence := state.FirstSeq; sequence <= state.LastSeq; sequence++ {
			m, err := s.GetMsg(ctx, sequence)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue // a marker that was replaced, or removed
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "%s %s\n", m.Subject, m.Data)
		}
		return nil
	})
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text.String()), 0o666))
}
