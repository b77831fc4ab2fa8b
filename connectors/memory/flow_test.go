package memory_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/memory"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

func compile(b *memory.Broker, text string) (*planner.Plan, lang.Diagnostics) {
	file, found := lang.Parse(&lang.Source{Name: "a.flow", Text: text})
	plan, more := planner.Compile([]*lang.File{file}, planner.Options{Kinds: []connectors.Kind{b.Kind()}})
	return plan, append(found, more...)
}

func publish(t *testing.T, b *memory.Broker, stream string, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		if _, err := b.Publish(stream, memory.Message{Data: []byte(body)}); err != nil {
			t.Fatal(err)
		}
	}
}

func drain(t *testing.T, b *memory.Broker, text string) (exec.Totals, error) {
	t.Helper()
	plan, found := compile(b, text)
	if found.HasErrors() {
		t.Fatal(found)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return exec.Run(ctx, plan.Flows[0], exec.Options{UntilCaughtUp: true})
}

func texts(b *memory.Broker, stream string) []string {
	var all []string
	for _, m := range b.Stored(stream) {
		all = append(all, string(m.Data))
	}
	return all
}

func ids(from, to int) []string {
	var all []string
	for i := from; i <= to; i++ {
		all = append(all, fmt.Sprintf(`{"id":%d}`, i))
	}
	return all
}

// TestItGoesOn runs a flow again: what is certified is not read again.
func TestItGoesOn(t *testing.T) {
	b := memory.New()
	for _, n := range []int{1, 11} {
		publish(t, b, "orders", ids(n, n+9)...)
		if totals, err := drain(t, b, `from memory "orders" epoch 3/1s to memory stream "<resource>_out"`); err != nil || totals.Read != 10 || totals.Epochs != 4 {
			t.Fatalf("%+v, %v", totals, err)
		}
	}
	if got := texts(b, "orders_out"); !slices.Equal(got, ids(1, 20)) {
		t.Errorf("found %q", got)
	}
}

// TestBrokerThatWasDown lets a flow wait until it is back, and nothing is lost or doubled.
func TestBrokerThatWasDown(t *testing.T) {
	b := memory.New()
	publish(t, b, "orders", ids(1, 100)...)
	plan, found := compile(b, `from memory "orders" epoch 5/1s to memory stream "out" on error retry 50 backoff 1ms..5ms then stop`)
	if found.HasErrors() {
		t.Fatal(found)
	}
	away := 0
	totals, err := exec.Run(t.Context(), plan.Flows[0], exec.Options{UntilCaughtUp: true, OnEvent: func(e exec.Event) {
		if e.Kind == exec.Certified && e.Epoch%7 == 0 {
			away++
			b.SetDown(true)
			time.AfterFunc(10*time.Millisecond, func() { b.SetDown(false) })
		}
	}})
	if err != nil || away == 0 {
		t.Fatal(totals, err)
	}
	if got := texts(b, "out"); !slices.Equal(got, ids(1, 100)) {
		t.Errorf("found %d messages: %q", len(got), got)
	}
}

func TestDeadLetters(t *testing.T) {
	b := memory.New()
	publish(t, b, "orders", `{"id":1}`, `no JSON`, `{"id":3}`)
	totals, err := drain(t, b, `from memory "orders" to memory stream "out" on error dead letter to memory stream "dead"`)
	if err != nil || totals.Bad != 1 {
		t.Fatalf("%+v, %v", totals, err)
	}
	if got := texts(b, "dead"); !slices.Equal(got, []string{"no JSON"}) {
		t.Errorf("found %q", got)
	}
	if got := texts(b, "out"); !slices.Equal(got, []string{`{"id":1}`, `{"id":3}`}) {
		t.Errorf("found %q", got)
	}
}

// TestLettersAmongOthers passes over what only looks like a letter.
func TestLettersAmongOthers(t *testing.T) {
	b := memory.New()
	publish(t, b, "orders", `no JSON`)
	const flow = `flow orders from memory "orders" to memory stream "out" on error dead letter to memory stream "dead"`
	plan, _ := compile(b, flow)
	f := plan.Flows[0]
	for _, headers := range []map[string][]string{{"Flow-Name": {f.Identity.String()}}, {"Flow-Name": {f.Identity.String()}, "Flow-Error": {"x"}, "Flow-Error-Code": {"y"}, "Flow-Source": {"z"}}, nil} {
		if _, err := b.Publish("dead", memory.Message{Headers: headers}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.Run(t.Context(), f, exec.Options{UntilCaughtUp: true, AcceptDead: true}); err != nil {
		t.Fatal(err)
	}
	conn := open(t, b)
	var found []string
	err := conn.Letters(t.Context(), f.Identity, &f.Dead.Spec, f.SourceSpecs(), func(l *connectors.Letter) error {
		found = append(found, string(l.Message.Data))
		return nil
	})
	if err != nil || !slices.Equal(found, []string{"no JSON"}) {
		t.Errorf("found %q, %v", found, err)
	}
}

// open opens a connection of its own.
func open(t *testing.T, b *memory.Broker) connectors.Connection {
	t.Helper()
	conn, err := b.Kind().Open(t.Context(), "memory", nil, func(connectors.Notice) {})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestWhatIsRemovedIsNotHeld lets a source tell of what is there only.
func TestWhatIsRemovedIsNotHeld(t *testing.T) {
	b := memory.New()
	publish(t, b, "orders", ids(1, 3)...)
	conn := open(t, b)
	if err := conn.RemoveLetter(t.Context(), "orders", 1); err != nil {
		t.Fatal(err)
	}
	source, err := conn.OpenSource(t.Context(), connectors.Identity{Namespace: "default", Flow: "a"}, []connectors.SourceSpec{{Select: "orders"}}, connectors.SourceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	oldest := time.Unix(0, b.Stored("orders")[0].Time)
	if found := source.Streams()[0]; found.Messages != 2 || !found.Oldest.Equal(oldest) {
		t.Errorf("expected 2 messages since %s, found %+v", oldest, found)
	}
}

// TestNoLedgerIsFoundWhileDown tells a broker that is down from a flow without records.
func TestNoLedgerIsFoundWhileDown(t *testing.T) {
	b := memory.New()
	conn := open(t, b)
	b.SetDown(true)
	if _, err := conn.FindLedger(t.Context(), connectors.Identity{Namespace: "default", Flow: "a"}); !connectors.Retryable(err) {
		t.Errorf("found %v", err)
	}
}

// TestSeveralFlows reads what another flow of the plan writes.
func TestSeveralFlows(t *testing.T) {
	b := memory.New()
	publish(t, b, "a", ids(1, 5)...)
	if err := b.Make("b"); err != nil {
		t.Fatal(err)
	}
	plan, found := compile(b, `flow one from memory "a" to memory stream "b" flow two from memory "b" to memory stream "c"`)
	if found.HasErrors() {
		t.Fatal(found)
	}
	for _, r := range exec.RunAll(t.Context(), plan, func(*planner.Flow) exec.Options { return exec.Options{UntilCaughtUp: true} }, func(exec.Result) {}) {
		if r.Err != nil {
			t.Error(r.Flow.Flow, r.Err)
		}
	}
	if got := texts(b, "c"); len(got) != 5 {
		t.Errorf("found %q", got)
	}
}

func TestWhatIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		`from memory "a" to memory stream "a"`:                                                    "the flow would feed itself",
		`from memory "a" to memory stream "<resource>"`:                                           "the flow would feed itself",
		`from memory "a.b" to memory stream "c"`:                                                  "a stream's name has letters",
		`from memory "a" to memory stream "c d"`:                                                  "a stream's name has letters",
		`from memory "a", memory "a" as b to memory stream "c"`:                                   "is read twice",
		`from memory "a" schema { id: int } to memory stream "<id>"`:                              "takes <resource> and no other hole",
		`from memory "a" to memory stream "c" max_size 0`:                                         "max_size",
		`from memory "a" to memory stream "c" on error dead letter to memory stream "a"`:          "read its dead letters again",
		`from memory "a" to memory stream "c" subject "x"`:                                        "no option `subject`",
		`flow x from memory "a" to memory stream "b" flow y from memory "b" to memory stream "a"`: "feed each other",
	} {
		if _, found := compile(memory.New(), text); !found.HasErrors() || !strings.Contains(found.Error(), says) {
			t.Errorf("%s: found %v", text, found)
		}
	}
	b := memory.New()
	if _, err := drain(t, b, `from memory "nosuch" to memory stream "b"`); err == nil || !strings.Contains(err.Error(), `has no stream "nosuch"`) {
		t.Errorf("found %v", err)
	}
	if _, err := b.Publish("no stream", memory.Message{}); err == nil {
		t.Error("a stream of any name is made")
	}
}

// TestVerifyAndReplay work over any connector, as they ask the contracts only.
func TestVerifyAndReplay(t *testing.T) {
	b := memory.New()
	publish(t, b, "orders", ids(1, 10)...)
	const flow = `from memory "orders" epoch 4/1s where id != 2 to memory stream "out"`
	if _, err := drain(t, b, flow); err != nil {
		t.Fatal(err)
	}
	plan, _ := compile(b, flow)
	conn := open(t, b)
	ledger, err := conn.FindLedger(t.Context(), plan.Flows[0].Identity)
	if err != nil || ledger == nil {
		t.Fatal(ledger, err)
	}
	asked := exec.Verification{Flow: plan.Flows[0].Identity, Ledger: ledger, Source: conn, Destinations: map[string]connectors.Archive{"memory": conn}}
	if found, err := exec.Verify(t.Context(), asked); err != nil || !found.Complete() || found.Rows != 9 || found.Epochs != 3 {
		t.Errorf("found %+v, %v", found, err)
	}
	var again []string
	if err := exec.Replay(t.Context(), plan.Flows[0], ledger, 1, func(connectors.Notice) {}, func(p connectors.Prepared) error {
		again = append(again, string(p.Data))
		return nil
	}); err != nil || !slices.Equal(again, []string{`{"id":1}`, `{"id":3}`, `{"id":4}`}) {
		t.Errorf("found %q, %v", again, err)
	}
	b.Delete("out")
	if _, err := drain(t, b, flow); err == nil || !strings.Contains(err.Error(), "the destination stream out is gone") {
		t.Errorf("a destination that is gone: %v", err)
	}
	if found, err := exec.Verify(t.Context(), asked); err != nil || found.Missing != 9 {
		t.Errorf("found %+v, %v", found, err)
	}
}
