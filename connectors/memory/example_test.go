package memory_test

import (
	"context"
	"fmt"
	"log"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/memory"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// A program runs a flow of its own, over streams in its memory.
func Example() {
	broker := memory.New()
	for _, order := range []string{`{"id": 1, "amount": 20}`, `{"id": 2, "amount": 5}`, `{"id": 3, "amount": 70}`} {
		if _, err := broker.Publish("orders", memory.Message{Data: []byte(order)}); err != nil {
			log.Fatal(err)
		}
	}
	file, found := lang.Parse(&lang.Source{Name: "large.flow", Text: `from memory "orders" where amount > 10 to memory stream "large"`})
	plan, more := planner.Compile([]*lang.File{file}, planner.Options{Kinds: []connectors.Kind{broker.Kind()}})
	if found = append(found, more...); found.HasErrors() {
		log.Fatal(found)
	}
	totals, err := exec.Run(context.Background(), plan.Flows[0], exec.Options{UntilCaughtUp: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("read", totals.Read, "wrote", totals.Written)
	for _, m := range broker.Stored("large") {
		fmt.Println(string(m.Data))
	}
	// Output:
	// read 3 wrote 2
	// {"id":1,"amount":20}
	// {"id":3,"amount":70}
}
