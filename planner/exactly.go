package planner

import (
	"fmt"
	"slices"

	"github.com/flowlang/flow/connectors"
)

// ExactlyOnce says whether any of the flow's sinks writes exactly once.
func (f *Flow) ExactlyOnce() bool {
	return slices.ContainsFunc(f.Sinks, func(s *Sink) bool { return s.Spec.ExactlyOnce() })
}

// Guarantee is what a run promises of every message: the weakest of its sinks'.
func (f *Flow) Guarantee() string {
	if slices.ContainsFunc(f.Sinks, func(s *Sink) bool { return s.guarantee() == atLeastOnce }) {
		return atLeastOnce
	}
	return exactlyOnce
}

func (s *Sink) guarantee() string {
	if s.Spec.ExactlyOnce() {
		return exactlyOnce
	}
	return atLeastOnce
}

const (
	atLeastOnce = "at least once"
	exactlyOnce = "exactly once"
)

// AtomicRecords is how many records of an epoch fit into one step wherever the flow
// writes exactly once; 0 if it does so nowhere.
func (f *Flow) AtomicRecords() int {
	sinks := map[place][]*Sink{} // by a resource's place
	for _, s := range f.Sinks {
		if s.refused || !s.Spec.ExactlyOnce() {
			continue
		}
		for i, at := range s.Connection.Kind.Writes(s.Spec).Places {
			p := place{connection: s.Connection, resource: s.Spec.Resources[i], templates: at}
			sinks[p] = append(sinks[p], s)
		}
	}
	most := 0
	for at, all := range sinks {
		if fit := max(1, at.connection.Kind.AtomicRows/messagesPerRecord(all)); most == 0 || fit < most {
			most = fit
		}
	}
	return most
}

// messagesPerRecord is the most messages that one record becomes in the sinks: those
// with a condition may all take it, or those that take what no condition took.
func messagesPerRecord(sinks []*Sink) int {
	all, when, otherwise := 0, 0, 0
	for _, s := range sinks {
		switch {
		case s.When != nil:
			when++
		case s.Otherwise:
			otherwise++
		default:
			all++
		}
	}
	return all + max(when, otherwise)
}

// boundEpoch lets an epoch end before it is more than one step can take.
func (f *Flow) boundEpoch() {
	if most := f.AtomicRecords(); most > 0 {
		f.Epoch.MaxRecords = min(f.Epoch.MaxRecords, most)
	}
}

// delivery is what a run guarantees, and why that is neither less nor more.
func (f *Flow) delivery() (guarantee string, because []string) {
	guarantee = f.Guarantee()
	because = []string{"a message is acknowledged only after its epoch is certified"}
	if f.ExactlyOnce() {
		because = append(because, fmt.Sprintf("an epoch ends with %s at the latest, so that all its messages for a stream fit into one batch", records(f.Epoch.MaxRecords)))
	}
	if guarantee == atLeastOnce {
		because = append(because, "message ids let the destination drop what is sent again within its duplicate window",
			"not exactly once: a repetition later than that window may be stored twice")
	}
	return guarantee, slices.Concat(because, f.guarantees(), f.epochCost())
}

// guarantees are what the sinks' kinds say of them, each line once.
func (f *Flow) guarantees() (lines []string) {
	for _, s := range f.Sinks {
		if s.Connection.Kind.DescribeGuarantee == nil {
			continue
		}
		for _, line := range s.Connection.Kind.DescribeGuarantee(s.Spec) {
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// smallEpoch is the number of records below which an epoch's own cost shows.
const smallEpoch = 200

// epochCost says what exactly once costs where the epochs are small.
func (f *Flow) epochCost() []string {
	if !f.ExactlyOnce() || f.Epoch.MaxRecords >= smallEpoch {
		return nil
	}
	return []string{fmt.Sprintf("slow: each epoch of at most %s waits for its batch; a thousand records an epoch are about four times as fast as a hundred, and twenty times as fast as ten",
		records(f.Epoch.MaxRecords))}
}

func records(n int) string {
	if n == 1 {
		return "1 record"
	}
	return connectors.FormatCount(int64(n)) + " records"
}
