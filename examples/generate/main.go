// Command generate writes the events of a small shop as a seed file:
//
//	go run ./examples/generate > examples/orders.jsonl
//
// It imports the standard library only. What always holds: the output is the
// same in every run, its lines are in the order of their times, and the first
// event of each kind has every member that a later one of its kind may have. The
// very first event, a return, has the members of all kinds: it fixes the schema
// of a flow that reads them all as one resource.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// orders makes a little more than five thousand events.
const orders = 1400

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func write(w io.Writer) error {
	buffered := bufio.NewWriter(w)
	lines := json.NewEncoder(buffered)
	lines.SetEscapeHTML(false)
	seen := map[kind]bool{}
	for _, e := range history(orders) {
		complete := !seen[e.kind]
		seen[e.kind] = true
		if err := lines.Encode(e.message(complete)); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
