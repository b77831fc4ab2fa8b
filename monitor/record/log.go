package record

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/flowlang/flow/monitor"
)

// Handler passes log records on, and keeps the last ones for snapshots.
func (r *Recorder) Handler(next slog.Handler) slog.Handler { return &handler{Handler: next, to: r} }

type handler struct {
	slog.Handler
	to *Recorder
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	var b strings.Builder
	b.WriteString(record.Message)
	record.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%s", a.Key, a.Value)
		return true
	})
	h.to.mu.Lock()
	h.to.lines.add(monitor.Line{Time: record.Time.UTC(), Warning: record.Level >= slog.LevelWarn, Text: b.String()})
	h.to.mu.Unlock()
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler. What all lines of a run carry is no news.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{Handler: h.Handler.WithAttrs(attrs), to: h.to}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{Handler: h.Handler.WithGroup(name), to: h.to}
}
