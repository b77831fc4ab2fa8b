package monitor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// brief is the snapshot without what only a view of this one run shows.
func (s Snapshot) brief() Snapshot {
	s.Run.Plan = ""
	s.Recent, s.Resources, s.Log, s.Sinks, s.Sources = nil, nil, nil, nil, nil
	s.Epoch.Phases = nil
	return s
}

// encode is the snapshot as JSON. Every value of it has a form there.
func (s Snapshot) encode() []byte {
	data, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("a snapshot has no form in JSON: %v", err))
	}
	return data
}

// fit is the snapshot as JSON of at most limit bytes: what matters least is left out
// first, and Cut says what.
func (s Snapshot) fit(limit int) []byte {
	data := s.encode()
	var cut []string
	for _, step := range []struct {
		leave func(*Snapshot)
		what  string
	}{
		{func(s *Snapshot) { s.Recent = plainMarks(s.Recent) }, "the details of recent epochs"},
		{func(s *Snapshot) { s.Run.Plan = "" }, "the plan"},
		{func(s *Snapshot) { s.Log = lastOf(s.Log, 10) }, "older log lines"},
		{func(s *Snapshot) { s.Recent = lastOf(s.Recent, 20) }, "older epochs"},
	} {
		if len(data) <= limit {
			return data
		}
		step.leave(&s)
		cut = append(cut, step.what)
		s.Cut = strings.Join(cut, ", ")
		data = s.encode()
	}
	s.Resources, s.Sinks, s.Sources = slices.Clone(s.Resources), slices.Clone(s.Sinks), slices.Clone(s.Sources)
	for all, left := len(s.Resources), len(s.Resources); len(data) > limit && left > 0; data = s.encode() {
		left /= 2
		s.Resources = s.Resources[:left]
		s.Cut = strings.Join(append(cut, fmt.Sprintf("%d of %d resources", all-left, all)), ", ")
	}
	if len(data) > limit {
		s = s.brief()
		s.Reason, s.Cut = lastRunes(s.Reason, 200), "all but the numbers"
		data = s.encode()
	}
	return data
}

// plainMarks are marks without what their epochs read and wrote.
func plainMarks(marks []Mark) []Mark {
	plain := make([]Mark, len(marks))
	for i, m := range marks {
		m.Phases, m.Ranges, m.Receipts = nil, nil, nil
		m.Error = lastRunes(m.Error, 200)
		plain[i] = m
	}
	return plain
}

func lastOf[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }

// lastRunes shortens a text at its end.
func lastRunes(text string, n int) string {
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
func fitNewest[T any](all []T, limit int) []byte {
	answer := listed[T]{All: all}
	for {
		data, err := json.Marshal(answer)
		if err != nil {
			panic(fmt.Sprintf("an answer has no form in JSON: %v", err))
		}
		if len(data) <= limit || len(answer.All) == 0 {
			return data
		}
		answer.All = answer.All[:len(answer.All)/2]
		answer.Cut = len(all) - len(answer.All)
	}
}
