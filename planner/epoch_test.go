package planner_test

import (
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

func TestEpochBounds(t *testing.T) {
	for epoch, want := range map[string]connectors.Bounds{
		"":                      {MaxRecords: 1000, MaxWait: time.Second, MaxBytes: 8 << 20},
		"epoch 7":               {MaxRecords: 7, MaxWait: time.Second, MaxBytes: 8 << 20},
		"epoch 2s":              {MaxRecords: 1000, MaxWait: 2 * time.Second, MaxBytes: 8 << 20},
		"epoch 1MB":             {MaxRecords: 1000, MaxWait: time.Second, MaxBytes: 1_000_000},
		"epoch 4MiB/1m30s/5":    {MaxRecords: 5, MaxWait: 90 * time.Second, MaxBytes: 4 << 20},
		"epoch 10000000/1ns/1B": {MaxRecords: 10_000_000, MaxWait: 1, MaxBytes: 1},
		"epoch 7 max_age 5s":    {MaxRecords: 7, MaxWait: time.Second, MaxBytes: 8 << 20, MaxAge: 5 * time.Second},
	} {
		f := planned(t, `from nats "orders.>" `+epoch+` to nats stream "OUT" subject "out.v1"`)
		if f.Epoch != want {
			t.Errorf("%s: expected %+v, found %+v", epoch, want, f.Epoch)
		}
	}
}

func TestRetry(t *testing.T) {
	for clause, want := range map[string]planner.Retry{
		"":                                      {Min: 200 * time.Millisecond, Max: 30 * time.Second},
		"on error stop":                         {Min: 200 * time.Millisecond, Max: 30 * time.Second},
		"on error retry 3":                      {Times: 3, Min: 200 * time.Millisecond, Max: 30 * time.Second},
		"on error retry 3 backoff 1s":           {Times: 3, Min: time.Second, Max: 30 * time.Second},
		"on error retry 3 backoff 1m":           {Times: 3, Min: time.Minute, Max: time.Minute},
		"on error retry 3 backoff 1s..1s":       {Times: 3, Min: time.Second, Max: time.Second},
		"on error retry 1 backoff 1s then stop": {Times: 1, Min: time.Second, Max: 30 * time.Second},
	} {
		if got := planned(t, plainFlow+" "+clause).Retry; got != want {
			t.Errorf("%s: expected %+v, found %+v", clause, want, got)
		}
	}
}

func TestWindow(t *testing.T) {
	for value, want := range map[string]connectors.Limits{
		"1024/16MiB": {Messages: 1024, Bytes: 16 << 20},
		"7":          {Messages: 7, Bytes: 16 << 20},
		"1kB":        {Messages: 1024, Bytes: 1000},
		"1GiB/65536": {Messages: 65536, Bytes: 1 << 30},
	} {
		f := planned(t, plainFlow+" max_in_flight "+value)
		if got := f.Sinks[0].Spec.Settings.Limits("max_in_flight"); got != want {
			t.Errorf("%s: expected %+v, found %+v", value, want, got)
		}
	}
}
