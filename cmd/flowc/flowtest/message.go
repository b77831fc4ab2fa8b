package flowtest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// written is a message that the flow wrote, as an expectation sees it.
type written struct {
	members []member       // in their order
	object  map[string]any // the same by name; nil if the message is no JSON object
	raw     string         // the body
}

type member struct {
	name string
	text string // of its value, as JSON; empty if it depends on what is expected
}

// add adds a member with its value as JSON text.
func (w *written) add(name string, value any, text string) {
	w.object[name] = value
	w.members = append(w.members, member{name: name, text: text})
}

// see reads the part of the messages that the expectation is about.
func (e expectation) see(messages []*jetstream.RawStreamMsg) []written {
	all := make([]written, len(messages))
	for i, m := range messages {
		switch e.aspect {
		case headers:
			all[i] = seeHeaders(m.Header)
		case letters:
			all[i] = seeLetter(m)
		default:
			all[i] = seeBody(m.Data)
		}
	}
	return all
}

func seeBody(data []byte) written {
	w := written{raw: string(data)}
	object, err := decodeObject(data)
	if err != nil {
		return w
	}
	w.object = object
	d := json.NewDecoder(bytes.NewReader(data))
	_, _ = d.Token() // '{'; the whole has been read above, so nothing here fails
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		_ = d.Decode(&value)
		w.members = append(w.members, member{name: name.(string), text: string(value)})
	}
	return w
}

func seeHeaders(h natsgo.Header) written {
	w := written{object: map[string]any{}}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := strings.Join(h[name], ", ")
		w.add(name, value, encode(value))
	}
	return w
}

// text is the message as an expectation of it: without the members and the headers
// that are optional and that the expectation does not name.
func (e expectation) text(w written, named map[string]any) string {
	if w.object == nil {
		return encode(w.raw)
	}
	relevant := e.relevant(w.object, named)
	var parts []string
	for _, m := range w.members {
		value, ok := relevant[m.name]
		if !ok {
			continue
		}
		text := m.text
		if text == "" {
			text = encode(value)
		}
		parts = append(parts, encode(m.name)+":"+text)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// relevant is what of a message is compared with an expectation that names these
// members.
func (e expectation) relevant(object, named map[string]any) map[string]any {
	relevant := maps.Clone(object)
	maps.DeleteFunc(relevant, func(name string, _ any) bool {
		_, expected := named[name]
		return !expected && e.optional(name)
	})
	if found, ok := relevant["headers"].(map[string]any); ok && e.aspect == letters {
		expected, _ := named["headers"].(map[string]any)
		relevant["headers"] = expectation{aspect: headers}.relevant(found, expected)
	}
	return relevant
}

// optional says whether a member matters only where an expectation names it.
func (e expectation) optional(name string) bool {
	switch e.aspect {
	case headers:
		return true
	case letters:
		return name == "headers"
	}
	return strings.HasPrefix(name, "_flow_")
}

// usual are the optional members of a message that was not expected.
func (e expectation) usual() map[string]any {
	if e.aspect == letters {
		return map[string]any{"headers": map[string]any{errorCodeHeader: ""}}
	}
	return nil
}

// encode is a value as JSON, with nothing escaped that need not be.
func encode(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // what came from JSON, or is text, always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
