package nats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
)

// describeSources says how the flow will read.
func describeSources(flow connectors.Identity, specs []connectors.SourceSpec, epoch connectors.Bounds) []string {
	s := source{flow: flow, specs: specs, epoch: epoch, conn: &connection{}}
	for _, spec := range specs {
		s.ackWait = max(s.ackWait, spec.Settings.Duration("ack_wait"))
	}
	if explicit(specs[0]) {
		return []string{fmt.Sprintf("through the consumer %s of stream %s, which is never changed: one message at a time, and a gap stops the flow",
			specs[0].Settings.Text("consumer"), specs[0].Settings.Text("stream"))}
	}
	lines := []string{
		describeStreams(specs),
		fmt.Sprintf("through the durable pull consumer %s on each: explicit acknowledgement, unlimited deliveries, ack wait %s, credit %s",
			consumerName(flow), connectors.ShortDuration(s.ackWait), connectors.FormatCount(int64(s.credit(&found{})))),
	}
	if start := specs[0].Settings.Start("start"); !start.First() {
		lines = append(lines, describeStart(start))
	}
	return lines
}

// describeStreams says which streams are read.
func describeStreams(specs []connectors.SourceSpec) string {
	var names []string
	for _, spec := range specs {
		names = append(names, named(spec)...)
	}
	found := "every stream whose own subjects overlap; mirrors, copies and the ledger are passed over"
	anyFound := slices.ContainsFunc(specs, func(spec connectors.SourceSpec) bool { return len(named(spec)) == 0 })
	switch {
	case len(names) == 0:
		return "from " + found
	case anyFound:
		return "from " + strings.Join(names, ", ") + ", and " + found
	}
	return "from " + strings.Join(names, ", ") + ", and no other stream"
}

// describeSink says where each resource goes, and how.
func describeSink(spec connectors.SinkSpec) []string {
	var lines []string
	for i, resource := range spec.Resources {
		stream, subject := fillResource(spec, i, "stream"), fillResource(spec, i, "subject")
		if spec.Settings.Has("kv") {
			lines = append(lines, fmt.Sprintf("%s goes to bucket %s on key %s: a row puts the value, one with the operation delete deletes the key", resource, fillResource(spec, i, "kv").Text, fillResource(spec, i, "key").Text))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s goes to stream %s on subject %s", resource, stream.Text, subject.Text))
	}
	switch {
	case spec.Settings.Has("kv") && spec.Settings.Bool("create_stream"):
		lines = append(lines, "a missing bucket is made, with file storage, the server's defaults and one value a key")
	case spec.Settings.Has("kv"):
		lines = append(lines, "a missing bucket is an error")
	case spec.Settings.Bool("create_stream"):
		lines = append(lines, "a missing stream is made: "+describeCreation(spec))
	default:
		lines = append(lines, "a missing stream is an error")
	}
	lines = append(lines, describeRevision(spec)...)
	limits, timeout := spec.Settings.Limits("max_in_flight"), connectors.ShortDuration(spec.Settings.Duration("publish_timeout"))
	if spec.ExactlyOnce() {
		return append(lines, fmt.Sprintf("one atomic batch a stream and epoch, at most %s in flight, acknowledged within %s", connectors.FormatSize(limits.Bytes), timeout))
	}
	return append(lines, fmt.Sprintf("at most %s messages and %s in flight, each acknowledged within %s",
		connectors.FormatCount(limits.Messages), connectors.FormatSize(limits.Bytes), timeout))
}

// mostDescribed streams that would be made are told: there may be one a resource.
const mostDescribed = 10

func describeCreation(spec connectors.SinkSpec) string {
	var names []string
	for i := range spec.Resources {
		stream := fillResource(spec, i, "stream")
		if !stream.Constant() {
			return "file storage, the server's defaults, one subject"
		}
		names = append(names, stream.Text)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	s := sink{spec: spec}
	var made []string
	how := "with file storage and the server's defaults"
	for _, name := range names[:min(len(names), mostDescribed)] {
		config, err := s.configOf(name, "")
		if err != nil {
			return "not possible here, " + err.Error()
		}
		if config.AllowAtomicPublish {
			how = "with file storage, allow_atomic, allow_rollup, allow_msg_ttl and the server's defaults"
		}
		made = append(made, fmt.Sprintf("%s (%s)", name, strings.Join(config.Subjects, " ")))
	}
	if more := len(names) - mostDescribed; more > 0 {
		made = append(made, fmt.Sprintf("%s more", connectors.FormatCount(int64(more))))
	}
	return strings.Join(made, ", ") + ", " + how
}
