// Package langserver serves the Language Server Protocol for .flow files:
// diagnostics, completion, hover, definition and formatting.
//
// It knows the protocol and nothing of the language that other packages do not
// tell it: lang says what a text is and where something stands, planner what it
// means, and a connector's tables of fields which options there are. What may
// stand at a cursor is found by writing a word there and asking lang.Parse what
// became of it, so the grammar is in one place. It may import lang, planner,
// expression, connectors and connectors/rows, and never a connector.
//
// The framing and the few structures of the protocol that are used are its own:
// the libraries for it bring all of an older version of the protocol, with
// loggers and a second JSON codec, for what is three small files here.
//
// What always holds:
//   - One goroutine reads, thinks and writes, in the order of the messages.
//     Findings are published once no further message waits, so that typing costs
//     one check a pause and not one a key.
//   - Positions outside of this package are in UTF-16 units, inside in bytes;
//     lines.go is the only place that converts.
//   - Nothing that a client sends makes it panic: messages, headers, documents
//     and their number are bounded, and what is too much is refused with a reason.
//   - It reads no files and opens no connections: a document is what the editor
//     holds.
package langserver
