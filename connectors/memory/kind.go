package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
)

const kindName = "memory"

// Kind is the connector for the streams of this broker. Its sources are streams by
// name, from memory "orders", and so are its sinks: to memory stream "large".
func (b *Broker) Kind() connectors.Kind {
	return connectors.Kind{
		Name:               kindName,
		Sink:               sinkFields,
		DeadLetter:         deadLetterFields,
		CheckSources:       checkSources,
		CheckSink:          checkSink,
		CheckDeadLetter:    checkDeadLetter,
		CheckLoop:          checkLoop,
		Writes:             writes,
		Reads:              func(source connectors.SourceSpec, w connectors.Written) bool { return w.Place == source.Select },
		ResourceName:       func(s connectors.SourceSpec) string { return s.Select },
		DescribeSources:    describeSources,
		DescribeSink:       describeSink,
		DescribeGuarantee:  describeGuarantee,
		AtomicRows:         atomicRows,
		DescribeDeadLetter: describeDeadLetter,
		Rights:             func(connectors.Settings, []connectors.Use) connectors.Rights { return connectors.Rights{} },
		Open: func(_ context.Context, name string, _ connectors.Settings, report func(connectors.Notice)) (connectors.Connection, error) {
			return &connection{Broker: b, name: name, report: report}, nil
		},
	}
}

var sinkFields = connectors.Fields{
	{Key: "stream", Type: connectors.Text, Required: true, Template: true, Doc: "the destination stream, made if it is missing; it may hold `<resource>`"},
	{Key: "max_size", Type: connectors.Size, Default: int64(8 << 20), Min: 1, Doc: "the most bytes that a message may have; a larger one is a bad row"},
	{Key: connectors.ExactlyKey, Type: connectors.Word, Values: []string{connectors.Once}, Doc: "`exactly once`: an epoch's rows are stored in one step with a marker, and a repetition is left out by it; at least once without it"},
}

var deadLetterFields = connectors.Fields{
	{Key: "stream", Type: connectors.Text, Required: true, Doc: "the stream of the dead letters, made if it is missing"},
}

func checkStream(name string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return connectors.Errorf(connectors.Refused, "a stream's name has letters, digits, - and _, found %q", name)
	}
	return nil
}

func checkSources(specs []connectors.SourceSpec) error {
	for i, spec := range specs {
		if err := checkStream(spec.Select); err != nil {
			return about(err, connectors.SourceRole, i, "")
		}
		for j, other := range specs[:i] {
			if other.Select == spec.Select {
				return connectors.Errorf(connectors.Refused, "the stream %q is read twice", spec.Select).
					WithHelp("leave one of the two out").About(connectors.SourceRole, i, "").Against(connectors.SourceRole, j, "the other source")
			}
		}
	}
	return nil
}

func checkSink(spec connectors.SinkSpec) error {
	for i := range spec.Resources {
		stream := streamOf(spec, i)
		if !stream.Constant() {
			return connectors.Errorf(connectors.Refused, "a stream's name in memory takes <resource> and no other hole, found %q", spec.Settings.Template("stream").Text).
				WithHelp("choose the stream with several `to` and `when`").About(connectors.SinkRole, 0, "stream")
		}
		if err := checkStream(stream.Text); err != nil {
			return about(err, connectors.SinkRole, 0, "stream")
		}
	}
	return nil
}

func checkDeadLetter(spec connectors.DeadLetterSpec) error {
	name := spec.Settings.Text("stream")
	if err := checkStream(name); err != nil {
		return about(err, connectors.DeadLetterRole, 0, "stream")
	}
	for i, source := range spec.Selects {
		if source == name {
			return connectors.Errorf(connectors.Refused, "the flow would read its dead letters again: they go to the stream %q", name).
				WithHelp("write them into another stream").About(connectors.DeadLetterRole, 0, "stream").Against(connectors.SourceRole, i, "the source")
		}
	}
	return nil
}

func checkLoop(sources []connectors.SourceSpec, sink connectors.SinkSpec) error {
	for i := range sink.Resources {
		for j, source := range sources {
			if streamOf(sink, i).Text == source.Select {
				return loop(source.Select).About(connectors.SinkRole, 0, "stream").Against(connectors.SourceRole, j, "the source")
			}
		}
	}
	return nil
}

func loop(stream string) *connectors.Error {
	return connectors.Errorf(connectors.Refused, "the flow would feed itself: it reads and writes the stream %q", stream).WithHelp("write into another stream")
}

func about(err error, role connectors.Role, spec int, key string) error {
	return (&connectors.Error{Class: connectors.Refused, Err: err}).About(role, spec, key)
}

// streamOf is where a resource's rows go.
func streamOf(spec connectors.SinkSpec, resource int) connectors.Template {
	return spec.Settings.Template("stream").Fill(func(hole string) (string, bool) {
		return spec.Resources[resource], hole == "resource"
	})
}

func writes(spec connectors.SinkSpec) connectors.Written {
	w := connectors.Written{Place: spec.Settings.Template("stream").Canonical()}
	for i := range spec.Resources {
		w.Places = append(w.Places, streamOf(spec, i).Text)
	}
	return w
}

func describeSources(_ connectors.Identity, specs []connectors.SourceSpec, _ connectors.Bounds) []string {
	var lines []string
	for _, s := range specs {
		lines = append(lines, fmt.Sprintf("stream %s of the process's memory", s.Select))
	}
	return lines
}

func describeSink(spec connectors.SinkSpec) []string {
	var lines []string
	for i, resource := range spec.Resources {
		lines = append(lines, fmt.Sprintf("%s goes to stream %s of the process's memory, made if it is missing", resource, streamOf(spec, i).Text))
	}
	return lines
}

func describeGuarantee(spec connectors.SinkSpec) []string {
	if !spec.ExactlyOnce() {
		return nil
	}
	return []string{spec.Settings.Template("stream").Text + ": an epoch is stored in one step, with a marker that says how far it goes; the step of a former owner is refused"}
}

func describeDeadLetter(spec connectors.DeadLetterSpec) string {
	return fmt.Sprintf("a bad row's original message goes to stream %s", spec.Settings.Text("stream"))
}
