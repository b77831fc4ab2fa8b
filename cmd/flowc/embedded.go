package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
)

// readSeed reads the seed before anything is started, so that a bad one costs nothing.
func (a *app) readSeed(path string) ([]embedded.SeedMessage, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, usagef("reading the seed: %w", err)
	}
	defer file.Close()
	messages, err := embedded.ReadSeed(file, path)
	if err != nil {
		return nil, usagef("%w", err)
	}
	return messages, nil
}

// startEmbedded starts a server, and publishes the seed into it.
func startEmbedded(ctx context.Context, r running, seed []embedded.SeedMessage, log *slog.Logger) (*embedded.Server, error) {
	dir := r.embedded
	if dir == temporary {
		dir = ""
	}
	server, err := embedded.Start(dir)
	if err != nil || seed == nil {
		return server, err
	}
	seeded, err := server.Seed(ctx, seed)
	if err != nil {
		server.Stop()
		return nil, err
	}
	if seeded {
		log.Info("published the seed", "file", r.seed, "messages", len(seed), "stream", embedded.SeedStream)
	} else {
		log.Info("the stream has the seed already", "stream", embedded.SeedStream)
	}
	return server, nil
}

// What showEmbedded shows of each destination.
const (
	sampleMessages = 2
	sampleWidth    = 300
)

// showEmbedded shows the first messages of each destination, which nobody can
// look up once a temporary server is gone.
func (a *app) showEmbedded(server *embedded.Server, results []exec.Result) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, stream := range destinations(results) {
		messages, err := server.Sample(ctx, stream, sampleMessages)
		if err != nil {
			return &failure{status: statusFailed, err: err}
		}
		fmt.Fprintf(a.out, "\nfirst in stream %s\n", stream)
		for _, m := range messages {
			fmt.Fprintf(a.out, "  %s %s\n", lang.Printable(m.Subject), clip(lang.Printable(string(m.Data)), sampleWidth))
		}
	}
	if server.Temporary() {
		fmt.Fprintf(a.out, "\nthe embedded server and its %s are gone; --embedded=DIR keeps them\n", connectors.FormatSize(server.StoreSize()))
	}
	return nil
}

// destinations are the streams that were written, each once.
func destinations(results []exec.Result) []string {
	var streams []string
	for _, r := range results {
		for _, p := range r.Totals.Places {
			if !slices.Contains(streams, p.Stream) {
				streams = append(streams, p.Stream)
			}
		}
	}
	return streams
}

func clip(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:width]) + " ..."
}
