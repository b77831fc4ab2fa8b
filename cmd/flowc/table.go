package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// table is rows of cells, the first one being the titles.
type table [][]string

// oneLine keeps a cell on its line and in its column, whatever the ledger holds.
var oneLine = strings.NewReplacer("\n", `\n`, "\t", `\t`, "\v", `\v`, "\f", `\f`)

// print writes the table with aligned columns.
func (t table) print(to io.Writer) error {
	w := tabwriter.NewWriter(printableWriter{to}, 0, 0, 2, ' ', 0)
	for _, row := range t {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = oneLine.Replace(cell)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}
