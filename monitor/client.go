package monitor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

// Client asks the runs of an account. It is safe for concurrent use.
type Client struct{ nc *nats.Conn }

// NewClient asks over a connection, which stays the caller's.
func NewClient(nc *nats.Conn) *Client { return &Client{nc: nc} }

// Listed is a run as discovery shows it.
type Listed struct {
	ID        string    `json:"id"`
	Namespace string    `json:"namespace"`
	Flow      string    `json:"flow"`
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	Started   time.Time `json:"started"`
}

const (
	// firstAnswer is how long discovery waits for any answer at all, and quiet how
	// long for another one.
	firstAnswer = 2 * time.Second
	quiet       = 250 * time.Millisecond
	// answerTimeout bounds the wait for one run's answer.
	answerTimeout = 5 * time.Second
)

// Runs are those of the account that answer, by namespace, flow and time of start. It
// waits for answers until none comes for a while, or the context ends.
func (c *Client) Runs(ctx context.Context) ([]Listed, error) {
	subject, err := micro.ControlSubject(micro.InfoVerb, ServiceName, "")
	if err != nil {
		return nil, err
	}
	inbox, err := c.nc.SubscribeSync(c.nc.NewInbox())
	if err != nil {
		return nil, asking(err)
	}
	defer func() { _ = inbox.Unsubscribe() }() // it fails only with the connection
	if err := c.nc.PublishRequest(subject, inbox.Subject, nil); err != nil {
		return nil, asking(err)
	}
	runs := map[string]Listed{}
	for wait := firstAnswer; ; wait = quiet {
		answer, err := next(ctx, inbox, wait)
		switch {
		case err != nil && len(runs) == 0 && !errors.Is(err, nats.ErrNoResponders):
			return nil, c.unanswered(err)
		case err != nil:
			return sorted(runs), ctx.Err()
		}
		if run, ok := listedOf(answer.Data); ok {
			runs[run.ID] = run // while a run registers anew it answers twice
		}
	}
}

func next(ctx context.Context, inbox *nats.Subscription, wait time.Duration) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	m, err := inbox.NextMsgWithContext(ctx)
	if err == nil && len(m.Data) == 0 && m.Header.Get("Status") == "503" {
		return nil, nats.ErrNoResponders
	}
	return m, err
}

// listedOf reads an answer of discovery. Another service may have the same name.
func listedOf(data []byte) (Listed, bool) {
	var info micro.Info
	if err := json.Unmarshal(data, &info); err != nil || info.Metadata[metaID] == "" {
		return Listed{}, false
	}
	meta := info.Metadata
	pid, _ := strconv.Atoi(meta[metaPID])
	started, _ := time.Parse(time.RFC3339, meta[metaStarted])
	return Listed{ID: meta[metaID], Namespace: meta[metaNamespace], Flow: meta[metaFlow], Host: meta[metaHost],
		PID: pid, Started: started}, true
}

func sorted(runs map[string]Listed) []Listed {
	all := make([]Listed, 0, len(runs))
	for _, r := range runs {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Listed) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Flow, b.Flow), a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Snapshot is a run as it is now. ErrGone says that nothing answers for it.
func (c *Client) Snapshot(ctx context.Context, id string) (*Snapshot, error) {
	return c.snapshot(ctx, id, snapshotRequest{})
}

// Brief is a snapshot without plan, resources, sources, sinks, epochs and log: what a
// list of runs shows.
func (c *Client) Brief(ctx context.Context, id string) (*Snapshot, error) {
	return c.snapshot(ctx, id, snapshotRequest{Brief: true})
}

func (c *Client) snapshot(ctx context.Context, id string, request snapshotRequest) (*Snapshot, error) {
	snapshot := &Snapshot{}
	if err := c.ask(ctx, id, snapshotEndpoint, request, snapshot); err != nil {
		return nil, err
	}
	return snapshot, nil
}

// Epochs are marks of a run's certified epochs, the newest first, as its ledger holds
// them; cut says how many did not fit into the answer.
func (c *Client) Epochs(ctx context.Context, id string, request EpochsRequest) (marks []Mark, cut int, err error) {
	var answer listed[Mark]
	err = c.ask(ctx, id, epochsEndpoint, request, &answer)
	return answer.All, answer.Cut, err
}

// Dead are a run's last dead letters, the newest first; cut says how many did not fit
// into the answer.
func (c *Client) Dead(ctx context.Context, id string) (letters []DeadLetter, cut int, err error) {
	var answer listed[DeadLetter]
	err = c.ask(ctx, id, deadEndpoint, nil, &answer)
	return answer.All, answer.Cut, err
}

// Control asks a run to do something, and returns its state right after. A *Refusal
// says that it does not, and why.
func (c *Client) Control(ctx context.Context, id string, command Command) (State, error) {
	var answer controlAnswer
	err := c.ask(ctx, id, controlEndpoint, controlRequest{Command: command}, &answer)
	return answer.State, err
}

// ask makes one request of a run.
func (c *Client) ask(ctx context.Context, id, endpoint string, request, answer any) error {
	data, err := json.Marshal(request)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	m, err := c.nc.RequestWithContext(ctx, subjectOf(id, endpoint), data)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return ErrGone
	case err != nil:
		return c.unanswered(err)
	case m.Header.Get(micro.ErrorCodeHeader) != "":
		return &Refusal{Code: m.Header.Get(micro.ErrorCodeHeader), Text: m.Header.Get(micro.ErrorHeader)}
	}
	if err := json.Unmarshal(m.Data, answer); err != nil {
		return fmt.Errorf("the answer of run %s is not understood: %w", id, err)
	}
	return nil
}

// unanswered says why no answer came: a missing right shows only beside the request.
func (c *Client) unanswered(err error) error {
	if last := c.nc.LastError(); errors.Is(last, nats.ErrPermissionViolation) {
		return fmt.Errorf("asking for runs is not permitted to this user: %w", last)
	}
	if !c.nc.IsConnected() {
		return fmt.Errorf("disconnected from the NATS server: %w", err)
	}
	return asking(err)
}

func asking(err error) error { return fmt.Errorf("asking for runs: %w", err) }
