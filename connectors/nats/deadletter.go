package nats

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const defaultDeadStream = "FLOW_DEAD"

var deadLetterFields = connectors.Fields{
	{Key: "subject", Type: connectors.Text, Required: true, Template: true, Doc: "the subject of each dead letter"},
	{Key: "stream", Type: connectors.Text, Default: defaultDeadStream, Doc: "the stream that is made if none captures the subject"},
	{Key: "create_stream", Tuning: true, Type: connectors.Bool, Default: true, Doc: "make that stream if none captures the subject"},
	{Key: "publish_timeout", Tuning: true, Type: connectors.Duration, Default: 5 * time.Second, Min: int64(time.Millisecond), Max: int64(time.Hour), Doc: "from handing one message to the server to its acknowledgement"},
}

// deadLetterLimits bound what waits for its acknowledgement.
var deadLetterLimits = connectors.Limits{Messages: 256, Bytes: 16 << 20}

// checkDeadLetter judges where dead letters go as far as names alone tell.
func checkDeadLetter(spec connectors.DeadLetterSpec) error {
	refuse := func(key string, err error) *connectors.Error {
		return (&connectors.Error{Class: connectors.Refused, Err: err}).About(connectors.DeadLetterRole, 0, key)
	}
	if err := checkStreamName(spec.Settings.Text("stream")); err != nil {
		return refuse("stream", err)
	}
	asSink := templatesOf(spec)
	for i := range spec.Resources {
		if err := checkHoles(asSink, i, "subject"); err != nil {
			return refuse("subject", err)
		}
		subject := fillResource(asSink, i, "subject")
		if err := checkSubject(textWith(subject, "x"), false); err != nil {
			return refuse("subject", expanded(err, spec.Settings.Template("subject"), subject))
		}
		for j, source := range spec.Selects {
			if overlap(source, pattern(subject)) {
				return refuse("subject", fmt.Errorf("the source %q matches the dead letters' subject %q, so the flow would read them again", source, pattern(subject))).
					WithHelp("write dead letters to a subject outside of what the flow reads").Against(connectors.SourceRole, j, "the source")
			}
		}
	}
	return nil
}

func describeDeadLetter(spec connectors.DeadLetterSpec) string {
	text := fmt.Sprintf("a bad row's original message goes to %q", spec.Settings.Template("subject").Text)
	if spec.Settings.Bool("create_stream") {
		text += fmt.Sprintf("; if no stream captures it, %s is made for it", spec.Settings.Text("stream"))
	}
	return text
}

// templatesOf is a sink with the templates of dead letters, for their expansion.
func templatesOf(spec connectors.DeadLetterSpec) connectors.SinkSpec {
	return connectors.SinkSpec{Settings: spec.Settings, Resources: spec.Resources, Selects: spec.Selects}
}

// deadLetters writes what the flow cannot process, with its original body and headers.
type deadLetters struct {
	session
	flow   connectors.Identity
	spec   connectors.SinkSpec
	places []*destination // by resource: the stream that captures its subject
	ids    *messageIDs
}

// OpenDeadLetters implements connectors.Connection.
func (c *connection) OpenDeadLetters(ctx context.Context, flow connectors.Identity, spec connectors.DeadLetterSpec) (connectors.DeadLetters, error) {
	d := &deadLetters{flow: flow, spec: templatesOf(spec), ids: newMessageIDs(flow, spec.Connection)}
	if err := d.connect(ctx, c, deadLetterLimits, spec.Settings.Duration("publish_timeout")); err != nil {
		return nil, err
	}
	for i := range spec.Resources {
		if err := d.place(ctx, i); err != nil {
			d.link.Close()
			return nil, err
		}
	}
	return d, nil
}

// place finds the stream that captures a resource's dead letters, or makes it.
func (d *deadLetters) place(ctx context.Context, resource int) error {
	subject := pattern(fillResource(d.spec, resource, "subject"))
	info, err := d.capturing(ctx, subject)
	if err == nil && info == nil {
		if info, err = d.make(ctx, subject); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if err := suitable(info, connectors.DeadLetterRole, "subject"); err != nil {
		return err
	}
	d.places = append(d.places, destinationOf(info))
	return nil
}

func (d *deadLetters) capturing(ctx context.Context, subject string) (*jetstream.StreamInfo, error) {
	infos, err := d.link.streamsOn(ctx, subject)
	if err != nil {
		return nil, failed(err, "looking for the stream that holds dead letters on %q", subject)
	}
	i := slices.IndexFunc(infos, func(info *jetstream.StreamInfo) bool {
		_, ok := coversAny(info.Config.Subjects, subject)
		return ok
	})
	if i < 0 {
		return nil, nil
	}
	return infos[i], nil
}

func (d *deadLetters) make(ctx context.Context, subject string) (*jetstream.StreamInfo, error) {
	name := d.spec.Settings.Text("stream")
	refuse := func(format string, args ...any) error {
		return connectors.Errorf(connectors.Environment, format, args...).
			WithHelp("let a stream hold it: nats stream edit %s --subjects ..., or name another one with `stream`", name).About(connectors.DeadLetterRole, 0, "subject")
	}
	if !d.spec.Settings.Bool("create_stream") {
		return nil, refuse("no stream captures the dead letters' subject %q", subject)
	}
	subjects := d.subjects()
	var info *jetstream.StreamInfo
	err := d.link.call(ctx, func(ctx context.Context) error {
		stream, err := d.link.js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: subjects, Storage: jetstream.FileStorage,
			Description: "messages that a flow could not process"})
		if err == nil {
			info = stream.CachedInfo()
		}
		return err
	})
	switch {
	case hasCode(err, codeStreamNameInUse):
		return nil, refuse("no stream captures the dead letters' subject %q, and %s is there with other subjects", subject, name)
	case hasCode(err, codeSubjectOverlap):
		return nil, refuse("%s cannot be made for the dead letters' subject %q: stream %s captures part of it", name, strings.Join(subjects, " "), d.link.holder(ctx, subjects[0]))
	case err != nil:
		return nil, failed(err, "making the stream %s for dead letters", name)
	}
	d.link.report(connectors.Notice{Text: "made the stream for dead letters", Attributes: []any{"stream", name, "subjects", strings.Join(subjects, " ")}})
	return info, nil
}

// subjects are the filter that the template asks for, or the exact subjects where
// that would begin with a wildcard, which servers refuse.
func (d *deadLetters) subjects() []string {
	if filter := pattern(d.spec.Settings.Template("subject")); !wide(filter) {
		return []string{widen(filter)}
	}
	var exact []string
	for i := range d.spec.Resources {
		exact = append(exact, pattern(fillResource(d.spec, i, "subject")))
	}
	slices.Sort(exact)
	return slices.Compact(exact)
}

// Targets implements connectors.DeadLetters.
func (d *deadLetters) Targets() []connectors.Target {
	targets := make([]connectors.Target, len(d.places))
	for i, to := range d.places {
		targets[i] = connectors.Target{Stream: to.name, Subject: pattern(fillResource(d.spec, i, "subject")), Account: d.link.account, Created: to.created, Key: "subject"}
	}
	return targets
}

// Write implements connectors.DeadLetters.
func (d *deadLetters) Write(ctx context.Context, letters []connectors.DeadLetter) error {
	defer d.untilCancelled(ctx)()
	receipt := &connectors.Receipt{}
	for i := range letters {
		m, s, err := d.message(&letters[i])
		if err != nil {
			return err
		}
		s.receipt = receipt
		if err := d.publisher.publish(ctx, m, s); err != nil {
			return d.broken(err)
		}
	}
	if err := d.publisher.wait(ctx); err != nil {
		return d.broken(err)
	}
	return nil
}

func (d *deadLetters) message(l *connectors.DeadLetter) (*natsgo.Msg, slot, error) {
	to := d.places[l.Message.Resource]
	m := &natsgo.Msg{Subject: d.subject(l.Message), Data: l.Message.Data, Header: letterHeader(d.flow, l)}
	m.Header.Set(natsgo.ExpectedStreamHdr, to.name)
	m.Header.Set(natsgo.MsgIdHdr, string(d.ids.append(nil, l.Message, to.name, m.Subject, "dead letter")))
	limit := min(d.link.nc.MaxPayload(), deadLetterLimits.Bytes-int64(len(m.Subject)))
	if to.maxSize > 0 {
		limit = min(limit, int64(to.maxSize))
	}
	if !shorten(m, limit) {
		return nil, slot{}, connectors.Errorf(connectors.Permanent, "the message of sequence %d of stream %s cannot be kept as a dead letter: its body has %d bytes, and stream %s or the server takes %d with the headers that say what it is",
			l.Message.Sequence, l.Message.Source.Stream, len(m.Data), to.name, limit).
			WithHelp("let stream %s take larger messages, or the server (max_payload); `skip` would leave the message out", to.name).About(connectors.DeadLetterRole, 0, "subject")
	}
	size := int64(len(m.Data) + headerSize(m.Header) + len(m.Subject))
	return m, slot{size: size, stream: to.name, subject: m.Subject}, nil
}

// subject fills the template for one message.
func (d *deadLetters) subject(m *connectors.Message) string {
	return string(fillResource(d.spec, m.Resource, "subject").Append(nil, func(dst []byte, hole string) []byte {
		if n, ok := wildcardHole(hole); ok {
			token, _ := wildcardMatch(d.spec.Selects[m.Resource], m.Subject, n)
			return append(dst, token...)
		}
		return append(dst, m.Subject...)
	}))
}
