// Package exec runs a planned flow: it owns the epochs, the ledger's content and
// recovery. It also reads what runs left: it verifies, repairs and replays epochs and
// dead letters, with the parts that run them.
//
// It imports planner and connectors, connectors/rows for the rows, expression for
// their filters and columns, and lang for the places of errors; never a connector
// itself.
//
// What always holds:
//
//   - An epoch is acknowledged to its source only after its certificate is in the
//     ledger, and certified only after every sink committed all of it.
//   - Any failure before that aborts the epoch: nothing of it is certified or
//     acknowledged, and it is read again from the last certified position.
//   - While an epoch is written the next one is read, decoded and transformed, and no
//     more than that. Epochs are written and certified in the order of reading.
//   - A worker writes a claim before it touches a consumer. Whoever finds a later
//     claim stops, without acknowledging anything.
//   - A row's fault is never retried; a transient failure is, as the flow says.
package exec
