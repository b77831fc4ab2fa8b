package connectors

import (
	"errors"
	"fmt"
)

var (
	// ErrDrained says that a source which was to read until it is caught up is.
	ErrDrained = errors.New("everything is read")
	// ErrInterrupted says that reading must go on from a known position: Seek.
	ErrInterrupted = errors.New("reading was interrupted")
	// ErrSuperseded says that another owner has written to the ledger since.
	ErrSuperseded = errors.New("another owner has taken over")
	// ErrNoEntry says that a chain of the ledger does not hold a version, or no longer.
	ErrNoEntry = errors.New("the ledger does not hold that entry")
	// ErrNoSource says that there is nothing yet that could be read.
	ErrNoSource = errors.New("there is nothing to read from")
	// ErrUnproven says that something may still be written by a closed sink.
	ErrUnproven = errors.New("it is not proven that nothing more is written")
)

// Class says what a caller can do about an error.
type Class uint8

// The classes. An error without a class is Permanent.
const (
	// Permanent errors come again until a person acts.
	Permanent Class = iota
	// Transient errors may pass: a lost connection, a time-out, a full stream.
	Transient
	// Disconnected errors are transient, and over once Connection.Await returns.
	Disconnected
	// Environment errors are permanent ones of the surroundings: no server, no
	// permission, no stream.
	Environment
	// Refused errors are permanent ones of the program: it asks for what must not be.
	Refused
)

// Error is an error with its class, the setting it is about, and what to do.
type Error struct {
	Class Class
	Key   string // the setting, if it is about one
	Role  Role   // whose setting
	Spec  int    // index of the source or sink in the flow
	Err   error
	Help  string // one sentence, without a final period
	Other *Other // another part of the flow that it is about, too

	Named string   // what was named and is not there
	Among []string // what there is instead
}

// Other is a part of a flow that an error is about besides its own.
type Other struct {
	Role Role
	Spec int
	Text string // what that part is
}

// Role is a part of a flow.
type Role uint8

// The roles.
const (
	NoRole Role = iota
	ConnectionRole
	SourceRole
	SinkRole
	DeadLetterRole
)

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// ClassOf is the class of the outermost Error in err's chain.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return Permanent
}

// Retryable says whether err may pass by itself.
func Retryable(err error) bool {
	c := ClassOf(err)
	return c == Transient || c == Disconnected
}

// Errorf makes an Error of a class.
func Errorf(class Class, format string, args ...any) *Error {
	return &Error{Class: class, Err: fmt.Errorf(format, args...)}
}

// WithHelp adds what to do.
func (e *Error) WithHelp(format string, args ...any) *Error {
	e.Help = fmt.Sprintf(format, args...)
	return e
}

// About adds which setting of which part of the flow it is about.
func (e *Error) About(role Role, spec int, key string) *Error {
	e.Role, e.Spec, e.Key = role, spec, key
	return e
}

// Against adds the other part of the flow that the error is about.
func (e *Error) Against(role Role, spec int, text string) *Error {
	e.Other = &Other{Role: role, Spec: spec, Text: text}
	return e
}

// Instead adds what there is in place of what was named.
func (e *Error) Instead(named string, among []string) *Error {
	e.Named, e.Among = named, among
	return e
}

// RowError is one row that cannot be written or read as it is.
type RowError struct {
	Row  int // index into the batch
	Err  error
	Help string
}

// RowErrors are the bad rows of a batch, in its order, at least one.
type RowErrors []RowError

func (e RowErrors) Error() string {
	if len(e) == 1 {
		return e[0].Err.Error()
	}
	return fmt.Sprintf("%v (and %d more rows)", e[0].Err, len(e)-1)
}

// Unwrap gives the errors of the rows.
func (e RowErrors) Unwrap() []error {
	errs := make([]error, len(e))
	for i := range e {
		errs[i] = e[i].Err
	}
	return errs
}
