package trace

import (
	"strings"
	"testing"
)

func TestWhatAsksForTraces(t *testing.T) {
	for _, c := range []struct {
		set    string // NAME=VALUE, separated by blanks
		wanted bool
		err    string
	}{
		{"", false, ""},
		{"OTEL_SERVICE_NAME=x", false, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318", true, ""},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h:4318", true, ""},
		{"OTEL_TRACES_EXPORTER=otlp", true, ""},
		{"OTEL_TRACES_EXPORTER=none OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318", false, ""},
		{"OTEL_SDK_DISABLED=true OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318", false, ""},
		{"OTEL_TRACES_EXPORTER=zipkin", false, "is otlp or none"},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", true, ""},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=grpc", false, "http/protobuf"},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=grpc OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf", true, ""},
	} {
		t.Run(c.set, func(t *testing.T) {
			for _, name := range []string{"SDK_DISABLED", "TRACES_EXPORTER", "EXPORTER_OTLP_ENDPOINT", "EXPORTER_OTLP_TRACES_ENDPOINT", "EXPORTER_OTLP_PROTOCOL", "EXPORTER_OTLP_TRACES_PROTOCOL"} {
				t.Setenv("OTEL_"+name, "")
			}
			for _, one := range strings.Fields(c.set) {
				name, value, _ := strings.Cut(one, "=")
				t.Setenv(name, value)
			}
			yes, err := wanted()
			if yes != c.wanted || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("found %v, %v", yes, err)
			}
		})
	}
}
