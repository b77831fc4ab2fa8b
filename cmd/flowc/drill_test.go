package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/internal/natsprocess"
	"github.com/nats-io/nats.go/jetstream"
)

// scenario is what a drill runs, and what must hold after it.
type scenario struct {
	flow    string                 // reads orders.> and writes into OUT
	out     jetstream.StreamConfig // OUT, besides its replicas
	records int                    // at least so many pass during the drill
	healthy int                    // the first of them, before anything is disturbed
	kinds   []disturbance
	turns   int           // so many of these kinds, at random; 0 is each once
	freeze  time.Duration // the longest that anything is frozen
	holds   func(*world)  // what must be true of OUT
}

// arena is a cluster on which a scenario is going on.
type arena struct {
	*world
	scenario scenario
	cluster  *natsprocess.Cluster
	crew     *crew
	feed     *feed
	events   []event
	again    struct{ deliveries, rows int } // made twice before anything was disturbed
}

// event is one disturbance that was.
type event struct {
	kind     string
	from, to time.Time // to is when what was disturbed was whole again
	process  int       // that was killed, or 0
}

// TestDrill kills and freezes workers and nodes while records pass, and looks then
// whether all of them arrived, in order, with a certificate for each.
func TestDrill(t *testing.T) {
	t.Parallel()
	atLeastOnce().run(t)
}

// TestDrillExactlyOnce does the same where epochs are atomic batches.
func TestDrillExactlyOnce(t *testing.T) {
	t.Parallel()
	exactly().run(t)
}

// atLeastOnce is the guarantee without more words. Since every replay is within the
// destination's duplicate window, it has no duplicates to allow here.
func atLeastOnce() scenario {
	return scenario{
		flow:    `from nats "orders.>" ack_wait 5s epoch 100/200ms to nats stream "OUT" subject "out.v1" publish_timeout 2s`,
		out:     jetstream.StreamConfig{Subjects: []string{"out.>"}, Duplicates: 10 * time.Minute},
		records: drill(3_000, 40_000),
		healthy: drill(500, 5_000),
		kinds:   drill([]disturbance{killWorker, killNode, freezeLink}, everyDisturbance),
		turns:   drill(0, 24),
		freeze:  drill(time.Second, 9*time.Second),
		holds:   (*world).exactlyOnce,
	}
}

// exactly needs no duplicate window: the shortest one is far behind a replay.
func exactly() scenario {
	s := atLeastOnce()
	s.flow = `from nats "orders.>" ack_wait 5s epoch 100/200ms to nats stream "OUT" subject "out.v1" exactly once publish_timeout 2s`
	s.out = jetstream.StreamConfig{Subjects: []string{"out.>", "flow.marker.OUT.>"}, AllowAtomicPublish: true, AllowRollup: true, Duplicates: 100 * time.Millisecond}
	s.holds = (*world).inOrder
	s.records = drill(1_500, s.records)
	s.kinds = drill([]disturbance{killWorker, freezeLink}, s.kinds)
	return s
}

// begin starts a cluster, a crew of so many workers, and their feed.
func (s scenario) begin(t *testing.T, workers int) *arena {
	t.Helper()
	a := &arena{scenario: s, cluster: natsprocess.StartCluster(t, "no_advertise: true")}
	a.world = connect(t, a.cluster.URL())
	a.makeStreams()
	a.crew = newCrew(a, workers)
	a.feed = startFeed(t, a.cluster.URL())
	a.crew.tend()
	return a
}

func (s scenario) run(t *testing.T) {
	r := dice(t)
	a, begun := s.begin(t, 2), time.Now()
	a.staysHealthy()
	for _, kind := range s.choose(r) {
		t.Logf("%6.1fs %s", time.Since(begun).Seconds(), kind.name)
		a.disturb(kind, r)
	}
	a.feed.reaches(s.records)
	a.published = a.feed.end()
	a.wholeAgain()
	a.crew.until("OUT has everything", func() bool { return a.rows() >= a.published })
	a.crew.stop()
	a.crew.quiet()
	a.exactFeed()
	s.holds(a.world)
	a.report(begun, a.chain())
}

// choose is the order of what is disturbed.
func (s scenario) choose(r *rand.Rand) []disturbance {
	if s.turns == 0 {
		kinds := slices.Clone(s.kinds)
		r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		return kinds
	}
	kinds := make([]disturbance, s.turns)
	for i := range kinds {
		kinds[i] = s.kinds[r.IntN(len(s.kinds))]
	}
	return kinds
}

// staysHealthy lets records pass undisturbed: nothing is delivered twice then, and
// nothing is sent twice.
func (a *arena) staysHealthy() {
	a.t.Helper()
	a.crew.until("records pass undisturbed", func() bool { return a.rows() >= a.scenario.healthy })
	c := a.consumer()
	a.again.deliveries = int(c.Delivered.Consumer) - int(c.Delivered.Stream)
	for _, r := range a.records() {
		if r.Epoch != nil {
			a.again.rows += r.Epoch.Receipts[0].Duplicates
		}
	}
	if a.again.deliveries != 0 || a.again.rows != 0 {
		a.t.Errorf("%d deliveries came again and %d rows were sent again, though nothing was disturbed", a.again.deliveries, a.again.rows)
	}
	for _, p := range a.crew.all {
		if strings.Contains(p.errs.String(), "level=WARN") {
			a.t.Errorf("expected no warning, found\n%s", p.errs.String())
		}
	}
}

// disturb lets one thing go wrong, and waits until the flow goes on.
func (a *arena) disturb(kind disturbance, r *rand.Rand) {
	a.t.Helper()
	e := event{kind: kind.name, from: time.Now()}
	e.process = kind.do(a, r)
	e.to = time.Now()
	a.events = append(a.events, e)
	a.goesOn(e.to)
	a.crew.pause(time.Duration(r.Int64N(int64(time.Second))))
}

func (a *arena) makeStreams() {
	out := a.scenario.out
	out.Name, out.Replicas = "OUT", 3
	for _, config := range []jetstream.StreamConfig{{Name: "ORDERS", Subjects: []string{"orders.>"}, Replicas: 3}, out} {
		if _, err := a.js.CreateStream(a.t.Context(), config); err != nil {
			a.t.Fatal(err)
		}
	}
}

// goesOn waits until an epoch is certified that was not at the time.
func (a *arena) goesOn(after time.Time) {
	a.t.Helper()
	a.crew.until("an epoch is certified", func() bool {
		last, ok := a.lastRecord()
		return ok && last.Epoch != nil && last.Written.After(after)
	})
}

// wholeAgain waits until every replica of every stream is there and current.
func (a *arena) wholeAgain() {
	a.t.Helper()
	for _, name := range []string{"ORDERS", "OUT", "FLOW_LEDGER"} {
		a.crew.until("the replicas of "+name+" are current", func() bool {
			s, err := a.js.Stream(a.t.Context(), name)
			if err != nil {
				return false
			}
			c := s.CachedInfo().Cluster
			for _, replica := range c.Replicas {
				if !replica.Current || replica.Offline {
					return false
				}
			}
			return c.Leader != "" && len(c.Replicas) == 2
		})
	}
}

// exactFeed checks that the source holds each record once, in order: if it does not
// the drill itself has failed, not what it tries.
func (a *arena) exactFeed() {
	a.t.Helper()
	want := 0
	a.read("ORDERS", "orders.>", func(m jetstream.Msg) {
		if want++; !strings.HasPrefix(string(m.Data()), fmt.Sprintf(`{"id":%d,`, want)) {
			a.t.Fatalf("expected record %d in ORDERS, found %s", want, m.Data())
		}
	})
}
