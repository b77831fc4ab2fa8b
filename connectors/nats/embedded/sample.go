package embedded

import (
	"context"
	"errors"
	"fmt"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Sample reads the first messages of a stream.
func (s *Server) Sample(ctx context.Context, stream string, n int) ([]*jetstream.RawStreamMsg, error) {
	nc, err := natsgo.Connect(s.URL())
	if err != nil {
		return nil, fmt.Errorf("reading stream %s: %w", stream, err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("reading stream %s: %w", stream, err)
	}
	from, err := js.Stream(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("reading stream %s: %w", stream, err)
	}
	state := from.CachedInfo().State
	var messages []*jetstream.RawStreamMsg
	for sequence := max(state.FirstSeq, 1); sequence <= state.LastSeq && len(messages) < n; sequence++ {
		m, err := from.GetMsg(ctx, sequence)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading stream %s: %w", stream, err)
		}
		messages = append(messages, m)
	}
	return messages, nil
}

// StoreSize is how many bytes the server's streams take.
func (s *Server) StoreSize() int64 {
	info, err := s.server.Jsz(nil)
	if err != nil {
		return 0
	}
	return int64(info.Store)
}
