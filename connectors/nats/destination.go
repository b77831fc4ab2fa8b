package nats

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// destination is one stream that is written to.
type destination struct {
	name     string
	created  int64 // Unix nanoseconds; 0 while the stream is missing
	replicas int
	subjects []string
	maxSize  int  // of one message with its headers; 0 or less is no limit
	ttl      bool // a message may say how long it lives
	captured map[string]bool
}

// inspect looks at a stream; a missing one has no creation time.
func (s *sink) inspect(ctx context.Context, name string) (*destination, error) {
	info, err := s.link.streamInfo(ctx, name)
	if err != nil {
		return nil, err
	}
	if info == nil {
		return &destination{name: name, captured: map[string]bool{}}, nil
	}
	if err := suitable(info, connectors.SinkRole, "stream"); err != nil {
		return nil, err
	}
	if s.exactly {
		if err := s.fitForBatches(info); err != nil {
			return nil, err
		}
		s.warnOfLimits(info.Config)
	}
	if info.Config.Retention == jetstream.InterestPolicy && info.State.Consumers == 0 {
		s.link.report(connectors.Notice{Warning: true, Text: "the destination stream keeps messages only while somebody is interested, and it has no consumers",
			Attributes: []any{"stream", name}})
	}
	return destinationOf(info), nil
}

func destinationOf(info *jetstream.StreamInfo) *destination {
	return &destination{name: info.Config.Name, created: info.Created.UnixNano(), replicas: info.Config.Replicas, subjects: info.Config.Subjects,
		maxSize: int(info.Config.MaxMsgSize), ttl: info.Config.AllowMsgTTL, captured: map[string]bool{}}
}

// suitable refuses a stream that cannot acknowledge a publish, and tells which setting
// of which part of the flow led there.
func suitable(info *jetstream.StreamInfo, role connectors.Role, key string) error {
	name := info.Config.Name
	refuse := func(format, help string) error {
		return connectors.Errorf(connectors.Environment, format, name).WithHelp("%s", help).About(role, 0, key)
	}
	switch {
	case name == ledgerStream:
		return refuse("the stream %s is the ledger, and no destination", "write into another stream")
	case info.Config.Sealed:
		return refuse("the destination stream %s is sealed and takes no messages", "write into another stream; a seal cannot be taken off")
	case info.Config.NoAck:
		return refuse("the destination stream %s does not acknowledge what it stores (no_ack), so nothing could be certified", "switch no_ack off, or write into another stream")
	case info.Config.Mirror != nil:
		return refuse("the destination stream %s is a mirror and takes messages only from its origin", "write into the origin, or into another stream")
	}
	return nil
}

// capture makes sure that the stream takes the subject, which may be a pattern.
func (d *destination) capture(subject string) error {
	if d.captured[subject] {
		return nil
	}
	if _, ok := coversAny(d.subjects, subject); !ok {
		return connectors.Errorf(connectors.Environment, "the destination stream %s does not capture %q: its subjects are %s", d.name, subject, strings.Join(d.subjects, ", ")).
			WithHelp("write to a subject of the stream, or let another stream hold it").About(connectors.SinkRole, 0, "subject")
	}
	if len(d.captured) < maxCaptured {
		d.captured[subject] = true
	}
	return nil
}

// maxCaptured bounds what is remembered of the subjects that rows expand to.
const maxCaptured = 10_000

// ensure is the stream, made now if it is missing and may be made.
// Exact is the subject that a stream has to hold whose name a row brought.
func (s *sink) ensure(ctx context.Context, name, exact string) (*destination, error) {
	if d, ok := s.streams[name]; ok && d.created != 0 {
		return d, nil
	}
	d, err := s.inspect(ctx, name)
	if err != nil {
		return nil, err
	}
	if d.created == 0 && s.spec.Preview {
		d.subjects = []string{">"} // whatever it will hold
	} else if d.created == 0 {
		if !s.spec.Settings.Bool("create_stream") {
			return nil, s.missingStream(ctx, name)
		}
		if d, err = s.create(ctx, name, exact); err != nil {
			return nil, err
		}
	}
	s.streams[name] = d
	return d, nil
}

func (s *sink) missingStream(ctx context.Context, name string) error {
	if s.spec.Settings.Has("kv") {
		return s.link.noBucket(ctx, strings.TrimPrefix(name, bucketStream)).About(connectors.SinkRole, 0, "kv")
	}
	return connectors.Errorf(connectors.Environment, "the destination stream %s is missing: stream not found", name).
		WithHelp("make it, or leave `create_stream false` out").About(connectors.SinkRole, 0, "stream").
		Instead(name, streamNames(s.link.streams(ctx)))
}

func (s *sink) create(ctx context.Context, name, exact string) (*destination, error) {
	if s.spec.Settings.Has("kv") {
		if err := s.createBucket(ctx, name); err != nil {
			return nil, err
		}
		return s.inspect(ctx, name)
	}
	config, err := s.configOf(name, exact)
	if err != nil {
		return nil, err
	}
	subjects := config.Subjects
	err = s.link.call(ctx, func(ctx context.Context) error {
		_, err := s.link.js.CreateStream(ctx, config)
		return err
	})
	switch {
	case hasCode(err, codeSubjectOverlap):
		return nil, s.overlapping(ctx, name, subjects)
	case err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse):
		return nil, failed(err, "making the destination stream %s", name)
	}
	s.link.report(connectors.Notice{Text: "made the destination stream", Attributes: []any{"stream", name, "subjects", strings.Join(subjects, " ")}})
	return s.inspect(ctx, name)
}

// configOf is a stream as it is made. Exact is its subject, if rows brought its name.
func (s *sink) configOf(name, exact string) (jetstream.StreamConfig, error) {
	config := jetstream.StreamConfig{Name: name, Subjects: []string{exact}, Storage: jetstream.FileStorage}
	if exact == "" {
		var err error
		if config.Subjects, err = s.subjectsFor(name); err != nil {
			return config, err
		}
	}
	if markers := s.markersOf(name); len(markers) > 0 {
		config.Subjects = widest(append(config.Subjects, markers...))
		config.AllowAtomicPublish, config.AllowRollup, config.AllowMsgTTL = true, true, true
	}
	return config, nil
}

// overlapping says which stream captures the subjects that a stream cannot get.
func (s *sink) overlapping(ctx context.Context, name string, subjects []string) error {
	if marker := s.markerOn(name); s.exactly {
		if holder := s.link.holder(ctx, marker); holder != unknownHolder {
			return connectors.Errorf(connectors.Environment, "the destination stream %s cannot be made with the marker's subject %q: stream %s already captures it", name, marker, holder).
				WithHelp("name another subject with `marker \"...\"`").About(connectors.SinkRole, 0, "stream")
		}
	}
	at := slices.IndexFunc(subjects, func(subject string) bool { return s.link.holder(ctx, subject) != unknownHolder })
	return connectors.Errorf(connectors.Environment, "the destination stream %s cannot be made for %q: stream %s already captures it", name, strings.Join(subjects, " "), s.link.holder(ctx, subjects[max(0, at)])).
		WithHelp("write into that stream, or to another subject").About(connectors.SinkRole, 0, "subject")
}

// subjectsFor is what a stream holds that is made for the sink, and for those that
// write into it together with it.
func (s *sink) subjectsFor(name string) ([]string, error) {
	subjects, err := subjectsOf(s.spec, name)
	for _, other := range s.spec.Together {
		more, otherErr := subjectsOf(other, name)
		subjects, err = append(subjects, more...), errors.Join(err, otherErr)
	}
	if err != nil {
		return nil, err
	}
	return widest(subjects), nil
}

// widest are the subjects without those that others of them cover.
func widest(subjects []string) []string {
	slices.Sort(subjects)
	subjects = slices.Compact(subjects)
	return slices.DeleteFunc(slices.Clone(subjects), func(subject string) bool {
		return slices.ContainsFunc(subjects, func(wider string) bool { return wider != subject && covers(wider, subject) })
	})
}

// subjectsOf is the one subject filter that a sink's template asks for, or the
// exact subjects where that would begin with a wildcard, which servers refuse.
func subjectsOf(spec connectors.SinkSpec, name string) ([]string, error) {
	var own, exact []string
	for i := range spec.Resources {
		stream, subject := fillResource(spec, i, "stream"), fillResource(spec, i, "subject")
		if stream.Constant() && stream.Text != name {
			continue
		}
		own = append(own, pattern(subject))
		if subject.Constant() {
			exact = append(exact, subject.Text)
		}
	}
	shared := spec.Settings.Template("stream").Constant()
	template := spec.Settings.Template("subject")
	switch {
	case shared && !wide(pattern(template)):
		return []string{widen(pattern(template))}, nil
	case len(exact) == len(own):
		return exact, nil
	case !shared && !slices.ContainsFunc(own, wide):
		return own, nil
	}
	return nil, connectors.Errorf(connectors.Environment, "the destination stream %s is missing, and a stream for %q would begin with a wildcard", name, template.Text).
		WithHelp("make the stream yourself, or begin the subject with a fixed token").About(connectors.SinkRole, 0, "subject")
}

// widen turns a last token '*' into '>', so that deeper subjects fit later too.
func widen(filter string) string {
	if strings.HasSuffix(filter, ".*") {
		return strings.TrimSuffix(filter, "*") + ">"
	}
	return filter
}
