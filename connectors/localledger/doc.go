// Package localledger keeps ledgers in a directory: for flows that must not, or
// cannot, keep what they remember in the system that they read from.
//
// It imports connectors, and a library that locks files.
//
// What always holds:
//
//   - An entry that Append has returned is on the disk, and so is its file's name.
//   - One process has the directory at a time, and a second one is refused at once.
//     Nobody guards against an owner whose ledger is in another directory.
//   - Only an unfinished last append is ever cut off, and a person is told. Damage
//     anywhere else is an error, and the file is left as it is.
//   - Nothing is removed: a chain grows by every entry. Memory holds its newest
//     entry, and eight bytes for each of the others.
package localledger
