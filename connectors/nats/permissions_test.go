package nats

import (
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

func TestAllowed(t *testing.T) {
	for _, v := range []struct{ template, source, want string }{
		{"out.v1", "orders.>", "out.v1"},
		{"out.<country>", "orders.>", "out.*"},
		{"out.x<country>y.v1", "orders.>", "out.*.v1"},
		{"out.<subject>", "orders.>", "out.orders.>"},
		{"out.<subject>", "orders.*.paid", "out.orders.*.paid"},
		{"<subject>.v1", "orders.>", "orders.>"},
		{"<subject>.v1", "orders.paid", "orders.paid.v1"},
		{"out.x<subject>.v1", "orders.>", "out.xorders.>"},
		{"out.x<subject>", ">", "out.>"},
		{"out.<1>.<2>", "orders.*.>", "out.*.>"},
		{"out.<2>.v1", "orders.*.>", "out.>"},
		{"out.<subject>", "", "out.>"},
		{"V_<1>", "orders.*", "*"},
	} {
		if got := allowed(connectors.ParseTemplate(v.template), v.source); got != v.want {
			t.Errorf("%q of %q: expected %q, found %q", v.template, v.source, v.want, got)
		}
	}
}

// FuzzAllowed fills a template as the sink does, and looks whether the right that
// is asked for covers what comes of it.
func FuzzAllowed(f *testing.F) {
	f.Add("out.<subject>.v1", "orders.*.>", "orders.a.b.c", "DE")
	f.Add("<2>.x<1>y.<country>", "orders.*.>", "orders.a.b.c", "DE")
	f.Add("a<subject>b<subject>", ">", "x.y", "-")
	f.Fuzz(func(t *testing.T, text, filter, subject, column string) {
		template := connectors.ParseTemplate(text)
		if checkSubject(filter, true) != nil || checkSubject(subject, false) != nil || !covers(filter, subject) || strings.Contains(column, ".") {
			t.Skip()
		}
		filled := string(template.Append(nil, func(dst []byte, hole string) []byte {
			if n, ok := wildcardHole(hole); ok {
				token, _ := wildcardMatch(filter, subject, n)
				return append(dst, token...)
			}
			if hole == "subject" {
				return append(dst, subject...)
			}
			return append(dst, column...)
		}))
		if checkSubject(filled, false) != nil || checkSubject(textWith(template, "x"), false) != nil {
			t.Skip()
		}
		right := allowed(template, filter)
		if err := checkSubject(right, true); err != nil {
			t.Fatalf("%q of %q: the right is no filter: %v", text, filter, err)
		}
		if !covers(right, filled) {
			t.Errorf("%q of %q: the right %q does not cover %q", text, filter, right, filled)
		}
	})
}

func TestRightsOfSeveralUsesAreMinimal(t *testing.T) {
	s := complete(connectionFields, nil)
	uses := []connectors.Use{
		{Flow: connectors.Identity{Namespace: "default", Flow: "a"}, Sources: sourcesOf(nil, "a.>")},
		{Flow: connectors.Identity{Namespace: "default", Flow: "b"}, Sources: sourcesOf(nil, "b.>")},
	}
	r := rights(s, uses)
	if len(r.Publish) == 0 {
		t.Fatal("expected rights")
	}
	for i, a := range r.Publish {
		if a.Purpose == "" {
			t.Errorf("%q has no purpose", a.Subject)
		}
		for j, b := range r.Publish {
			if i != j && b.Only == "" && covers(b.Subject, a.Subject) {
				t.Errorf("%q includes %q", b.Subject, a.Subject)
			}
		}
	}
}

// What a bucket or a named stream needs is less than what it takes to find streams.
func TestRightsOfNamedStreamsAreEnough(t *testing.T) {
	for _, spec := range []connectors.SourceSpec{bucketSource("app"), namedSources([]string{"ORDERS"}, "orders.>")[0], namedSources([]string{"MIRROR"}, "orders.>")[0]} {
		t.Run(spec.Resource, func(t *testing.T) {
			all := rights(complete(connectionFields, nil), []connectors.Use{{Flow: someFlow, Sources: []connectors.SourceSpec{spec}}})
			var allowed []string
			for _, right := range all.Publish {
				if right.Only == "" || right.Only == onlyCopies {
					allowed = append(allowed, right.Subject)
				}
			}
			if slices.Contains(allowed, "$JS.API.STREAM.LIST") {
				t.Error("expected no right to list streams")
			}
			url := startServer(t, func(o *server.Options) {
				o.Users = []*server.User{{Username: "admin", Password: "p"}, {Username: "flow", Password: "p", Permissions: &server.Permissions{
					Publish: &server.SubjectPermission{Allow: allowed}, Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}}}}}
			})
			js := client(t, url, userInfo("admin"))
			kv, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "app"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := kv.PutString(t.Context(), "k", "v"); err != nil {
				t.Fatal(err)
			}
			makeStream(t, js, streamOn("ORDERS", "orders.>"))
			makeStream(t, js, jetstream.StreamConfig{Name: "MIRROR", Mirror: &jetstream.StreamSource{Name: "ORDERS"}})
			fill(t, js, 1, "orders.x")
			c, _ := link(t, url, connectors.Settings{"auth_mode": "user_password", "username": "flow", "password": connectors.Given("p")})
			s := openSource(t, c, connectors.SourceOptions{}, spec)
			seek(t, s)
			ack(t, read(t, s, records(1)))
			// Making a destination takes no look at others: that it may not be taken is no error.
			e := connectors.Examination{}
			c.examineMissing(t.Context(), "destination", "KV_copy", []string{"$KV.copy.>"}, &e)
			if len(e.Findings) != 1 || e.Findings[0].Level != connectors.Warned || !strings.Contains(e.Findings[0].Found, "it will be made for $KV.copy.>, unless") {
				t.Errorf("expected a warning, found %+v", e.Findings)
			}
		})
	}
}
