package main

import (
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var listening = regexp.MustCompile(`msg=listening.* address=(\S+)`)

// address is where a run listens that was started with --listen.
func (p *process) address() string {
	p.t.Helper()
	p.says("msg=listening")
	return listening.FindStringSubmatch(p.errs.String())[1]
}

// get is the status and the body of a page.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestMetricsAndHealthOfARun(t *testing.T) {
	w := newWorld(t)
	p := w.run(w.flow("10/100ms"), "--listen", "127.0.0.1:0")
	url := "http://" + p.address()
	ready := func(status int, text string) {
		t.Helper()
		eventually(t, "readyz is "+text, func() bool {
			got, body := get(t, url+"/readyz")
			return got == status && strings.Contains(body, text)
		})
	}
	ready(http.StatusOK, "ok")
	w.publish(25)
	w.reaches(25)
	eventually(t, "the rows are counted", func() bool {
		_, body := get(t, url+"/metrics")
		return strings.Contains(body, `flow_rows_total{flow="orders",outcome="written",resource="orders"} 25`)
	})
	_, body := get(t, url+"/metrics")
	for _, name := range []string{`flow_epochs_total{flow="orders",outcome="ok"} `, `flow_epoch_phase_seconds_bucket{flow="orders",phase="applying",le="`, `flow_wait_seconds_total{cause="idle",flow="orders"} `, "go_goroutines "} {
		if !strings.Contains(body, name) {
			t.Errorf("expected %s", name)
		}
	}
	if status, body := get(t, url+"/livez"); status != http.StatusOK || body != "ok\n" {
		t.Errorf("livez is %d %s", status, body)
	}
	w.server.Kill()
	ready(http.StatusServiceUnavailable, "flow orders: ")
	if status, _ := get(t, url+"/livez"); status != http.StatusOK {
		t.Errorf("livez is %d", status)
	}
	w.server.Restart()
	ready(http.StatusOK, "ok")
}

func TestReadinessNamesTheFlowThatFailed(t *testing.T) {
	w := newWorld(t)
	w.publish(1)
	p := w.run(writeFile(t, "two.flow", `
flow good from nats "orders.>" epoch 10/100ms to nats stream "OUT" subject "out.v1"
flow bad from nats "orders.>" epoch 10/100ms where 10 / (id - 1) > 0 to nats stream "OUT" subject "out.v2"`), "--listen", "127.0.0.1:0")
	url := "http://" + p.address()
	var body string
	eventually(t, "one flow failed", func() bool {
		_, body = get(t, url+"/readyz")
		return strings.Contains(body, "failed")
	})
	if !strings.Contains(body, "flow bad: failed: resource orders: stream ORDERS, sequence 1") || strings.Contains(body, "flow good") {
		t.Errorf("found %s", body)
	}
}

func TestListenOnWhatCannotBe(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for address, want := range map[string]struct {
		status int
		text   string
	}{
		taken.Addr().String(): {statusSurrounding, "another process listens there already"},
		"203.0.113.1:0":       {statusSurrounding, "not an address of this machine"},
		"nonsense":            {statusUsage, "--listen is HOST:PORT"},
	} {
		r := flowc(t, terminalFlow, "run", "--embedded", "--listen", address, "--until", "caught-up", "-")
		if r.status != want.status || !strings.Contains(r.errs, want.text) {
			t.Errorf("%s: status %d, %s", address, r.status, r.errs)
		}
	}
}
