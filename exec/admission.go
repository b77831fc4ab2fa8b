package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
)

// admit writes the run specification before anything is read, and says in what
// it differs from the last one.
func (m *machine) admit(ctx context.Context) (differences []string, err error) {
	entry, err := m.ledger.Last(ctx, specificationChain)
	if err != nil {
		return nil, err
	}
	now := Specification{
		Format: recordFormat, Flow: m.flow.Identity.String(), Fingerprint: m.flow.Fingerprint,
		Admitted: time.Now().UTC(), Owner: m.chain.owner, Boundary: m.bounds, Options: m.flow.Options(),
	}
	if entry.Version > 0 {
		var last Specification
		if err := decodeRecord(entry.Data, &last); err != nil {
			return nil, fmt.Errorf("run specification %d of the ledger (%s): %w", entry.Version, m.ledger, err)
		}
		differences = difference(last, now)
		if len(differences) == 0 {
			return nil, nil
		}
	}
	data, err := json.Marshal(now)
	if err != nil {
		return nil, err
	}
	_, err = m.ledger.Append(ctx, specificationChain, entry.Version, data)
	return differences, err
}

// difference lists what changed between two admissions, a line each.
func difference(last, now Specification) []string {
	var lines []string
	for _, l := range last.Options {
		if !slices.Contains(now.Options, l) {
			lines = append(lines, "- "+l)
		}
	}
	for _, l := range now.Options {
		if !slices.Contains(last.Options, l) {
			lines = append(lines, "+ "+l)
		}
	}
	if last.Boundary != now.Boundary {
		lines = append(lines, "- epoch "+FormatBounds(last.Boundary), "+ epoch "+FormatBounds(now.Boundary))
	}
	return lines
}

// FormatBounds writes bounds as an epoch clause does.
func FormatBounds(b connectors.Bounds) string {
	parts := []string{fmt.Sprint(b.MaxRecords), connectors.ShortDuration(b.MaxWait)}
	if b.MaxBytes > 0 {
		parts = append(parts, strings.ReplaceAll(connectors.FormatSize(b.MaxBytes), " ", ""))
	}
	text := strings.Join(parts, "/")
	if b.MaxAge > 0 {
		text += " max_age " + connectors.ShortDuration(b.MaxAge)
	}
	return text
}
