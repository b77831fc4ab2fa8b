package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/internal/natsprocess"
	"github.com/nats-io/nats.go/jetstream"
)

// TestFrozenDestinationCostsNoRedelivery lets a destination not answer for three
// times the ack wait, in the middle of an epoch.
func TestFrozenDestinationCostsNoRedelivery(t *testing.T) {
	t.Parallel()
	const ackWait = time.Second
	w := newWorld(t)
	ice := newProxy(t, w.server.URL())
	p := w.run(writeFile(t, "orders.flow", fmt.Sprintf(`connection out nats url %q
from nats "orders.>" ack_wait %s epoch 500/10m to out stream "OUT" subject "out.v1" max_in_flight 100/1MiB publish_timeout 1m`, ice.url(), ackWait)))
	p.says("msg=reading")
	w.publish(400)
	w.heartbeats(400)
	ice.freeze()
	w.publish(100)
	ice.holds(t)
	frozen := time.Now()
	eventually(t, "it was frozen for three times the ack wait", func() bool { return time.Since(frozen) > 3*ackWait })
	ice.thaw()
	w.reaches(500)
	eventually(t, "it is acknowledged", func() bool { return w.consumer().AckFloor.Stream == 500 })
	w.exactlyOnce()
	if c := w.consumer(); c.NumRedelivered != 0 || c.Delivered.Consumer != 500 {
		t.Errorf("expected 500 deliveries and no other, found %d, %d of them again", c.Delivered.Consumer, c.NumRedelivered)
	}
	if records := w.chain(); len(records) != 2 {
		t.Errorf("expected a claim and a certificate, found %d records", len(records))
	}
}

// TestSourceLostWithItsServer restarts a server that kept the source in memory.
func TestSourceLostWithItsServer(t *testing.T) {
	t.Parallel()
	server := natsprocess.Start(t)
	w := connect(t, server.URL())
	w.server = server
	for _, config := range []jetstream.StreamConfig{
		{Name: "ORDERS", Subjects: []string{"orders.>"}, Storage: jetstream.MemoryStorage},
		{Name: "OUT", Subjects: []string{"out.>"}},
	} {
		if _, err := w.js.CreateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	p := w.run(w.flow("50/100ms"))
	w.publish(50)
	w.reaches(50)
	server.Kill()
	server.Restart()
	p.ends(statusSurrounding, 15*time.Second)
	p.says("the source stream ORDERS is gone: stream not found")
	if lines := strings.Count(p.errs.String(), "\n"); lines > 20 {
		t.Errorf("expected a few lines, found %d", lines)
	}
}

// TestDestinationsThatNoServerTakes checks flows whose stream or subject is none; not
// even a server is asked.
func TestDestinationsThatNoServerTakes(t *testing.T) {
	for _, c := range []struct{ stream, subject, at, says string }{
		{"OUT", "out.*", "subject", `out.*`},
		{"OUT", "out.>", "subject", `out.>`},
		{"OUT", "out.<resource>.>", "subject", `out.orders.>`},
		{"OUT", "out v1", "subject", `out v1`},
		{"OUT", "out\\tv1", "subject", `out\tv1`},
		{"OUT", "out..v1", "subject", `empty token`},
		{"OUT", ".out", "subject", `empty token`},
		{"OUT", "out.", "subject", `empty token`},
		{"OUT", "", "subject", `empty`},
		{"OUT", "out.<nosuch>", "subject", `nosuch`},
		{"OUT", "out.<2>", "subject", `wildcard 2`},
		{"OUT", "out.v1\\nPUB x", "subject", `out.v1\nPUB x`},
		{"OUT.v1", "out.v1", "stream", `OUT.v1`},
		{"O*", "out.v1", "stream", `O*`},
		{"", "out.v1", "stream", `empty`},
		{"a b", "out.v1", "stream", `a b`},
		{"a/b", "out.v1", "stream", `a/b`},
		{"a\\\\b", "out.v1", "stream", `a\`},
		{"<resource>.x", "out.v1", "stream", `orders.x`},
	} {
		text := fmt.Sprintf(`from nats "orders.*" epoch 10/1s to nats stream "%s" subject "%s"`, c.stream, c.subject)
		key := strings.Index(text, " "+c.at+` "`) + 1 // from 0
		end := key + len(c.at+` ""`+map[string]string{"stream": c.stream, "subject": c.subject}[c.at])
		file := writeFile(t, "case.flow", text)
		for _, command := range []string{"check", "run"} {
			var out, errs bytes.Buffer
			if status := Main([]string{command, file}, strings.NewReader(""), &out, &errs); status != statusUsage {
				t.Errorf("%s %s: expected status %d, found %d", command, text, statusUsage, status)
			}
			place := regexp.MustCompile(`case\.flow:1:(\d+)`).FindStringSubmatch(errs.String())
			if place == nil || !strings.Contains(errs.String(), c.says) {
				t.Errorf("%s %s: expected a place and %q, found\n%s", command, text, c.says, errs.String())
				continue
			}
			var column int
			if _, err := fmt.Sscan(place[1], &column); err != nil || column <= key || column > end {
				t.Errorf("%s %s: expected a column of %d to %d, found %s", command, text, key+1, end, place[1])
			}
		}
	}
}
