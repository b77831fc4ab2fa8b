package metrics

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/monitor"
)

// observed is a run that shows one snapshot.
type observed struct{ shows monitor.Snapshot }

func (o observed) Snapshot() monitor.Snapshot { return o.shows }

func (o observed) State() monitor.State { return o.shows.State }

func (observed) Epochs(context.Context, monitor.EpochsRequest) ([]monitor.Mark, error) {
	return nil, nil
}

func (observed) Dead() []monitor.DeadLetter { return nil }

func (observed) Control(monitor.Command) error { return nil }

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %v\n%s", w.Code, err, body)
	}
	return string(body)
}

var family = regexp.MustCompile(`(?m)^# TYPE (flow_\S+) (\S+)$`)

func TestTheNamesOfTheMetrics(t *testing.T) {
	m := New()
	m.Phase("orders")("applying", 0.2)
	m.Add(observed{monitor.Snapshot{Run: monitor.Run{Flow: "orders"}, LastCertified: time.Unix(1, 0), Causes: []monitor.Cause{{Name: "idle", Seconds: 1}},
		Resources: []monitor.Resource{{Name: "a"}}, Totals: monitor.Totals{Reasons: map[string]uint64{"F5002": 1}}}})
	var found []string
	for _, match := range family.FindAllStringSubmatch(scrape(t, m), -1) {
		found = append(found, match[1]+" "+match[2])
	}
	slices.Sort(found)
	want := []string{
		"flow_dead_letters_total counter", "flow_duplicates_suppressed_total counter", "flow_epoch_phase_seconds histogram", "flow_epochs_total counter",
		"flow_in_flight_bytes gauge", "flow_in_flight_bytes_limit gauge", "flow_in_flight_messages gauge", "flow_in_flight_messages_limit gauge",
		"flow_lag_seconds gauge", "flow_last_certified_timestamp_seconds gauge", "flow_redelivered_total counter", "flow_retention_loss_seconds gauge",
		"flow_rows_total counter", "flow_source_pending_messages gauge", "flow_wait_seconds_total counter",
	}
	if !slices.Equal(found, want) {
		t.Errorf("expected\n%s\nfound\n%s", strings.Join(want, "\n"), strings.Join(found, "\n"))
	}
}

func TestTheValuesOfTheMetrics(t *testing.T) {
	m := New()
	observe := m.Phase("orders")
	observe("applying", 0.2)
	observe("applying", 0.4)
	m.Add(observed{monitor.Snapshot{
		Run: monitor.Run{Flow: "orders"}, LastCertified: time.Unix(1500, 0), Lag: monitor.Lag{Messages: 7, Seconds: 1.5, Loss: -1},
		InFlight: monitor.Window{Messages: 1, MessagesLimit: 2, Bytes: 3, BytesLimit: 4},
		Causes:   []monitor.Cause{{Name: monitor.CauseAcks, Seconds: 2.5}}, Resources: []monitor.Resource{{Name: "a\"\n\xff", In: 10, Out: 7, Dropped: 2, Dead: 1}},
		Totals: monitor.Totals{Redelivered: 5, Duplicates: 6, Outcomes: map[monitor.Outcome]uint64{monitor.Slow: 3}, Reasons: map[string]uint64{"F5003": 4}},
	}})
	m.Add(observed{monitor.Snapshot{Run: monitor.Run{Flow: "never"}, Lag: monitor.Lag{Loss: 60}}})
	text := scrape(t, m)
	for _, line := range []string{
		`flow_epochs_total{flow="orders",outcome="slow"} 3`, `flow_epochs_total{flow="orders",outcome="ok"} 0`,
		`flow_rows_total{flow="orders",outcome="read",resource="a\"\n?"} 10`, `flow_rows_total{flow="orders",outcome="written",resource="a\"\n?"} 7`,
		`flow_rows_total{flow="orders",outcome="dropped",resource="a\"\n?"} 2`, `flow_rows_total{flow="orders",outcome="dead",resource="a\"\n?"} 1`,
		`flow_in_flight_messages{flow="orders"} 1`, `flow_in_flight_messages_limit{flow="orders"} 2`, `flow_in_flight_bytes{flow="orders"} 3`, `flow_in_flight_bytes_limit{flow="orders"} 4`,
		`flow_source_pending_messages{flow="orders"} 7`, `flow_lag_seconds{flow="orders"} 1.5`, `flow_dead_letters_total{flow="orders",reason="F5003"} 4`,
		`flow_wait_seconds_total{cause="acks",flow="orders"} 2.5`, `flow_last_certified_timestamp_seconds{flow="orders"} 1500`,
		`flow_redelivered_total{flow="orders"} 5`, `flow_duplicates_suppressed_total{flow="orders"} 6`, `flow_retention_loss_seconds{flow="never"} 60`,
		`flow_epoch_phase_seconds_count{flow="orders",phase="applying"} 2`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("expected %s", line)
		}
	}
	for _, absent := range []string{`flow_last_certified_timestamp_seconds{flow="never"}`, `flow_retention_loss_seconds{flow="orders"}`} {
		if strings.Contains(text, absent) {
			t.Errorf("expected no %s", absent)
		}
	}
}

func BenchmarkPhase(b *testing.B) {
	observe := New().Phase("orders")
	b.ReportAllocs()
	for b.Loop() {
		observe("applying", 0.2)
	}
}
