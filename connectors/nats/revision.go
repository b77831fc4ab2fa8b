package nats

import (
	"context"
	"fmt"
	"strconv"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"
)

// A sink with `revision` writes a key only if it has the revision that the row
// expects: the sequence of its newest message, or 0 where it must have no value. The
// server decides that when it stores the message. But it would refuse a repetition,
// too: it compares revisions before it knows the message's id. So the sink looks at
// every key before an epoch is sent. A row that the bucket holds already, by its id, is
// not sent again; one whose key has another revision is a bad row. What changes between
// the look and the write is refused by the server; the epoch is tried again, and
// judged anew.

// lookups are the keys that are looked at at once.
const lookups = 32

// expectation is what a row expects of its key.
type expectation struct {
	revision uint64 // as the row says; once the key was looked at, as the server knows it
	there    bool   // the row is in the bucket already
	fault    error  // the key has another revision
}

// checksRevisions says whether the rows of a sink expect a revision of their keys.
func checksRevisions(spec connectors.SinkSpec) bool { return spec.Settings.Has("revision") }

// checkRevision judges the setting.
func checkRevision(spec connectors.SinkSpec) error {
	refuse := func(help, format string, args ...any) error {
		return connectors.Errorf(connectors.Refused, format, args...).WithHelp("%s", help).About(connectors.SinkRole, 0, "revision")
	}
	if !checksRevisions(spec) {
		return nil
	}
	if !spec.Settings.Has("kv") {
		return refuse("leave it out, or write `to nats kv \"profiles\" key \"<id>\" revision \"<revision>\"`", "`revision` belongs to a bucket, and there is no `kv`")
	}
	for i := range spec.Resources {
		if err := checkHoles(spec, i, "revision"); err != nil {
			return (&connectors.Error{Class: connectors.Refused, Err: err}).About(connectors.SinkRole, 0, "revision")
		}
		if text := textWith(fillResource(spec, i, "revision"), "1"); !isRevision(text) {
			return refuse("name the column that holds it, as in `revision \"<revision>\"`; \"0\" means that every key must be new", "%q is no revision: it is a number from 0 on", text)
		}
	}
	return nil
}

func isRevision(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}

// expected is the revision that a row names.
func (r *router) expected(batch connectors.Batch, row int) (uint64, error) {
	text, err := r.fill(r.revision, batch, row)
	if err != nil {
		return 0, err
	}
	revision, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return 0, rowFaultf("%q is no revision of a key: it is a number from 0 on", text)
	}
	return revision, nil
}

// judgeRevisions compares what the newest rows of the epoch expect with what the
// bucket holds. Rows are those of the batch that the frames were made of.
func (s *sink) judgeRevisions(ctx context.Context, frames []frame, rows []int) error {
	if err := s.lookUp(ctx, frames); err != nil {
		return err
	}
	var bad connectors.RowErrors
	written := map[string]bool{}
	for i := range frames {
		f := &frames[i]
		err := f.expects.fault
		switch {
		case s.written[f.subject] || written[f.subject]:
			err = fmt.Errorf("an earlier row of the same epoch writes the key %q, which does not have the expected revision %d any more", keyOf(f.subject), f.expects.revision)
		case err == nil:
			err = s.frames.measure(f) // its revision has as many digits as are sent
		}
		if err != nil {
			bad = append(bad, connectors.RowError{Row: rows[i], Err: err})
			continue
		}
		written[f.subject] = true
	}
	if bad != nil {
		return bad
	}
	for subject := range written {
		s.written[subject] = true
	}
	return nil
}

// lookUp asks for the keys of the frames, several at once.
func (s *sink) lookUp(ctx context.Context, frames []frame) error {
	text := string(s.frames.text)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(lookups)
	for i := range frames {
		f := &frames[i]
		group.Go(func() error { return s.lookAt(ctx, f, text[f.id.start:f.id.end]) })
	}
	return group.Wait()
}

// lookAt compares what a frame expects with its key's newest message.
func (s *sink) lookAt(ctx context.Context, f *frame, id string) error {
	e := f.expects
	last, err := s.message(ctx, f, getRequest{Last: f.subject})
	if err != nil {
		return err
	}
	op, _ := operation(last.Msg, keyOf(f.subject))
	gone := last.sequence > 0 && op == connectors.Delete
	switch {
	case last.Header.Get(natsgo.MsgIdHdr) == id:
		e.there = true
	case last.sequence == e.revision, gone && e.revision == 0:
		e.revision = last.sequence
	default:
		// Somebody may have written the key after this row: the bucket's history tells.
		next, err := s.message(ctx, f, getRequest{Sequence: e.revision + 1, Next: f.subject})
		if err != nil {
			return err
		}
		if e.there = next.Header.Get(natsgo.MsgIdHdr) == id; !e.there {
			e.fault = otherRevision(keyOf(f.subject), e.revision, last.sequence, gone)
		}
	}
	return nil
}

// message is one of the key that a frame is for; its sequence is 0 if there is none.
func (s *sink) message(ctx context.Context, f *frame, request getRequest) (*storedMessage, error) {
	reply, err := s.link.get(ctx, f.route.to.name, request)
	if hasCode(err, codeMessageNotFound) {
		return &storedMessage{Msg: &natsgo.Msg{}}, nil
	}
	if err != nil {
		return nil, failed(err, "looking at the key %q of stream %s", keyOf(f.subject), f.route.to.name)
	}
	m, err := reply.message()
	if err != nil { // no row of a flow has such headers
		m = &storedMessage{Msg: &natsgo.Msg{Data: reply.Message.Data}, sequence: reply.Message.Sequence}
	}
	return m, nil
}

// otherRevision says that a key has another revision than a row expects; gone, that what
// was found is a removal.
func otherRevision(key string, expected, found uint64, gone bool) error {
	has := fmt.Sprintf("it has revision %d", found)
	switch {
	case found == 0:
		has = "there is none of it"
	case gone:
		has = fmt.Sprintf("it was deleted, with revision %d", found)
	}
	if expected == 0 {
		return fmt.Errorf("the key %q is expected to be new, and %s", key, has)
	}
	return fmt.Errorf("the key %q is expected to have revision %d, and %s", key, expected, has)
}

// changedMeanwhile says of a refused revision that the epoch is to be judged anew.
func (s *sink) changedMeanwhile(err error) error {
	if !s.revisions || !hasCode(err, codeWrongLastSequence) {
		return err
	}
	return &connectors.Error{Class: connectors.Transient, Err: fmt.Errorf("a key was written by somebody else after its revision had been looked up: %w", err)}
}

// revisionHeaders tell the server which revision a key must have.
func (f *frame) revisionHeaders(h natsgo.Header) {
	if f.expects != nil {
		set(h, natsgo.ExpectedLastSubjSeqHdr, strconv.FormatUint(f.expects.revision, 10))
	}
}

// revisionHeaderBytes is how many bytes nats.go writes for that.
func (f *frame) revisionHeaderBytes() int {
	if f.expects == nil {
		return 0
	}
	return line(natsgo.ExpectedLastSubjSeqHdr, len(strconv.FormatUint(f.expects.revision, 10)))
}

// describeRevision says in a plan what the check of revisions does.
func describeRevision(spec connectors.SinkSpec) []string {
	if !checksRevisions(spec) {
		return nil
	}
	text := spec.Settings.Template("revision").Text
	if text == "0" {
		return []string{"each key must be new; a row whose key is there already is a bad row"}
	}
	return []string{fmt.Sprintf("each key must have the revision %s, and 0 means none; a row whose key has another one is a bad row", text)}
}
