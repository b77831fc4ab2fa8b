// Package lang turns the text of a .flow file into a [File] and [Diagnostics],
// and formats such a text.
//
// It is pure: no I/O, no network, no clock. It may import the standard library,
// participle, and nothing of this module. It knows where
// an expression ends but not what it means: an [Expr] is text and a span for
// another package to parse.
//
// What always holds:
//   - [Parse] returns a File for every input; clauses with errors are missing
//     from it, and each such clause has one error.
//   - Every span lies within the source, start before or at the end, both on
//     byte offsets of [Source.Text].
//   - No input makes it panic, hang, or recurse without bound: see [MaxDepth].
//
// The way through the package: scanner.go makes tokens, cut.go cuts them into
// clauses, grammar.go holds what a clause may look like, parse.go runs the
// grammar over each clause, group.go makes flows of the clauses.
package lang
