package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver takes traces as an OpenTelemetry collector does, over HTTP.
type receiver struct {
	*httptest.Server
	status int

	mu       sync.Mutex
	requests int
	spans    []*spans.Span
	about    map[string]string // the resource
}

func newReceiver(t *testing.T, status int) *receiver {
	t.Helper()
	r := &receiver{status: status, about: map[string]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var sent collector.ExportTraceServiceRequest
		if err != nil || request.URL.Path != "/v1/traces" || proto.Unmarshal(body, &sent) != nil {
			t.Errorf("%s cannot be read", request.URL.Path)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.requests++
		for _, resource := range sent.ResourceSpans {
			for _, a := range resource.Resource.Attributes {
				r.about[a.Key] = a.Value.GetStringValue()
			}
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

// named are the spans of a name, in their order.
func (r *receiver) named(name string) []*spans.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*spans.Span
	for _, s := range r.spans {
		if s.Name == name {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *spans.Span) int { return int(a.StartTimeUnixNano) - int(b.StartTimeUnixNano) })
	return all
}

// publishTraced stores n messages, each with the trace context of another trace.
func (w *world) publishTraced(n int) (traces []string) {
	w.t.Helper()
	for i := range n {
		traces = append(traces, fmt.Sprintf("%032x", i+1))
		m := &natsgo.Msg{Subject: "orders.a", Data: fmt.Appendf(nil, `{"id":%d}`, i+1), Header: natsgo.Header{"traceparent": {"00-" + traces[i] + "-00000000000000ab-01"}}}
		if _, err := w.js.PublishMsg(w.t.Context(), m); err != nil {
			w.t.Fatal(err)
		}
	}
	return traces
}

func TestEpochsAreTraced(t *testing.T) {
	w := newWorld(t)
	traces := w.publishTraced(15)
	r := newReceiver(t, http.StatusOK)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	if ended := flowc(t, "", "run", "--server", w.server.URL(), "--until", "caught-up", w.flow("10/100ms")); ended.status != statusDone {
		t.Fatalf("status %d\n%s", ended.status, ended.errs)
	}
	epochs := r.named("epoch of orders")
	if len(epochs) != 2 || len(epochs[0].Links) != 10 || len(epochs[1].Links) != 5 {
		t.Fatalf("found %v", epochs)
	}
	for i, link := range slices.Concat(epochs[0].Links, epochs[1].Links) {
		if hex.EncodeToString(link.TraceId) != traces[i] || hex.EncodeToString(link.SpanId) != "00000000000000ab" {
			t.Errorf("link %d is to %x", i, link.TraceId)
		}
	}
	attributes := map[string]string{}
	for _, a := range epochs[1].Attributes {
		attributes[a.Key] = strings.Trim(fmt.Sprint(a.Value.GetStringValue(), a.Value.GetIntValue()), "0 ")
	}
	if attributes["flow.name"] != "orders" || attributes["flow.epoch"] != "2" || attributes["messaging.batch.message_count"] != "5" || attributes["flow.written"] != "5" {
		t.Errorf("the attributes are %v", attributes)
	}
	for _, phase := range []string{"reading", "decoding", "transforming", "applying", "committing", "certifying", "acknowledging"} {
		parts := r.named(phase)
		if len(parts) != 2 {
			t.Errorf("%s has %d spans", phase, len(parts))
			continue
		}
		for i, part := range parts {
			if string(part.ParentSpanId) != string(epochs[i].SpanId) || part.StartTimeUnixNano < epochs[i].StartTimeUnixNano || part.EndTimeUnixNano > epochs[i].EndTimeUnixNano {
				t.Errorf("%s %d is not a part of its epoch", phase, i+1)
			}
		}
	}
	if r.about["service.name"] != "flowc" || r.about["deployment.environment.name"] != "test" {
		t.Errorf("the process is %v", r.about)
	}
	passed := 0
	w.read("OUT", "out.>", func(m jetstream.Msg) {
		if want := "00-" + traces[passed] + "-00000000000000ab-01"; m.Headers().Get("traceparent") != want {
			t.Errorf("message %d carries %q", passed+1, m.Headers().Get("traceparent"))
		}
		passed++
	})
	if passed != 15 {
		t.Errorf("found %d messages", passed)
	}
}

func TestNothingIsTracedUnlessAsked(t *testing.T) {
	r := newReceiver(t, http.StatusOK)
	for _, environment := range [][]string{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", r.URL, "OTEL_SDK_DISABLED", "true"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", r.URL, "OTEL_TRACES_EXPORTER", "none"},
		{"OTEL_SERVICE_NAME", "x"},
	} {
		t.Run(environment[0]+environment[len(environment)-1], func(t *testing.T) {
			for i := 0; i < len(environment); i += 2 {
				t.Setenv(environment[i], environment[i+1])
			}
			flow, seed := seeded(t, seedLine(t, "orders.a", map[string]any{"n": 1}))
			if ended := flowc(t, "", "run", "--embedded", "--seed", seed, "--until", "caught-up", flow); ended.status != statusDone {
				t.Fatalf("status %d\n%s", ended.status, ended.errs)
			}
		})
	}
	if r.requests != 0 {
		t.Errorf("%d requests came", r.requests)
	}
}

func TestTracesThatCannotBeSent(t *testing.T) {
	r := newReceiver(t, http.StatusForbidden)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
	flow, seed := seeded(t, seedLine(t, "orders.a", map[string]any{"n": 1}))
	ended := flowc(t, "", "run", "--embedded", "--seed", seed, "--until", "caught-up", flow)
	if ended.status != statusDone || strings.Count(ended.errs, "traces cannot be sent") != 1 {
		t.Errorf("status %d\n%s", ended.status, ended.errs)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	ended = flowc(t, "", "run", "--embedded", "--seed", seed, "--until", "caught-up", flow)
	if ended.status != statusSurrounding || !strings.Contains(ended.errs, `traces are sent as http/protobuf, and OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"`) {
		t.Errorf("status %d\n%s", ended.status, ended.errs)
	}
}
