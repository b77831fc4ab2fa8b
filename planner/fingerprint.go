package planner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/flowlang/flow/connectors"
)

// fingerprint hashes what the flow does with a message.
func fingerprint(f *Flow) string {
	type part struct {
		Connection, Kind string
		Select, Resource string
		When             string
		Otherwise        bool
		Settings         map[string]string
	}
	var parts []part
	for _, s := range f.Sources {
		parts = append(parts, part{Connection: s.Connection.Name, Kind: s.Connection.Kind.Name, Select: s.Spec.Select, Resource: s.Spec.Resource,
			Settings: meaning(s.Connection.Kind.Source, s.Spec.Settings)})
	}
	for _, s := range f.Sinks {
		parts = append(parts, part{Connection: s.Connection.Name, Kind: s.Connection.Kind.Name, When: s.When.text(), Otherwise: s.Otherwise,
			Settings: meaning(s.Connection.Kind.Sink, s.Spec.Settings)})
	}
	if d := f.Dead; d != nil {
		parts = append(parts, part{Connection: d.Connection.Name, Kind: d.Connection.Kind.Name, Settings: meaning(d.Connection.Kind.DeadLetter, d.Spec.Settings)})
	}
	params := map[string]string{}
	for name, p := range f.params {
		params[name] = fmt.Sprintf("%s %v", p.Field.Type, p.Value)
	}
	text, err := json.Marshal([]any{parts, f.stepTexts(), f.Schema, params, f.BadRow})
	if err != nil {
		panic(err) // all of it is text, and maps are in the order of their keys
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// meaning are the settings that change what is done, as text.
func meaning(fields connectors.Fields, s connectors.Settings) map[string]string {
	m := map[string]string{}
	for _, f := range fields {
		if text, ok := FormatSetting(s[f.Key]); ok && !f.Tuning {
			m[f.Key] = text
		}
	}
	return m
}
