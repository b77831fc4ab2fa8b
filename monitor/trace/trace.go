// Package trace tells OpenTelemetry of epochs: a span each, with its phases, linked to
// the traces of the messages that the epoch read.
//
// It imports exec, connectors and the official SDK. What always holds: without the
// usual variables of the environment there is no tracer, and nothing of this costs
// anything; with them a run hands its spans over and never waits for whoever takes them.
package trace

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracer sends the spans of a process. A nil one sends none.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// maxLinks is how many traces an epoch's span is linked to, those of its first messages.
const maxLinks = 128

// wanted says whether the environment asks for traces: it names an exporter, or an
// endpoint. The specification of OpenTelemetry would send them without, to a collector
// on this machine that mostly is not there.
func wanted() (bool, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false, nil
	}
	exporter := os.Getenv("OTEL_TRACES_EXPORTER")
	if exporter == "" && os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return false, nil
	}
	if exporter != "" && exporter != "otlp" {
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER is otlp or none, found %q", exporter)
	}
	protocol := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
	if protocol == "" {
		protocol = os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL")
	}
	if protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("traces are sent as http/protobuf, and OTEL_EXPORTER_OTLP_PROTOCOL is %q", protocol)
	}
	return true, nil
}

// Start begins to send spans if the environment asks for it; else the tracer is nil.
// Failures to send are reported once. An error says what the environment asks for and
// cannot have.
func Start(ctx context.Context, version string, report func(connectors.Notice)) (*Tracer, error) {
	if yes, err := wanted(); !yes || err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("sending traces: %w", err)
	}
	own := resource.NewSchemaless(attribute.String("service.name", "flowc"), attribute.String("service.version", version))
	given, err := resource.New(ctx, resource.WithFromEnv(), resource.WithHost(), resource.WithProcessPID(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, fmt.Errorf("describing this process to OpenTelemetry: %w", err)
	}
	about, err := resource.Merge(own, given) // what is given counts
	if err != nil {
		return nil, fmt.Errorf("describing this process to OpenTelemetry: %w", err)
	}
	var once sync.Once
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		once.Do(func() {
			report(connectors.Notice{Warning: true, Text: "traces cannot be sent; the run goes on", Attributes: []any{"reason", err.Error()}})
		})
	}))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/flowlang/flow")}, nil
}

// stopTimeout bounds how long the last spans may take at the end.
const stopTimeout = 2 * time.Second

// Stop sends what is left.
func (t *Tracer) Stop() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
}

// Follow tells of the epochs of a flow's run, besides what its options do.
func (t *Tracer) Follow(flow connectors.Identity, options exec.Options) exec.Options {
	if t == nil {
		return options
	}
	next := options.OnEvent
	options.OnEvent = func(e exec.Event) {
		t.event(flow, e)
		if next != nil {
			next(e)
		}
	}
	return options
}

func (t *Tracer) event(flow connectors.Identity, e exec.Event) {
	if e.Done == nil || len(e.Done.Messages) == 0 {
		return
	}
	d := e.Done
	ended := time.Now()
	ctx, span := t.tracer.Start(context.Background(), "epoch of "+flow.Flow, trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithTimestamp(d.Began[exec.Reading]), trace.WithLinks(links(d.Messages)...),
		trace.WithAttributes(attribute.String("messaging.system", "nats"), attribute.Int("messaging.batch.message_count", len(d.Messages)),
			attribute.String("flow.namespace", flow.Namespace), attribute.String("flow.name", flow.Flow), attribute.Int64("flow.epoch", int64(e.Epoch)),
			attribute.Int("flow.written", written(d))))
	for _, phase := range exec.Phases() {
		if began := d.Began[phase]; !began.IsZero() {
			_, part := t.tracer.Start(ctx, phase.String(), trace.WithTimestamp(began))
			part.End(trace.WithTimestamp(began.Add(d.Spent[phase])))
		}
	}
	if e.Err != nil {
		span.SetStatus(codes.Error, e.Err.Error())
		span.SetAttributes(attribute.String("flow.failed_phase", e.Phase.String()))
	}
	span.End(trace.WithTimestamp(ended))
}

func written(d *exec.Done) int {
	n := 0
	for _, r := range d.Receipts {
		n += r.Rows
	}
	return n
}

// links are to the traces that the messages carry, each once.
func links(messages []connectors.Message) []trace.Link {
	var all []trace.Link
	seen := map[string]bool{}
	for i := range messages {
		parent := messages[i].Headers["traceparent"]
		if len(parent) == 0 || seen[parent[0]] {
			continue
		}
		seen[parent[0]] = true
		carrier := propagation.MapCarrier{"traceparent": parent[0]}
		if state := messages[i].Headers["tracestate"]; len(state) > 0 {
			carrier["tracestate"] = state[0]
		}
		c := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
		if !c.IsValid() {
			continue
		}
		if all = append(all, trace.Link{SpanContext: c}); len(all) == maxLinks {
			break
		}
	}
	return all
}
