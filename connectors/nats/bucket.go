package nats

import (
	"context"
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A key-value bucket is a stream, and a key the rest of a subject.
const (
	bucketStream  = "KV_"
	bucketSubject = "$KV."
)

// Headers by which a bucket says what was done to a key. An expiry marker, which the
// server writes itself, has the last one only.
const (
	headerKVOperation = "KV-Operation"
	headerMarker      = "Nats-Marker-Reason"
)

// selected is what a source reads that writes no subject: all keys of its bucket.
func selected(s connectors.Settings) string {
	if !s.Has("kv") {
		return ""
	}
	return bucketSubject + s.Text("kv") + ".>"
}

// bucketOf is the bucket whose subjects a filter matches; empty if it is none, or
// more than one.
func bucketOf(filter string) string {
	rest, ok := strings.CutPrefix(filter, bucketSubject)
	bucket, _, more := strings.Cut(rest, ".")
	if !ok || !more || bucket == "*" {
		return ""
	}
	return bucket
}

// keyOf is the key that a subject belongs to; empty if it is that of no bucket.
func keyOf(subject string) string {
	if !strings.HasPrefix(subject, bucketSubject) {
		return ""
	}
	_, key, _ := strings.Cut(subject[len(bucketSubject):], ".")
	return key
}

// operation is what a message did to what it speaks of, and whether it tells of a
// removal alone. A stream does not say whether a key was there before. Its writer may
// have: what may only be written where nothing is inserts. Any other value of a key is
// one to put in place of what may be there. A message of no bucket is an insert.
func operation(m *natsgo.Msg, key string) (op connectors.Operation, marker bool) {
	if m.Header != nil && len(m.Data) == 0 { // a marker has no body
		switch m.Header.Get(headerKVOperation) {
		case "DEL", "PURGE":
			return connectors.Delete, true
		}
		if m.Header.Get(headerMarker) != "" {
			return connectors.Delete, true
		}
	}
	if key == "" || m.Header.Get(jetstream.ExpectedLastSubjSeqHeader) == "0" {
		return connectors.Insert, false
	}
	return connectors.Update, false
}

// checkBucket judges a source that reads a bucket.
func checkBucket(spec connectors.SourceSpec, i int) error {
	refuse := func(key, help, format string, args ...any) error {
		return connectors.Errorf(connectors.Refused, format, args...).WithHelp("%s", help).About(connectors.SourceRole, i, key)
	}
	for _, key := range []string{"stream", "consumer", "streams"} {
		if spec.Settings.Has(key) {
			return refuse(key, fmt.Sprintf("keep `kv`, or `%s`", key), "`kv` and `%s` both say what to read", key)
		}
	}
	if spec.Select != selected(spec.Settings) {
		return refuse("kv", "keep one of them: `from nats kv \"app\"` reads all keys, `from nats \"$KV.app.users.>\"` some", "the source names subjects, and a bucket")
	}
	if err := checkStreamName(spec.Settings.Text("kv")); err != nil {
		return (&connectors.Error{Class: connectors.Refused, Err: fmt.Errorf("a bucket's name is like a stream's: %w", err)}).About(connectors.SourceRole, i, "kv")
	}
	return nil
}

// noBucket explains that there is none of that name.
func (c *connection) noBucket(ctx context.Context, bucket string) *connectors.Error {
	var buckets []string
	for _, name := range streamNames(c.streams(ctx)) {
		if b, ok := strings.CutPrefix(name, bucketStream); ok {
			buckets = append(buckets, b)
		}
	}
	e := connectors.Errorf(connectors.Environment, "there is no key-value bucket %s on %s", bucket, c)
	if len(buckets) == 0 {
		return e.WithHelp("the account has none; make it: nats kv add %s", bucket)
	}
	return e.Instead(bucket, buckets).WithHelp("buckets there: %s", strings.Join(buckets, ", "))
}
