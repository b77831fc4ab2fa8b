package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
)

func TestDemoWithoutATerminal(t *testing.T) {
	t.Parallel() // it mostly waits
	var out, errs bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &out, terminal: &out, errs: &errs, kinds: []connectors.Kind{nats.Kind()}, color: "auto", namespace: "default"}
	if err := a.demo(t.Context(), 2500*time.Millisecond); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	for _, text := range []string{"running  read ", "demo: stopped after", "kept as dead letters", "rows of shop_orders", "rows of shop_returns", "first in stream ABROAD", "are gone"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("%q is missing:\n%s", text, out.String())
		}
	}
	if strings.ContainsRune(out.String()+errs.String(), '\x1b') {
		t.Errorf("an escape code without a terminal:\n%q\n%q", out.String(), errs.String())
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	x := onTerminal(t, "demo")
	x.Shows("flow demo  ▸ RUNNING", "shop_orders", "shop_returns", "dead 1")
	x.Keys("d")
	x.Shows("F5003", "shop.orders", "field amount: expected float")
	x.Keys("2")
	for _, size := range [][2]int{{20, 5}, {5, 1}, {1, 1}} {
		x.Resize(size[0], size[1])
		x.Shows("▸")
	}
	x.Claim(0, 0)
	x.Claim(1, 1)
	x.Resize(80, 24)
	again := x.Shows("flow demo  ▸ RUNNING", "RESOURCE", "q quit")
	if strings.Count(again, "RESOURCE") != 1 || strings.Count(again, "q quit") != 1 || strings.Count(again, "\n") != 24 {
		t.Errorf("something is left over:\n%s", again)
	}
	x.Keys("q")
	x.Shows("close the open epoch, then stop? [y/N]")
	x.Keys("y")
	x.Ends(statusDone)
	x.Shows("first in stream ABROAD")
}
