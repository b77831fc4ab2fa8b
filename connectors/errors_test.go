package connectors

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestClassOf(t *testing.T) {
	for _, c := range []struct {
		err       error
		class     Class
		retryable bool
	}{
		{nil, Permanent, false},
		{io.EOF, Permanent, false},
		{Errorf(Transient, "x"), Transient, true},
		{fmt.Errorf("outer: %w", Errorf(Disconnected, "x")), Disconnected, true},
		{Errorf(Environment, "outer: %w", Errorf(Transient, "x")), Environment, false},
		{errors.Join(io.EOF, Errorf(Refused, "x")), Refused, false},
	} {
		if got := ClassOf(c.err); got != c.class {
			t.Errorf("%v: expected class %d, found %d", c.err, c.class, got)
		}
		if got := Retryable(c.err); got != c.retryable {
			t.Errorf("%v: Retryable is %v", c.err, got)
		}
	}
}

func TestErrorCarriesWhatItIsAbout(t *testing.T) {
	err := Errorf(Refused, "no %w", io.EOF).WithHelp("try %d", 2).About(SinkRole, 3, "subject")
	if !errors.Is(err, io.EOF) || err.Error() != "no EOF" || err.Help != "try 2" || err.Role != SinkRole || err.Spec != 3 || err.Key != "subject" {
		t.Errorf("found %+v", err)
	}
}

func TestRowErrors(t *testing.T) {
	one := RowErrors{{Row: 4, Err: io.ErrShortWrite}}
	if one.Error() != "short write" {
		t.Errorf("found %q", one.Error())
	}
	three := append(one, RowError{Err: io.EOF}, RowError{Err: io.EOF})
	if three.Error() != "short write (and 2 more rows)" || !errors.Is(three, io.EOF) {
		t.Errorf("found %q", three.Error())
	}
}
