package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// markerRoot is where markers are, below a token for the stream, one for the
// namespace, one for the flow and one for its part.
const markerRoot = "flow.marker."

// onlyPart is the part of a flow that is not divided.
const onlyPart = "0"

func markerPrefix(stream string) string { return markerRoot + stream + "." }

// markerFilter is what a stream captures that holds markers of any flow.
func markerFilter(stream string) string { return markerPrefix(stream) + ">" }

// markerSubject is where a flow's marker in a stream is, unless the flow names another place.
func markerSubject(flow connectors.Identity, stream string) string {
	return markerPrefix(stream) + flow.Namespace + "." + flow.Flow + "." + onlyPart
}

// markerOn is the subject of the marker of the sink's rows in a stream.
func (s *sink) markerOn(stream string) string {
	if given := s.spec.Settings.Text("marker"); given != "" {
		return given
	}
	return markerSubject(s.flow, stream)
}

// markersOf are the filters that a stream needs besides its subjects, for the sink and
// those that write into it together with it; none if none of them writes batches.
func (s *sink) markersOf(stream string) (filters []string) {
	for _, spec := range append([]connectors.SinkSpec{s.spec}, s.spec.Together...) {
		if !spec.ExactlyOnce() {
			continue
		}
		filters = append(filters, markerFilter(stream))
		if given := spec.Settings.Text("marker"); given != "" {
			filters = append(filters, given)
		}
	}
	return filters
}

// markerFormat is the newest form of markers that this program knows.
const markerFormat = 1

// markerBody is a marker as it is stored. First and Last of its receipts count within
// the batch, from 1: the messages of a batch have sequences without a gap, and the
// last of them is the marker.
type markerBody struct {
	Format   int                  `json:"format"`
	Batch    string               `json:"batch"`
	Messages int                  `json:"messages"` // of the batch, with the marker
	Receipts []connectors.Receipt `json:"receipts,omitempty"`
	Content  json.RawMessage      `json:"certificate"`
}

// headerFlowMarker is on each marker, so that whoever reads the stream can tell.
const headerFlowMarker = "Flow-Marker"

// newMarker makes the message that ends a batch.
func (c *connection) newMarker(flow string, p *markedPlace, body markerBody) (*natsgo.Msg, error) {
	body.Format = markerFormat
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	m := &natsgo.Msg{Subject: p.Subject, Data: data, Header: natsgo.Header{}}
	m.Header.Set(headerContentType, contentTypeJSON)
	m.Header.Set(headerFlowMarker, flow)
	m.Header.Set(natsgo.ExpectedStreamHdr, p.Stream)
	m.Header.Set(natsgo.ExpectedLastSubjSeqHdr, strconv.FormatUint(p.marker.Sequence, 10))
	m.Header.Set(natsgo.MsgRollup, natsgo.MsgRollupSubject)
	if p.to.ttl {
		m.Header.Set(jetstream.MsgTTLHeader, "never")
	}
	size, limit := len(data)+headerSize(m.Header)+batchHeaderBytes, int(c.nc.MaxPayload())
	if p.to.maxSize > 0 {
		limit = min(limit, p.to.maxSize)
	}
	if size > limit {
		return nil, connectors.Errorf(connectors.Environment, "the marker for stream %s has %d bytes, and the stream or the server takes at most %d", p.Stream, size, limit).
			WithHelp("let the stream take larger messages (max_msg_size), or divide the flow's resources among several flows").About(connectors.SinkRole, p.sink, "stream")
	}
	return m, nil
}

// lastMarker reads the newest marker of a place.
func (t *transaction) lastMarker(ctx context.Context, p *markedPlace) (connectors.Marker, error) {
	if p.to.created == 0 {
		return connectors.Marker{MarkedPlace: p.MarkedPlace}, nil
	}
	marker, err := t.link.ReadMarker(ctx, p.MarkedPlace)
	marker.Created = p.to.created
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Class == connectors.Environment {
		return marker, e.About(connectors.SinkRole, p.sink, "stream")
	}
	return marker, err
}

// ReadMarker implements connectors.Transactor. It asks the stream's leader.
func (c *connection) ReadMarker(ctx context.Context, at connectors.MarkedPlace) (connectors.Marker, error) {
	marker := connectors.Marker{MarkedPlace: at}
	reply, err := c.get(ctx, at.Stream, getRequest{Last: at.Subject})
	if hasCode(err, codeMessageNotFound, codeStreamNotFound) {
		return marker, nil
	}
	if err != nil {
		return marker, failed(err, "reading the marker %q of stream %s", at.Subject, at.Stream)
	}
	if err := readMarker(reply.Message.Sequence, reply.Message.Data, &marker); err != nil {
		return marker, failed(err, "the message on %q of stream %s", at.Subject, at.Stream)
	}
	return marker, nil
}

// readMarker reads a marker as it is stored at a sequence.
func readMarker(sequence uint64, data []byte, into *connectors.Marker) *connectors.Error {
	var body markerBody
	switch err := json.Unmarshal(data, &body); {
	case err != nil, body.Format < 1:
		if err == nil {
			err = errors.New("it has no format number")
		}
		return connectors.Errorf(connectors.Environment, "it is no marker of flowc: %w", err).
			WithHelp("something else has written there; remove its message, or name another subject with `marker \"...\"`")
	case body.Format > markerFormat:
		return connectors.Errorf(connectors.Environment, "it has format %d, and this flowc knows up to %d", body.Format, markerFormat).WithHelp("update flowc; nothing was changed")
	}
	into.Sequence, into.Batch, into.Content, into.Receipts = sequence, body.Batch, body.Content, placed(body.Receipts, sequence, body.Messages)
	return nil
}

// placed gives receipts the sequences of their stream, of which the batch's last
// message is known.
func placed(receipts []connectors.Receipt, last uint64, messages int) []connectors.Receipt {
	before := last - uint64(messages)
	all := make([]connectors.Receipt, len(receipts))
	for i, r := range receipts {
		if r.First > 0 {
			r.First, r.Last = before+r.First, before+r.Last
		}
		all[i] = r
	}
	return all
}

// checkMarker judges `exactly once` and `marker` as far as names tell.
func checkMarker(spec connectors.SinkSpec) error {
	given := spec.Settings.Text("marker")
	refuse := func(key, help, format string, args ...any) error {
		return connectors.Errorf(connectors.Refused, format, args...).WithHelp("%s", help).About(connectors.SinkRole, 0, key)
	}
	if !spec.ExactlyOnce() {
		if given != "" {
			return refuse("marker", "write `exactly once`, or leave `marker` out", "`marker` belongs to `exactly once`")
		}
		return nil
	}
	streams := map[string]bool{}
	for i := range spec.Resources {
		stream := fillResource(spec, i, "stream")
		if !stream.Constant() {
			return refuse("stream", "let the stream's name have no other hole than <resource>, or leave `exactly once` out",
				"`exactly once` has to know the streams before it sees a row, and %q is filled by rows", stream.Text)
		}
		streams[stream.Text] = true
	}
	if given == "" {
		return nil
	}
	if err := checkSubject(given, false); err != nil {
		return (&connectors.Error{Class: connectors.Refused, Err: err}).About(connectors.SinkRole, 0, "marker")
	}
	if len(streams) > 1 {
		return refuse("marker", "leave `marker` out, and let each stream capture flow.marker.STREAM.>", "one subject cannot be captured by several streams, and %q writes into %d", spec.Settings.Template("stream").Text, len(streams))
	}
	for i := range spec.Resources {
		if subject := pattern(fillResource(spec, i, "subject")); overlap(subject, given) {
			return refuse("marker", "name a subject to which no row goes", "rows could go to the marker's subject: %q matches %q", subject, given)
		}
	}
	return nil
}

// describeGuarantee says what makes the rows come once, or what that would need.
func describeGuarantee(spec connectors.SinkSpec) []string {
	var streams []string
	for i := range spec.Resources {
		if name := fillResource(spec, i, "stream").Text; len(streams) == 0 || streams[len(streams)-1] != name {
			streams = append(streams, name)
		}
	}
	where := strings.Join(streams, ", ")
	if checksRevisions(spec) {
		return []string{fmt.Sprintf("%s: a row that is there already is known by its message id, also after that window, as long as the key has no newer value or the bucket keeps a history", where)}
	}
	if spec.Settings.Has("kv") {
		return []string{fmt.Sprintf("%s: a repetition later than that window puts the value of a key again, and may do so over a newer one until that comes again too", where)}
	}
	if spec.ExactlyOnce() {
		return []string{
			fmt.Sprintf("%s: an epoch is one atomic batch, with a marker that says how far it goes; a batch of a former owner is refused", where),
			fmt.Sprintf("%s: needs nats-server 2.%d, limits retention, allow_atomic, allow_rollup, a subject for the marker, and allow_msg_ttl where there is a max_age", where, batchMinor),
		}
	}
	return []string{fmt.Sprintf("%s: with `exactly once` no repetition would be stored; that needs nats-server 2.%d, and a stream with limits retention, allow_atomic and allow_rollup", where, batchMinor)}
}
