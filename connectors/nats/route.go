package nats

import (
	"context"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/flowlang/flow/connectors"
)

// route is where rows of one resource go: a stream, and the receipt for it.
type route struct {
	to      *destination
	receipt *connectors.Receipt
	started bool // the receipt counts something of this epoch
}

// router fills the templates of one resource.
type router struct {
	sink            *sink
	resource        int
	stream, subject connectors.Template // with <resource> filled in, as the next one
	revision        connectors.Template // of the keys of a bucket
	routes          map[string]*route   // by stream
	buffer          []byte
	subjects        map[string]string // texts that rows expanded to, so that each is allocated once
}

func newRouter(s *sink, resource int) *router {
	return &router{
		sink: s, resource: resource,
		stream:   fillResource(s.spec, resource, "stream"),
		subject:  fillResource(s.spec, resource, "subject"),
		revision: fillResource(s.spec, resource, "revision"),
		routes:   map[string]*route{}, subjects: map[string]string{},
	}
}

// route finds where a row goes, making the stream if need be. The row's own
// fault is a *rowFault; any other error is about the stream.
func (r *router) route(ctx context.Context, batch connectors.Batch, row int) (*route, string, error) {
	name, err := r.expand(r.stream, batch, row)
	if err == nil && !r.stream.Constant() {
		err = asRowFault(checkStreamName(name))
	}
	if err != nil {
		return nil, "", err
	}
	subject, err := r.expand(r.subject, batch, row)
	if err == nil && !r.subject.Constant() {
		err = asRowFault(r.sink.checkExpanded(subject))
	}
	if err != nil {
		return nil, "", err
	}
	to, ok := r.routes[name]
	if !ok {
		exact := ""
		if !r.stream.Constant() {
			exact = subject
		}
		d, err := r.sink.ensure(ctx, name, exact)
		if err != nil {
			return nil, "", err
		}
		to = &route{to: d}
		r.routes[name] = to
	}
	if err := to.to.capture(subject); err != nil {
		if r.subject.Constant() {
			return nil, "", err
		}
		return nil, "", asRowFault(err)
	}
	return to, subject, nil
}

func asRowFault(err error) error {
	if err == nil {
		return nil
	}
	return &rowFault{err}
}

// expand fills what a row brings: <subject>, <1> and on, and columns.
func (r *router) expand(t connectors.Template, batch connectors.Batch, row int) (string, error) {
	if t.Constant() {
		return t.Text, nil
	}
	filled, err := r.fill(t, batch, row)
	if err != nil {
		return "", err
	}
	if text, ok := r.subjects[string(filled)]; ok {
		return text, nil
	}
	text := string(filled)
	if len(r.subjects) < maxCaptured {
		r.subjects[text] = text
	}
	return text, nil
}

// fill does that into the router's buffer.
func (r *router) fill(t connectors.Template, batch connectors.Batch, row int) (filled []byte, fault error) {
	r.buffer = t.Append(r.buffer[:0], func(dst []byte, hole string) []byte {
		m := &batch.Messages[row]
		if hole == "subject" {
			return append(dst, m.Subject...)
		}
		if n, ok := wildcardHole(hole); ok {
			token, _ := wildcardMatch(r.sink.spec.Selects[r.resource], m.Subject, n)
			return append(dst, token...)
		}
		token, err := columnToken(batch, row, hole)
		if err != nil {
			fault = err
		}
		return append(dst, token...)
	})
	return r.buffer, fault
}

// columnToken is a column's value as one token of a subject.
func columnToken(batch connectors.Batch, row int, name string) (string, error) {
	found := batch.Rows.Schema().FieldIndices(name)
	if len(found) == 0 {
		return "", rowFaultf("the hole <%s> has no column of that name to fill it", name)
	}
	column := batch.Rows.Column(found[0])
	if column.IsNull(row) || column.DataType().ID() == arrow.NULL {
		return "", rowFaultf("the hole <%s> cannot be filled: the column is null", name)
	}
	if nested := column.DataType().ID(); nested == arrow.STRUCT || nested == arrow.LIST || nested == arrow.BINARY {
		return "", rowFaultf("the hole <%s> cannot be filled: the column holds no single text or number", name)
	}
	switch token := column.ValueStr(row); {
	case token == "":
		return "", rowFaultf("the hole <%s> cannot be filled: the value is empty", name)
	case strings.Contains(token, "."):
		return "", rowFaultf("the hole <%s> takes one token, and the value %q has a dot", name, token)
	default:
		return token, nil
	}
}
