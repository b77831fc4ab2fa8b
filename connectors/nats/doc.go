// Package nats is the connector for NATS JetStream: subjects of streams and key-value
// buckets as sources, streams and buckets as sinks, and streams for dead letters and
// the ledger.
//
// It imports connectors, connectors/rows, internal/natsdial, Arrow, jsontext, errgroup,
// and the NATS client with its JWTs; the server only in its subpackage embedded.
//
// What always holds:
//
//   - A consumer that this flow did not make is never changed, and a stream never at all.
//   - What was delivered is kept alive by in-progress acknowledgements until it is
//     acknowledged or handed back, whatever the caller does meanwhile.
//   - A publish counts only once the expected stream acknowledged it with a sequence.
//   - No request ends in a bare time-out where the server said which permission is missing.
package nats
