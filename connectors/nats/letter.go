package nats

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

// The headers that a dead letter adds to those of the original message.
const (
	headerError          = "Flow-Error"
	headerErrorCode      = "Flow-Error-Code"
	headerLetterSource   = "Flow-Source"
	headerLetterEvent    = "Flow-Source-Event-Id"
	headerLetterFlow     = "Flow-Name"
	headerLetterCut      = "Flow-Shortened"
	headerOriginalPrefix = "Flow-Original-"
)

var letterHeaders = []string{headerError, headerErrorCode, headerLetterSource, headerSourceSubject, headerLetterEvent, headerLetterFlow, headerLetterCut}

// letterHeader are the original headers and those that say what became of the message.
// An original one that would command the server again, or that has the name of one of
// those, is kept under another name.
func letterHeader(flow connectors.Identity, l *connectors.DeadLetter) natsgo.Header {
	h := natsgo.Header{}
	for key, values := range l.Message.Headers {
		if commands(key) || strings.HasPrefix(key, headerOriginalPrefix) || slices.ContainsFunc(letterHeaders, func(own string) bool { return strings.EqualFold(own, key) }) {
			key = headerOriginalPrefix + key
		}
		h[key] = values
	}
	h.Set(headerError, headerText(l.Reason))
	h.Set(headerErrorCode, l.Code)
	h.Set(headerLetterSource, l.Message.Source.Stream+"/"+strconv.FormatUint(l.Message.Sequence, 10))
	h.Set(headerSourceSubject, l.Message.Subject)
	h.Set(headerLetterEvent, string(l.Message.AppendEventID(nil)))
	h.Set(headerLetterFlow, flow.String())
	return h
}

// commands says whether a header is one that the server acts on.
func commands(key string) bool { return strings.HasPrefix(strings.ToLower(key), "nats-") }

// shorten makes a dead letter fit into so many bytes, headers included: first the
// reason gives way, then the original headers, the longest first. The body and what
// says where it came from stay whole; it is false if these alone are too large.
func shorten(m *natsgo.Msg, limit int64) bool {
	fits := func() bool { return int64(len(m.Data)+headerSize(m.Header)) <= limit }
	if fits() {
		return true
	}
	m.Header.Set(headerLetterCut, "reason")
	reason := m.Header.Get(headerError)
	over := int64(len(m.Data)+headerSize(m.Header)) - limit
	m.Header.Set(headerError, strings.ToValidUTF8(reason[:max(0, len(reason)-int(over))], ""))
	if fits() {
		return true
	}
	m.Header.Set(headerLetterCut, "reason and headers")
	for !fits() {
		longest := ""
		for key := range m.Header {
			if original(key) && (longest == "" || headerLength(m.Header, key) > headerLength(m.Header, longest)) {
				longest = key
			}
		}
		if longest == "" {
			return false
		}
		delete(m.Header, longest)
	}
	return true
}

// original says whether a header of a dead letter came with the message.
func original(key string) bool { return !slices.Contains(letterHeaders, key) && !commands(key) }

func headerLength(h natsgo.Header, key string) (size int) {
	for _, value := range h[key] {
		size += line(key, len(value))
	}
	return size
}

// maxHeaderText bounds a reason, which may quote a whole value.
const maxHeaderText = 1000

// headerText makes a text fit for a header: one line without control characters.
func headerText(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if len(text) > maxHeaderText {
		text = strings.ToValidUTF8(text[:maxHeaderText], "") + "..."
	}
	return text
}

// restored is the original message of a dead letter.
func restored(m *natsgo.Msg) *natsgo.Msg {
	back := &natsgo.Msg{Subject: m.Header.Get(headerSourceSubject), Data: m.Data, Header: natsgo.Header{}}
	for key, values := range m.Header {
		switch name, kept := strings.CutPrefix(key, headerOriginalPrefix); {
		case kept:
			back.Header[name] = values
		case original(key):
			back.Header[key] = values
		}
	}
	if len(back.Header) == 0 {
		back.Header = nil
	}
	return back
}
