package exec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
)

// confine keeps the source to the streams that the flow has read before, as long as
// its sources are the same: a stream that matches later is a person's to decide on.
func (m *machine) confine(a *admission) error {
	s := a.specification
	if s == nil || len(s.Streams) == 0 || m.options.AdoptStreams || !slices.Equal(s.Reads, m.flow.Reads()) {
		return nil
	}
	var left, kept []string
	for _, stream := range m.source.Streams() {
		if slices.Contains(s.Streams, stream.Stream) {
			kept = append(kept, stream.Stream)
		} else {
			left = append(left, stream.Stream)
		}
	}
	if len(kept) == 0 {
		return connectors.Errorf(connectors.Environment, "the flow reads %s, which %s gone; what matches now is %s", strings.Join(s.Streams, ", "), isOrAre(s.Streams), strings.Join(left, ", ")).
			WithHelp("bring the streams back, or run with --adopt-streams to read what matches now")
	}
	m.source.Confine(kept)
	return nil
}

func isOrAre(names []string) string {
	if len(names) == 1 {
		return "is"
	}
	return "are"
}

// announce says before the first run what it will make and read, and warns where the
// destination is less safe than the source.
func (m *machine) announce(ledger bool, begin State) {
	var lines []string
	if m.options.Adopt != "" {
		lines = append(lines, fmt.Sprintf("goes on where flow %s is, after epoch %d", m.options.Adopt, begin.Epoch))
	}
	if !ledger {
		lines = append(lines, fmt.Sprintf("makes the ledger on %s", m.conn()))
	}
	replicas := 0
	for _, s := range m.source.Streams() {
		replicas = max(replicas, s.Replicas)
		if s.Makes != "" {
			lines = append(lines, fmt.Sprintf("makes %s on stream %s", s.Makes, s.Stream))
		}
		if m.options.Adopt == "" { // else only the rest of it
			lines = append(lines, "reads "+amount(s))
		}
	}
	told := map[string]bool{}
	for _, sink := range m.sinks {
		for _, t := range sink.Targets() {
			if told[t.Stream] {
				continue
			}
			told[t.Stream] = true
			made := t.Created == 0
			if made {
				lines = append(lines, fmt.Sprintf("makes stream %s", t.Stream))
			}
			if has := max(t.Replicas, 1); has < replicas {
				m.notice(connectors.Notice{Warning: true, Text: "the destination has fewer replicas than the source: what was acknowledged could be lost with one server",
					Attributes: []any{"stream", t.Stream, "replicas", has, "source", replicas, "made", made}})
			}
		}
	}
	m.emit(Event{Kind: Announced, Lines: lines})
}

// amount says how much there is to be read of a stream.
func amount(s connectors.SourceStream) string {
	switch {
	case s.Begins != "":
		return fmt.Sprintf("stream %s, %s", s.Stream, s.Begins)
	case s.Messages == 0:
		return fmt.Sprintf("stream %s, which is empty", s.Stream)
	}
	upTo := "up to "
	if s.All {
		upTo = ""
	}
	return fmt.Sprintf("%s%s messages of stream %s, %s, from %s", upTo, connectors.FormatCount(int64(s.Messages)), s.Stream, connectors.FormatSize(int64(s.Bytes)), s.Oldest.UTC().Format(time.RFC3339))
}
