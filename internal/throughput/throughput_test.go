package throughput

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/flowlang/flow/internal/natsprocess"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(envProgram); name != "" {
		if err := runByHand(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// contender is one way to move the messages of IN, or a limit of the server.
type contender struct {
	name string
	flow string // the text of its flow; empty for a program by hand
	out  int    // of messages that arrive in OUT, per four of IN
	once bool   // it writes batches, and leaves a marker
}

var contenders = []contender{
	{name: "publish", out: 4},
	{name: "consume"},
	{name: "loop", out: 4},
	{name: "loop ids", out: 4},
	{name: "flowc pass", out: 4, flow: `flow bench from nats "in.>" to nats stream "OUT" subject "out.v1" envelope none`},
	{name: "flowc pass, envelope", out: 4, flow: `flow bench from nats "in.>" to nats stream "OUT" subject "out.v1"`},
	{name: "flowc pass, once", out: 4, once: true, flow: `flow bench from nats "in.>" to nats stream "OUT" subject "out.v1" envelope none exactly once`},
	{name: "flowc where, select", out: 1, flow: `flow bench from nats "in.>" where country == "DE" and amount >= 0
		select { id, customer, total: amount * qty, country } to nats stream "OUT" subject "out.v1"`},
}

// base is what the others are compared with.
const base = "loop ids"

// result is one run of a contender.
type result struct {
	took   time.Duration
	cpu    time.Duration // of the process, user and system
	memory int64         // its peak, bytes
}

// TestThroughput runs every contender once over a few messages, so that the
// comparison stays true to what it says. With FLOW_BENCH it is the comparison.
func TestThroughput(t *testing.T) {
	messages, rounds := 2000, 1
	if os.Getenv("FLOW_BENCH") != "" {
		messages, rounds = 200_000, 5
	}
	r := newRace(t, messages)
	results := map[string][]result{}
	for round := range rounds {
		for i := range contenders {
			c := contenders[(i+round)%len(contenders)]
			results[c.name] = append(results[c.name], r.run(c))
		}
	}
	t.Log("\n" + table(results, messages))
}

// race is a server process with the messages, and what runs against it.
type race struct {
	t        *testing.T
	messages int
	server   *natsprocess.Server
	js       jetstream.JetStream
	flowc    string
}

func newRace(t *testing.T, messages int) *race {
	t.Helper()
	r := &race{t: t, messages: messages, server: natsprocess.Start(t), flowc: filepath.Join(t.TempDir(), "flowc")}
	if output, err := exec.Command("go", "build", "-o", r.flowc, "github.com/flowlang/flow/cmd/flowc").CombinedOutput(); err != nil {
		t.Fatalf("building flowc: %v\n%s", err, output)
	}
	nc, err := natsgo.Connect(r.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if r.js, err = jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(1024)); err != nil {
		t.Fatal(err)
	}
	r.stream(jetstream.StreamConfig{Name: "IN", Subjects: []string{"in.>"}})
	for i := range messages {
		if _, err := r.js.PublishMsgAsync(&natsgo.Msg{Subject: "in.orders", Data: event(i)}, patient); err != nil {
			t.Fatal(err)
		}
	}
	<-r.js.PublishAsyncComplete()
	return r
}

func (r *race) stream(config jetstream.StreamConfig) {
	r.t.Helper()
	if _, err := r.js.CreateStream(r.t.Context(), config); err != nil {
		r.t.Fatal(err)
	}
}

// run lets one contender move everything into an empty stream.
func (r *race) run(c contender) result {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Minute)
	defer cancel()
	r.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>", "flow.marker.OUT.>"}, AllowAtomicPublish: c.once, AllowRollup: c.once})
	defer r.clean()
	if _, err := r.js.CreateConsumer(ctx, "IN", jetstream.ConsumerConfig{Durable: "reader", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 3000}); err != nil {
		r.t.Fatal(err)
	}
	command := exec.CommandContext(ctx, r.flowc, "run", "--until", "caught-up", "--server", r.server.URL(), "-")
	command.Stdin = strings.NewReader(c.flow)
	if c.flow == "" {
		command = exec.CommandContext(ctx, os.Args[0])
		command.Env = append(os.Environ(), envProgram+"="+c.name, envServer+"="+r.server.URL(), envMessages+"="+strconv.Itoa(r.messages))
	}
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	began := time.Now()
	err := command.Run()
	took := time.Since(began)
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", c.name, err, output.String())
	}
	out, err := r.js.Stream(ctx, "OUT")
	if err != nil {
		r.t.Fatal(err)
	}
	want := uint64(r.messages / 4 * c.out)
	if c.once {
		want++
	}
	if out.CachedInfo().State.Msgs != want {
		r.t.Fatalf("%s: %d messages arrived, expected %d\n%s", c.name, out.CachedInfo().State.Msgs, want, output.String())
	}
	used := command.ProcessState
	return result{took: took, cpu: used.UserTime() + used.SystemTime(), memory: used.SysUsage().(*syscall.Rusage).Maxrss << 10}
}

// clean leaves only the messages.
func (r *race) clean() {
	ctx := context.Background()
	for _, stream := range []string{"OUT", "FLOW_LEDGER"} {
		_ = r.js.DeleteStream(ctx, stream) // the ledger is there after flowc only
	}
	for _, consumer := range []string{"reader", "flow-default-bench"} {
		_ = r.js.DeleteConsumer(ctx, "IN", consumer)
	}
}

// table shows the median of each contender, and how it stands to the base, which is
// the median of the quotients round by round: the machine's speed drifts.
func table(results map[string][]result, messages int) string {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tmessages/s\tratio\tCPU s\tpeak MiB\t")
	for _, c := range contenders {
		all := results[c.name]
		var ratios []float64
		for i, r := range all {
			ratios = append(ratios, results[base][i].took.Seconds()/r.took.Seconds())
		}
		took := median(all, func(r result) float64 { return r.took.Seconds() })
		fmt.Fprintf(w, "%s\t%.0f\t%.2f\t%.2f\t%.0f\t\n", c.name, float64(messages)/took, median(ratios, func(r float64) float64 { return r }),
			median(all, func(r result) float64 { return r.cpu.Seconds() }), median(all, func(r result) float64 { return float64(r.memory) / (1 << 20) }))
	}
	_ = w.Flush() // into memory
	return text.String()
}

func median[T any](all []T, figure func(T) float64) float64 {
	var figures []float64
	for _, one := range all {
		figures = append(figures, figure(one))
	}
	slices.Sort(figures)
	return figures[len(figures)/2]
}
