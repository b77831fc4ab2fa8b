package main

import (
	"errors"
	"fmt"

	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// rowFailed prints which message stopped the flow, and why.
func (a *app) rowFailed(flow *planner.Flow, fault *exec.RowFault) {
	fmt.Fprintf(a.errs, "%s flow %s stopped at a row, and nothing of its epoch was certified\n", a.paint("1;31", fmt.Sprintf("error[%s]:", fault.Code)), lang.Printable(flow.Flow))
	fmt.Fprintf(a.errs, "  resource %s, stream %s, sequence %d, subject %s\n", lang.Printable(fault.Resource), lang.Printable(fault.Stream), fault.Sequence, lang.Printable(fault.Subject))
	if fault.At.Source != nil {
		a.showLate(lang.Diagnostics{fault.At})
	} else {
		fmt.Fprintf(a.errs, "  %s\n", lang.Printable(fault.Err.Error()))
	}
}

// runFailed prints why a run failed, at its place in the file if it has one, and
// returns the status for it.
func (a *app) runFailed(flow *planner.Flow, err error, admitted bool) int {
	if err == nil {
		return statusDone
	}
	status := runStatus(err, admitted)
	if d, ok := flow.Locate(err); ok {
		a.showLate(lang.Diagnostics{d})
		return status
	}
	if found, ok := errors.AsType[lang.Diagnostics](err); ok {
		a.showLate(found)
		return statusUsage
	}
	if fault, ok := errors.AsType[*exec.RowFault](err); ok {
		a.rowFailed(flow, fault)
		return status
	}
	a.printError(fmt.Errorf("flow %s: %w", flow.Flow, err))
	return status
}

// showLate prints findings where nothing can be done any more if that fails.
func (a *app) showLate(findings lang.Diagnostics) { _ = a.show(findings) }
