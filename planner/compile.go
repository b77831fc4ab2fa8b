package planner

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
)

// Options are what a plan needs besides the files.
type Options struct {
	Kinds []connectors.Kind
	// Namespace of all flows; empty is DefaultNamespace.
	Namespace string
	// Defaults are settings of a kind's default connection, by the kind's name.
	Defaults map[string]connectors.Settings
	// Params are the values of the flows' parameters, as text, by name. Nil is a
	// check without values: a parameter may then lack one.
	Params map[string]string
	// AllowHost says why a host must not be dialed; nil lets all be. Addresses that a
	// file writes are judged by Compile, and every host again before it is dialed: also
	// those that a server tells of. A host is a name or an address, without a port.
	AllowHost func(host string) error
}

// DefaultNamespace is that of flows which are given none.
const DefaultNamespace = "default"

// Compile plans every flow of the files. It returns all findings, also warnings;
// the plan is nil if there is an error among them.
func Compile(files []*lang.File, options Options) (*Plan, lang.Diagnostics) {
	if options.Namespace == "" {
		options.Namespace = DefaultNamespace
	}
	c := &compiler{options: options, connections: map[string]*Connection{}, schemas: map[string]namedSchema{}}
	for i, file := range files {
		if c.again(file, files[:i]) {
			continue
		}
		c.file(file)
	}
	c.unknownParams()
	plan := c.order()
	slices.SortStableFunc(c.findings, func(a, b lang.Diagnostic) int {
		if a.Source != b.Source {
			return 0 // files stay in their order
		}
		return a.Span.Start - b.Span.Start
	})
	if c.findings.HasErrors() {
		return nil, c.findings
	}
	return plan, c.findings
}

// compiler collects findings and flows. The file that it is at goes with each.
type compiler struct {
	options     Options
	source      *lang.Source
	connections map[string]*Connection // of the file, and the defaults that it uses
	schemas     map[string]namedSchema // of the file
	sinks       map[place]*Sink        // of the flow, by where they write
	parameters  map[string]expression.Param
	declared    []string // the names of all files' parameters
	flows       []*Flow
	findings    lang.Diagnostics
}

func (c *compiler) report(d lang.Diagnostic) {
	d.Source = c.source
	c.findings = append(c.findings, d)
}

func (c *compiler) errorf(code lang.Code, span lang.Span, format string, args ...any) {
	c.report(lang.Diagnostic{Code: code, Span: span, Summary: fmt.Sprintf(format, args...)})
}

func (c *compiler) file(file *lang.File) {
	c.source = file.Source
	clear(c.connections)
	c.language(file)
	c.namedSchemas(file)
	c.params(file)
	for _, declared := range file.Connections {
		c.connection(declared)
	}
	for _, flow := range file.Flows {
		before := len(c.findings)
		planned := c.flow(file, flow)
		// A sink can be refused without a finding of this flow: its connection's.
		refused := slices.ContainsFunc(planned.Sinks, func(s *Sink) bool { return s.refused })
		if !refused && !c.findings[before:].HasErrors() {
			planned.Fingerprint = fingerprint(planned)
			c.flows = append(c.flows, planned)
		}
	}
}

// languageVersion is the newest version of the language that is understood here.
const languageVersion = 1

func (c *compiler) language(file *lang.File) {
	if l := file.Language; l != nil && l.Version.Text != fmt.Sprint(languageVersion) {
		c.report(lang.Diagnostic{Code: codeLanguage, Span: l.Version.Span(),
			Summary: fmt.Sprintf("this flowc understands language %d, and the file is written in language %s", languageVersion, l.Version.Text),
			Help:    "update flowc, or write `language 1`"})
	}
}

func (c *compiler) flow(file *lang.File, parsed *lang.Flow) *Flow {
	f := &Flow{file: file.Source, span: parsed.From.Span(), called: nameSpan(parsed), Epoch: epochOf(parsed.Epoch)}
	f.Identity = connectors.Identity{Namespace: c.options.Namespace, Flow: c.flowName(parsed)}
	for _, other := range c.flows {
		if other.Identity == f.Identity {
			c.report(lang.Diagnostic{Code: codeSameName, Span: f.called, Summary: fmt.Sprintf("two flows are called `%s`", f.Flow),
				Notes: []lang.Note{{Source: other.file, Span: other.called, Text: "the other one"}},
				Help:  "a flow's name is its own in the ledger and at the source: give one of them another, as in `flow NAME from ...`"})
		}
	}
	c.epochOptions(parsed.Epoch, &f.Epoch)
	c.sources(f, parsed.From)
	f.params = c.parameters
	schema := c.flowSchema(parsed.Schema)
	f.Schema, f.schema, f.schemaBroken = schema.schema, schema.span, schema.broken
	c.steps(f, parsed)
	c.toClauses(f, parsed.Sinks)
	c.onError(f, parsed.OnError)
	c.routes(f)
	c.judge(f)
	f.boundEpoch()
	c.bind(f)
	return f
}

// nameSpan is where a flow is named, or begins if its file names it.
func nameSpan(parsed *lang.Flow) lang.Span {
	if parsed.Name != nil {
		return parsed.Name.Span()
	}
	return parsed.From.Span()
}

// again reports a file with flows that was given before: two files of one name
// and text are one, and would be told that their flows have equal names.
func (c *compiler) again(file *lang.File, before []*lang.File) bool {
	same := func(other *lang.File) bool {
		return other.Source.Name == file.Source.Name && other.Source.Text == file.Source.Text
	}
	if len(file.Flows) == 0 || !slices.ContainsFunc(before, same) {
		return false
	}
	c.source = file.Source
	c.report(lang.Diagnostic{Code: codeSameName, Span: nameSpan(file.Flows[0]), Summary: fmt.Sprintf("the file `%s` is given twice", file.Source.Name),
		Help: "give it once"})
	return true
}

// maxName bounds names that become part of a consumer's name and of subjects.
const maxName = 100

func (c *compiler) flowName(parsed *lang.Flow) string {
	if parsed.Name != nil {
		if why := nameFault(parsed.Name.Name); why != "" {
			c.errorf(codeFlowName, parsed.Name.Span(), "the flow's name %s", why)
		}
		return parsed.Name.Name
	}
	name := filepath.Base(c.source.Name)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	if c.source.Name == "-" {
		name = "stdin"
	}
	if why := nameFault(name); why != "" {
		c.report(lang.Diagnostic{Code: codeFlowName, Span: parsed.From.Span(),
			Summary: fmt.Sprintf("the flow has no name, and the file's base name `%s` cannot be one: it %s", name, why),
			Help:    "begin with `flow NAME`"})
	}
	return name
}

// nameFault says what is wrong with a flow's name; empty if it is good.
func nameFault(name string) string {
	bad := strings.IndexFunc(name, func(r rune) bool { return !nameRune(r) })
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxName:
		return fmt.Sprintf("is longer than %d characters", maxName)
	case name[0] == '-':
		return "begins with `-`"
	case bad >= 0:
		return "holds more than letters, digits, `_` and `-`"
	}
	return ""
}

func nameRune(r rune) bool {
	return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// judge asks the connectors what only the whole flow shows.
func (c *compiler) judge(f *Flow) {
	if len(f.Sources) == 0 || len(f.Sinks) == 0 || f.Sources[0].Connection == nil {
		return
	}
	connection := f.Sources[0].Connection
	if err := connection.Kind.CheckSources(f.SourceSpecs()); err != nil {
		c.refused(codeSource, f, err, 0)
		return
	}
	if f.Dead != nil {
		if err := f.Dead.Connection.Kind.CheckDeadLetter(f.Dead.Spec); err != nil {
			c.refused(codeSink, f, err, 0)
		}
	}
	for i, sink := range f.Sinks {
		if sink.refused {
			continue
		}
		if err := sink.Connection.Kind.CheckSink(sink.Spec); err != nil {
			c.refused(codeSink, f, err, i)
		} else if sink.Connection == connection {
			if err := connection.Kind.CheckLoop(f.SourceSpecs(), sink.Spec); err != nil {
				c.refused(codeLoop, f, err, i)
			}
		}
	}
}

// refused reports what a connector found, at the setting that it is about. A
// connector judges one sink at a time, so the index comes from here.
func (c *compiler) refused(code lang.Code, f *Flow, err error, sink int) {
	d, ok := f.Locate(atSink(err, sink))
	if !ok {
		d = lang.Diagnostic{Span: f.span, Summary: err.Error()}
	}
	d.Code = code
	c.report(d)
}

func atSink(err error, sink int) error {
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Role == connectors.SinkRole {
		e.Spec = sink
	}
	return err
}

// bind types the steps by the declared schema, and without one finds what is wrong
// whatever the columns are. What a message may bring to an open schema has no
// name here: else it would depend on the messages whether the flow is right.
func (c *compiler) bind(f *Flow) {
	var schema *arrow.Schema
	if f.Schema.Declared && !f.schemaBroken {
		schema = f.Schema.Arrow()
	}
	_, found := f.Bind(schema)
	c.findings = append(c.findings, found...)
}

func (c *compiler) kind(name string) (connectors.Kind, bool) {
	i := slices.IndexFunc(c.options.Kinds, func(k connectors.Kind) bool { return k.Name == name })
	if i < 0 {
		return connectors.Kind{}, false
	}
	return c.options.Kinds[i], true
}

func (c *compiler) kindNames() []string {
	names := make([]string, len(c.options.Kinds))
	for i, k := range c.options.Kinds {
		names[i] = k.Name
	}
	return names
}
