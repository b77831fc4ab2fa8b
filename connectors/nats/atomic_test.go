package nats

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// batchStream takes batches with the marker of someFlow.
func batchStream(name string) jetstream.StreamConfig {
	config := streamOn(name, "v1.>", "flow.marker."+name+".>")
	config.AllowAtomicPublish, config.AllowRollup = true, true
	return config
}

func TestStreamsThatTakeNoBatches(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	js := client(t, url)
	for name, v := range map[string]struct {
		change     func(*jetstream.StreamConfig)
		want, help string
	}{
		"PLAIN": {func(c *jetstream.StreamConfig) { *c = streamOn("PLAIN", c.Subjects[0]) },
			"does not allow atomic batches (allow_atomic), and it does not allow the marker to replace the one before (allow_rollup), and it does not capture the marker's subject \"flow.marker.PLAIN.default.orders.0\"",
			"nats stream edit PLAIN --allow-batch --allow-rollup --subjects='v1.PLAIN.>' --subjects='flow.marker.PLAIN.>'"},
		"NOATOMIC": {func(c *jetstream.StreamConfig) { c.AllowAtomicPublish = false }, "(allow_atomic)", "nats stream edit NOATOMIC --allow-batch"},
		"NOROLLUP": {func(c *jetstream.StreamConfig) { c.AllowRollup = false }, "(allow_rollup)", "nats stream edit NOROLLUP --allow-rollup"},
		"AGED":     {func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }, "its max_age of 1h would remove the marker", "nats stream edit AGED --allow-msg-ttl"},
		"INTEREST": {func(c *jetstream.StreamConfig) { c.Retention = jetstream.InterestPolicy }, "it has interest retention", "limits retention"},
		"QUEUE":    {func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy }, "it has work-queue retention", "limits retention"},
		"ASYNC": {func(c *jetstream.StreamConfig) {
			c.AllowAtomicPublish, c.PersistMode = false, jetstream.AsyncPersistMode
		},
			"persisted asynchronously", "another stream"},
		"KEPT": {func(c *jetstream.StreamConfig) { c.AllowRollup, c.DenyPurge = false, true }, "denies purges", "another stream"},
		"ONE": {func(c *jetstream.StreamConfig) {
			c.Discard, c.DiscardNewPerSubject, c.MaxMsgsPerSubject = jetstream.DiscardNew, true, 1
		}, "refuses a newer one", "nats stream edit ONE --max-msgs-per-subject=2"},
		"MOVED": {func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: "flow.>", Destination: "other.>"}
		}, "its subject transform changes the marker's subject", "marker \"...\""},
	} {
		config := batchStream(name)
		config.Subjects[0] = "v1." + name + ".>"
		v.change(&config)
		makeStream(t, js, config)
		_, err := c.OpenTransaction(t.Context(), someFlow, []connectors.SinkSpec{onceTo(name, "v1."+name+".x", nil)})
		e, ok := errors.AsType[*connectors.Error](err)
		if !ok || e.Class != connectors.Environment || !strings.Contains(e.Error(), v.want) || !strings.Contains(e.Help, v.help) || e.Role != connectors.SinkRole {
			t.Errorf("%s: found %v (%+v)", name, err, e)
		}
	}
	makeStream(t, js, jetstream.StreamConfig{Name: "MIRROR", Mirror: &jetstream.StreamSource{Name: "PLAIN"}})
	if _, err := c.OpenTransaction(t.Context(), someFlow, []connectors.SinkSpec{onceTo("MIRROR", "v1.x", nil)}); err == nil || !strings.Contains(err.Error(), "is a mirror") {
		t.Errorf("a mirror: found %v", err)
	}
}

func TestMarkerElsewhere(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	js := client(t, url)
	config := batchStream("V1")
	config.Subjects, config.MaxAge, config.AllowMsgTTL = []string{"v1.>", "marks.*"}, time.Hour, true
	makeStream(t, js, config)
	spec := onceTo("V1", "v1.a", connectors.Settings{"marker": "marks.orders"})
	tx := marked(t, openTransaction(t, c, spec))
	if m := last(t, js, "V1", "marks.orders"); m.Header.Get("Nats-TTL") != "never" {
		t.Errorf("the marker has the headers %v", m.Header)
	}
	_ = tx.Close() // it has written its marker
	spec.Settings["marker"] = "other.orders"
	_, err := c.OpenTransaction(t.Context(), someFlow, []connectors.SinkSpec{spec})
	e, _ := errors.AsType[*connectors.Error](err)
	if e == nil || e.Key != "marker" || !strings.Contains(e.Help, "--subjects='v1.>' --subjects='marks.*' --subjects=other.orders") {
		t.Errorf("found %v", err)
	}
	two := []connectors.SinkSpec{onceTo("V1", "v1.a", connectors.Settings{"marker": "marks.a"}), onceTo("V1", "v1.b", connectors.Settings{"marker": "marks.b"})}
	if _, err = c.OpenTransaction(t.Context(), someFlow, two); err == nil || !strings.Contains(err.Error(), `"marks.a" and "marks.b"`) || connectors.ClassOf(err) != connectors.Refused {
		t.Errorf("two markers in one stream: %v", err)
	}
}

func TestMarkerSubjectThatAnotherStreamCaptures(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	makeStream(t, client(t, url), streamOn("ALL_FLOWS", "flow.>"))
	tx := openTransaction(t, c, onceTo("V1", "v1.a", nil))
	if _, err := tx.Mark(t.Context(), 0, nil); err == nil || !strings.Contains(err.Error(), `the marker's subject "flow.marker.V1.default.orders.0": stream ALL_FLOWS already captures it`) {
		t.Errorf("found %v", err)
	}
}

func TestLimitsThatMayRemoveTheMarkerAreWarnedAbout(t *testing.T) {
	url := startEmbedded(t)
	c, said := link(t, url, nil)
	config := batchStream("V1")
	config.MaxMsgs, config.MaxBytes = 10_000, 1<<20
	makeStream(t, client(t, url), config)
	openTransaction(t, c, onceTo("V1", "v1.a", nil))
	if !said.holds("may remove the flow's marker") || !said.holds("max_msgs 10,000, max_bytes 1 MiB") {
		t.Errorf("said %q", said.all)
	}
}

// refusalOf commits one batch after a change of the stream or on a server with limits.
func refusalOf(t *testing.T, url string, rows int, change func(js jetstream.JetStream, tx *transaction)) error {
	t.Helper()
	c, _ := link(t, url, nil)
	js := client(t, url)
	makeStream(t, js, batchStream("V1"))
	tx := marked(t, openTransaction(t, c, onceTo("V1", "v1.<n>", nil)))
	prepareAll(t, tx, numbered(t, 1, rows))
	change(js, tx)
	_, _, err := tx.Commit(t.Context(), sealed(0))
	if rows := storedRows(t, js, "V1"); len(rows) > 0 {
		t.Errorf("V1 holds %d rows", len(rows))
	}
	return err
}

func limitedServer(t *testing.T, change func(*server.JSLimitOpts)) string {
	t.Helper()
	return startServer(t, func(o *server.Options) { change(&o.JetStreamLimits) })
}

func TestRefusalsOfBatches(t *testing.T) {
	update := func(change func(*jetstream.StreamConfig)) func(jetstream.JetStream, *transaction) {
		return func(js jetstream.JetStream, _ *transaction) {
			config := batchStream("V1")
			change(&config)
			if _, err := js.UpdateStream(t.Context(), config); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, v := range map[string]struct {
		url        func() string
		rows       int
		change     func(jetstream.JetStream, *transaction)
		code       jetstream.ErrorCode
		class      connectors.Class
		want, help string
	}{
		"not enabled": {rows: 3, change: update(func(c *jetstream.StreamConfig) { c.AllowAtomicPublish = false }),
			code: 10174, class: connectors.Environment, want: "V1 takes no atomic batches any more", help: "--allow-batch"},
		"no rollup": {rows: 3, change: update(func(c *jetstream.StreamConfig) { c.AllowRollup = false }),
			code: 10111, class: connectors.Environment, want: "replace the one before", help: "--allow-rollup"},
		"incomplete": {rows: 3, change: update(func(c *jetstream.StreamConfig) { c.Subjects[0] = "v1.1" }),
			code: 10176, class: connectors.Transient, want: "did not get all 4 messages", help: "storage"},
		"too large": {url: func() string { return limitedServer(t, func(l *server.JSLimitOpts) { l.MaxBatchSize = 10 }) }, rows: 12,
			code: 10199, class: connectors.Environment, want: "fewer than the 13 messages", help: "`epoch 6`"},
		"too many open": {url: func() string {
			return limitedServer(t, func(l *server.JSLimitOpts) { l.MaxBatchInflightPerStream = 1 })
		}, rows: 3,
			change: func(js jetstream.JetStream, _ *transaction) { openBatch(t, js) },
			code:   10210, class: connectors.Transient, want: "too many batches are open", help: "max_batch_inflight_per_stream"},
		"another marker": {rows: 3, change: func(js jetstream.JetStream, tx *transaction) { tx.places[0].marker.Sequence = 99 },
			code: 10071, class: connectors.Permanent, want: "another marker than the one of sequence 99"},
	} {
		url := startEmbedded
		if v.url != nil {
			url = func(testing.TB) string { return v.url() }
		}
		if v.change == nil {
			v.change = func(jetstream.JetStream, *transaction) {}
		}
		err := refusalOf(t, url(t), v.rows, v.change)
		e, _ := errors.AsType[*connectors.Error](err)
		if !hasCode(err, v.code) || !strings.Contains(fmt.Sprint(err), v.want) || e == nil || !strings.Contains(e.Help, v.help) || !errors.Is(err, connectors.ErrInterrupted) && e.Class != v.class {
			t.Errorf("%s: found %v (%+v)", name, err, e)
		}
	}
}

// openBatch begins a batch and leaves it open.
func openBatch(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	m := natsgo.NewMsg("v1.other")
	m.Header.Set(headerBatch, "other")
	m.Header.Set(headerBatchSequence, "1")
	if _, err := js.Conn().RequestMsgWithContext(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

func TestRefusalsThatTheSinkAvoids(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, batchStream("V1"))
	p := &markedPlace{MarkedPlace: connectors.MarkedPlace{Stream: "V1"}}
	for name, v := range map[string]struct {
		do   func(context.Context) error
		code jetstream.ErrorCode
		want string
	}{
		"a message id": {func(ctx context.Context) error {
			for range 2 {
				m := natsgo.NewMsg("v1.a")
				m.Header.Set(natsgo.MsgIdHdr, "one")
				m.Header.Set(headerBatch, "ids")
				m.Header.Set(headerBatchSequence, "1")
				m.Header.Set(headerBatchCommit, "1")
				if _, err := js.PublishMsg(ctx, m); err != nil {
					return err
				}
			}
			return nil
		}, 10201, "has the id of one that stream V1 holds"},
		"a mirror": {func(ctx context.Context) error {
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "M", Mirror: &jetstream.StreamSource{Name: "V1"}, AllowAtomicPublish: true})
			return err
		}, 10198, "is a mirror"},
		"asynchronous persistence": {func(ctx context.Context) error {
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "A", Subjects: []string{"a"}, PersistMode: jetstream.AsyncPersistMode, AllowAtomicPublish: true})
			return err
		}, 10052, "a setting that atomic batches do not go with"},
		"a row on the marker's subject": {func(ctx context.Context) error {
			for i := range 2 {
				m := natsgo.NewMsg("flow.marker.V1.x")
				m.Header.Set(headerBatch, "marks")
				m.Header.Set(headerBatchSequence, strconv.Itoa(i+1))
				if i == 0 {
					if _, err := js.Conn().RequestMsgWithContext(ctx, m); err != nil {
						return err
					}
					continue
				}
				m.Header.Set(headerBatchCommit, "1")
				m.Header.Set(natsgo.ExpectedLastSubjSeqHdr, "0")
				if _, err := js.PublishMsg(ctx, m); err != nil {
					return err
				}
			}
			return nil
		}, 10164, "another marker"},
	} {
		err := v.do(t.Context())
		if !hasCode(err, v.code) {
			t.Errorf("%s: the server says %v", name, err)
			continue
		}
		if got := p.refused(err, 2); !strings.Contains(got.Error(), v.want) {
			t.Errorf("%s: found %v", name, got)
		}
	}
}

func TestStreamMadeByAPlainSinkTakesBatchesOfAnother(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	plain := ordersTo("V1", "v1.plain", nil)
	plain.Together = []connectors.SinkSpec{onceTo("V1", "v1.once", connectors.Settings{"marker": "marks.once"})}
	begin(t, openSink(t, c, plain), 1)
	marked(t, openTransaction(t, c, plain.Together[0]))
	info, err := mustStream(t, client(t, url), "V1").Info(t.Context())
	if err != nil || strings.Join(info.Config.Subjects, " ") != "flow.marker.V1.> marks.once v1.once v1.plain" {
		t.Errorf("V1 holds %v: %v", info.Config.Subjects, err)
	}
}
