// Package metrics shows runs to Prometheus.
//
// It imports monitor and the Prometheus client. What always holds: a scrape reads a
// snapshot of each run, so that a run pays for its epochs' phases only; labels are the
// names of flows and of their resources, and words that are listed in the code.
package metrics

import (
	"net/http"
	"strings"
	"sync"

	"github.com/flowlang/flow/monitor"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are those of the runs of one process. They are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	phases   *prometheus.HistogramVec

	mu   sync.Mutex
	runs []monitor.Observed
}

// New makes the metrics of no run yet, and those of the process.
func New() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.phases = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "flow_epoch_phase_seconds", Help: "How long a phase of a certified epoch took.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	}, []string{"flow", "phase"})
	m.registry.MustRegister(m.phases, m, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Phase is what takes the phases of one flow's epochs.
func (m *Metrics) Phase(flow string) func(phase string, seconds float64) {
	var mu sync.Mutex
	known := map[string]prometheus.Observer{} // phases are few, and looking up labels is not cheap
	return func(phase string, seconds float64) {
		mu.Lock()
		defer mu.Unlock()
		observer, ok := known[phase]
		if !ok {
			observer = m.phases.WithLabelValues(flow, phase)
			known[phase] = observer
		}
		observer.Observe(seconds)
	}
}

// Add shows another run.
func (m *Metrics) Add(run monitor.Observed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs = append(m.runs, run)
}

// Handler answers scrapes.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, metric := range all {
		to <- metric.desc
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	m.mu.Lock()
	runs := m.runs
	m.mu.Unlock()
	for _, run := range runs {
		s := run.Snapshot()
		for _, metric := range all {
			metric.values(&s, func(value float64, labels ...string) {
				for i := range labels {
					labels[i] = strings.ToValidUTF8(labels[i], "?")
				}
				to <- prometheus.MustNewConstMetric(metric.desc, metric.kind, value, append([]string{s.Run.Flow}, labels...)...)
			})
		}
	}
}
