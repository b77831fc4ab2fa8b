package nats

import (
	"errors"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// bucketSpec is a sink of the resource orders into a bucket.
func bucketSpec(bucket, key string, given connectors.Settings) connectors.SinkSpec {
	spec := ordersTo("", "", given)
	delete(spec.Settings, "stream")
	delete(spec.Settings, "subject")
	spec.Settings["kv"], spec.Settings["key"] = connectors.ParseTemplate(bucket), connectors.ParseTemplate(key)
	completeSink(spec.Settings)
	return spec
}

func bucket(t *testing.T, js jetstream.JetStream, config jetstream.KeyValueConfig) jetstream.KeyValue {
	t.Helper()
	kv, err := js.CreateKeyValue(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

func value(t *testing.T, kv jetstream.KeyValue, key string) string {
	t.Helper()
	e, err := kv.Get(t.Context(), key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(e.Value())
}

// TestRowsBecomeKeys puts, puts again and deletes, by the rows' operations.
func TestRowsBecomeKeys(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	c, said := link(t, url, nil)
	s := openSink(t, c, bucketSpec("profiles", "user.<id>", connectors.Settings{"envelope": "none"}))
	batch := batchOf(t, 1, `{"id":"a","n":1}`, `{"id":"b","n":2}`, `{"id":"a","n":3}`, `{"id":"b"}`)
	batch.Messages[3].Operation = connectors.Delete
	begin(t, s, 1)
	apply(t, s, batch)
	receipts := commit(t, s, 1)
	if len(receipts) != 1 || receipts[0].Stream != "KV_profiles" || receipts[0].Rows != 4 || receipts[0].Last != 4 {
		t.Errorf("found %+v", receipts)
	}
	kv, err := js.KeyValue(t.Context(), "profiles")
	if err != nil || !said.holds("made the key-value bucket bucket profiles") {
		t.Fatal(err, said.all)
	}
	if a, b := value(t, kv, "user.a"), value(t, kv, "user.b"); a != `{"id":"a","n":3}` || b != "" {
		t.Errorf("found %q and %q", a, b)
	}
	e, err := kv.History(t.Context(), "user.b")
	if err != nil || len(e) != 1 || e[0].Operation() != jetstream.KeyValueDelete || len(e[0].Value()) != 0 {
		t.Errorf("the deletion is %+v, %v", e, err)
	}
	// A repeated epoch does nothing.
	begin(t, s, 2)
	apply(t, s, batch)
	if r := commit(t, s, 2); r[0].Duplicates != 4 || value(t, kv, "user.a") != `{"id":"a","n":3}` {
		t.Errorf("found %+v", r)
	}
}

func TestKeysThatNoBucketTakes(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	c, _ := link(t, url, nil)
	kv := bucket(t, js, jetstream.KeyValueConfig{Bucket: "profiles"})
	s := openSink(t, c, bucketSpec("profiles", "<id>", nil))
	begin(t, s, 1)
	batch := batchOf(t, 1, `{"id":"good"}`, `{"id":"two words"}`, `{"id":null}`, `{"id":""}`, `{"id":"a.b"}`, `{"id":"ü"}`, `{"id":"*"}`, `{"id":"$x"}`)
	bad, ok := errors.AsType[connectors.RowErrors](s.Prepare(t.Context(), batch))
	if !ok || len(bad) != 7 {
		t.Fatalf("found %v", bad)
	}
	for i, says := range []string{"has a character that no bucket takes", "the column is null", "the value is empty", "has a dot", "has a character that no bucket takes", "has a character that no bucket takes", "has a character that no bucket takes"} {
		if bad[i].Row != i+1 || !strings.Contains(bad[i].Err.Error(), says) {
			t.Errorf("expected %q of row %d, found %v of row %d", says, i+1, bad[i].Err, bad[i].Row)
		}
	}
	if got := value(t, kv, "good"); got != "" {
		t.Errorf("%s was put before the batch was judged", got)
	}
}

func TestMissingBucket(t *testing.T) {
	url := startEmbedded(t)
	bucket(t, client(t, url), jetstream.KeyValueConfig{Bucket: "profiles"})
	c, _ := link(t, url, nil)
	_, err := c.OpenSink(t.Context(), someFlow, bucketSpec("profils", "<id>", connectors.Settings{"create_stream": false}))
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Class != connectors.Environment || e.Named != "profils" || len(e.Among) != 1 || e.Among[0] != "profiles" || e.Key != "kv" || !strings.Contains(e.Error(), "there is no key-value bucket profils") {
		t.Errorf("found %+v", e)
	}
}

// TestLimitsOfABucket: its size of a value counts, and a full one holds the epoch up.
func TestLimitsOfABucket(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	c, _ := link(t, url, nil)
	kv := bucket(t, js, jetstream.KeyValueConfig{Bucket: "small", MaxValueSize: 300, History: 5})
	s := openSink(t, c, bucketSpec("small", "<id>", connectors.Settings{"envelope": "none"}))
	begin(t, s, 1)
	bad, ok := errors.AsType[connectors.RowErrors](s.Prepare(t.Context(), batchOf(t, 1, `{"id":"a","long":""}`, `{"id":"b","long":"`+strings.Repeat("x", 300)+`"}`)))
	if !ok || len(bad) != 1 || bad[0].Row != 1 || !strings.Contains(bad[0].Err.Error(), "takes at most 300") {
		t.Fatalf("found %v", bad)
	}
	begin(t, s, 1)
	apply(t, s, batchOf(t, 1, `{"id":"a","n":1}`, `{"id":"a","n":2}`))
	if h, err := kv.History(t.Context(), "a"); err != nil || len(h) != 2 {
		t.Errorf("the history is %+v, %v", h, err)
	}
}

func TestCheckBucketSink(t *testing.T) {
	template := connectors.ParseTemplate
	for _, v := range []struct {
		given connectors.Settings
		says  string
	}{
		{connectors.Settings{"kv": template("profiles"), "key": template("user.<id>")}, ""},
		{connectors.Settings{"kv": template("<resource>"), "key": template("<1>")}, ""},
		{connectors.Settings{"kv": template("profiles")}, "needs `key`"},
		{connectors.Settings{"kv": template("pro.files"), "key": template("<id>")}, "is no bucket's name"},
		{connectors.Settings{"kv": template("<id>"), "key": template("<id>")}, "takes <resource> and no other hole"},
		{connectors.Settings{"kv": template("profiles"), "key": template("user.*")}, "has a character that no bucket takes"},
		{connectors.Settings{"kv": template("profiles"), "key": template("user..<id>")}, "has an empty token"},
		{connectors.Settings{"kv": template("profiles"), "key": template("<2>")}, "wildcard 2 of the source"},
		{connectors.Settings{"kv": template("profiles"), "key": template("<id>"), "stream": template("OUT")}, "both say where to write"},
		{connectors.Settings{"kv": template("profiles"), "key": template("<id>"), connectors.ExactlyKey: connectors.Once}, "`exactly once` is for streams"},
		{connectors.Settings{"kv": template("profiles"), "key": template("<id>"), "mode": "append"}, "`mode` is for streams"},
		{connectors.Settings{"stream": template("OUT"), "subject": template("out"), "key": template("<id>")}, "`key` belongs to a bucket"},
	} {
		spec := connectors.SinkSpec{Connection: "main", Settings: complete(sinkFields, v.given), Resources: []string{"orders"}, Selects: []string{"orders.*"}}
		completeSink(spec.Settings)
		err := checkSink(spec)
		if (err == nil) != (v.says == "") || err != nil && (!strings.Contains(err.Error(), v.says) || connectors.ClassOf(err) != connectors.Refused) {
			t.Errorf("%v: expected %q, found %v", v.given, v.says, err)
		}
	}
}

func TestBucketsThatFeedThemselves(t *testing.T) {
	for source, refused := range map[string]bool{"$KV.profiles.>": true, "$KV.profiles.user.>": true, "$KV.others.>": false, "orders.>": false} {
		err := checkLoop([]connectors.SourceSpec{{Select: source}}, bucketSpec("profiles", "<id>", nil))
		if (connectors.ClassOf(err) == connectors.Refused) != refused {
			t.Errorf("%s: found %v", source, err)
		}
	}
}
