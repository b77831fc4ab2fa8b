package nats

import (
	"slices"
	"testing"
)

// The subjects of a stream that the sink makes follow from the templates.
func TestSubjectsOfAMadeStream(t *testing.T) {
	for _, c := range []struct {
		stream, subject string
		resources       []string
		name            string
		want            []string
		err             string
	}{
		{"EVENTS", "events.<resource>", []string{"orders"}, "EVENTS", []string{"events.>"}, ""},
		{"EVENTS", "events.{resource}", []string{"orders", "users"}, "EVENTS", []string{"events.>"}, ""},
		{"EVENTS", "events.all", []string{"orders"}, "EVENTS", []string{"events.all"}, ""},
		{"<resource>", "<resource>.v1", []string{"orders"}, "orders", []string{"orders.v1"}, ""},
		{"{resource}", "{resource}.v1", []string{"orders", "users"}, "users", []string{"users.v1"}, ""},
		{"<resource>", "events.<resource>", []string{"orders", "users"}, "orders", []string{"events.orders"}, ""},
		{"ORDERS_V1", "v1.<resource>", []string{"orders"}, "ORDERS_V1", []string{"v1.>"}, ""},
		{"ALL", "<resource>.events", []string{"users", "orders"}, "ALL", []string{"orders.events", "users.events"}, ""},
		{"ALL", "<resource>", []string{"orders", "orders"}, "ALL", []string{"orders"}, ""},
		{"X", "x.<1>.y", []string{"orders"}, "X", []string{"x.*.y"}, ""},
		{"X", "x.pre<1>", []string{"orders"}, "X", []string{"x.>"}, ""},
		{"X", "x.<subject>", []string{"orders"}, "X", []string{"x.>"}, ""},
		{"S<1>", "x.<1>", []string{"orders"}, "Seu", []string{"x.*"}, ""},
		{"X", "<1>.x", []string{"orders"}, "X", nil, "would begin with a wildcard"},
		{"<resource>", "<1>.x", []string{"orders"}, "orders", nil, "would begin with a wildcard"},
	} {
		selects := slices.Repeat([]string{"orders.*"}, len(c.resources))
		s := &sink{spec: sinkSpec(c.stream, c.subject, c.resources, selects)}
		got, err := s.subjectsFor(c.name)
		check(t, c.stream+" "+c.subject, err, c.err)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s on %s for %v: expected %q, found %q", c.stream, c.subject, c.resources, c.want, got)
		}
	}
}

func TestCapture(t *testing.T) {
	d := &destination{name: "EVENTS", subjects: []string{"events.>", "x"}, captured: map[string]bool{}}
	for subject, want := range map[string]string{
		"events.orders": "", "events.a.b": "", "events.*": "", "x": "",
		"events": `does not capture "events"`, "y": "its subjects are events.>, x", "*": "does not capture",
	} {
		check(t, subject, d.capture(subject), want)
		check(t, subject+" again", d.capture(subject), want)
	}
}

func TestCaptureRemembersABoundedNumberOfSubjects(t *testing.T) {
	d := &destination{name: "X", subjects: []string{">"}, captured: map[string]bool{}}
	for i := range maxCaptured + 100 {
		if err := d.capture(string(rune('a'+i%26)) + "." + string(rune(0x4e00+i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.captured) != maxCaptured {
		t.Errorf("expected %d remembered subjects, found %d", maxCaptured, len(d.captured))
	}
}
