package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// needyFlow uses everything that a flow can use of a connection: a stream with
// direct gets and one without, a bad row, and streams that it makes.
const needyFlow = `flow needy
  from nats "orders.>" epoch 1000/200ms
  to nats stream "OUT" subject "out.<1>"
  on error dead letter to nats subject "dead.<resource>"`

// needyRights are what check --permissions says of it.
func needyRights(t *testing.T) (publish, subscribe []string) {
	t.Helper()
	r := flowc(t, needyFlow, "check", "--permissions", "--json", "-")
	var answer struct{ Connections []*permitted }
	if err := json.Unmarshal([]byte(r.out), &answer); err != nil || len(answer.Connections) != 1 {
		t.Fatalf("expected one connection, found %v\n%s%s", err, r.out, r.errs)
	}
	for _, right := range answer.Connections[0].Publish {
		if right.Only == "" {
			publish = append(publish, right.Subject)
		}
	}
	for _, right := range answer.Connections[0].Subscribe {
		if right.Only == "" {
			subscribe = append(subscribe, right.Subject)
		}
	}
	return publish, subscribe
}

// guarded is a server on which the user "flow" has given rights, and "admin" all.
func guarded(t *testing.T, options *server.Options) (url string) {
	t.Helper()
	options.JetStream, options.StoreDir = true, t.TempDir()
	url, stop, err := serve(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return url
}

// guardedBy is one whose user "flow" has the rights of a block of configuration.
func guardedBy(t *testing.T, block string) (url string) {
	t.Helper()
	text := fmt.Sprintf("authorization { users: [ { user: admin, password: p }, { user: flow, password: p\n%s } ] }", block)
	options, err := server.ProcessConfigFile(writeFile(t, "server.conf", text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return guarded(t, options)
}

// asAdmin is a client that may do everything on a guarded server.
func asAdmin(t *testing.T, url string) *world {
	t.Helper()
	return connect(t, url, natsgo.UserInfo("admin", "p"))
}

// runNeedy runs the flow over messages that use all of its rights, as often as it
// takes, and returns the first run that did not end well, or the last one.
func runNeedy(t *testing.T, url string) ran {
	t.Helper()
	js := asAdmin(t, url).js
	for name, direct := range map[string]bool{"A": false, "B": true} {
		subject := "orders." + strings.ToLower(name)
		stream(t, js, jetstream.StreamConfig{Name: name, Subjects: []string{subject}, AllowDirect: direct})
		publish(t, js, subject, `{"id":1}`)
	}
	publish(t, js, "orders.a", `{"id":"bad"}`)
	flow := writeFile(t, "needy.flow", needyFlow)
	run := func() ran {
		return flowc(t, "", "run", "--server", url, "--user", "flow", "--password", "p", "--until", "caught-up", flow)
	}
	if first := run(); first.status != statusDone {
		return first
	}
	// What somebody else took from its consumer makes the next run reset it.
	publish(t, js, "orders.a", `{"id":2}`)
	consumer, err := js.Consumer(t.Context(), "A", "flow-default-needy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := consumer.Next(jetstream.FetchMaxWait(bound), jetstream.FetchPriorityGroup("flow")); err != nil {
		t.Fatal(err)
	}
	return run()
}

func publish(t *testing.T, js jetstream.JetStream, subject, body string) {
	t.Helper()
	if _, err := js.Publish(t.Context(), subject, []byte(body)); err != nil {
		t.Fatal(err)
	}
}

// TestThePermissionsAreEnough gives a user the printed block, as it is.
func TestThePermissionsAreEnough(t *testing.T) {
	block := flowc(t, needyFlow, "check", "--permissions", "-").out
	r := runNeedy(t, guardedBy(t, block))
	if r.status != statusDone || !strings.Contains(r.out, "read        1 message") {
		t.Errorf("expected to be caught up after another message, found status %d\n%s%s", r.status, r.out, r.errs)
	}
	if strings.Contains(r.errs, "denied") {
		t.Errorf("found a denied right\n%s", r.errs)
	}
}

var deniedSubject = regexp.MustCompile(`permission denied: the user may not (?:publish|subscribe) to "([^"]+)"`)

// TestEachPermissionIsNeeded leaves one out at a time.
func TestEachPermissionIsNeeded(t *testing.T) {
	publish, subscribe := needyRights(t)
	for _, missing := range slices.Concat(publish, subscribe) {
		t.Run(missing, func(t *testing.T) {
			t.Parallel()
			without := func(all []string) *server.SubjectPermission {
				left := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == missing })
				return &server.SubjectPermission{Allow: append(left, "none")} // an empty list would allow all
			}
			url := guarded(t, &server.Options{Users: []*server.User{{Username: "admin", Password: "p"},
				{Username: "flow", Password: "p", Permissions: &server.Permissions{Publish: without(publish), Subscribe: without(subscribe)}}}})
			began := time.Now()
			r := runNeedy(t, url)
			if r.status != statusSurrounding && r.status != statusFailed {
				t.Errorf("expected the run to fail, found status %d\n%s%s", r.status, r.out, r.errs)
			}
			denied := deniedSubject.FindStringSubmatch(r.errs)
			if denied == nil || !server.SubjectsCollide(denied[1], missing) {
				t.Errorf("expected that %s is named, found\n%s", missing, r.errs)
			}
			if took := time.Since(began); took > bound {
				t.Errorf("it took %s to say so", took)
			}
		})
	}
}
