package monitor

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

// Observed is a run as the service sees it. Its methods are safe for concurrent use
// and return soon, whatever the run does.
type Observed interface {
	Snapshot() Snapshot
	State() State
	// Epochs are marks of certified epochs, the newest first.
	Epochs(context.Context, EpochsRequest) ([]Mark, error)
	// Dead are the run's last dead letters, the newest last.
	Dead() []DeadLetter
	// Control does what a person asks. A *Refusal says why not.
	Control(Command) error
}

// Service answers for one run, over a connection of the caller's.
type Service struct {
	nc         *nats.Conn
	run        Observed
	registered micro.Service
	once       sync.Once

	mu    sync.Mutex // guards the snapshot
	taken time.Time
	last  Snapshot
}

const (
	// snapshotInterval is how long a snapshot serves all who ask.
	snapshotInterval = 100 * time.Millisecond
	// flushTimeout bounds how long the server may take to hear of the end.
	flushTimeout = 500 * time.Millisecond
	// ledgerTimeout bounds the reading of certificates for one answer.
	ledgerTimeout = 3 * time.Second
)

// Serve answers for a run until Stop. An error is about the connection; that a right
// is missing comes over the connection's own error handler.
//
// What it registers does not change while the run lasts: the client subscribes again,
// after a reconnect, to what was given up while the link was down, and then nobody
// answers there. So what changes is in snapshots only.
func Serve(nc *nats.Conn, run Observed) (*Service, error) {
	s := &Service{nc: nc, run: run}
	var err error
	s.registered, err = s.register(run.Snapshot().Run)
	return s, err
}

// Stop ends the service.
func (s *Service) Stop() {
	s.once.Do(func() {
		_ = s.registered.Stop() // it fails where the connection is gone, and the service with it
		if s.nc.IsConnected() {
			_ = s.nc.FlushTimeout(flushTimeout) // so that nobody is sent to it any more
		}
	})
}

var semantic = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// versionOf is a version as the service's registration takes it.
func versionOf(version string) string {
	if v := strings.TrimPrefix(version, "v"); semantic.MatchString(v) {
		return v
	}
	return "0.0.0"
}

func (s *Service) register(run Run) (micro.Service, error) {
	service, err := micro.AddService(s.nc, micro.Config{
		Name: ServiceName, Version: versionOf(run.Version), Description: "a run of a flow",
		Metadata: map[string]string{
			metaID: run.ID, metaNamespace: run.Namespace, metaFlow: run.Flow, metaHost: run.Host,
			metaPID: strconv.Itoa(run.PID), metaStarted: run.Started.UTC().Format(time.RFC3339),
		},
	})
	if err != nil {
		return nil, err
	}
	for endpoint, handler := range map[string]micro.HandlerFunc{
		snapshotEndpoint: s.snapshot, epochsEndpoint: s.epochs, deadEndpoint: s.dead, controlEndpoint: s.control,
	} {
		if err := service.AddEndpoint(endpoint, handler, micro.WithEndpointSubject(subjectOf(run.ID, endpoint))); err != nil {
			_ = service.Stop()
			return nil, err
		}
	}
	return service, nil
}

func (s *Service) snapshot(request micro.Request) {
	var asked snapshotRequest
	if !understood(request, &asked) {
		return
	}
	s.mu.Lock()
	if time.Since(s.taken) >= snapshotInterval {
		s.last, s.taken = s.run.Snapshot(), time.Now()
	}
	snapshot := s.last
	s.mu.Unlock()
	if asked.Brief {
		snapshot = snapshot.brief()
	}
	respond(request)(snapshot.fit(s.limit()))
}

func (s *Service) epochs(request micro.Request) {
	var asked EpochsRequest
	if !understood(request, &asked) {
		return
	}
	if asked.Last < 1 || asked.Last > MaxEpochs {
		refuse(request, refusef(BadRequest, "a request for epochs is for 1 to %d, found %d", MaxEpochs, asked.Last))
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), ledgerTimeout)
	defer cancel()
	marks, err := s.run.Epochs(ctx, asked)
	if err != nil {
		refuse(request, err)
		return
	}
	respond(request)(fitNewest(marks, s.limit()))
}

func (s *Service) dead(request micro.Request) {
	letters := s.run.Dead()
	newest := make([]DeadLetter, len(letters))
	for i, l := range letters {
		newest[len(letters)-1-i] = l
	}
	respond(request)(fitNewest(newest, s.limit()))
}

func (s *Service) control(request micro.Request) {
	var asked controlRequest
	if !understood(request, &asked) {
		return
	}
	if err := s.run.Control(asked.Command); err != nil {
		refuse(request, err)
		return
	}
	respond(request)(json.Marshal(controlAnswer{State: s.run.State()}))
}

// headroom is what an answer needs besides its body.
const headroom = 1 << 10

// limit is how large the body of an answer may be.
func (s *Service) limit() int { return max(int(s.nc.MaxPayload())-headroom, 0) }

// understood reads a request; an empty one asks for what is usual.
func understood(request micro.Request, into any) bool {
	if len(request.Data()) == 0 {
		return true
	}
	if err := json.Unmarshal(request.Data(), into); err != nil {
		refuse(request, refusef(BadRequest, "the request is not understood: %v", err))
		return false
	}
	return true
}

// respond answers with what was encoded. Whoever asked may be gone, which is nobody's
// error.
func respond(request micro.Request) func([]byte, error) {
	return func(body []byte, err error) {
		if err != nil {
			refuse(request, err)
			return
		}
		_ = request.Respond(body)
	}
}

// maxRefusal bounds the text of a refusal, which is a header.
const maxRefusal = 2000

func refuse(request micro.Request, err error) {
	code := Failure
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		code = refusal.Code
	}
	text := strings.Join(strings.Fields(err.Error()), " ") // a header is one line
	_ = request.Error(code, text[:min(len(text), maxRefusal)], nil)
}
