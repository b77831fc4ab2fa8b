package nats

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

// somePublisher publishes to subjects that no stream captures, so that the test
// itself says what is answered.
func somePublisher(t *testing.T, limits connectors.Limits, timeout time.Duration) (*publisher, *natsgo.Conn) {
	t.Helper()
	nc := client(t, startEmbedded(t)).Conn()
	p, err := newPublisher(nc, limits, timeout)
	if err != nil {
		t.Fatal(err)
	}
	return p, nc
}

func (p *publisher) put(ctx context.Context, size int, receipt *connectors.Receipt) error {
	return p.publish(ctx, &natsgo.Msg{Subject: "x", Data: make([]byte, size)}, slot{size: int64(size), stream: "S", subject: "x", receipt: receipt})
}

// answer makes every publish to x be answered with a text.
func answer(t *testing.T, nc *natsgo.Conn, text string) {
	t.Helper()
	if _, err := nc.Subscribe("x", func(m *natsgo.Msg) { _ = m.Respond([]byte(text)) }); err != nil {
		t.Fatal(err)
	}
}

func TestRepliesThatAreNoAcknowledgement(t *testing.T) {
	for _, c := range []struct {
		reply, err string
		class      connectors.Class
	}{
		{`{"stream":"OTHER","seq":1}`, `names the stream "OTHER"`, connectors.Permanent},
		{`{"stream":"S","seq":0}`, "has no sequence", connectors.Permanent},
		{`ok`, `"ok" is no acknowledgement`, connectors.Permanent},
		{``, "is no acknowledgement", connectors.Permanent},
		{`{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"}}`, "error 10077", connectors.Transient},
	} {
		p, nc := somePublisher(t, connectors.Limits{Messages: 8, Bytes: 1 << 20}, patience)
		answer(t, nc, c.reply)
		receipt := &connectors.Receipt{}
		if err := p.put(t.Context(), 1, receipt); err != nil {
			t.Fatal(err)
		}
		err := p.wait(t.Context())
		check(t, c.reply, err, c.err)
		if connectors.ClassOf(err) != c.class {
			t.Errorf("%s: expected class %d, found %d", c.reply, c.class, connectors.ClassOf(err))
		}
		if *receipt != (connectors.Receipt{}) {
			t.Errorf("%s: it was counted: %+v", c.reply, receipt)
		}
		if again := p.put(t.Context(), 1, receipt); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: expected the first failure to be final, found %v", c.reply, again)
		}
	}
}

func TestNobodyThereIsAnErrorAtOnce(t *testing.T) {
	p, _ := somePublisher(t, connectors.Limits{Messages: 8, Bytes: 1 << 20}, time.Hour)
	if err := p.put(t.Context(), 1, &connectors.Receipt{}); err != nil {
		t.Fatal(err)
	}
	err := p.wait(t.Context())
	check(t, "no responders", err, "no responders")
	if !connectors.Retryable(err) {
		t.Errorf("expected an error that may pass, found %v", err)
	}
}

func TestSilenceEndsWithinThePublishTimeout(t *testing.T) {
	const timeout = 300 * time.Millisecond
	for _, c := range []struct {
		name string
		call func(*publisher) error
	}{
		{"waiting for the last", func(p *publisher) error { return p.wait(t.Context()) }},
		{"waiting for room", func(p *publisher) error { return p.put(t.Context(), 1, &connectors.Receipt{}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, nc := somePublisher(t, connectors.Limits{Messages: 2, Bytes: 1 << 20}, timeout)
			silence(t, nc)
			begun := time.Now()
			for range 2 {
				if err := p.put(t.Context(), 1, &connectors.Receipt{}); err != nil {
					t.Fatal(err)
				}
			}
			err := c.call(p)
			check(t, c.name, err, "whether it was stored is uncertain")
			if !connectors.Retryable(err) {
				t.Errorf("expected an error that may pass, found %v", err)
			}
			if took := time.Since(begun); took < timeout || took > timeout+5*time.Second {
				t.Errorf("expected it to take about %s, took %s", timeout, took)
			}
		})
	}
}

// silence takes what is published and never answers, which is not the same as
// nobody being there.
func silence(t *testing.T, nc *natsgo.Conn) {
	t.Helper()
	if _, err := nc.SubscribeSync("x"); err != nil {
		t.Fatal(err)
	}
}

func TestCancellationEndsTheWait(t *testing.T) {
	p, nc := somePublisher(t, connectors.Limits{Messages: 1, Bytes: 1 << 20}, time.Hour)
	silence(t, nc)
	ctx, cancel := context.WithCancel(t.Context())
	if err := p.put(ctx, 1, &connectors.Receipt{}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := p.put(ctx, 1, &connectors.Receipt{}); !errors.Is(err, context.Canceled) {
		t.Errorf("expected the cancellation, found %v", err)
	}
	if err := p.wait(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("expected it to be final, found %v", err)
	}
}

// acks collects the publishes so that the test answers them as it likes.
type acks struct{ sub *natsgo.Subscription }

func collectPublishes(t *testing.T, nc *natsgo.Conn) acks {
	t.Helper()
	sub, err := nc.SubscribeSync("x")
	if err != nil {
		t.Fatal(err)
	}
	return acks{sub}
}

func (a acks) next(t *testing.T) *natsgo.Msg {
	t.Helper()
	m, err := a.sub.NextMsg(patience)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func acknowledge(t *testing.T, m *natsgo.Msg, sequence int) {
	t.Helper()
	if err := m.Respond(fmt.Appendf(nil, `{"stream":"S","seq":%d}`, sequence)); err != nil {
		t.Fatal(err)
	}
}

func TestAcknowledgementsInAnyOrder(t *testing.T) {
	p, nc := somePublisher(t, connectors.Limits{Messages: 4, Bytes: 1 << 20}, patience)
	published := collectPublishes(t, nc)
	receipt := &connectors.Receipt{}
	var messages []*natsgo.Msg
	for range 4 {
		if err := p.put(t.Context(), 10, receipt); err != nil {
			t.Fatal(err)
		}
		messages = append(messages, published.next(t))
	}
	for i, at := range []int{3, 1, 2, 0} {
		acknowledge(t, messages[at], 10+at)
		acknowledge(t, messages[at], 99) // a second answer to the same publish
		eventually(t, "one message less in flight", func() bool {
			return p.outstanding() == connectors.Limits{Messages: int64(3 - i), Bytes: int64(30 - 10*i)}
		})
	}
	if err := p.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if receipt.First != 10 || receipt.Last != 13 {
		t.Errorf("expected the sequences 10 to 13, found %d to %d", receipt.First, receipt.Last)
	}
}

func TestNeverMoreInFlightThanTheLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits connectors.Limits
		want   connectors.Limits // when it stalls, with messages of 10 bytes
	}{
		{"messages", connectors.Limits{Messages: 3, Bytes: 1000}, connectors.Limits{Messages: 3, Bytes: 30}},
		{"bytes", connectors.Limits{Messages: 100, Bytes: 45}, connectors.Limits{Messages: 4, Bytes: 40}},
		{"one by one", connectors.Limits{Messages: 1, Bytes: 10}, connectors.Limits{Messages: 1, Bytes: 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, nc := somePublisher(t, c.limits, patience)
			published := collectPublishes(t, nc)
			const all = 20
			done := make(chan error, 1)
			go func() {
				for range all {
					if err := p.put(t.Context(), 10, &connectors.Receipt{}); err != nil {
						done <- err
						return
					}
				}
				done <- p.wait(t.Context())
			}()
			for i := range all {
				left := min(int64(all-i), c.want.Messages)
				want := connectors.Limits{Messages: left, Bytes: 10 * left}
				eventually(t, fmt.Sprintf("%+v in flight", want), func() bool { return p.outstanding() == want })
				acknowledge(t, published.next(t), i+1)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Late acknowledgements race with whoever looks at the receipts of a failed epoch.
func TestLateAcknowledgementsChangeNothing(t *testing.T) {
	p, nc := somePublisher(t, connectors.Limits{Messages: 8, Bytes: 1 << 20}, time.Millisecond)
	silence(t, nc)
	receipt := &connectors.Receipt{}
	for range 8 {
		if err := p.put(t.Context(), 10, receipt); err != nil {
			break // the first ones may be overdue already
		}
	}
	failure := p.wait(t.Context())
	check(t, "silence", failure, "uncertain")
	before := *receipt
	var late sync.WaitGroup
	for number := range 8 {
		late.Go(func() {
			p.acknowledged(&natsgo.Msg{Subject: fmt.Sprintf("%s.%d", p.inbox, number), Data: []byte(`{"stream":"S","seq":5}`)})
			p.acknowledged(&natsgo.Msg{Subject: fmt.Sprintf("%s.%d", p.inbox, number), Data: []byte(`rubbish`)})
		})
	}
	receipt.Rows++ // by its owner, unguarded
	late.Wait()
	before.Rows++
	if *receipt != before {
		t.Errorf("expected %+v, found %+v", before, *receipt)
	}
	// What was answered late is known to be stored, whatever else is answered after it.
	if left := p.outstanding(); left != (connectors.Limits{}) {
		t.Errorf("expected nothing in flight, found %+v", left)
	}
	if again := p.failed(); again == nil || again.Error() != failure.Error() {
		t.Errorf("expected the first failure to stay, found %v", again)
	}
}

func TestRepliesToUnknownNumbersAreIgnored(t *testing.T) {
	p, nc := somePublisher(t, connectors.Limits{Messages: 2, Bytes: 1 << 20}, patience)
	published := collectPublishes(t, nc)
	if err := p.put(t.Context(), 10, &connectors.Receipt{}); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"1", "2", "18446744073709551615", "18446744073709551616", "-1", "x", ""} {
		p.acknowledged(&natsgo.Msg{Subject: p.inbox + "." + token, Data: []byte(`{"stream":"S","seq":5}`)})
	}
	if got := p.outstanding().Messages; got != 1 {
		t.Errorf("expected one message in flight, found %d", got)
	}
	acknowledge(t, published.next(t), 1)
	if err := p.wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// A refusal answers the publish: nothing is in flight afterwards.
func TestARefusedMessageIsNoLongerInFlight(t *testing.T) {
	p, nc := somePublisher(t, connectors.Limits{Messages: 8, Bytes: 1 << 20}, patience)
	answer(t, nc, `{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"}}`)
	if err := p.put(t.Context(), 1, &connectors.Receipt{}); err != nil {
		t.Fatal(err)
	}
	check(t, "refused", p.wait(t.Context()), "10077")
	if got := p.outstanding().Messages; got != 0 {
		t.Errorf("expected nothing in flight, found %d messages", got)
	}
}

// A refusal counts at once: no moment may show that nothing is outstanding and that
// nothing has failed.
func TestARefusalIsNeverTakenForAnEnd(t *testing.T) {
	_, nc := somePublisher(t, connectors.Limits{Messages: 1, Bytes: 1}, patience)
	for range 2000 {
		p := &publisher{nc: nc, limits: connectors.Limits{Messages: 1, Bytes: 1}, timeout: patience, changed: make(chan struct{}, 1), slots: make([]slot, 1)}
		p.slots[0] = slot{waiting: true, size: 1, submitted: time.Now(), stream: "S", subject: "x", receipt: &connectors.Receipt{}}
		p.next, p.inFlight = 1, connectors.Limits{Messages: 1, Bytes: 1}
		var both sync.WaitGroup
		both.Go(func() {
			p.acknowledged(&natsgo.Msg{Subject: "reply.0", Data: []byte(`{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 2"}}`)})
		})
		for p.outstanding().Messages > 0 {
			runtime.Gosched()
		}
		err := p.wait(t.Context())
		both.Wait()
		if err == nil {
			t.Fatal("the refusal was taken for the end of what is outstanding")
		}
	}
}
