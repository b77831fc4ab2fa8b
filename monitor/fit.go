package monitor

import (
	"encoding/json"
	"fmt"
	"strings"
)

// brief is the snapshot without what only a view of this one run shows.
func (s Snapshot) brief() Snapshot {
	s.Run.Plan = ""
	s.Recent, s.Resources, s.Log, s.Sinks, s.Sources = nil, nil, nil, nil, nil
	s.Epoch.Phases = nil
	return s
}

// cuts are what an answer does without, in this order.
var cuts = []struct {
	leave func(*Snapshot)
	what  string
}{
	{func(s *Snapshot) { s.Recent = plainMarks(s.Recent) }, "the details of recent epochs"},
	{func(s *Snapshot) { s.Run.Plan = "" }, "the plan"},
	{func(s *Snapshot) { s.Log = lastOf(s.Log, 10) }, "older log lines"},
	{func(s *Snapshot) { s.Recent = lastOf(s.Recent, 20) }, "older epochs"},
	{func(s *Snapshot) { s.Sinks = s.Sinks[:min(len(s.Sinks), 100)] }, "further sinks"},
	{func(s *Snapshot) { s.Sources = s.Sources[:min(len(s.Sources), 100)] }, "further sources"},
}

// fit is the snapshot as JSON of at most limit bytes: what matters least is left out
// first, and Cut says what.
func (s Snapshot) fit(limit int) ([]byte, error) {
	data, err := json.Marshal(s)
	var cut []string
	for i, step := range cuts {
		if err != nil || len(data) <= limit {
			return data, err
		}
		step.leave(&s)
		cut = append(cut, step.what)
		s.Cut = strings.Join(cut, ", ")
		if len(data) > 2*limit && i < len(cuts)-1 {
			continue // one step will not do, and encoding so much is not cheap
		}
		data, err = json.Marshal(s)
	}
	all := len(s.Resources)
	for left := all; err == nil && len(data) > limit && left > 0; {
		left = max(0, min(left-1, left*limit/len(data)*9/10))
		s.Resources = s.Resources[:left]
		s.Cut = strings.Join(append(cut, fmt.Sprintf("%d of %d resources", all-left, all)), ", ")
		data, err = json.Marshal(s)
	}
	if err == nil && len(data) > limit {
		s = s.brief()
		s.Reason, s.Cut = firstRunes(s.Reason, 200), "all but the numbers"
		data, err = json.Marshal(s)
	}
	return data, err
}

// plainMarks are marks without what their epochs read and wrote.
func plainMarks(marks []Mark) []Mark {
	plain := make([]Mark, len(marks))
	for i, m := range marks {
		m.Phases, m.Ranges, m.Receipts = nil, nil, nil
		m.Error = firstRunes(m.Error, 200)
		plain[i] = m
	}
	return plain
}

func lastOf[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }

// firstRunes shortens a text at its end.
func firstRunes(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + " ..."
	}
	return text
}

// listed is an answer of several parts.
type listed[T any] struct {
	All []T `json:"all"` // the newest first
	Cut int `json:"cut,omitempty"`
}

// fitNewest is a list, the newest first, as JSON of at most limit bytes: the oldest
// ones are left out.
func fitNewest[T any](all []T, limit int) ([]byte, error) {
	answer := listed[T]{All: all}
	for {
		data, err := json.Marshal(answer)
		if err != nil || len(data) <= limit || len(answer.All) == 0 {
			return data, err
		}
		answer.All = answer.All[:len(answer.All)/2]
		answer.Cut = len(all) - len(answer.All)
	}
}
