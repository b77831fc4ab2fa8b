package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/monitor"
	"github.com/flowlang/flow/monitor/metrics"
	"github.com/flowlang/flow/monitor/record"
)

const deploy = "../../deploy/"

func readDeploy(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(deploy + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shown is a run that shows a snapshot in which everything has a value.
type shown struct {
	*record.Recorder
	snapshot monitor.Snapshot
}

func (s shown) Snapshot() monitor.Snapshot { return s.snapshot }

var (
	sample = regexp.MustCompile(`(?m)^(flow_\w+)\{([^}]*)\}`)
	label  = regexp.MustCompile(`(\w+)="`)
	used   = regexp.MustCompile(`flow_[a-z_]+`)
	quoted = regexp.MustCompile(`"[^"]*"`)
	// by the labels of an aggregation, and in the braces of a selector.
	grouped  = regexp.MustCompile(`by \(([^)]*)\)`)
	selected = regexp.MustCompile(`(\w+)=~?"`)
	// what an increase is of.
	increase = regexp.MustCompile(`increase\((flow_\w+)`)
)

// begun is a run that has done nothing yet.
var begun = monitor.Snapshot{Run: monitor.Run{Flow: "orders"}, Causes: []monitor.Cause{{Name: monitor.CauseIdle}}, Resources: []monitor.Resource{{Name: "orders"}}}

// scraped are the metrics that a run serves, each with its labels.
func scraped(t *testing.T) map[string][]string {
	t.Helper()
	m := metrics.New()
	m.Phase("orders")("applying", 1)
	full := begun
	full.LastCertified, full.Totals.Reasons = time.Unix(1, 0), map[string]uint64{"F5002": 1}
	m.Add(shown{snapshot: full})
	all := scrape(t, m)
	if len(all) < 15 {
		t.Fatalf("found few metrics: %v", all)
	}
	return all
}

func scrape(t *testing.T, m *metrics.Metrics) map[string][]string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, s := range sample.FindAllStringSubmatch(string(body), -1) {
		for _, l := range label.FindAllStringSubmatch(s[2], -1) {
			all[s[1]] = append(all[s[1]], l[1])
		}
	}
	return all
}

// checkQuery checks the names and labels of a query against what is served.
func checkQuery(t *testing.T, served map[string][]string, query string) {
	t.Helper()
	labels := []string{"instance"} // which Prometheus adds
	names := used.FindAllString(quoted.ReplaceAllString(query, `""`), -1)
	if len(names) == 0 {
		t.Errorf("%s asks for no metric", query)
	}
	for _, name := range names {
		if served[name] == nil {
			t.Errorf("%s asks for %s, which is not served", query, name)
		}
		labels = append(labels, served[name]...)
	}
	var asked []string
	for _, g := range grouped.FindAllStringSubmatch(query, -1) {
		asked = append(asked, strings.Split(strings.ReplaceAll(g[1], " ", ""), ",")...)
	}
	for _, s := range selected.FindAllStringSubmatch(query, -1) {
		asked = append(asked, s[1])
	}
	for _, l := range asked {
		if !slices.Contains(labels, l) {
			t.Errorf("%s asks for the label %s, and there are %v", query, l, labels)
		}
	}
	if strings.Count(query, "(") != strings.Count(query, ")") || strings.Count(query, "{") != strings.Count(query, "}") || strings.Count(query, "[") != strings.Count(query, "]") {
		t.Errorf("%s has a bracket without its other half", query)
	}
}

// TestWhatBeginsLateIsSeen checks that the first value counts of a metric which a run
// does not serve from its beginning: for Prometheus it is no increase.
func TestWhatBeginsLateIsSeen(t *testing.T) {
	m := metrics.New()
	m.Add(shown{snapshot: begun})
	served := scrape(t, m)
	for _, name := range []string{"prometheus/alerts.yml", "grafana/flow.json"} {
		late := 0
		for line := range strings.Lines(readDeploy(t, name)) {
			for _, of := range increase.FindAllStringSubmatch(line, -1) {
				if served[of[1]] != nil {
					continue
				}
				late++
				if !strings.Contains(line, " unless "+of[1]) {
					t.Errorf("%s misses the first value of %s in %s", name, of[1], line)
				}
			}
		}
		if late == 0 {
			t.Errorf("%s asks for nothing that begins late", name)
		}
	}
}

func TestTheDashboardAsksForWhatIsServed(t *testing.T) {
	served := scraped(t)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct{ List []struct{ Query string } }
	}
	if err := json.Unmarshal([]byte(readDeploy(t, "grafana/flow.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, p := range dashboard.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			checkQuery(t, served, target.Expr)
		}
	}
	if query := dashboard.Templating.List[1].Query; !strings.Contains(query, "label_values(") || served[used.FindString(query)] == nil {
		t.Errorf("the variable asks %s", query)
	}
}

func TestTheAlertsAskForWhatIsServed(t *testing.T) {
	served := scraped(t)
	rules := readDeploy(t, "prometheus/alerts.yml")
	queries := 0
	for line := range strings.Lines(rules) {
		if query, ok := strings.CutPrefix(strings.TrimSpace(line), "expr: "); ok {
			queries++
			checkQuery(t, served, query)
		}
	}
	if alerts := strings.Count(rules, "- alert: "); queries == 0 || queries != alerts {
		t.Errorf("%d alerts have %d queries", alerts, queries)
	}
	for _, outcome := range regexp.MustCompile(`outcome="(\w+)"`).FindAllStringSubmatch(rules, -1) {
		if !slices.Contains([]monitor.Outcome{monitor.OK, monitor.Slow, monitor.Replay, monitor.EpochFailed}, monitor.Outcome(outcome[1])) {
			t.Errorf("no epoch ends as %s", outcome[1])
		}
	}
}

func TestThePageNamesTheMetrics(t *testing.T) {
	page := readDeploy(t, "README.md")
	named := used.FindAllString(page, -1)
	for name := range scraped(t) {
		if base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count"); !slices.Contains(named, base) {
			t.Errorf("the page does not name %s", base)
		}
	}
	for _, cause := range []string{monitor.CauseIdle, monitor.CauseRead, monitor.CauseDecode, monitor.CauseTransform, monitor.CausePublish, monitor.CauseWindowMessages,
		monitor.CauseWindowBytes, monitor.CauseAcks, monitor.CauseCommit, monitor.CauseCertify, monitor.CauseAck, monitor.CauseRecover, monitor.CauseWait, monitor.CausePause, monitor.CauseStandby} {
		if !strings.Contains(page, "`"+cause+"`") {
			t.Errorf("the page does not name the cause %s", cause)
		}
	}
}

// TestTheServicesRun checks that flowc takes the flags which the examples give it, and
// that the flow among them is a good one.
func TestTheServicesRun(t *testing.T) {
	known := (&app{}).runCommand().Flags()
	flag := regexp.MustCompile(`--([a-z][a-z-]+)`)
	for _, name := range []string{"systemd/flow@.service", "kubernetes/flow.yaml", "Dockerfile"} {
		for line := range strings.Lines(readDeploy(t, name)) {
			if !strings.Contains(line, "flowc run") && !strings.Contains(line, "args: [run") && !strings.Contains(line, " run /flows") {
				continue
			}
			for _, f := range flag.FindAllStringSubmatch(line[strings.LastIndex(line, "run"):], -1) {
				if known.Lookup(f[1]) == nil {
					t.Errorf("%s gives flowc run --%s, which it does not know", name, f[1])
				}
			}
		}
	}
	_, flow, _ := strings.Cut(readDeploy(t, "kubernetes/flow.yaml"), "orders.flow: |\n")
	flow, _, _ = strings.Cut(flow, "---")
	if r := flowc(t, flow, "check", "-"); r.status != statusDone {
		t.Errorf("the flow is\n%s\n%s", flow, r.errs)
	}
}
