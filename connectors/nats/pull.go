package nats

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"
)

// A standing pull request lasts this long, and the server beats in between: two
// missed beats show a consumer that is gone without a word.
const (
	pullExpires   = 30 * time.Second
	pullHeartbeat = 3 * time.Second
)

// pull is one request for messages at the server. A reader has at most one.
type pull struct {
	token    string // the last token of its reply subject
	want     int    // messages still to come
	lastBeat time.Time
}

// pullRequest is the server's own form.
type pullRequest struct {
	Batch     int           `json:"batch"`
	MaxBytes  int64         `json:"max_bytes,omitempty"`
	Expires   time.Duration `json:"expires"`
	Heartbeat time.Duration `json:"idle_heartbeat,omitempty"`
	Group     string        `json:"group,omitempty"` // of a consumer that pins
	Pin       string        `json:"id,omitempty"`
}

// request sends a pull for n messages, of at most maxBytes in all if it is not 0.
func (r *reader) request(n int, maxBytes int64) error {
	r.pulls++
	if limit := r.limits.MaxRequestBatch; limit > 0 {
		n = min(n, limit)
	}
	if limit := r.limits.MaxRequestMaxBytes; limit > 0 && (maxBytes == 0 || maxBytes > int64(limit)) {
		maxBytes = int64(limit)
	}
	p := &pull{token: strconv.Itoa(r.pulls), want: n, lastBeat: time.Now()}
	expires := pullExpires
	if limit := r.limits.MaxRequestExpires; limit > 0 {
		expires = min(expires, limit)
	}
	pull := pullRequest{Batch: n, MaxBytes: maxBytes, Expires: expires, Heartbeat: min(pullHeartbeat, expires/3)}
	if pins(r.limits) {
		// It must not outlive a frozen process: it would seem to be there still, and the
		// server would give it messages. Its end is the beat.
		pull.Expires, pull.Heartbeat = min(expires, pinTimeout), 0
		pull.Group, pull.Pin = pinGroup, r.source.presence.pinOf(r.stream.Stream)
	}
	body, err := json.Marshal(pull)
	if err != nil {
		return err
	}
	r.pull = p
	subject := r.source.conn.api(fmt.Sprintf("CONSUMER.MSG.NEXT.%s.%s", r.stream.Stream, r.consumer))
	return r.source.conn.nc.PublishRequest(subject, r.inbox+"."+p.token, body)
}

// pullEnd is why a status message ended a pull.
type pullEnd uint8

const (
	pullGoesOn   pullEnd = iota // a heartbeat
	pullDone                    // it expired: ask again
	pullTooSmall                // the next message alone is above the byte bound
	pullBroken                  // only Seek can tell what comes next
	pullRefused                 // the server will refuse every pull like it
)

// status reads a message without content, of which the header says what it is.
func status(m *natsgo.Msg) (end pullEnd, why string) {
	code, text := m.Header.Get("Status"), m.Header.Get("Description")
	switch code {
	case "100":
		return pullGoesOn, ""
	case "404", "408":
		return pullDone, ""
	case "400":
		return pullRefused, strings.ToLower(text)
	case pinLost:
		return pullBroken, pinLostText
	case "503":
		return pullBroken, "the consumer does not answer"
	case "409":
		lower := strings.ToLower(text)
		switch {
		case strings.Contains(lower, "exceeded maxrequest"), strings.Contains(lower, "exceeded maxwaiting"):
			return pullRefused, lower
		case strings.Contains(lower, "maxbytes") && strings.Contains(lower, "exceeds"):
			return pullTooSmall, ""
		case strings.Contains(lower, "batch completed"):
			return pullDone, ""
		}
	}
	return pullBroken, strings.ToLower(text)
}

// isStatus says whether the server sent a status instead of a message, which has a
// reply subject for its acknowledgement.
func isStatus(m *natsgo.Msg) bool {
	return m.Reply == "" && len(m.Data) == 0 && m.Header != nil && m.Header.Get("Status") != ""
}
