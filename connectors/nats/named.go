package nats

import (
	"context"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// named are the streams that a spec names instead of leaving them to be found.
func named(spec connectors.SourceSpec) []string {
	if spec.Settings.Has("kv") {
		return []string{bucketStream + spec.Settings.Text("kv")}
	}
	return spec.Settings.List("streams")
}

// checkNamed judges the names of streams.
func checkNamed(spec connectors.SourceSpec, i int) error {
	names := spec.Settings.List("streams")
	for j, name := range names {
		err := checkStreamName(name)
		if err == nil && slices.Contains(names[:j], name) {
			err = connectors.Errorf(connectors.Refused, "the stream %s is named twice", name)
		}
		if err == nil && name == ledgerStream {
			err = connectors.Errorf(connectors.Refused, "the stream %s is the ledger, and no source", ledgerStream)
		}
		if err != nil {
			return (&connectors.Error{Class: connectors.Refused, Err: err}).About(connectors.SourceRole, i, "streams")
		}
	}
	return nil
}

// apart says whether two specs read different streams, whatever their subjects are.
func apart(a, b connectors.SourceSpec) bool {
	first, second := named(a), named(b)
	return len(first) > 0 && len(second) > 0 && !slices.ContainsFunc(first, func(name string) bool { return slices.Contains(second, name) })
}

// copies says why a stream may hold subjects that are not its own; empty if it does
// not.
func copies(config jetstream.StreamConfig) string {
	switch {
	case config.Mirror != nil:
		return "a mirror"
	case len(config.Sources) > 0:
		return "it copies from other streams"
	case config.SubjectTransform != nil:
		return "it changes subjects"
	}
	return ""
}

// byName finds the streams that a spec names, and makes sure that they can hold what
// it reads. A copy holds what it was given: there the stored subjects tell.
func (c *connection) byName(ctx context.Context, spec connectors.SourceSpec, i int) ([]*jetstream.StreamInfo, error) {
	var infos []*jetstream.StreamInfo
	for _, name := range named(spec) {
		info, err := c.streamInfo(ctx, name)
		if err != nil {
			return nil, err
		}
		if info == nil {
			return nil, c.notThere(ctx, spec, i, name)
		}
		why, err := c.holdsNothing(ctx, spec, info)
		if err != nil {
			return nil, err
		}
		if why != nil {
			return nil, why.About(connectors.SourceRole, i, keyOfNamed(spec))
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// keyOfNamed is the setting that names the streams.
func keyOfNamed(spec connectors.SourceSpec) string {
	if spec.Settings.Has("kv") {
		return "kv"
	}
	return "streams"
}

func (c *connection) notThere(ctx context.Context, spec connectors.SourceSpec, i int, name string) error {
	if spec.Settings.Has("kv") {
		return asAbsent(c.noBucket(ctx, spec.Settings.Text("kv"))).About(connectors.SourceRole, i, "kv")
	}
	return c.noStreamNamed(ctx, name).About(connectors.SourceRole, i, "streams")
}

// holdsNothing says why a stream that was named has nothing for the spec; nil if it
// has, or may get it.
func (c *connection) holdsNothing(ctx context.Context, spec connectors.SourceSpec, info *jetstream.StreamInfo) (*connectors.Error, error) {
	config := info.Config
	nothing := connectors.Errorf(connectors.Environment, "the stream %s holds nothing of %q", config.Name, spec.Select)
	_, own := overlapAny(config.Subjects, spec.Select)
	switch {
	case slices.Contains(config.Subjects, c.settings.Text("ledger_subject")+".>"):
		return connectors.Errorf(connectors.Environment, "the stream %s is the ledger, and no source", config.Name).WithHelp("name another stream"), nil
	case spec.Settings.Has("kv") && config.Mirror != nil:
		origin := strings.TrimPrefix(config.Mirror.Name, bucketStream)
		return connectors.Errorf(connectors.Environment, "the bucket %s is a mirror of the bucket %s, and holds its subjects", spec.Settings.Text("kv"), origin).
			WithHelp("read `from nats kv %q`, or from the mirror: `from nats %q streams [%q]`", origin, bucketSubject+origin+".>", config.Name), nil
	case own && config.SubjectTransform == nil:
		return nil, nil
	case copies(config) == "":
		return nothing.WithHelp("its subjects are %s", strings.Join(config.Subjects, " ")), nil
	case info.State.Msgs == 0:
		c.report(connectors.Notice{Warning: true, Text: "the stream holds nothing yet, so that nobody knows whether it will hold what the flow reads",
			Attributes: []any{"stream", config.Name, "subject", spec.Select}})
		return nil, nil
	}
	next, err := c.firstAfter(ctx, &found{Incarnation: connectors.Incarnation{Stream: config.Name}, filters: []string{spec.Select}}, 0)
	if err != nil {
		return nil, failed(err, "looking for %q in stream %s", spec.Select, config.Name)
	}
	if next > 0 {
		return nil, nil
	}
	return nothing.WithHelp("a stream that %s is read by the subjects that it holds: nats stream subjects %s", verbOf(config), config.Name), nil
}

// verbOf says what a stream does that may hold subjects which are not its own.
func verbOf(config jetstream.StreamConfig) string {
	if config.Mirror != nil || len(config.Sources) > 0 {
		return "copies"
	}
	return "changes subjects"
}

// origins are the streams of the account that a stream gets its messages from, over
// others too.
func (c *connection) origins(ctx context.Context, info *jetstream.StreamInfo) ([]string, error) {
	var all []string
	for left := copiedBy(info.Config); len(left) > 0; left = left[1:] {
		if slices.Contains(all, left[0]) {
			continue
		}
		all = append(all, left[0])
		next, err := c.streamInfo(ctx, left[0])
		if err != nil {
			return nil, err
		}
		if next != nil {
			left = append(left, copiedBy(next.Config)...)
		}
	}
	return all, nil
}

func copiedBy(config jetstream.StreamConfig) []string {
	from := config.Sources
	if config.Mirror != nil {
		from = []*jetstream.StreamSource{config.Mirror}
	}
	var names []string
	for _, s := range from {
		if s.External == nil { // else it is of another account or domain
			names = append(names, s.Name)
		}
	}
	return names
}
