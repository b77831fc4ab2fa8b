package nats

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bucketSource is a source as the planner makes it of `kv "NAME"`.
func bucketSource(name string) connectors.SourceSpec {
	settings := complete(sourceFields, connectors.Settings{"kv": name})
	return connectors.SourceSpec{Connection: "main", Select: selected(settings), Resource: name, Settings: settings}
}

// changesOf are the changes that a source reads of a bucket, as text.
func changesOf(d connectors.Delivery) []string {
	var all []string
	for _, m := range d.Messages() {
		all = append(all, fmt.Sprintf("%s %s %s %v", m.Key, m.Operation, m.Data, m.Marker))
	}
	return all
}

func TestChangesOfABucket(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	kv := bucket(t, js, jetstream.KeyValueConfig{Bucket: "app", History: 10, LimitMarkerTTL: time.Second})
	must := func(_ uint64, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(kv.Create(t.Context(), "a.b", []byte("1")))
	must(kv.Put(t.Context(), "a.b", []byte("2")))
	must(kv.Update(t.Context(), "a.b", []byte("3"), 2))
	must(0, kv.Delete(t.Context(), "a.b"))
	must(kv.Create(t.Context(), "a.b", []byte("4"))) // over the removal, whose revision it names
	must(kv.Put(t.Context(), "empty", nil))
	must(kv.Create(t.Context(), "brief", []byte("5"), jetstream.KeyTTL(time.Second)))
	c, _ := link(t, url, nil)
	s := openSource(t, c, connectors.SourceOptions{}, bucketSource("app"))
	seek(t, s)
	d := read(t, s, records(8)) // the last one is the server's own, once the key is over
	want := []string{"a.b insert 1 false", "a.b update 2 false", "a.b update 3 false", "a.b delete  true",
		"a.b update 4 false", "empty update  false", "brief insert 5 false", "brief delete  true"}
	if got := changesOf(d); !slices.Equal(got, want) {
		t.Errorf("expected\n%q, found\n%q", want, got)
	}
	if reason := d.Messages()[7].Headers[headerMarker]; len(reason) != 1 || reason[0] != "MaxAge" {
		t.Errorf("expected an expiry marker at the end, found %v", d.Messages()[7].Headers)
	}
	must(0, kv.Purge(t.Context(), "a.b"))
	if got := changesOf(read(t, s, records(1))); !slices.Equal(got, []string{"a.b delete  true"}) {
		t.Errorf("expected the purge, found %q", got)
	}
}

func TestMessagesOutsideOfBucketsHaveNoKey(t *testing.T) {
	for subject, want := range map[string]string{"orders.x": "", "$KV.app.k": "k", "$KV.app.a.b": "a.b", "$KV.app": "", "$KV.": "", "KV.app.k": ""} {
		if got := keyOf(subject); got != want {
			t.Errorf("%s: expected %q, found %q", subject, want, got)
		}
	}
	created := &natsgo.Msg{Header: natsgo.Header{jetstream.ExpectedLastSubjSeqHeader: {"7"}}}
	if op, marker := operation(created, ""); op != connectors.Insert || marker {
		t.Errorf("expected an insert, found %s, %v", op, marker)
	}
}

func TestBucketsThatCannotBeRead(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	c, _ := link(t, url, nil)
	open := func(spec connectors.SourceSpec) error {
		_, err := c.OpenSource(t.Context(), someFlow, []connectors.SourceSpec{spec}, connectors.SourceOptions{})
		return err
	}
	expectEnvironment(t, "no buckets", open(bucketSource("app")), "there is no key-value bucket app on")
	for _, name := range []string{"apps", "users"} {
		bucket(t, js, jetstream.KeyValueConfig{Bucket: name})
	}
	for _, spec := range []connectors.SourceSpec{bucketSource("app"), sourcesOf(nil, "$KV.app.>")[0], sourcesOf(nil, "$KV.app.users.*")[0]} {
		err := open(spec)
		expectEnvironment(t, spec.Select, err, "there is no key-value bucket app on")
		e, _ := errors.AsType[*connectors.Error](err)
		if e.Named != "app" || !slices.Equal(e.Among, []string{"apps", "users"}) || !errors.Is(err, connectors.ErrNoSource) {
			t.Errorf("%s: expected the buckets there are, found %+v", spec.Select, e)
		}
	}
	bucket(t, js, jetstream.KeyValueConfig{Bucket: "mirrored", Mirror: &jetstream.StreamSource{Name: "apps"}})
	expectEnvironment(t, "mirror", open(bucketSource("mirrored")), "the bucket mirrored is a mirror of the bucket apps")
	if err := open(namedSources([]string{"KV_mirrored"}, "$KV.apps.>")[0]); err != nil {
		t.Errorf("expected the mirror to be read when it is named, found %v", err)
	}
}

func TestCheckBucket(t *testing.T) {
	with := func(key string, value any) connectors.SourceSpec {
		spec := bucketSource("app")
		spec.Settings[key] = value
		return spec
	}
	elsewhere := bucketSource("app")
	elsewhere.Select = "orders.>"
	for _, v := range []struct {
		spec     connectors.SourceSpec
		key, err string
	}{
		{bucketSource("app"), "", ""},
		{with("stream", "ORDERS"), "stream", "`kv` and `stream` both say what to read"},
		{with("consumer", "C"), "consumer", "`kv` and `consumer` both say what to read"},
		{with("streams", []string{"ORDERS"}), "streams", "`kv` and `streams` both say what to read"},
		{elsewhere, "kv", "the source names subjects, and a bucket"},
		{bucketSource("a.b"), "kv", "a bucket's name is like a stream's"},
	} {
		err := checkSources([]connectors.SourceSpec{v.spec})
		if v.err == "" {
			check(t, "good", err, "")
			continue
		}
		checkRefusal(t, err, v.key, v.err)
	}
}

func TestBucketsAreNamedAfterThemselves(t *testing.T) {
	for _, v := range []struct {
		spec connectors.SourceSpec
		want string
	}{
		{bucketSource("app-1"), "app_1"},
		{connectors.SourceSpec{Select: "$KV.app.>"}, "app"},
		{connectors.SourceSpec{Select: "$KV.app.users.*"}, "app_users"},
	} {
		if got := defaultResource(v.spec); got != v.want {
			t.Errorf("%s: expected %q, found %q", v.spec.Select, v.want, got)
		}
	}
}
