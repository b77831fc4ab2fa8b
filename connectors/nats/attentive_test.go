package nats

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// TestALostRequestIsMadeAgain answers the second time only, as a stream does whose
// leader was lost with the first request.
func TestALostRequestIsMadeAgain(t *testing.T) {
	t.Parallel()
	c := &connection{name: "main"}
	tries, begun := 0, time.Now()
	err := c.ask(t.Context(), func(ctx context.Context) error {
		if tries++; tries == 1 {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	if err != nil || tries != 2 || time.Since(begun) > requestTimeout/2 {
		t.Errorf("ended with %v after %d tries and %s", err, tries, time.Since(begun))
	}
}

func TestARequestWithoutAnswerSaysSo(t *testing.T) {
	if text := failed(context.DeadlineExceeded, "looking").Error(); text != "looking: no answer within 5s" {
		t.Errorf("it says %q", text)
	}
}

// TestASilentLinkEnds distinguishes a link that brings nothing from one whose client
// has a deadline of its own, and from one that brings a little now and then.
func TestASilentLinkEnds(t *testing.T) {
	const limit = 300 * time.Millisecond
	near, far := net.Pipe()
	defer far.Close()
	c := &attentive{Conn: near, limit: limit}
	buffer := make([]byte, 1)
	if err := c.SetDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(buffer); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("with a deadline of the client's own it ended with %v", err)
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	const bytes = 6 // which together take longer than the limit
	go func() {
		slow := time.NewTicker(limit / 4)
		defer slow.Stop()
		for range bytes {
			<-slow.C
			_, _ = far.Write([]byte("x")) // what is lost shows below
		}
	}()
	for range bytes {
		if _, err := c.Read(buffer); err != nil {
			t.Fatalf("a slow link ended with %v", err)
		}
	}
	begun := time.Now()
	_, err := c.Read(buffer)
	if silent := time.Since(begun); err == nil || !strings.Contains(err.Error(), "nothing was heard of the server for 300ms") || silent < limit {
		t.Errorf("a silent link ended with %v after %s", err, silent)
	}
}
