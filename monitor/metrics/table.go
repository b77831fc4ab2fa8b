package metrics

import (
	"github.com/flowlang/flow/monitor"
	"github.com/prometheus/client_golang/prometheus"
)

// metric is one that a snapshot holds, for each of its labels' values.
type metric struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	values func(s *monitor.Snapshot, add func(value float64, labels ...string))
}

func counter(name, help string, values func(*monitor.Snapshot, func(float64, ...string)), labels ...string) metric {
	return metric{prometheus.NewDesc(name, help, append([]string{"flow"}, labels...), nil), prometheus.CounterValue, values}
}

func gauge(name, help string, value func(*monitor.Snapshot) float64) metric {
	return metric{prometheus.NewDesc(name, help, []string{"flow"}, nil), prometheus.GaugeValue,
		func(s *monitor.Snapshot, add func(float64, ...string)) { add(value(s)) }}
}

// all are the metrics, besides the phases of epochs.
var all = []metric{
	counter("flow_epochs_total", "Epochs by how they ended: ok, slow, replay, failed.", epochs, "outcome"),
	counter("flow_rows_total", "Messages of certified epochs by what became of them: read, written, dropped, dead.", rows, "resource", "outcome"),
	gauge("flow_in_flight_messages", "Messages that wait for the acknowledgement of their destination.",
		func(s *monitor.Snapshot) float64 { return float64(s.InFlight.Messages) }),
	gauge("flow_in_flight_messages_limit", "How many messages may.",
		func(s *monitor.Snapshot) float64 { return float64(s.InFlight.MessagesLimit) }),
	gauge("flow_in_flight_bytes", "Bytes that wait for the acknowledgement of their destination.",
		func(s *monitor.Snapshot) float64 { return float64(s.InFlight.Bytes) }),
	gauge("flow_in_flight_bytes_limit", "How many bytes may.",
		func(s *monitor.Snapshot) float64 { return float64(s.InFlight.BytesLimit) }),
	gauge("flow_source_pending_messages", "Messages of the sources that are not certified.",
		func(s *monitor.Snapshot) float64 { return float64(s.Lag.Messages) }),
	gauge("flow_lag_seconds", "Age of the oldest message that is not certified, as far as one is in hand; else 0.",
		func(s *monitor.Snapshot) float64 { return s.Lag.Seconds }),
	counter("flow_dead_letters_total", "Messages that were skipped or kept as dead letters, by the code of the reason.", reasons, "reason"),
	counter("flow_wait_seconds_total", "Where the time of the run went; the causes exclude each other and make up all of it.", causes, "cause"),
	{prometheus.NewDesc("flow_last_certified_timestamp_seconds", "When an epoch was last certified, as Unix time.", []string{"flow"}, nil), prometheus.GaugeValue, certified},
	counter("flow_redelivered_total", "Deliveries of messages that were certified already, which are suppressed.",
		func(s *monitor.Snapshot, add func(float64, ...string)) { add(float64(s.Totals.Redelivered)) }),
	counter("flow_duplicates_suppressed_total", "Messages that a destination had already and did not store again.",
		func(s *monitor.Snapshot, add func(float64, ...string)) { add(float64(s.Totals.Duplicates)) }),
	{prometheus.NewDesc("flow_retention_loss_seconds", "How long until the source removes messages that are not certified; absent if it removes none.", []string{"flow"}, nil), prometheus.GaugeValue, loss},
}

func epochs(s *monitor.Snapshot, add func(float64, ...string)) {
	for _, outcome := range []monitor.Outcome{monitor.OK, monitor.Slow, monitor.Replay, monitor.EpochFailed} {
		add(float64(s.Totals.Outcomes[outcome]), string(outcome))
	}
}

func rows(s *monitor.Snapshot, add func(float64, ...string)) {
	for _, r := range s.Resources {
		add(float64(r.In), r.Name, "read")
		add(float64(r.Out), r.Name, "written")
		add(float64(r.Dropped), r.Name, "dropped")
		add(float64(r.Dead), r.Name, "dead")
	}
}

func reasons(s *monitor.Snapshot, add func(float64, ...string)) {
	for reason, n := range s.Totals.Reasons {
		add(float64(n), reason)
	}
}

func causes(s *monitor.Snapshot, add func(float64, ...string)) {
	for _, c := range s.Causes {
		add(c.Seconds, c.Name)
	}
}

func certified(s *monitor.Snapshot, add func(float64, ...string)) {
	if !s.LastCertified.IsZero() {
		add(float64(s.LastCertified.UnixMilli()) / 1000)
	}
}

func loss(s *monitor.Snapshot, add func(float64, ...string)) {
	if s.Lag.Loss >= 0 {
		add(s.Lag.Loss)
	}
}
