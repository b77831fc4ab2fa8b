// Package rows turns JSON messages into Arrow rows and Arrow rows into JSON.
// It imports the standard library, Arrow and jsontext, and nothing else of this
// module.
//
// A Decoder takes the messages of one resource. Its Schema starts as a declared
// one or as the zero Schema, which the first message fixes: a JSON object makes
// its members the columns, in their order; everything else makes the resource
// raw, with the exact bytes in a column "payload". From then on the schema only
// grows:
//
//	kind       JSON                      Arrow             grows into
//	untyped    null                      null              any inferred kind
//	bool       true, false               bool
//	int        number, integral          int64             float, if inferred
//	float      number                    float64
//	string     string                    string
//	bytes      string, base64            binary
//	timestamp  string, RFC 3339          timestamp ns UTC
//	date       string, YYYY-MM-DD        date32
//	decimal    number                    string, tagged
//	json       any value                 string, tagged
//	list       array                     list
//	record     object                    struct            more members, if open
//
// The first column is also what the schema clause calls the type; values of
// bytes, timestamp, date, decimal and json exist in declared schemas only.
//
// An empty array says that the value is a list and leaves the element type
// open. The message that fixes a list's element type takes the members of all
// objects in it. An integer column becomes float only if every integer so far
// keeps its digits as a float, and a float column takes only such integers. A
// number is an integer by its value where the column is int (1e3 is 1000, -0 is
// 0) and by its spelling where the type is still open. A timestamp holds nine
// digits of a second and the instants that int64 nanoseconds reach.
//
// What always holds:
//
//   - A message is a row or it is not: after an error the rows and the schema
//     are as they were.
//   - Rows encode to the same JSON wherever batches were cut, if the schema is
//     carried over. A column that an open schema admitted is therefore left out
//     of rows where it is null. The only exception are rows of AppendNull that
//     come before the first message: alone in a batch they have no members.
//   - A JSON object is one in the strict sense: UTF-8 without byte order mark or
//     lone surrogates, every name once at any depth, nothing behind it, and,
//     outside of decimal and json columns, no number beyond a float's range.
//   - Top-level members whose names start with "_flow_" are never seen.
//   - Memory is bounded: 64 levels of nesting, 4096 columns, members and
//     element types in all, and as many nulls for missing members as the
//     message's length accounts for. What exceeds that is a RowError.
//   - Decoding and encoding allocate by the batch, not by the row.
package rows
