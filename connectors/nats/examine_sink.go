package nats

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// Examine implements connectors.SinkExaminer. What OpenSink refuses is not here.
func (s *sink) Examine(ctx context.Context) connectors.Examination {
	var e connectors.Examination
	for _, name := range slices.Sorted(maps.Keys(s.streams)) {
		s.examineStream(ctx, name, &e)
	}
	if len(s.streams) == 0 {
		e.Add(connectors.Finding{Level: connectors.Good, What: "destination", Where: s.spec.Settings.Template("stream").Text,
			Found: "known only once rows come, and looked at then"})
	}
	e.Add(powerFailure(s.link.where()))
	return e
}

func (s *sink) examineStream(ctx context.Context, name string, e *connectors.Examination) {
	where := "stream " + name
	info, err := s.link.streamInfo(ctx, name)
	if err != nil {
		e.Add(failing("destination", where, err))
		return
	}
	if info == nil {
		config, err := s.configOf(name, "")
		if err != nil {
			e.Add(failing("destination", where, err))
			return
		}
		s.link.examineMissing(ctx, "destination", name, config.Subjects, e)
		e.Depths = append(e.Depths, connectors.Depth{Stream: name, Replicas: 1, Message: s.link.nc.MaxPayload()})
		return
	}
	e.Depths = append(e.Depths, s.link.depth(info))
	f := connectors.Finding{Level: connectors.Good, What: "destination", Where: where, Found: describeStream(info)}
	f.Expected, f.Help = shortcoming(info)
	if f.Expected != "" {
		f.Level = connectors.Warned
	}
	e.Add(f)
}

// shortcoming is what a destination should be instead, and how; empty if it is good.
func shortcoming(info *jetstream.StreamInfo) (expected, help string) {
	config, state := info.Config, info.State
	full := func(used uint64, limit int64) bool { return limit > 0 && float64(used) >= nearlyFull*float64(limit) }
	switch {
	case config.Storage == jetstream.MemoryStorage:
		return "file storage", "what was acknowledged is gone with the server; write into a stream with file storage"
	case config.PersistMode == jetstream.AsyncPersistMode:
		return "synchronous persistence", "what was acknowledged may not be written yet when the server stops; write into a stream without persist_mode async"
	case config.Discard == jetstream.DiscardNew && (full(state.Msgs, config.MaxMsgs) || full(state.Bytes, config.MaxBytes)):
		return "room for more", fmt.Sprintf("raise its limits, since it refuses what is new: nats stream edit %s", config.Name)
	case config.Duplicates == 0:
		return "a duplicate window", fmt.Sprintf("what is sent again is stored twice: nats stream edit %s --dupe-window 2m", config.Name)
	case config.Retention == jetstream.InterestPolicy && state.Consumers == 0:
		return "a consumer", "the stream keeps messages only while somebody waits for them: make its consumers first, such as nats consumer add " + strings.TrimSpace(config.Name)
	}
	return "", ""
}
