package nats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	ledgerStream         = "FLOW_LEDGER"
	defaultLedgerSubject = "flow.ledger"
	// ledgerDepth is how many entries of each chain are kept.
	ledgerDepth = 20_000
	// ledgerReplicas where the server is clustered.
	ledgerReplicas = 3
)

// ledger keeps the chains of one flow as subjects of one stream, whose sequences
// are the versions.
type ledger struct {
	conn   *connection
	prefix string // of the chains' subjects, with the dot
}

// OpenLedger implements connectors.Connection.
func (c *connection) OpenLedger(ctx context.Context, flow connectors.Identity) (connectors.Ledger, error) {
	found, err := c.findLedger(ctx)
	if err == nil && !found {
		err = c.createLedger(ctx)
	}
	if err != nil {
		return nil, err
	}
	return c.ledgerOf(flow), nil
}

// FindLedger implements connectors.Connection.
func (c *connection) FindLedger(ctx context.Context, flow connectors.Identity) (connectors.Ledger, error) {
	found, err := c.findLedger(ctx)
	if err != nil || !found {
		return nil, err
	}
	return c.ledgerOf(flow), nil
}

func (c *connection) ledgerOf(flow connectors.Identity) *ledger {
	return &ledger{conn: c, prefix: fmt.Sprintf("%s.%s.%s.", c.ledgerRoot(), flow.Namespace, flow.Flow)}
}

// ledgerRoot is the subject below which the ledger's chains are.
func (c *connection) ledgerRoot() string { return c.settings.Text("ledger_subject") }

// findLedger says whether the ledger's stream is there; one with other subjects is
// refused.
func (c *connection) findLedger(ctx context.Context) (found bool, err error) {
	info, err := c.streamInfo(ctx, ledgerStream)
	if err != nil || info == nil {
		return false, err
	}
	if _, ok := coversAny(info.Config.Subjects, c.ledgerRoot()+".>"); !ok {
		return false, connectors.Errorf(connectors.Environment, "the ledger stream %s holds %v, and this connection keeps its ledger below %q", ledgerStream, info.Config.Subjects, c.ledgerRoot()).
			WithHelp("give every connection to this account the same `ledger_subject`; a command takes it from the flow's file")
	}
	return true, nil
}

func (c *connection) createLedger(ctx context.Context) error {
	subjects := c.ledgerRoot() + ".>"
	config := jetstream.StreamConfig{
		Name:              ledgerStream,
		Description:       "what flows must remember: run specifications, schemas, certificates",
		Subjects:          []string{subjects},
		Retention:         jetstream.LimitsPolicy,
		Discard:           jetstream.DiscardNew,
		MaxMsgsPerSubject: ledgerDepth,
		Storage:           jetstream.FileStorage,
		Replicas:          1,
	}
	if c.nc.ConnectedClusterName() != "" {
		config.Replicas = ledgerReplicas
	}
	err := c.call(ctx, func(ctx context.Context) error {
		_, err := c.js.CreateStream(ctx, config)
		return err
	})
	switch {
	case err == nil, errors.Is(err, jetstream.ErrStreamNameAlreadyInUse):
		return nil // made by another flow just now
	case hasCode(err, codeSubjectOverlap):
		return connectors.Errorf(connectors.Environment, "the ledger cannot be made: another stream captures %q (%s)", subjects, c.holder(ctx, subjects)).
			WithHelp(`let the ledger live elsewhere, with the connection option ledger_subject "..."`)
	}
	return failed(err, "making the ledger stream %s", ledgerStream)
}

const unknownHolder = "unknown"

// holder names the stream that captures a subject, for a message.
func (c *connection) holder(ctx context.Context, subject string) string {
	infos, err := c.streamsOn(ctx, subject)
	if err != nil || len(infos) == 0 {
		return unknownHolder
	}
	return infos[0].Config.Name
}

// String implements connectors.Ledger.
func (l *ledger) String() string {
	return fmt.Sprintf("stream %s, %s> on %s", ledgerStream, l.prefix, l.conn)
}

// get asks for an entry, and says what to do where the ledger's stream is gone.
func (l *ledger) get(ctx context.Context, request getRequest) (reply getReply, err error) {
	reply, err = l.conn.get(ctx, ledgerStream, request)
	if hasCode(err, codeStreamNotFound) {
		err = connectors.Errorf(connectors.Environment, "the ledger stream %s is gone", ledgerStream).
			WithHelp("restore it from a backup; a flow that begins without it writes everything again")
	}
	return reply, err
}

// Last implements connectors.Ledger.
func (l *ledger) Last(ctx context.Context, chain string) (connectors.Entry, error) {
	reply, err := l.get(ctx, getRequest{Last: l.prefix + chain})
	if hasCode(err, codeMessageNotFound) {
		return connectors.Entry{}, nil
	}
	if err != nil {
		return connectors.Entry{}, failed(err, "reading %s of the ledger", l.prefix+chain)
	}
	return connectors.Entry{Version: reply.Message.Sequence, Data: reply.Message.Data}, nil
}

// At implements connectors.Ledger.
func (l *ledger) At(ctx context.Context, chain string, version uint64) (connectors.Entry, error) {
	reply, err := l.get(ctx, getRequest{Sequence: version})
	if hasCode(err, codeMessageNotFound) {
		return connectors.Entry{}, failed(fmt.Errorf("%w: %w", connectors.ErrNoEntry, err), "reading entry %d of %s of the ledger", version, l.prefix+chain)
	}
	if err != nil {
		return connectors.Entry{}, failed(err, "reading entry %d of %s of the ledger", version, l.prefix+chain)
	}
	if reply.Message.Subject != l.prefix+chain {
		return connectors.Entry{}, connectors.Errorf(connectors.Permanent, "entry %d of the ledger belongs to %s, not to %s", version, reply.Message.Subject, l.prefix+chain)
	}
	return connectors.Entry{Version: version, Data: reply.Message.Data}, nil
}

// Next implements connectors.Ledger.
func (l *ledger) Next(ctx context.Context, chain string, after uint64) (connectors.Entry, error) {
	reply, err := l.get(ctx, getRequest{Sequence: after + 1, Next: l.prefix + chain})
	if hasCode(err, codeMessageNotFound) {
		return connectors.Entry{}, nil
	}
	if err != nil {
		return connectors.Entry{}, failed(err, "reading %s of the ledger", l.prefix+chain)
	}
	return connectors.Entry{Version: reply.Message.Sequence, Data: reply.Message.Data}, nil
}

// Siblings implements connectors.Ledger.
func (l *ledger) Siblings(ctx context.Context) ([]string, error) {
	namespace := strings.Join(strings.Split(l.prefix, ".")[:strings.Count(l.prefix, ".")-1], ".")
	var names []string
	err := l.conn.call(ctx, func(ctx context.Context) error {
		stream, err := l.conn.js.Stream(ctx, ledgerStream)
		if err != nil {
			return err
		}
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(namespace+".*.spec"))
		if err != nil {
			return err
		}
		names = nil
		for subject := range info.State.Subjects {
			name, _, _ := strings.Cut(strings.TrimPrefix(subject, namespace+"."), ".")
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, failed(err, "listing the flows of the ledger")
	}
	slices.Sort(names)
	return names, nil
}

// Append implements connectors.Ledger.
func (l *ledger) Append(ctx context.Context, chain string, previous uint64, data []byte) (uint64, error) {
	var version uint64
	err := l.conn.ask(ctx, func(ctx context.Context) error {
		ack, err := l.conn.js.Publish(ctx, l.prefix+chain, data,
			jetstream.WithExpectLastSequencePerSubject(previous), jetstream.WithExpectStream(ledgerStream))
		if err == nil {
			version = ack.Sequence
		}
		return err
	})
	if err == nil {
		return version, nil
	}
	// The outcome is unknown, or it is known from an earlier try of this append.
	newest, lookErr := l.Last(ctx, chain)
	switch {
	case lookErr == nil && newest.Version > previous && bytes.Equal(newest.Data, data):
		return newest.Version, nil
	case lookErr == nil && newest.Version > previous, hasCode(err, codeWrongLastSequence):
		return 0, fmt.Errorf("writing %s of the ledger: %w", l.prefix+chain, connectors.ErrSuperseded)
	}
	return 0, failed(err, "writing %s of the ledger", l.prefix+chain)
}
