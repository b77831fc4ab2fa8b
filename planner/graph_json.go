package planner

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
)

// The JSON form of a flow. Names are stable; a member that is not there has no
// value. Durations are text as the language writes them, sizes are bytes.

type jsonFlow struct {
	Name        string           `json:"name"`
	Namespace   string           `json:"namespace"`
	Fingerprint string           `json:"fingerprint"`
	Parameters  []jsonParam      `json:"parameters,omitempty"`
	Connections []jsonConnection `json:"connections"`
	Sources     []jsonSource     `json:"sources"`
	Reads       []string         `json:"reads"` // how, a line each: consumers
	Schema      jsonSchema       `json:"schema"`
	Epoch       jsonEpoch        `json:"epoch"`
	Steps       []jsonStep       `json:"steps"`
	Sinks       []jsonSink       `json:"sinks"`
	BadRows     string           `json:"bad_rows"` // stop, skip or dead letter
	DeadLetters *jsonDeadLetters `json:"dead_letters,omitempty"`
	Retry       jsonRetry        `json:"retry"`
	Delivery    jsonDelivery     `json:"delivery"`
}

type jsonParam struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Value any    `json:"value,omitempty"`
}

type jsonConnection struct {
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`
	Settings map[string]any `json:"settings"`
}

type jsonSource struct {
	Connection string         `json:"connection"`
	Select     string         `json:"select,omitempty"` // none: the settings bind it
	Resource   string         `json:"resource"`
	Settings   map[string]any `json:"settings"`
}

type jsonSchema struct {
	Declared bool `json:"declared"`
	jsonColumns
}

// jsonColumns are the columns that are known before a message is seen.
type jsonColumns struct {
	Columns []jsonColumn `json:"columns"`
	Open    bool         `json:"open"` // messages may bring more
}

type jsonColumn struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"` // none: the first message fixes it
}

type jsonEpoch struct {
	MaxRecords int    `json:"max_records"`
	MaxWait    string `json:"max_wait"`
	MaxBytes   int64  `json:"max_bytes,omitempty"`
	MaxAge     string `json:"max_age,omitempty"`
}

type jsonStep struct {
	Where  string      `json:"where,omitempty"`
	Select []jsonField `json:"select,omitempty"`
	Drop   []string    `json:"drop,omitempty"`
	jsonColumns
}

type jsonField struct {
	Rest  bool   `json:"rest,omitempty"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"` // none: the column of that name
}

type jsonSink struct {
	Connection string         `json:"connection"`
	Settings   map[string]any `json:"settings"`
	When       string         `json:"when,omitempty"`
	Otherwise  bool           `json:"otherwise,omitempty"`
	Guarantee  string         `json:"guarantee"`
	Writes     []string       `json:"writes"` // where to and how, a line each: streams
	Envelope   bool           `json:"envelope"`
	jsonColumns
}

type jsonDeadLetters struct {
	Connection string         `json:"connection"`
	Settings   map[string]any `json:"settings"`
	Writes     string         `json:"writes"`
}

type jsonRetry struct {
	Times int    `json:"times,omitempty"` // none: without end
	Min   string `json:"min"`
	Max   string `json:"max"`
}

type jsonDelivery struct {
	Guarantee string   `json:"guarantee"`
	Because   []string `json:"because"`
}

// MarshalJSON gives the flow as data: the same as WriteText shows. Secrets are
// where they come from.
func (f *Flow) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(f.json())
	return b.Bytes(), err
}

func (f *Flow) json() jsonFlow {
	j := jsonFlow{
		Name: f.Flow, Namespace: f.Namespace, Fingerprint: f.Fingerprint,
		Reads:   f.Sources[0].Connection.Kind.DescribeSources(f.Identity, f.SourceSpecs(), f.Epoch),
		Schema:  jsonSchema{Declared: f.Schema.Declared, jsonColumns: f.knownFirst().json()},
		Epoch:   jsonEpoch{MaxRecords: f.Epoch.MaxRecords, MaxWait: connectors.ShortDuration(f.Epoch.MaxWait), MaxBytes: f.Epoch.MaxBytes},
		Steps:   f.jsonSteps(),
		BadRows: f.BadRow.String(),
		Retry:   jsonRetry{Times: f.Retry.Times, Min: connectors.ShortDuration(f.Retry.Min), Max: connectors.ShortDuration(f.Retry.Max)},
	}
	if f.Epoch.MaxAge > 0 {
		j.Epoch.MaxAge = connectors.ShortDuration(f.Epoch.MaxAge)
	}
	if d := f.Dead; d != nil {
		j.DeadLetters = &jsonDeadLetters{Connection: d.Connection.Name, Settings: jsonSettings(d.Connection.Kind.DeadLetter, d.Spec.Settings),
			Writes: d.Connection.Kind.DescribeDeadLetter(d.Spec)}
	}
	j.Parameters, j.Connections, j.Sources, j.Sinks = f.jsonParams(), f.jsonConnections(), f.jsonSources(), f.jsonSinks()
	j.Delivery.Guarantee, j.Delivery.Because = f.delivery()
	return j
}

func (f *Flow) jsonParams() (params []jsonParam) {
	for _, name := range slices.Sorted(maps.Keys(f.params)) {
		p := f.params[name]
		params = append(params, jsonParam{Name: name, Type: typeOfField(p.Field).String(), Value: p.Value})
	}
	return params
}

func (f *Flow) jsonConnections() (connections []jsonConnection) {
	for _, c := range f.Connections() {
		connections = append(connections, jsonConnection{Name: c.Name, Kind: c.Kind.Name, Settings: jsonSettings(c.Kind.Connection, c.Settings)})
	}
	return connections
}

func (f *Flow) jsonSources() (sources []jsonSource) {
	for _, s := range f.Sources {
		sources = append(sources, jsonSource{Connection: s.Connection.Name, Select: s.Spec.Select, Resource: s.Spec.Resource,
			Settings: jsonSettings(s.Connection.Kind.Source, s.Spec.Settings)})
	}
	return sources
}

func (f *Flow) jsonSinks() (sinks []jsonSink) {
	written := f.knownLast().json()
	for _, s := range f.Sinks {
		sinks = append(sinks, jsonSink{Connection: s.Connection.Name, Settings: jsonSettings(s.Connection.Kind.Sink, s.Spec.Settings),
			When: s.When.text(), Otherwise: s.Otherwise, Guarantee: s.guarantee(), Writes: s.Connection.Kind.DescribeSink(s.Spec),
			Envelope: s.addsEnvelope(), jsonColumns: written})
	}
	return sinks
}

func (f *Flow) jsonSteps() []jsonStep {
	steps := []jsonStep{}
	after := f.knownAfter()
	for i, s := range f.Steps {
		step := jsonStep{Where: s.Where.text(), jsonColumns: after[i].json()}
		for _, c := range s.Select {
			step.Select = append(step.Select, jsonField{Rest: c.Rest, Name: c.Name, Value: c.Value.text()})
		}
		for _, d := range s.Drop {
			step.Drop = append(step.Drop, d.Name)
		}
		steps = append(steps, step)
	}
	return steps
}

func (k known) json() jsonColumns {
	columns := []jsonColumn{}
	for _, c := range k.Columns {
		column := jsonColumn{Name: c.Name}
		if c.Type.Kind != rows.Open {
			column.Type = c.Type.String()
		}
		columns = append(columns, column)
	}
	return jsonColumns{Columns: columns, Open: k.Open}
}

// String is the word of the language.
func (b BadRow) String() string {
	return [...]string{StopAtBadRow: "stop", SkipBadRows: "skip", KeepBadRows: "dead letter"}[b]
}

// jsonSettings are truth values, numbers and lists as such, and all else as the
// language writes it.
func jsonSettings(fields connectors.Fields, s connectors.Settings) map[string]any {
	all := map[string]any{}
	for _, f := range fields {
		switch v := s[f.Key].(type) {
		case bool, int64, []string:
			all[f.Key] = v
		default:
			if text, ok := FormatSetting(v); ok {
				all[f.Key] = text
			}
		}
	}
	return all
}
