package nats

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// getRequest asks for one message of a stream: that of a sequence, the last one of
// a subject, or the first one of a filter from a sequence on.
type getRequest struct {
	Sequence uint64 `json:"seq,omitempty"`
	Last     string `json:"last_by_subj,omitempty"`
	Next     string `json:"next_by_subj,omitempty"`
}

type getReply struct {
	Error   *jetstream.APIError `json:"error"`
	Message struct {
		Subject  string    `json:"subject"`
		Sequence uint64    `json:"seq"`
		Headers  []byte    `json:"hdrs"`
		Data     []byte    `json:"data"`
		Time     time.Time `json:"time"`
	} `json:"message"`
}

// get asks the stream's leader, who alone knows the newest messages: the client's
// own calls ask any replica where a stream allows it.
func (c *connection) get(ctx context.Context, stream string, request getRequest) (reply getReply, err error) {
	body, err := json.Marshal(request)
	if err != nil {
		return reply, err
	}
	err = c.ask(ctx, func(ctx context.Context) error {
		m, err := c.nc.RequestWithContext(ctx, c.api("STREAM.MSG.GET."+stream), body)
		if err != nil {
			return err
		}
		return json.Unmarshal(m.Data, &reply)
	})
	if err == nil && reply.Error != nil {
		err = reply.Error
	}
	return reply, err
}

// firstAfter is the sequence of the first message after that one which a flow reads
// of the stream; 0 if there is none.
func (c *connection) firstAfter(ctx context.Context, f *found, sequence uint64) (first uint64, err error) {
	for _, filter := range f.filtersOrAll() {
		reply, err := c.get(ctx, f.Stream, getRequest{Sequence: sequence + 1, Next: filter})
		if hasCode(err, codeMessageNotFound) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if at := reply.Message.Sequence; first == 0 || at < first {
			first = at
		}
	}
	return first, nil
}

// lastOf is the sequence of the last message that a flow reads of the stream; 0 if
// there is none.
func (c *connection) lastOf(ctx context.Context, f *found) (last uint64, err error) {
	for _, filter := range f.filtersOrAll() {
		reply, err := c.get(ctx, f.Stream, getRequest{Last: filter})
		if hasCode(err, codeMessageNotFound) {
			continue
		}
		if err != nil {
			return 0, err
		}
		last = max(last, reply.Message.Sequence)
	}
	return last, nil
}

func (f *found) filtersOrAll() []string {
	if len(f.filters) == 0 {
		return []string{">"}
	}
	return f.filters
}
