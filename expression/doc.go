// Package expression parses, types and evaluates expr-lang expressions over
// the rows of Arrow record batches.
//
// An expression goes through three steps. Parse needs only the text and finds
// what is wrong whatever the data looks like. Compile resolves names and types
// against a schema. The compiled Program then runs over any number of batches
// of that schema.
//
// expr-lang gives the grammar and the syntax tree; the meaning is this
// package's own, because expr's virtual machine has neither nulls nor checked
// integers. Each node of the tree becomes a closure typed by what it yields
// (bool, int64, float64, string, or a boxed value for lists and records), so
// that the usual filter allocates nothing per row. Every node has a closure,
// hence the virtual machine appears in tests only, as the second opinion.
//
// What always holds:
//   - Null is three-valued as in SQL, and absent is the same as null: an
//     operator or function over null is null. Exceptions are "== nil",
//     "!= nil", "??", the short cuts of and/or, the chosen branch of "?:",
//     type, and aggregates of lists, which skip null elements.
//   - Integers never wrap, floats never become infinite: such a row fails with
//     a RowError. int / int is a float, as in expr.
//   - Comparing an int with a float is exact. A decimal compares exactly, too; a
//     float beside it counts as the shortest decimal that stands for it.
//   - Text is counted in characters (Unicode code points) and ordered by them.
//   - Times compare with times, dates (their first instant in UTC) and literals
//     of RFC 3339; json compares with anything, different types being unequal
//     and without order.
//   - A member or element that is not there is null; a name that the type of a
//     record does not have is unknown.
//   - The steps and the memory of one row are bounded.
//   - Positions are byte ranges into the expression's own text.
//
// It imports expr-lang, arrow-go, jsontext and the standard library, and
// nothing else of this module.
package expression
