package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// replayer runs certified epochs once more, from the messages that they were made of
// and with the schemas that they had. It reads past every reader, and certifies and
// acknowledges nothing.
type replayer struct {
	*machine
}

func newReplayer(ctx context.Context, flow *planner.Flow, ledger connectors.Ledger, notice func(connectors.Notice)) (*replayer, error) {
	m, err := newMachine(flow, Options{OnNotice: notice})
	if err != nil {
		return nil, err
	}
	m.ledger, m.chain = ledger, &chain{ledger: ledger}
	if err := m.connect(ctx); err != nil {
		m.close()
		return nil, err
	}
	return &replayer{m}, nil
}

// open opens the sinks, which write nothing if it is a preview.
func (r *replayer) open(ctx context.Context, preview bool) error {
	for i, s := range r.flow.Sinks {
		spec, err := s.Resolved()
		if err != nil {
			return ofSink(err, i)
		}
		spec.Preview = preview
		if r.sinks[i], err = r.conns[s.Connection].OpenSink(ctx, r.flow.Identity, spec); err != nil {
			return ofSink(err, i)
		}
	}
	return nil
}

// again reads an epoch and makes its rows.
func (r *replayer) again(ctx context.Context, certificate Entry) (*epoch, error) {
	if certificate.Fingerprint != r.flow.Fingerprint {
		return nil, &notAgainError{connectors.Errorf(connectors.Refused, "epoch %d was written by another version of flow %s, which may have made other rows of the same messages", certificate.State.Epoch, r.flow.Identity).
			WithHelp("use the file as it was then; its fingerprint is %s", certificate.Fingerprint)}
	}
	before, err := r.chain.recordAt(ctx, certificate.Previous)
	if errors.Is(err, connectors.ErrNoEntry) {
		return nil, &notAgainError{fmt.Errorf("the schemas of epoch %d are not known: the record before its certificate is gone from the ledger: %w", certificate.State.Epoch, err)}
	}
	if err != nil {
		return nil, err
	}
	for _, resource := range r.resources {
		if err := resource.load(ctx, r.ledger, before.State.Schemas[resource.name]); err != nil {
			return nil, err
		}
	}
	messages, err := r.reread(ctx, certificate)
	if err != nil {
		return nil, err
	}
	e := r.slots[0]
	e.begin(r.flow.BadRow)
	e.number, e.delivery = certificate.State.Epoch, rereadDelivery(messages)
	if err := r.decode(e); err != nil {
		return nil, err
	}
	return e, r.transform(e)
}

// reread is all that the epoch was made of.
func (r *replayer) reread(ctx context.Context, certificate Entry) ([]connectors.Message, error) {
	source := r.conns[r.flow.Sources[0].Connection]
	var all []connectors.Message
	for _, part := range certificate.Epoch.Ranges {
		for _, p := range certificate.State.Positions {
			if p.Stream != part.Stream {
				continue
			}
			messages, err := source.Reread(ctx, r.flow.SourceSpecs(), p.Incarnation, part)
			if err != nil {
				return nil, err
			}
			if len(messages) != part.Records {
				return nil, &notAgainError{fmt.Errorf("epoch %d was made of %s messages of stream %s, sequences %s to %s, and %s of them are left there",
					certificate.State.Epoch, count(part.Records), part.Stream, count(int(part.First)), count(int(part.Last)), count(len(messages)))}
			}
			all = append(all, messages...)
		}
	}
	return all, nil
}

func count(n int) string { return connectors.FormatCount(int64(n)) }

// notAgainError says why an epoch cannot be made anew, whatever is tried.
type notAgainError struct{ error }

func (e *notAgainError) Unwrap() error { return e.error }

// ready lets every sink prepare what it takes of the epoch.
func (r *replayer) ready(ctx context.Context, e *epoch) error {
	for {
		prepared, err := r.prepare(ctx, e)
		if err != nil || prepared {
			return err
		}
	}
}

// Replay calls each for what the flow would write of a certified epoch, in its order.
// It reads the epoch's messages again, and writes nothing. A Prepared is on loan for
// the call; an error of each ends it.
func Replay(ctx context.Context, flow *planner.Flow, ledger connectors.Ledger, number uint64, notice func(connectors.Notice), each func(connectors.Prepared) error) error {
	certificate, err := Certificate(ctx, ledger, number)
	if err != nil {
		return err
	}
	r, err := newReplayer(ctx, flow, ledger, notice)
	if err != nil {
		return err
	}
	defer r.close()
	if err := r.open(ctx, true); err != nil {
		return err
	}
	e, err := r.again(ctx, certificate)
	if err != nil {
		return err
	}
	if err := r.ready(ctx, e); err != nil {
		return err
	}
	for _, sink := range r.sinks {
		sink.Prepared(func(p connectors.Prepared) {
			if err == nil {
				err = each(p)
			}
		})
	}
	return err
}

// rereadDelivery is an epoch's messages, which are acknowledged already.
type rereadDelivery []connectors.Message

func (d rereadDelivery) Messages() []connectors.Message { return d }

func (d rereadDelivery) Covers() []connectors.Range { return nil }

func (d rereadDelivery) Position() []connectors.Position { return nil }

func (d rereadDelivery) Ack(context.Context) error {
	return errors.New("what is read again is not acknowledged")
}

func (d rereadDelivery) Release(context.Context) {}
