package nats

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// checked is a sink into the bucket profiles, whose rows name the revision of their key.
func checked(t *testing.T, c *connection) *sink {
	t.Helper()
	return openSink(t, c, bucketSpec("profiles", "<id>", connectors.Settings{"envelope": "none", "revision": connectors.ParseTemplate("<rev>")}))
}

func TestKeysOfTheExpectedRevision(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	kv := bucket(t, client(t, url), jetstream.KeyValueConfig{Bucket: "profiles"})
	for i, key := range []string{"old", "gone", "dropped"} {
		if revision, err := kv.Create(t.Context(), key, []byte("1")); err != nil || revision != uint64(i+1) {
			t.Fatal(revision, err)
		}
	}
	if err := errors.Join(kv.Delete(t.Context(), "gone"), kv.Purge(t.Context(), "dropped")); err != nil {
		t.Fatal(err)
	}
	s := checked(t, c)
	begin(t, s, 1)
	batch := batchOf(t, 1, `{"id":"new","rev":0}`, `{"id":"old","rev":1}`, `{"id":"gone","rev":0}`, `{"id":"dropped","rev":5}`)
	batch.Messages[1].Operation = connectors.Delete
	apply(t, s, batch)
	receipts := commit(t, s, 1)
	if len(receipts) != 1 || receipts[0].Rows != 4 || receipts[0].First != 6 || receipts[0].Last != 9 || receipts[0].Duplicates != 0 {
		t.Errorf("found %+v", receipts)
	}
	for key, want := range map[string]string{"new": `{"id":"new","rev":0}`, "old": "", "gone": `{"id":"gone","rev":0}`, "dropped": `{"id":"dropped","rev":5}`} {
		if got := value(t, kv, key); got != want {
			t.Errorf("%s: expected %q, found %q", key, want, got)
		}
	}
}

func TestKeysOfAnotherRevision(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	kv := bucket(t, client(t, url), jetstream.KeyValueConfig{Bucket: "profiles"})
	for _, key := range []string{"a", "b", "c"} {
		if _, err := kv.PutString(t.Context(), key, key); err != nil {
			t.Fatal(err)
		}
	}
	if err := kv.Delete(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	rows := []struct{ body, says string }{
		{`{"id":"good","rev":0}`, ""},
		{`{"id":"a","rev":0}`, `the key "a" is expected to be new, and it has revision 1`},
		{`{"id":"b","rev":1}`, `the key "b" is expected to have revision 1, and it has revision 2`},
		{`{"id":"b","rev":99}`, `the key "b" is expected to have revision 99, and it has revision 2`},
		{`{"id":"c","rev":3}`, `the key "c" is expected to have revision 3, and it was deleted, with revision 4`},
		{`{"id":"d","rev":3}`, `the key "d" is expected to have revision 3, and there is none of it`},
		{`{"id":"good","rev":0}`, `an earlier row of the same epoch writes the key "good"`},
	}
	var bodies []string
	for _, r := range rows {
		bodies = append(bodies, r.body)
	}
	s := checked(t, c)
	begin(t, s, 1)
	batch := batchOf(t, 1, bodies...)
	bad, ok := errors.AsType[connectors.RowErrors](s.Prepare(t.Context(), batch))
	if !ok || len(bad) != len(rows)-1 {
		t.Fatalf("found %v", bad)
	}
	for i, b := range bad {
		if want := rows[i+1].says; b.Row != i+1 || !strings.HasPrefix(b.Err.Error(), want) {
			t.Errorf("expected %q of row %d, found %q of row %d", want, i+1, b.Err, b.Row)
		}
	}
	if got := value(t, kv, "good"); got != "" {
		t.Errorf("it was put before the batch was judged: %s", got)
	}
	// What is left is written, and a later row of the epoch knows of it.
	batch.Selected = []int{0}
	if err := s.Prepare(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[connectors.RowErrors](s.Prepare(t.Context(), batchOf(t, 10, `{"id":"good","rev":0}`))); !ok {
		t.Error("two rows of one epoch expect that the key is new")
	}
	if err := s.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := value(t, kv, "good"); got != `{"id":"good","rev":0}` {
		t.Errorf("found %s", got)
	}
}

func TestTextsThatAreNoRevisions(t *testing.T) {
	c, _ := link(t, startEmbedded(t), nil)
	for _, text := range []string{`-1`, `1.5`, `"x"`, `"18446744073709551616"`, `null`, `true`, `""`} {
		s := checked(t, c)
		begin(t, s, 1)
		err := s.Prepare(t.Context(), batchOf(t, 1, `{"id":"a","rev":`+text+`}`))
		if bad, ok := errors.AsType[connectors.RowErrors](err); !ok || len(bad) != 1 {
			t.Errorf("%s: found %v", text, err)
		}
	}
}

// The acknowledgements of an epoch are lost, and it is written once more, by a sink
// that knows nothing of the first try, after the duplicate window was over.
func TestARepetitionIsNoOtherRevision(t *testing.T) {
	for _, history := range []uint8{1, 5} {
		t.Run(fmt.Sprint("history ", history), func(t *testing.T) {
			url := startEmbedded(t)
			js := client(t, url)
			c, _ := link(t, url, nil)
			kv := bucket(t, js, jetstream.KeyValueConfig{Bucket: "profiles", History: history})
			batch := batchOf(t, 1, `{"id":"a","rev":0}`, `{"id":"b","rev":0}`)
			for epoch := range uint64(2) {
				s := checked(t, c)
				begin(t, s, 1)
				apply(t, s, batch)
				r := commit(t, s, 1)[0]
				if r.Rows != 2 || r.Duplicates != int(2*epoch) || r.CRC32C == 0 || r.Bytes != 36 {
					t.Errorf("try %d: found %+v", epoch+1, r)
				}
			}
			// Others go on from there. Only a history tells then that the row was written.
			if revision, err := kv.Update(t.Context(), "a", []byte("theirs"), 1); err != nil || revision != 3 {
				t.Fatal(revision, err)
			}
			s := checked(t, c)
			begin(t, s, 1)
			bad, refused := errors.AsType[connectors.RowErrors](s.Prepare(t.Context(), batch))
			if refused != (history == 1) || refused && (len(bad) != 1 || bad[0].Row != 0) {
				t.Errorf("found %v", bad)
			}
			if got := value(t, kv, "a"); got != "theirs" {
				t.Errorf("found %s", got)
			}
		})
	}
}

// Somebody writes the key after it was looked at: nothing of theirs is lost, and the
// next try finds the row bad.
func TestAKeyThatIsWrittenMeanwhile(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	kv := bucket(t, client(t, url), jetstream.KeyValueConfig{Bucket: "profiles"})
	batch := batchOf(t, 1, `{"id":"a","rev":0}`)
	s := checked(t, c)
	begin(t, s, 1)
	if err := s.Prepare(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.PutString(t.Context(), "a", "theirs"); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context()); connectors.ClassOf(err) != connectors.Transient || !strings.Contains(err.Error(), "a key was written by somebody else after its revision had been looked up") || !strings.Contains(err.Error(), "10071") {
		t.Errorf("found %v", err)
	}
	if got := value(t, kv, "a"); got != "theirs" {
		t.Errorf("found %s", got)
	}
	s = checked(t, c)
	begin(t, s, 1)
	if _, ok := errors.AsType[connectors.RowErrors](s.Prepare(t.Context(), batch)); !ok {
		t.Error("the row was not refused")
	}
}

// A preview writes nothing, and so it asks for no revision.
func TestAPreviewExpectsNoRevision(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	kv := bucket(t, client(t, url), jetstream.KeyValueConfig{Bucket: "profiles"})
	if _, err := kv.PutString(t.Context(), "a", "theirs"); err != nil {
		t.Fatal(err)
	}
	spec := bucketSpec("profiles", "<id>", connectors.Settings{"revision": connectors.ParseTemplate("0")})
	spec.Preview = true
	s := openSink(t, c, spec)
	begin(t, s, 1)
	if err := s.Prepare(t.Context(), batchOf(t, 1, `{"id":"a"}`)); err != nil {
		t.Error(err)
	}
}

func TestCheckRevision(t *testing.T) {
	template := connectors.ParseTemplate
	for text, says := range map[string]string{"<rev>": "", "0": "", "7": "", "1<rev>": "", "": "is no revision", "new": "is no revision", "-1": "is no revision", "<rev>.0": "is no revision", "<resource>": "is no revision", "<3>": "wildcard 3 of the source"} {
		spec := bucketSpec("profiles", "<id>", connectors.Settings{"revision": template(text)})
		if err := checkSink(spec); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: expected %q, found %v", text, says, err)
		}
	}
	err := checkSink(ordersTo("OUT", "out", connectors.Settings{"revision": template("<rev>")}))
	if e, ok := errors.AsType[*connectors.Error](err); !ok || e.Key != "revision" || !strings.Contains(err.Error(), "belongs to a bucket") {
		t.Errorf("found %v", err)
	}
}
