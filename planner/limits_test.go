package planner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/lang"
)

// widest is a flow with as many sources and sinks as wanted; all sinks write into
// one stream if one is given.
func widest(sources, sinks int, stream string) *lang.Source {
	var b strings.Builder
	subjects := make([]string, sources)
	for i := range subjects {
		subjects[i] = fmt.Sprintf("%q", fmt.Sprintf("o%d.>", i))
	}
	fmt.Fprintf(&b, "from nats [%s] schema { id: int }\n", strings.Join(subjects, ", "))
	for i := range sinks {
		to := stream
		if to == "" {
			to = fmt.Sprintf("A%d", i)
		}
		fmt.Fprintf(&b, "to nats stream %q subject \"a%d.v1\" when id == %d\n", to, i, i)
	}
	b.WriteString("to nats stream \"REST\" subject \"rest.v1\" otherwise\n")
	return &lang.Source{Name: "wide.flow", Text: b.String()}
}

func TestManySourcesAndSinksTakeNoTime(t *testing.T) {
	for _, source := range []*lang.Source{widest(1, 255, ""), widest(1, 255, "A"), widest(1000, 1, "")} {
		began := time.Now()
		plan, found := compile(t, source)
		if plan == nil {
			t.Fatal(found)
		}
		compiled := time.Since(began)
		var text strings.Builder
		if err := plan.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("planning took %v, of that %v to compile", took, compiled)
		}
	}
}

func TestTooManySourcesAndSinks(t *testing.T) {
	for code, source := range map[lang.Code]*lang.Source{"F3102": widest(10000, 1, ""), "F3103": widest(1, 10000, "")} {
		_, found := compile(t, source)
		checkFindings(t, found)
		if len(found) != 1 || found[0].Code != code || found[0].Help == "" {
			t.Errorf("expected one finding %s, found %v", code, found)
		}
	}
}

func TestEpochFitsOneBatch(t *testing.T) {
	const head = `from nats "orders.>", nats "stock.>" schema { id: int } epoch 5000 `
	for text, want := range map[string]int{
		`to nats stream "A" subject "a.<resource>"`:                                                                                                            5000,
		`to nats stream "A" subject "a.<resource>" exactly once`:                                                                                               999,
		`to nats stream "A" subject "a.1" exactly once to nats stream "B" subject "b.1" exactly once`:                                                          999,
		`to nats stream "A" subject "a.1" exactly once to nats stream "A" subject "a.2" exactly once`:                                                          499,
		`to nats stream "A" subject "a.1" exactly once when id > 1 to nats stream "A" subject "a.2" exactly once otherwise`:                                    999,
		`to nats stream "A" subject "a.1" exactly once when id > 1 to nats stream "A" subject "a.2" exactly once when id < 9 to nats stream "B" subject "b.1"`: 499,
		`to nats stream "orders" subject "o.1" exactly once to nats stream "<resource>" subject "o.2.<resource>" exactly once`:                                 499,
		`to nats stream "A" subject "a.1" exactly once to nats stream "A" subject "a.2" exactly once to nats stream "A" subject "a.3" exactly once`:            333,
		`to nats stream "A" subject "a.1" exactly once to nats stream "A" subject "a.2"`:                                                                       999,
	} {
		if got := planned(t, head+text).Epoch.MaxRecords; got != want {
			t.Errorf("%s: expected epochs of %d, found %d", text, want, got)
		}
	}
}

func TestGuaranteeIsTheWeakestOfTheSinks(t *testing.T) {
	const once = `from nats "orders.>" to nats stream "A" subject "a.1" exactly once`
	if got := planned(t, once).Guarantee(); got != "exactly once" {
		t.Errorf("found %q", got)
	}
	if got := planned(t, once+` to nats stream "B" subject "b.1"`).Guarantee(); got != "at least once" {
		t.Errorf("found %q", got)
	}
}
