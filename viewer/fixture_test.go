package viewer

import (
	"fmt"
	"time"

	"github.com/flowlang/flow/monitor"
)

// taken is when the recorded snapshots were taken, and seenAt when the viewer got them.
var (
	taken  = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	seenAt = time.Date(2026, 11, 30, 12, 0, 7, 0, time.UTC) // by another clock
)

// orders is a run like the one that the design draws.
func orders() monitor.Snapshot {
	s := monitor.Snapshot{
		Taken: taken, State: monitor.Running,
		Run: monitor.Run{
			ID: "orders-1", Namespace: "default", Flow: "orders", File: "orders.flow", Host: "mill", PID: 4711, Version: "v0.1.0",
			Started: taken.Add(-3*time.Hour - 12*time.Minute), Server: "nats://10.0.0.7:4222", Guarantee: "exactly once",
			Plan: "flow orders\n  from nats \"orders.>\"\n  to nats stream \"V1\" subject \"v1.<resource>\" exactly once\n", Control: true, Data: true,
		},
		Epoch: monitor.Epoch{Number: 812, Phase: "applying", Since: taken.Add(-310 * time.Millisecond), Messages: 1000,
			Phases: []monitor.Cause{{Name: "reading", Seconds: 1}, {Name: "transforming", Seconds: 0.02}, {Name: "applying", Seconds: 0.31}, {Name: "certifying", Seconds: 0.01}, {Name: "acknowledging", Seconds: 0.01}}},
		Totals:        monitor.Totals{Epochs: 811, Failures: 1, In: 3_204_518, Out: 3_180_020, Bytes: 2_362_232_012, Dropped: 24_496, Dead: 2, Redelivered: 3},
		InFlight:      monitor.Window{Messages: 356, MessagesLimit: 1024, Bytes: 15_938_355, BytesLimit: 16 << 20},
		Sinks:         []monitor.Sink{{To: "V1", InFlight: monitor.Window{Messages: 356, MessagesLimit: 1024, Bytes: 15_938_355, BytesLimit: 16 << 20}}},
		Causes:        []monitor.Cause{{Name: monitor.CauseWindowBytes, Seconds: 8300}, {Name: monitor.CauseRead, Seconds: 900}, {Name: monitor.CauseTransform, Seconds: 800}},
		Rate:          monitor.Rate{In: 4100, Out: 4040, Bytes: 3_040_870},
		Lag:           monitor.Lag{Messages: 12_408, Seconds: 9.1, Loss: 41 * 60},
		Sources:       []monitor.Source{{Stream: "ORDERS", Consumer: "flow-default-orders", Last: 3_204_518, Lag: monitor.Lag{Messages: 12_408, Seconds: 9.1, Loss: 41 * 60}}},
		LastCertified: taken.Add(-400 * time.Millisecond),
		Resources: []monitor.Resource{
			{Name: "orders_created", In: 1_602_259, Out: 1_590_010, Dropped: 12_248, Dead: 1, Bytes: 1_181_116_006, Last: 1_590_010},
			{Name: "orders_paid", In: 1_281_807, Out: 1_281_807, Bytes: 944_892_805, Last: 2_871_817},
			{Name: "orders_returned", In: 320_452, Out: 308_203, Dropped: 12_248, Dead: 1, Bytes: 236_223_201, Last: 3_180_020},
		},
	}
	outcomes := []monitor.Outcome{monitor.OK, monitor.OK, monitor.OK, monitor.OK, monitor.OK, monitor.OK, monitor.Slow, monitor.OK, monitor.OK, monitor.OK, monitor.OK, monitor.OK, monitor.OK, monitor.OK, monitor.EpochFailed, monitor.Replay}
	for i := range 40 {
		s.Recent = append(s.Recent, ordersMark(uint64(772+i), outcomes[i%len(outcomes)], taken.Add(time.Duration(i-40)*1300*time.Millisecond)))
	}
	s.Log = []monitor.Line{
		{Time: taken.Add(-3 * time.Hour), Text: `admitted ledger="stream FLOW_LEDGER"`},
		{Time: taken.Add(-20 * time.Second), Warning: true, Text: `the epoch is not certified and is tried again epoch=786 error="publishing to stream V1: the server did not acknowledge within 5s" try=1 wait=500ms`},
		{Time: taken.Add(-19 * time.Second), Text: "reading goes on from the last certified position after epoch=785"},
	}
	return s
}

func ordersMark(n uint64, outcome monitor.Outcome, ended time.Time) monitor.Mark {
	m := monitor.Mark{Number: n, Outcome: outcome, Ended: ended, Seconds: 1.34, Messages: 1000, Written: 992,
		Phases:   []monitor.Cause{{Name: "reading", Seconds: 1}, {Name: "transforming", Seconds: 0.02}, {Name: "applying", Seconds: 0.3}, {Name: "certifying", Seconds: 0.01}, {Name: "acknowledging", Seconds: 0.01}},
		Ranges:   []monitor.Range{{Stream: "ORDERS", First: n * 1000, Last: n*1000 + 999, Records: 1000}},
		Receipts: []monitor.Receipt{{Resource: "orders_created", Stream: "V1", Rows: 992, Bytes: 737_280, First: n * 992, Last: n*992 + 991, CRC32C: 0x1d6f04a2}}}
	if outcome == monitor.EpochFailed {
		m.Error, m.Receipts, m.Written = "publishing to stream V1: the server did not acknowledge within 5s", nil, 0
	}
	return m
}

// orderLetters are its dead letters.
func orderLetters() []monitor.DeadLetter {
	return []monitor.DeadLetter{
		{Time: taken.Add(-9 * time.Second), Epoch: 805, Resource: "orders_created", Stream: "ORDERS", Sequence: 805_112, Subject: "orders.created", Code: "F5002",
			Reason:  "the division has no value, since qty is 0",
			Place:   "orders.flow:3:24\n 3 |   select { id, unit: amount / qty }\n   |                     ^^^^^^^^^^^^ no value for this row\n",
			Headers: map[string][]string{"Traceparent": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}, "Content-Type": {"application/json"}},
			Body:    []byte(`{"id": 71, "amount": 12.5, "qty": 0}`)},
		{Time: taken.Add(-2 * time.Hour), Epoch: 17, Resource: "orders_returned", Stream: "ORDERS", Sequence: 16_998, Subject: "orders.returned", Code: "F5003",
			Reason: "field amount: expected a number, found text", Body: []byte(`{"id": 8, "amount": "twelve"}`), Cut: 120},
	}
}

// runsOfAllStates are one run of each state, two of them with one name.
func runsOfAllStates() []monitor.Snapshot {
	var all []monitor.Snapshot
	for i, state := range []monitor.State{monitor.Running, monitor.Starting, monitor.Standby, monitor.Waiting, monitor.Paused, monitor.Draining, monitor.Blocked, monitor.Failed, monitor.Ended} {
		s := orders()
		s.State = state
		s.Run.ID, s.Run.Flow, s.Run.PID = fmt.Sprintf("run-%d", i), fmt.Sprintf("flow-%s", state), 5000+i
		s.Lag.Messages = uint64(i * i * 1000)
		all = append(all, s)
	}
	all[2].Run.Flow = all[0].Run.Flow // the standby of the first one
	all[2].Run.Host = "weir"
	all[3].Reason = "publishing to stream V1: the server did not acknowledge within 5s; try 3 in 2s"
	all[6].Reason = "the former session may still write: waiting for its end"
	all[7].Reason = "stream ORDERS, sequence 12: field amount: expected a number, found text"
	return all
}

// later is the run some time on, with counts that grew.
func later(s monitor.Snapshot, by time.Duration) monitor.Snapshot {
	s.Taken = s.Taken.Add(by)
	if !s.LastCertified.IsZero() {
		s.LastCertified = s.LastCertified.Add(by)
	}
	n := uint64(by.Seconds() * 4100)
	s.Totals.In, s.Totals.Out, s.Totals.Bytes = s.Totals.In+n, s.Totals.Out+n*39/40, s.Totals.Bytes+n*742
	s.Lag.Messages += 900
	resources := make([]monitor.Resource, len(s.Resources))
	for i, r := range s.Resources {
		r.In, r.Out = r.In+n/uint64(i+2), r.Out+n/uint64(i+2)
		resources[i] = r
	}
	s.Resources = resources
	causes := make([]monitor.Cause, len(s.Causes))
	for i, c := range s.Causes {
		c.Seconds += by.Seconds() * []float64{0.83, 0.1, 0.07}[i%3]
		causes[i] = c
	}
	s.Causes = causes
	return s
}

// watching is a viewer that has seen these runs for two seconds.
func watching(o Options, all ...monitor.Snapshot) *Model {
	m := New(o)
	m.now = seenAt.Add(-2 * time.Second)
	m.take(all)
	for i := range all {
		all[i] = later(all[i], 2*time.Second)
	}
	m.now = seenAt
	m.take(all)
	return m
}

// take is what Update does with what a source brought, at the model's own time.
func (m *Model) take(all []monitor.Snapshot) {
	m.observe(all, m.now)
	m.looked = true
	if m.focus == "" {
		m.focus = m.focusID()
		m.places[runsScreen].key = m.focus
	}
}

// hostile is text that clears a screen, sets its title, moves the cursor, turns the
// direction of reading, and pretends that a line begins.
const hostile = "\x1b[2J\x1b]0;owned\x07\r\n\x08\u009b31m\u202e\u200b\x7f\xff\t"

// hostileRun is a run whose every text would act on a terminal.
func hostileRun() monitor.Snapshot {
	s := orders()
	for _, text := range []*string{&s.Run.Namespace, &s.Run.Flow, &s.Run.File, &s.Run.Host, &s.Run.Version, &s.Run.Server, &s.Run.Guarantee, &s.Run.Plan,
		&s.Reason, &s.Epoch.Phase, &s.Epoch.Ahead, &s.Sinks[0].To, &s.Sources[0].Stream, &s.Sources[0].Consumer} {
		*text = hostile + *text
	}
	for i := range s.Resources {
		s.Resources[i].Name = hostile + s.Resources[i].Name
	}
	for i := range s.Log {
		s.Log[i].Text = hostile + s.Log[i].Text
	}
	for i := range s.Causes {
		s.Causes[i].Name = hostile + s.Causes[i].Name
	}
	for i := range s.Epoch.Phases {
		s.Epoch.Phases[i].Name = hostile
	}
	for i := range s.Recent {
		m := &s.Recent[i]
		m.Error, m.Outcome = hostile+m.Error, monitor.Outcome(hostile)
		m.Ranges = []monitor.Range{{Stream: hostile}}
		m.Receipts = []monitor.Receipt{{Stream: hostile, Resource: hostile}}
	}
	return s
}
