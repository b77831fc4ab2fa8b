package main

import (
	"github.com/flowlang/flow/internal/safejson"
	"github.com/flowlang/flow/lang"
)

// judgement says in JSON whether files are good, and what was found in them.
type judgement struct {
	OK          bool             `json:"ok"`
	Diagnostics lang.Diagnostics `json:"diagnostics"`
	Error       string           `json:"error,omitempty"` // that no file has a place for
}

func judge(findings lang.Diagnostics, err error) judgement {
	j := judgement{OK: err == nil && !findings.HasErrors(), Diagnostics: findings}
	if findings == nil {
		j.Diagnostics = lang.Diagnostics{}
	}
	if err != nil {
		j.Error = err.Error()
	}
	return j
}

// refuse writes why files are not good; nothing is left to be printed then.
func (a *app) refuse(j judgement) error {
	if err := a.writeJSON(j); err != nil {
		return err
	}
	return &failure{status: statusUsage}
}

// writeJSON writes one value on one line, which no terminal is driven by.
func (a *app) writeJSON(value any) error { return safejson.Write(a.out, value) }
