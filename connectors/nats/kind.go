package nats

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
)

// Kind is the connector for NATS JetStream.
func Kind() connectors.Kind {
	return connectors.Kind{
		Name:               "nats",
		Connection:         connectionFields,
		Source:             sourceFields,
		Sink:               sinkFields,
		DeadLetter:         deadLetterFields,
		SourceLacks:        sourceLacks,
		CheckConnection:    checkConnection,
		CheckSources:       checkSources,
		CheckSink:          checkSink,
		CompleteSink:       completeSink,
		CheckDeadLetter:    checkDeadLetter,
		CheckLoop:          checkLoop,
		Writes:             writes,
		Reads:              reads,
		DescribeSources:    describeSources,
		DescribeSink:       describeSink,
		DescribeGuarantee:  describeGuarantee,
		AtomicRows:         atomicRows,
		DescribeDeadLetter: describeDeadLetter,
		Select:             selected,
		ResourceName:       defaultResource,
		Rights:             rights,
		Open: func(ctx context.Context, name string, s connectors.Settings, report func(connectors.Notice)) (connectors.Connection, error) {
			return open(ctx, name, s, report)
		},
	}
}

var connectionFields = connectors.Fields{
	{Key: "url", Type: connectors.List, Doc: "the servers, `nats://host:port` or `tls://host:port`, as a list or separated by commas; the cluster's other servers are found by themselves"},
	{Key: "context", Type: connectors.Text, Doc: "a context of the nats command line, instead of `url` and credentials"},
	{Key: "auth_mode", Type: connectors.Word, Default: "none", Values: authModes(), Doc: "how to authenticate; exactly the fields of the mode are allowed"},
	{Key: "username", Type: connectors.Text, Doc: "for `user_password`"},
	{Key: "password", Type: connectors.Text, Secret: true, Doc: "for `user_password`"},
	{Key: "jwt", Type: connectors.Text, Secret: true, Doc: "a user JWT, for `jwt`"},
	{Key: "nkey_seed", Type: connectors.Text, Secret: true, Doc: "the private seed that signs, for `jwt` and `nkey`"},
	{Key: "token", Type: connectors.Text, Secret: true, Doc: "for `token`"},
	{Key: "creds", Type: connectors.Text, Doc: "path of a credentials file, for `creds`"},
	{Key: "tls_ca", Type: connectors.Text, Doc: "path of a PEM file with the authorities that may sign the server's certificate"},
	{Key: "tls_cert", Type: connectors.Text, Doc: "path of the client's certificate, with `tls_key`"},
	{Key: "tls_key", Type: connectors.Text, Doc: "path of the client's key, with `tls_cert`"},
	{Key: "tls_first", Type: connectors.Bool, Default: false, Doc: "start TLS before the server's greeting"},
	{Key: "domain", Type: connectors.Text, Doc: "the JetStream domain"},
	{Key: "api_prefix", Type: connectors.Text, Doc: "the JetStream API's subject prefix, instead of `domain`"},
	{Key: "inbox_prefix", Type: connectors.Text, Default: "_INBOX", Doc: "where replies come in"},
	{Key: "name", Type: connectors.Text, Default: "flow", Doc: "what the server calls the connection"},
	{Key: "connect_timeout", Type: connectors.Duration, Default: 5 * time.Second, Min: int64(time.Millisecond), Max: int64(time.Hour), Doc: "for one attempt on one server"},
	{Key: "ledger_subject", Type: connectors.Text, Default: defaultLedgerSubject, Doc: "the ledger's subjects are below this one"},
}

var sourceFields = connectors.Fields{
	{Key: "stream", Type: connectors.Text, Doc: "instead of subjects: the stream of a consumer of your own, with `consumer`"},
	{Key: "consumer", Type: connectors.Text, Doc: "the durable consumer to read through; it is never changed, and a gap in its stream stops the flow"},
	{Key: "streams", Type: connectors.List, Doc: "the streams to read, instead of all whose own subjects match; mirrors, and streams that copy or change subjects, are read only when named"},
	{Key: "kv", Type: connectors.Text, Doc: "instead of subjects: a key-value bucket, whose changes are read"},
	{Key: "start", Type: connectors.Origin, Doc: "where a flow begins that has not read the stream yet: `all` (the default), `new`, `last`, a sequence, or a time in quotes; it is resolved once, at the first start"},
	{Key: "ack_wait", Tuning: true, Type: connectors.Duration, Default: 30 * time.Second, Min: int64(time.Second), Max: int64(24 * time.Hour), Doc: "when the server delivers again what a dead reader held; a live one extends it"},
}

const (
	unbounded = "a source of subjects has no end of its own: run the flow with `flowc run --until caught-up`, which reads what is there at its start"
	epochs    = "how much is read at once is said by the epoch, as in `epoch 1000/1s/8MiB`"
	begins    = "where a new flow begins is said by `start`: `all`, `new`, `last`, a sequence, or a time in quotes"
)

var sourceLacks = map[string]string{
	"until": unbounded, "end": unbounded, "limit": unbounded, "count": unbounded, "max_messages": unbounded, "bounded": unbounded,
	"batch": epochs, "batch_size": epochs, "fetch": epochs,
	"deliver": begins, "deliver_policy": begins, "from_sequence": begins, "since": begins,
}

var sinkFields = connectors.Fields{
	{Key: "stream", Type: connectors.Text, Required: true, Unless: "kv", Template: true, Doc: "the destination stream"},
	{Key: "subject", Type: connectors.Text, Required: true, Unless: "kv", Template: true, Doc: "the subject of each message, concrete once its holes are filled"},
	{Key: "kv", Type: connectors.Text, Template: true, Doc: "instead of `stream` and `subject`: a key-value bucket; a row puts its key's value, one with the operation delete deletes the key"},
	{Key: "key", Type: connectors.Text, Template: true, Doc: "the key of each row, with `kv`"},
	{Key: "revision", Type: connectors.Text, Template: true, Doc: "with `kv`, the revision that the key of each row must have in the bucket, 0 where it must have no value; a row whose key has another one is a bad row"},
	{Key: "mode", Tuning: true, Type: connectors.Word, Values: []string{"append", "full_append", "incremental_append", "cdc_append"}, Refuses: refusedModes, Doc: "a stream is only appended to; the names that bounded runs have elsewhere all mean that"},
	{Key: "create_stream", Tuning: true, Type: connectors.Bool, Default: true, Doc: "make the stream if it is missing: file storage and the server's defaults; an existing one is never changed"},
	{Key: "publish_timeout", Tuning: true, Type: connectors.Duration, Default: 5 * time.Second, Min: int64(time.Millisecond), Max: int64(time.Hour), Doc: "from handing one message to the server to its acknowledgement"},
	{Key: "max_in_flight", Tuning: true, Type: connectors.Window, Default: connectors.Limits{Messages: 1024, Bytes: 16 << 20}, Min: 1, Max: 65536, MaxBytes: 1 << 30, Doc: "the most messages and bytes (payload, headers and subject) that wait for their acknowledgement"},
	{Key: "envelope", Type: connectors.Word, Default: "body", Values: []string{"body", "headers", "none"}, Doc: "where the columns `_flow_*` go"},
	{Key: "headers", Type: connectors.List, Doc: "names of the source's headers to pass on"},
	{Key: connectors.ExactlyKey, Type: connectors.Word, Values: []string{connectors.Once}, Doc: "`exactly once`: an epoch's rows are one atomic batch, which a repetition cannot store again; at least once without it"},
	{Key: "marker", Type: connectors.Text, Doc: "the subject of the flow's marker with `exactly once`, instead of flow.marker.STREAM.NAMESPACE.FLOW.0"},
}

// refusedModes are those that a stream cannot be written in, by name.
var refusedModes = map[string]string{
	"replace": "what a stream holds is never replaced; a bucket keeps the newest value of a key (`to nats kv`)",
	"upsert":  "a stream keeps each row that comes, also of one key; a bucket keeps the newest value of a key (`to nats kv`)",
	"merge":   "a stream keeps each row that comes, also of one key; a bucket keeps the newest value of a key (`to nats kv`)",
	"delete":  "nothing is deleted out of a stream; a row that tells of a deletion is appended, with the header Flow-Operation",
}

// defaultResource names a resource after its subject or its bucket, or after the
// stream of a consumer that the source is bound to.
func defaultResource(spec connectors.SourceSpec) string {
	switch {
	case spec.Settings.Has("kv"):
		return resourceName(spec.Settings.Text("kv"))
	case explicit(spec):
		return resourceName(spec.Settings.Text("stream"))
	}
	return resourceName(strings.TrimPrefix(spec.Select, bucketSubject))
}

// checkSources judges the sources of one flow.
func checkSources(specs []connectors.SourceSpec) error {
	for i, spec := range specs {
		if explicit(spec) {
			if err := checkExplicit(specs, i); err != nil {
				return err
			}
			continue
		}
		if spec.Settings.Has("kv") {
			if err := checkBucket(spec, i); err != nil {
				return err
			}
		}
		if spec.Settings.Has("stream") || spec.Settings.Has("consumer") {
			return connectors.Errorf(connectors.Refused, "the source names subjects, and a consumer of your own").
				WithHelp("a bound consumer reads its whole stream: leave the subjects out, or `stream` and `consumer`").About(connectors.SourceRole, i, "")
		}
		if err := checkSubject(spec.Select, true); err != nil {
			return (&connectors.Error{Class: connectors.Refused, Err: err,
				Help: `a source reads subjects of streams, such as "orders.>"`}).About(connectors.SourceRole, i, "")
		}
		if err := checkNamed(spec, i); err != nil {
			return err
		}
		if err := checkStart(specs, i); err != nil {
			return err
		}
		for j, other := range specs[:i] {
			if overlap(spec.Select, other.Select) && !apart(spec, other) {
				return connectors.Errorf(connectors.Refused, "the sources %q and %q overlap, so one message would be read twice", other.Select, spec.Select).
					WithHelp("give each source subjects of its own").About(connectors.SourceRole, i, "").Against(connectors.SourceRole, j, "the other source")
			}
		}
	}
	return nil
}

// checkSink judges the templates of a sink as far as the resources' names tell.
func checkSink(spec connectors.SinkSpec) error {
	if err := cmp.Or(checkBucketSink(spec), checkRevision(spec)); err != nil {
		return err
	}
	for _, name := range spec.Settings.List("headers") {
		if err := checkForwarded(name); err != nil {
			return (&connectors.Error{Class: connectors.Refused, Err: err}).About(connectors.SinkRole, 0, "headers")
		}
	}
	for i := range spec.Resources {
		if err := checkDestination(spec, i); err != nil {
			return err
		}
	}
	return checkMarker(spec)
}

func checkForwarded(name string) error {
	if strings.HasPrefix(strings.ToLower(name), "nats-") {
		return fmt.Errorf("the header %q controls the server and is never passed on", name)
	}
	if lower := strings.ToLower(name); lower == "content-type" || strings.HasPrefix(lower, "flow-") {
		return fmt.Errorf("the header %q is one that the sink writes itself", name)
	}
	if name == "" || strings.IndexFunc(name, func(r rune) bool { return r <= ' ' || r == ':' || r >= 0x7f }) >= 0 {
		return fmt.Errorf("%q is no header name", name)
	}
	return nil
}

func checkDestination(spec connectors.SinkSpec, resource int) error {
	stream, subject := fillResource(spec, resource, "stream"), fillResource(spec, resource, "subject")
	refuse := func(key string, err error) error {
		return (&connectors.Error{Class: connectors.Refused, Err: err}).About(connectors.SinkRole, 0, key)
	}
	for _, key := range []string{"stream", "subject"} {
		if err := checkHoles(spec, resource, key); err != nil {
			return refuse(key, err)
		}
	}
	for _, hole := range stream.Holes() {
		if hole.Hole == "subject" && strings.ContainsAny(spec.Selects[resource], ".>") {
			return refuse("stream", fmt.Errorf("the stream name %q would hold the dots of a subject that %q matches", stream.Text, spec.Selects[resource]))
		}
	}
	if stream.Text == ledgerStream {
		return refuse("stream", fmt.Errorf("the stream %s is the ledger, and no destination", ledgerStream))
	}
	// A value that a row brings is checked when it comes; a plain token stands for it.
	if err := checkStreamName(textWith(stream, "x")); err != nil {
		return refuse("stream", expanded(err, spec.Settings.Template("stream"), stream))
	}
	if err := checkSubject(textWith(subject, "x"), false); err != nil {
		return refuse("subject", expanded(err, spec.Settings.Template("subject"), subject))
	}
	return nil
}

// expanded adds the template to an error that shows only what it became.
func expanded(err error, before, after connectors.Template) error {
	if before.Text == after.Text {
		return err
	}
	return fmt.Errorf("%w (%q became %q)", err, before.Text, after.Text)
}

// textWith is a template's text with the same in place of every hole.
func textWith(t connectors.Template, text string) string {
	return string(t.Append(nil, func(dst []byte, _ string) []byte { return append(dst, text...) }))
}

// checkHoles refuses <n> where the source's filter has fewer wildcards.
func checkHoles(spec connectors.SinkSpec, resource int, key string) error {
	for _, hole := range spec.Settings.Template(key).Holes() {
		if n, ok := wildcardHole(hole.Hole); ok && n > wildcards(spec.Selects[resource]) {
			return fmt.Errorf("<%d> is what wildcard %d of the source matched, and %q has %d", n, n, spec.Selects[resource], wildcards(spec.Selects[resource]))
		}
	}
	return nil
}

// wildcardHole is n of a hole <n>.
func wildcardHole(hole string) (int, bool) {
	if len(hole) != 1 || hole[0] < '1' || hole[0] > '9' {
		return 0, false
	}
	return int(hole[0] - '0'), true
}

// fillResource is a template setting with <resource> filled in.
func fillResource(spec connectors.SinkSpec, resource int, key string) connectors.Template {
	return spec.Settings.Template(key).Fill(func(hole string) (string, bool) {
		return spec.Resources[resource], hole == "resource"
	})
}

// checkLoop refuses what the names alone show to be a loop: a filter that begins
// with a wildcard and matches the destination would read any stream's messages.
func checkLoop(sources []connectors.SourceSpec, sink connectors.SinkSpec) error {
	for i := range sink.Resources {
		subject := pattern(fillResource(sink, i, "subject"))
		for j, source := range sources {
			if bucket := bucketOf(source.Select); bucket != "" && bucket == bucketOf(subject) {
				return loopError(source.Select, subject).WithHelp("write into another bucket").About(connectors.SinkRole, 0, "kv").Against(connectors.SourceRole, j, "the source that reads it")
			}
			if wide(source.Select) && len(named(source)) == 0 && overlap(source.Select, subject) {
				return loopError(source.Select, subject).Against(connectors.SourceRole, j, "the source that would read it")
			}
		}
	}
	return nil
}

// writes are the template of the stream and the subjects of a sink.
func writes(sink connectors.SinkSpec) connectors.Written {
	w := connectors.Written{Place: sink.Settings.Template("stream").Canonical()}
	for i := range sink.Resources {
		w.Parts = append(w.Parts, pattern(fillResource(sink, i, "subject")))
		w.Places = append(w.Places, fillResource(sink, i, "stream").Canonical())
	}
	return w
}

// reads says whether a subject that is written matches the source, or the stream
// is the one that it is bound to.
func reads(source connectors.SourceSpec, w connectors.Written) bool {
	if explicit(source) {
		return w.Place == source.Settings.Text("stream")
	}
	_, overlaps := overlapAny(w.Parts, source.Select)
	if streams := named(source); overlaps && len(streams) > 0 && connectors.ParseTemplate(w.Place).Constant() {
		return slices.Contains(streams, w.Place)
	}
	return overlaps
}

func wide(filter string) bool {
	first, _, _ := strings.Cut(filter, ".")
	return first == "*" || first == ">"
}

func loopError(filter, subject string) *connectors.Error {
	return connectors.Errorf(connectors.Refused, "the flow would read what it writes: the source %q matches the destination %q", filter, subject).
		WithHelp("let the source begin with a fixed token, or write to a subject outside of it").About(connectors.SinkRole, 0, "subject")
}

// pattern is a template as a filter: '*' for every token that has a hole.
func pattern(t connectors.Template) string {
	const mark = "\x00"
	tokens := strings.Split(textWith(t, mark), ".")
	for i, token := range tokens {
		if strings.Contains(token, mark) {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, ".")
}
