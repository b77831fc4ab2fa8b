package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// completeSink makes stream and subject of a bucket and its key: everything else takes
// a bucket for the stream that it is.
func completeSink(s connectors.Settings) {
	if !s.Has("kv") || !s.Has("key") {
		return
	}
	bucket := s.Template("kv").Text
	derive := func(key, text string) {
		if !s.Has(key) {
			s[key] = connectors.ParseTemplate(text)
		}
	}
	derive("stream", bucketStream+bucket)
	derive("subject", bucketSubject+bucket+"."+s.Template("key").Text)
}

// checkBucketSink judges a sink that writes into a bucket.
func checkBucketSink(spec connectors.SinkSpec) error {
	s := spec.Settings
	refuse := func(key, help, format string, args ...any) error {
		return connectors.Errorf(connectors.Refused, format, args...).WithHelp("%s", help).About(connectors.SinkRole, 0, key)
	}
	const form = "write `to nats kv \"profiles\" key \"<id>\"`"
	switch {
	case !s.Has("kv"):
		if s.Has("key") {
			return refuse("key", form, "`key` belongs to a bucket, and there is no `kv`")
		}
		return nil
	case !s.Has("key"):
		return refuse("kv", form, "a sink that writes into a bucket needs `key`")
	case s.Template("stream").Text != bucketStream+s.Template("kv").Text, s.Template("subject").Text != bucketSubject+s.Template("kv").Text+"."+s.Template("key").Text:
		return refuse("kv", "keep `kv` and `key`, or `stream` and `subject`", "`kv` and `stream` both say where to write")
	case s.Has("mode"):
		return refuse("mode", "leave it out", "`mode` is for streams: a bucket keeps the newest value of each key")
	case spec.ExactlyOnce():
		return refuse(connectors.ExactlyKey, "leave it out, or write into a stream", "`exactly once` is for streams: a bucket has no room for a flow's marker")
	}
	for i := range spec.Resources {
		if name := fillResource(spec, i, "kv"); name.Constant() && checkStreamName(name.Text) != nil {
			return refuse("kv", "it has letters, digits, - and _", "%q is no bucket's name", name.Text)
		} else if !name.Constant() {
			return refuse("kv", "choose the bucket with several `to` and `when`", "a bucket's name takes <resource> and no other hole, found %q", name.Text)
		}
		if err := checkKey(textWith(fillResource(spec, i, "key"), "x")); err != nil {
			return (&connectors.Error{Class: connectors.Refused, Err: err}).About(connectors.SinkRole, 0, "key")
		}
	}
	return nil
}

// checkKey refuses what no bucket takes as a key.
func checkKey(key string) error {
	legal := func(r rune) bool {
		return strings.ContainsRune("-/_=.", r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	switch {
	case key == "":
		return errors.New("the key is empty")
	case strings.IndexFunc(key, func(r rune) bool { return !legal(r) }) >= 0:
		return fmt.Errorf("the key %q has a character that no bucket takes: letters, digits and - / _ = . make a key", key)
	case strings.HasPrefix(key, "."), strings.HasSuffix(key, "."), strings.Contains(key, ".."):
		return fmt.Errorf("the key %q has an empty token", key)
	}
	return nil
}

// checkExpanded judges a subject, or a key, that a row's values are part of.
func (s *sink) checkExpanded(subject string) error {
	if s.spec.Settings.Has("kv") {
		return checkKey(keyOf(subject))
	}
	return checkSubject(subject, false)
}

// createBucket makes a bucket as the clients do that work with buckets.
func (s *sink) createBucket(ctx context.Context, stream string) error {
	bucket := strings.TrimPrefix(stream, bucketStream)
	err := s.link.call(ctx, func(ctx context.Context) error {
		_, err := s.link.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket, Storage: jetstream.FileStorage})
		return err
	})
	if err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
		return failed(err, "making the bucket %s", bucket)
	}
	s.link.report(connectors.Notice{Text: "made the key-value bucket", Attributes: []any{"bucket", bucket}})
	return nil
}

// bucketHeaders is how a bucket knows that a key is deleted.
func (f *frame) bucketHeaders(h natsgo.Header) {
	if f.deletes {
		set(h, headerKVOperation, keyDeleted)
	} else {
		delete(h, headerKVOperation)
	}
}

// bucketHeaderBytes is how many bytes nats.go writes for that.
func (f *frame) bucketHeaderBytes() int {
	if f.deletes {
		return line(headerKVOperation, len(keyDeleted))
	}
	return 0
}

const keyDeleted = "DEL"
