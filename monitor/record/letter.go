package record

import (
	"bytes"
	"maps"
	"strings"
	"time"

	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/monitor"
)

// letter is a dead letter whose place in the flow is not drawn yet.
type letter struct {
	monitor.DeadLetter
	at lang.Diagnostic
}

// letterOf copies what is on loan, and of the message only what may be shown.
func letterOf(epoch uint64, now time.Time, fault *exec.RowFault, data bool) letter {
	l := letter{at: fault.At, DeadLetter: monitor.DeadLetter{
		Time: now.UTC(), Epoch: epoch, Resource: fault.Resource, Stream: fault.Stream, Sequence: fault.Sequence, Subject: fault.Subject,
		Code: string(fault.Code), Reason: fault.Err.Error(),
	}}
	if data {
		m := fault.Message()
		kept := min(len(m.Data), monitor.MaxBody)
		l.Headers, l.Body, l.Cut = maps.Clone(m.Headers), bytes.Clone(m.Data[:kept]), len(m.Data)-kept
	}
	return l
}

func (l letter) shown() monitor.DeadLetter {
	if l.at.Source != nil {
		var b strings.Builder
		_ = lang.Render(&b, lang.Diagnostics{l.at}, lang.RenderOptions{}) // a builder takes everything
		l.Place = b.String()
	}
	return l.DeadLetter
}
