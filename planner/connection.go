package planner

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
)

// connection plans a connection clause.
func (c *compiler) connection(declared *lang.Connection) {
	kind, ok := c.kind(declared.Kind.Name)
	if !ok {
		c.report(lang.Diagnostic{Code: codeUnknownKind, Span: declared.Kind.Span(),
			Summary: fmt.Sprintf("unknown kind of connection `%s`", declared.Kind.Name),
			Label:   didYouMean(declared.Kind.Name, c.kindNames()), Help: c.kindsHelp()})
		c.connections[declared.Name.Name] = nil // said already; its uses need no finding of their own
		return
	}
	if first, again := c.connections[declared.Name.Name]; again && first != nil {
		c.report(lang.Diagnostic{Code: codeSameName, Span: declared.Name.Span(),
			Summary: fmt.Sprintf("two connections are called `%s`", declared.Name.Name),
			Notes:   []lang.Note{{Source: c.source, Span: first.places.span, Text: "the first one"}}})
		return
	}
	conn := &Connection{Name: declared.Name.Name, Kind: kind}
	conn.places = places{file: c.source, span: declared.Name.Span()}
	before := len(c.findings)
	conn.Settings = c.settings(kind.Connection, declared.Options, &conn.places, "a "+kind.Name+" connection", nil)
	conn.Settings.RestrictHosts(c.options.AllowHost)
	c.connections[conn.Name] = conn
	if !c.findings[before:].HasErrors() && kind.CheckConnection != nil {
		c.checkConnection(conn)
	}
}

func (c *compiler) checkConnection(conn *Connection) {
	err := conn.Kind.CheckConnection(conn.Settings)
	if err == nil {
		return
	}
	d := lang.Diagnostic{Code: codeConnection, Span: conn.places.span, Summary: err.Error()}
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		d.Span, d.Help = conn.places.of(e.Key), e.Help
	}
	c.report(d)
}

// endpoint finds the connection that an endpoint names: a declared one, or the
// default one of a kind.
func (c *compiler) endpoint(e *lang.Endpoint) *Connection {
	name := e.Name.Name
	if conn, ok := c.connections[name]; ok {
		return conn
	}
	kind, ok := c.kind(name)
	if !ok {
		known := slices.Concat(slices.Sorted(maps.Keys(c.connections)), c.kindNames())
		d := lang.Diagnostic{Code: codeUnknownConnection, Span: e.Name.Span(), Summary: fmt.Sprintf("unknown connection `%s`", name), Label: didYouMean(name, known)}
		if d.Label == "" {
			d.Label = didYouMeanShort(name, known)
		}
		if d.Label == "" {
			d.Help = fmt.Sprintf("write `nats`, or declare it: `connection %s nats url \"nats://host:4222\"`", name)
		}
		c.report(d)
		return nil
	}
	conn := &Connection{Name: name, Kind: kind, Settings: connectors.Settings{}}
	maps.Copy(conn.Settings, c.options.Defaults[name])
	kind.Connection.Complete(conn.Settings)
	conn.Settings.RestrictHosts(c.options.AllowHost)
	c.connections[name] = conn
	return conn
}

func (c *compiler) kindsHelp() string {
	names := c.kindNames()
	if len(names) == 1 {
		return "the only kind is " + quoted(names)
	}
	return "kinds are " + quoted(names)
}

// didYouMeanShort proposes a name that is one letter shorter than what was
// written: for names of a letter or two, which are too short for an edit distance.
func didYouMeanShort(name string, among []string) string {
	for _, known := range among {
		if known != "" && len(name) == len(known)+1 && strings.HasPrefix(name, known) {
			return fmt.Sprintf("did you mean `%s`?", known)
		}
	}
	return ""
}

func didYouMean(name string, among []string) string {
	if nearest, ok := lang.Nearest(name, among); ok {
		return fmt.Sprintf("did you mean `%s`?", nearest)
	}
	return ""
}
