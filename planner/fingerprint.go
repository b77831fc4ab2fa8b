package planner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/flowlang/flow/connectors"
)

// fingerprint hashes what the flow does with a message.
func fingerprint(f *Flow) string {
	type part struct {
		Connection, Kind string
		Select, Resource string
		Settings         map[string]string
	}
	var parts []part
	for _, s := range f.Sources {
		if s.Connection != nil {
			parts = append(parts, part{s.Connection.Name, s.Connection.Kind.Name, s.Spec.Select, s.Spec.Resource, meaning(s.Connection.Kind.Source, s.Spec.Settings)})
		}
	}
	for _, s := range f.Sinks {
		parts = append(parts, part{Connection: s.Connection.Name, Kind: s.Connection.Kind.Name, Settings: meaning(s.Connection.Kind.Sink, s.Spec.Settings)})
	}
	text, err := json.Marshal(parts) // strings and maps of strings, in the order of their keys
	if err != nil {
		panic(err)
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
