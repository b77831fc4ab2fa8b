package expression

import (
	"math"

	"github.com/expr-lang/expr/ast"
)

var messageMembers = []string{"subject", "stream", "sequence", "time", "operation", "key", "headers"}

var envelopeColumns = map[string]string{
	"_flow_subject": "subject", "_flow_stream": "stream", "_flow_sequence": "sequence",
	"_flow_time": "time", "_flow_operation": "operation", "_flow_event_id": "event_id",
	"_flow_key": "key",
}

func envelopeColumn(name string) (operand, bool) {
	value, ok := envelopeColumns[name]
	if !ok {
		return operand{}, false
	}
	return envelopeValue(value)
}

func (c *compiler) message(n *ast.MemberNode, name string) operand {
	if name == "headers" {
		return c.problem(n, Syntax, `write msg.headers["Name"]`, "`msg.headers` needs the name of a header")
	}
	if o, ok := envelopeValue(name); ok && name != "event_id" {
		return o
	}
	return c.unknownMember(n.Node, n.Property, name, messageMembers)
}

// envelopeValue gives a value that the broker knows of the row.
func envelopeValue(name string) (operand, bool) {
	var o operand
	switch name {
	case "subject":
		o = computed(kindString, envelopeText(Envelope.Subject))
	case "stream":
		o = computed(kindString, envelopeText(Envelope.Stream))
	case "operation":
		o = computed(kindString, envelopeText(Envelope.Operation))
	case "event_id":
		o = computed(kindString, envelopeText(Envelope.EventID))
	case "key": // null for a message of no bucket
		return computed(kindString, fn[string](func(f *frame) (string, bool) { return f.envelope.Key(f.row) })), true
	case "sequence":
		o = computed(kindInt, fn[int64](func(f *frame) (int64, bool) {
			v := f.envelope.Sequence(f.row)
			return int64(min(v, math.MaxInt64)), true
		}))
	case "time":
		o = computed(kindTimestamp, fn[int64](func(f *frame) (int64, bool) {
			return f.envelope.Time(f.row).UnixNano(), true
		}))
	default:
		return operand{}, false
	}
	o.nullable = false
	return o, true
}

func envelopeText(get func(Envelope, int) string) fn[string] {
	return func(f *frame) (string, bool) { return get(f.envelope, f.row), true }
}

func isHeaders(node ast.Node) bool {
	n, ok := node.(*ast.MemberNode)
	if !ok {
		return false
	}
	root, isName := n.Node.(*ast.IdentifierNode)
	property, isText := n.Property.(*ast.StringNode)
	return isName && isText && root.Value == msgName && property.Value == "headers"
}

func (c *compiler) header(n *ast.MemberNode) operand {
	name, ok := n.Property.(*ast.StringNode)
	if !ok {
		return c.problem(n.Property, Mistyped, `write msg.headers["Name"]`, "the name of a header must be written as text")
	}
	return computed(kindString, fn[string](func(f *frame) (string, bool) {
		return f.envelope.Header(f.row, name.Value)
	}))
}
