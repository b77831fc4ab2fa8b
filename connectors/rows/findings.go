package rows

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// fail describes a fault at the value that inference has reached.
func (in *inference) fail(reason, help string) *RowError {
	return &RowError{Path: in.at.String(), Reason: reason, Help: help, Offset: int(in.json.InputOffset())}
}

func (in *inference) failTypes(expected, found, help string) *RowError {
	err := in.fail(fmt.Sprintf("expected %s, found %s", expected, found), help)
	err.Expected, err.Found = expected, found
	return err
}

func (in *inference) mismatch(t Type, found string) *RowError {
	help := helpDeclare
	if !t.Inferred {
		help = "correct the schema's type, or declare the field as `json`"
	}
	return in.failTypes(typeWord(t.Kind), found, help)
}

func (in *inference) null(t Type) *RowError {
	return in.failTypes(typeWord(t.Kind), "null", helpNullable)
}

func (in *inference) missing(t Type) *RowError {
	return in.failTypes(typeWord(t.Kind), "no such member", helpNullable)
}

func (in *inference) unknown() *RowError {
	literal, err := in.json.ReadValue()
	if err != nil {
		return in.syntax(err)
	}
	help := helpUnknown
	if in.declared {
		help = "add the member to the schema, or admit any with `...` as the last entry"
	}
	found := literalWord(literal)
	rowError := in.fail(fmt.Sprintf("expected a member of the schema, found a new one of type %s", found), help)
	rowError.Found = found
	return rowError
}

// beyond describes a number that the type cannot hold exactly.
func (in *inference) beyond(t Type, literal jsontext.Value) *RowError {
	found := "integer " + shorten(string(literal))
	if t.Kind == Float {
		return in.failTypes("float", found+" whose digits a float does not keep", helpExact)
	}
	return in.failTypes("int of 64 bits", found, helpExact)
}

// malformed describes text that is not in the form that the type has.
func (in *inference) malformed(t Type) *RowError {
	forms := map[Kind]string{
		Bytes:     "bytes as base64",
		Timestamp: "timestamp as RFC 3339 between 1677-09-21 and 2262-04-11, with at most nine digits of a second",
		Date:      "date as YYYY-MM-DD",
	}
	err := in.failTypes(forms[t.Kind], "string of another form", "correct the schema's type, or declare the field as `string`")
	err.Expected, err.Found = t.Kind.String(), "string"
	return err
}

// typeWord names a type as a schema clause does, except for what has a name in
// JSON and none there.
func typeWord(k Kind) string {
	switch k {
	case Record:
		return "object"
	case List:
		return "array"
	default:
		return k.String()
	}
}

func literalWord(literal jsontext.Value) string {
	if literal.Kind() == 'n' {
		return "null"
	}
	return typeWord(literalKind(literal))
}

// notObject describes a message that is not an object although the resource's
// messages are.
func (in *inference) notObject() *RowError {
	literal, err := in.json.ReadValue()
	if err != nil {
		return in.syntax(err)
	}
	found := literalWord(literal)
	if err := in.end(); err != nil {
		return in.syntax(err)
	}
	return &RowError{
		Reason: "expected a JSON object, found " + found, Expected: "object", Found: found, Help: helpShape,
	}
}

// syntax describes a message that is not one JSON object in the strict sense.
func (in *inference) syntax(err error) *RowError {
	offset := in.json.InputOffset()
	detail := "the text is not valid JSON in UTF-8"
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		detail = "a member's name occurs twice"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		detail = "the text ends too early"
	case errors.Is(err, errTrailing):
		detail = errTrailing.Error()
	case errors.Is(err, errNumberRange):
		detail = errNumberRange.Error()
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = syntactic.ByteOffset
	}
	return &RowError{
		Reason: fmt.Sprintf("expected a JSON object, found none: %s, near byte %d", detail, offset),
		Help:   helpSyntax, Offset: int(offset),
	}
}
