package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// found is a stream that the flow reads, and which of its specs it serves.
type found struct {
	connectors.Incarnation
	retention jetstream.RetentionPolicy
	subjects  []string              // of the stream
	specs     []int                 // indexes of the specs that it serves
	filters   []string              // what the flow reads of it, a filter for each
	named     bool                  // by the flow, not found by its subjects
	origins   []string              // of one that was named: the streams that it copies from
	maxAcks   int                   // the stream's own limit of a consumer's credit; 0 is none
	bound     string                // the user's consumer; empty if it is ours
	info      *jetstream.StreamInfo // when it was found
	watched   watched               // guarded by the source's mutex
}

func newFound(info *jetstream.StreamInfo) *found {
	return &found{
		Incarnation: connectors.Incarnation{Stream: info.Config.Name, Created: info.Created.UnixNano()},
		retention:   info.Config.Retention,
		subjects:    info.Config.Subjects,
		maxAcks:     info.Config.ConsumerLimits.MaxAckPending,
		info:        info,
	}
}

// discover finds the streams that the specs name, and else every stream whose own
// subjects overlap a spec's subject.
func discover(ctx context.Context, c *connection, specs []connectors.SourceSpec) ([]*found, error) {
	if len(specs) == 1 && explicit(specs[0]) {
		f, err := c.bound(ctx, specs[0])
		return []*found{f}, err
	}
	byName := map[string]*found{}
	for i, spec := range specs {
		infos, err := c.streamsOf(ctx, spec, i)
		if err != nil {
			return nil, err
		}
		for _, info := range infos {
			if err := c.add(ctx, byName, info, spec, i); err != nil {
				return nil, err
			}
		}
	}
	streams := make([]*found, 0, len(byName))
	for _, f := range byName {
		streams = append(streams, f)
	}
	slices.SortFunc(streams, func(a, b *found) int { return strings.Compare(a.Stream, b.Stream) })
	return streams, nil
}

// streamsOf are the streams that one spec reads, at least one.
func (c *connection) streamsOf(ctx context.Context, spec connectors.SourceSpec, i int) ([]*jetstream.StreamInfo, error) {
	if len(named(spec)) > 0 {
		return c.byName(ctx, spec, i)
	}
	infos, err := c.streamsOn(ctx, spec.Select)
	if err != nil {
		return nil, failed(err, "looking for the streams that hold %q", spec.Select)
	}
	var read []*jetstream.StreamInfo
	var passed []string
	for _, info := range infos {
		if why := unread(info, spec.Select, c.settings.Text("ledger_subject")); why != "" {
			passed = append(passed, info.Config.Name+" ("+why+")")
			continue
		}
		read = append(read, info)
	}
	if len(read) == 0 {
		return nil, asAbsent(c.noStream(ctx, spec.Select, passed)).About(connectors.SourceRole, i, "")
	}
	return read, nil
}

// absent marks an error as connectors.ErrNoSource, and leaves its text.
type absent struct{ error }

func (a *absent) Unwrap() []error { return []error{a.error, connectors.ErrNoSource} }

func asAbsent(e *connectors.Error) *connectors.Error {
	e.Err = &absent{e.Err}
	return e
}

// noStreamNamed says that there is no stream of that name.
func (c *connection) noStreamNamed(ctx context.Context, name string) *connectors.Error {
	return asAbsent(connectors.Errorf(connectors.Environment, "there is no stream %s on %s", name, c).Instead(name, streamNames(c.streams(ctx))))
}

func (c *connection) add(ctx context.Context, byName map[string]*found, info *jetstream.StreamInfo, spec connectors.SourceSpec, i int) error {
	f, ok := byName[info.Config.Name]
	if !ok {
		f = newFound(info)
		byName[f.Stream] = f
	}
	if len(named(spec)) > 0 {
		f.named = true
		origins, err := c.origins(ctx, info)
		if err != nil {
			return err
		}
		f.origins = origins
	}
	f.specs, f.filters = append(f.specs, i), append(f.filters, spec.Select)
	return nil
}

// streamsOn lists the streams with a subject that overlaps.
func (c *connection) streamsOn(ctx context.Context, subject string) ([]*jetstream.StreamInfo, error) {
	var infos []*jetstream.StreamInfo
	err := c.ask(ctx, func(ctx context.Context) error {
		infos = nil
		list := c.js.ListStreams(ctx, jetstream.WithStreamListSubject(subject))
		for info := range list.Info() {
			infos = append(infos, info)
		}
		if err := list.Err(); !errors.Is(err, jetstream.ErrEndOfData) {
			return err
		}
		return nil
	})
	return infos, err
}

// unread says why a stream that overlaps is not read; empty if it is.
func unread(info *jetstream.StreamInfo, subject, ledgerSubject string) string {
	config := info.Config
	_, own := overlapAny(config.Subjects, subject)
	switch {
	case config.Name == ledgerStream, slices.Contains(config.Subjects, ledgerSubject+".>"):
		return "the ledger"
	case copies(config) != "":
		return copies(config)
	case !own:
		return "its own subjects do not match"
	case !strings.HasPrefix(subject, "$") && allInternal(config.Subjects, subject):
		return "internal subjects are read only when written out"
	}
	return ""
}

// allInternal says whether every subject of a stream that overlaps begins with $.
func allInternal(subjects []string, subject string) bool {
	for _, s := range subjects {
		if overlap(s, subject) && !strings.HasPrefix(s, "$") {
			return false
		}
	}
	return true
}

// noStream explains why nothing can be read.
func (c *connection) noStream(ctx context.Context, subject string, passed []string) *connectors.Error {
	if len(passed) > 0 {
		return connectors.Errorf(connectors.Environment, "no stream to read %q from: passed over %s", subject, strings.Join(passed, ", ")).
			WithHelp("name a subject that a stream of its own holds, or the stream: streams [\"NAME\"]")
	}
	if bucket := bucketOf(subject); bucket != "" {
		return c.noBucket(ctx, bucket)
	}
	e := connectors.Errorf(connectors.Environment, "no stream holds %q on %s", subject, c)
	infos := c.streams(ctx)
	if len(infos) == 0 {
		return e.WithHelp("the account has no streams; make one for what is published, without what the flow writes: nats stream add NAME --subjects SUBJECTS --defaults")
	}
	var subjects []string
	for _, info := range infos {
		subjects = append(subjects, info.Config.Subjects...)
	}
	return e.Instead(subject, subjects).
		WithHelp("streams there: %s; write a subject of theirs, or make a stream: nats stream add NAME --subjects SUBJECTS --defaults", someStreams(infos))
}

// streams are those of the account, but for the ledger; none if they cannot be listed.
func (c *connection) streams(ctx context.Context) []*jetstream.StreamInfo {
	infos, err := c.streamsOn(ctx, "")
	if err != nil {
		return nil // the error that this is for is the one to tell
	}
	return slices.DeleteFunc(infos, func(info *jetstream.StreamInfo) bool { return info.Config.Name == ledgerStream })
}

// someStreams shows up to five streams with their subjects.
func someStreams(infos []*jetstream.StreamInfo) string {
	const most = 5
	var names []string
	for _, info := range infos[:min(len(infos), most)] {
		names = append(names, info.Config.Name+" ("+strings.Join(info.Config.Subjects, " ")+")")
	}
	if len(infos) > most {
		names = append(names, fmt.Sprintf("and %d more", len(infos)-most))
	}
	return strings.Join(names, ", ")
}

// streamNames are the names of streams.
func streamNames(infos []*jetstream.StreamInfo) []string {
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Config.Name
	}
	return names
}
