package exec_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// held is a run that goes on, and its handle.
type held struct {
	*running
	*exec.Handle
	t *testing.T
}

// hold starts a flow that is held from outside.
func (w *world) hold(text string) *held {
	w.t.Helper()
	handle := exec.NewHandle()
	return &held{running: w.startAs(text, exec.Options{Handle: handle}), Handle: handle, t: w.t}
}

func (h *held) becomes(state exec.RunState) {
	h.t.Helper()
	eventually(h.t, "the run is "+state.String(), func() bool { return h.Status().State == state })
}

// reads waits until the run has a message in hand.
func (h *held) reads() {
	h.t.Helper()
	eventually(h.t, "a message is in hand", func() bool {
		sources := h.Status().Totals.Sources
		return len(sources) == 1 && !sources[0].Oldest.IsZero()
	})
}

// sums checks that every moment of the run belongs to one phase.
func (h *held) sums() exec.Status {
	h.t.Helper()
	s := h.Status()
	var sum time.Duration
	for _, d := range s.Totals.Time {
		sum += d
	}
	if sum != s.Elapsed {
		h.t.Errorf("the phases make up %v of %v: %v", sum, s.Elapsed, s.Totals.Time)
	}
	if w := s.Waited; w.Messages+w.Bytes+w.Acks > s.Totals.Time[exec.Applying]+time.Millisecond {
		h.t.Errorf("of %v of applying %+v was waited", s.Totals.Time[exec.Applying], w)
	}
	return s
}

func (w *world) reaches(stream string, messages uint64) {
	w.t.Helper()
	eventually(w.t, stream+" is filled", func() bool {
		s, err := w.js.Stream(w.t.Context(), stream)
		return err == nil && s.CachedInfo().State.Msgs >= messages
	})
}

func TestARunIsSeenFromOutside(t *testing.T) {
	w := newWorld(t)
	w.plain()
	h := w.hold(plainFlow)
	h.becomes(exec.IsRunning)
	eventually(t, "it is idle", func() bool { return h.sums().Phase == exec.Idling })
	w.publishIDs(1, 40)
	w.reaches("OUT", 40)
	eventually(t, "the epochs are counted", func() bool { return h.sums().Totals.Written == 40 })
	s := h.sums()
	if s.Totals.Time[exec.Idling] == 0 || s.Waited.Acks == 0 || len(s.Sinks) != 1 || s.Sinks[0].Limits.Messages != 1024 {
		t.Errorf("found %+v", s)
	}
	close(h.stop)
	<-h.done
	if s := h.sums(); s.State != exec.IsEnded || s.Totals.Written != 40 || s.Waited.Acks == 0 {
		t.Errorf("after its end the run is %+v", s)
	}
}

func TestAFullWindowIsSeen(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 300)
	for limit, waited := range map[string]func(connectors.Waited) time.Duration{
		"1/16MiB":  func(w connectors.Waited) time.Duration { return w.Messages },
		"100/1KiB": func(w connectors.Waited) time.Duration { return w.Bytes },
	} {
		h := exec.NewHandle()
		text := `flow f` + string(limit[2]) + ` from nats "orders.>" epoch 1000/200ms to nats stream "OUT" subject "out.v1" max_in_flight ` + limit
		if _, err := exec.Run(t.Context(), w.plan(text), exec.Options{UntilCaughtUp: true, Handle: h, Fresh: true}); err != nil {
			t.Fatal(err)
		}
		if s := h.Status(); waited(s.Waited) == 0 {
			t.Errorf("with %s the sink waited %+v", limit, s.Waited)
		}
	}
}

func TestAPausedRunReadsNothing(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.stream(jetstream.StreamConfig{Name: "COPY", Subjects: []string{"copy.>"}})
	h := w.hold(`from nats "orders.>" epoch 1000/1h to nats stream "OUT" subject "out.v1"`)
	w.publishIDs(1, 10)
	h.reads()
	h.Pause()
	h.Pause()
	h.becomes(exec.IsPaused)
	held := w.ids("OUT") // what had come in of it
	if len(held) == 0 || !slices.Equal(held, upTo(len(held))) {
		t.Errorf("the open epoch was closed, and OUT holds %v", held)
	}
	w.publishIDs(11, 20)
	if _, err := w.drain(`flow other from nats "orders.>" epoch 1000/200ms to nats stream "COPY" subject "copy.v1"`); err != nil {
		t.Fatal(err) // which took longer than to read them would have taken
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, held) {
		t.Errorf("while it was paused the run wrote %v after %v", ids, held)
	}
	if s := h.sums(); s.Totals.Time[exec.Pausing] == 0 {
		t.Errorf("found %+v", s)
	}
	h.Resume()
	h.becomes(exec.IsRunning)
	h.Pause()
	h.Resume()
	close(h.stop)
	<-h.done
	if ids := w.ids("OUT"); h.err != nil || !slices.Equal(ids, upTo(20)) {
		t.Errorf("OUT holds %v, %v", ids, h.err)
	}
}

func TestAPausedRunStops(t *testing.T) {
	w := newWorld(t)
	w.plain()
	h := w.hold(plainFlow)
	h.becomes(exec.IsRunning)
	h.Pause()
	h.becomes(exec.IsPaused)
	close(h.stop)
	<-h.done
	if s := h.Status(); h.err != nil || s.State != exec.IsEnded {
		t.Errorf("found %v, %v", s.State, h.err)
	}
}

func TestAPauseOutlivesTheServer(t *testing.T) {
	w := newKillable(t)
	w.plain()
	w.publishIDs(1, 10)
	h := w.hold(plainFlow)
	w.reaches("OUT", 10)
	h.Pause()
	h.becomes(exec.IsPaused)
	w.restart()
	w.publishIDs(11, 20)
	h.becomes(exec.IsPaused)
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(10)) {
		t.Errorf("while it was paused the run wrote %v", ids)
	}
	h.Resume()
	w.reaches("OUT", 20)
	h.becomes(exec.IsRunning)
	close(h.stop)
	<-h.done
	if ids := w.ids("OUT"); h.err != nil || !slices.Equal(ids, upTo(20)) {
		t.Errorf("OUT holds %v, %v", ids, h.err)
	}
}

func TestAFailedRunSaysWhy(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", `{"id":1}`, `{"id":"two"}`)
	h := w.hold(plainFlow)
	h.becomes(exec.IsFailed)
	if _, ok := errors.AsType[*exec.RowFault](h.Status().Err); !ok {
		t.Errorf("found %v", h.Status().Err)
	}
}

// TestAnUnprovenDestinationBlocks freezes the server under a sink that waits for
// acknowledgements nearly all of the time.
func TestAnUnprovenDestinationBlocks(t *testing.T) {
	w := newKillable(t)
	w.plain()
	const each = 400
	published := 0
	h := w.hold(`from nats "orders.>" epoch 100/50ms to nats stream "OUT" subject "out.v1" max_in_flight 1/16MiB publish_timeout 1s`)
	blocked := false
	for try := 0; try < 5 && !blocked; try++ { // it may stop in the moment between two epochs
		h.becomes(exec.IsRunning)
		w.publishIDs(published+1, published+each)
		published += each
		eventually(t, "something is in flight", func() bool { return h.Status().Totals.InFlight.Messages > 0 })
		w.process.Freeze()
		eventually(t, "the run has noticed", func() bool {
			s := h.Status()
			blocked = s.State == exec.IsBlocked
			if blocked && s.Err == nil {
				t.Error("a blocked run says why")
			}
			return s.State != exec.IsRunning
		})
		w.process.Thaw()
	}
	if !blocked {
		t.Error("the run was never blocked")
	}
	w.reaches("OUT", uint64(published))
	h.becomes(exec.IsRunning)
	close(h.stop)
	<-h.done
	if ids := w.ids("OUT"); h.err != nil || !slices.Equal(ids, upTo(published)) {
		t.Errorf("OUT holds %d ids, %v", len(ids), h.err)
	}
}

// TestAPauseOutlivesTheServerBesideAStandby has messages wait after the restart: an
// owner that asked for none of them would look gone.
func TestAPauseOutlivesTheServerBesideAStandby(t *testing.T) {
	t.Parallel()
	w := newKillable(t)
	w.plain()
	w.publishIDs(1, 10)
	owner := w.hold(plainFlow)
	w.reaches("OUT", 10)
	standby := w.hold(plainFlow)
	standby.becomes(exec.IsStandby)
	owner.Pause()
	owner.becomes(exec.IsPaused)
	w.restart()
	w.publishIDs(11, 20)
	for watched := time.Now(); time.Since(watched) < 6*time.Second; time.Sleep(50 * time.Millisecond) {
		if s := standby.Status(); s.State != exec.IsStandby {
			t.Fatalf("%s after the restart the standby is %v, %v", time.Since(watched), s.State, s.Err)
		}
	}
	owner.becomes(exec.IsPaused)
	owner.Resume()
	w.reaches("OUT", 20)
	close(standby.stop)
	close(owner.stop)
	<-standby.done
	<-owner.done
	if ids := w.ids("OUT"); owner.err != nil || standby.err != nil || !slices.Equal(ids, upTo(20)) {
		t.Errorf("OUT holds %v, %v, %v", ids, owner.err, standby.err)
	}
}
