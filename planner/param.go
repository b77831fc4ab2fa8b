package planner

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
)

// params plans the parameters of a file: each gets its value from the options or
// its default. Without values (a check) one that has no default is left unknown.
func (c *compiler) params(file *lang.File) {
	c.parameters = map[string]expression.Param{}
	declared := map[string]lang.Span{}
	for _, p := range file.Params {
		name := p.Name.Name
		if first, again := declared[name]; again {
			c.report(lang.Diagnostic{Code: codeSameName, Span: p.Name.Span(), Summary: fmt.Sprintf("two parameters are called `%s`", name),
				Notes: []lang.Note{{Source: c.source, Span: first, Text: "the first one"}}})
			continue
		}
		declared[name] = p.Name.Span()
		c.param(p)
	}
	c.declared = append(c.declared, slices.Sorted(maps.Keys(declared))...)
}

// unknownParams reports values for which no file has a parameter. They stand in
// no file, so the findings have no place.
func (c *compiler) unknownParams() {
	for _, name := range slices.Sorted(maps.Keys(c.options.Params)) {
		if slices.Contains(c.declared, name) {
			continue
		}
		c.findings = append(c.findings, lang.Diagnostic{Code: codeParam, Summary: fmt.Sprintf("there is no parameter `%s`", name), Help: cmp.Or(didYouMean(name, c.declared), c.parameterNames())})
	}
}

// parameterNames says which parameters there are.
func (c *compiler) parameterNames() string {
	if len(c.declared) == 0 {
		return "the program has no parameters; `param NAME TYPE` declares one"
	}
	return "its parameters are " + quoted(slices.Compact(slices.Sorted(slices.Values(c.declared))))
}

func (c *compiler) param(p *lang.Param) {
	t, ok := c.typeOf(p.Type)
	// A parameter with a mistake is still known, so that its uses are not findings.
	c.parameters[p.Name.Name] = expression.Param{Field: arrow.Field{Name: p.Name.Name, Type: arrow.Null}}
	if !ok {
		return
	}
	if t.Kind == rows.List || t.Kind == rows.Record || t.Kind == rows.JSON {
		c.errorf(codeUnknownType, p.Type.Span(), "a parameter has a simple type, not `%s`", t)
		return
	}
	text, given := c.options.Params[p.Name.Name]
	at := p.Name.Span()
	switch {
	case given:
	case p.Default != nil:
		if text, ok = c.defaultText(p.Default, t); !ok {
			return
		}
		at = p.Default.Span()
	case t.Nullable, c.options.Params == nil: // a check: any value will do
		c.parameters[p.Name.Name] = expression.Param{Field: paramField(p.Name.Name, t)}
		return
	default:
		c.parameters[p.Name.Name] = expression.Param{Field: paramField(p.Name.Name, t)}
		c.report(lang.Diagnostic{Code: codeParam, Span: at, Summary: fmt.Sprintf("the parameter `%s` has no value", p.Name.Name),
			Help: fmt.Sprintf("give it with --param %s=VALUE, or write a default: `param %s %s = ...`", p.Name.Name, p.Name.Name, t)})
		return
	}
	value, err := paramValue(text, t.Kind)
	if err != nil {
		c.errorf(codeParam, at, "the parameter `%s` is %s, found `%s`", p.Name.Name, article(t.Kind), text)
		return
	}
	c.parameters[p.Name.Name] = expression.Param{Field: paramField(p.Name.Name, t), Value: value}
}

func article(k rows.Kind) string {
	if k == rows.Int {
		return "an " + k.String()
	}
	return "a " + k.String()
}

// paramField is the parameter as a column of an expression's environment.
func paramField(name string, t rows.Type) arrow.Field {
	return rows.Schema{Shape: rows.Object, Declared: true, Columns: []rows.Column{{Name: name, Type: t}}}.Arrow().Field(0)
}

// defaultText is a default as the text that --param would give.
func (c *compiler) defaultText(v *lang.Value, t rows.Type) (string, bool) {
	quotes := t.Kind != rows.Bool && t.Kind != rows.Int && t.Kind != rows.Float && t.Kind != rows.Decimal
	switch {
	case v.String != nil && quotes:
		return v.String.Value, true
	case v.Word != nil && t.Kind == rows.Bool:
		return v.Word.Name, true
	case v.Bounds != nil && len(v.Bounds.Quantities) == 1 && !quotes && t.Kind != rows.Bool:
		return v.Bounds.Quantities[0].Text, true
	}
	c.errorf(codeParam, v.Span(), "expected %s as the default, found `%s`", article(t.Kind), c.text(v.Span()))
	return "", false
}

// paramValue reads the text of a value, as expression.Param wants it.
func paramValue(text string, k rows.Kind) (any, error) {
	switch k {
	case rows.Bool:
		return strconv.ParseBool(text)
	case rows.Int:
		return strconv.ParseInt(text, 10, 64)
	case rows.Float:
		return strconv.ParseFloat(text, 64)
	case rows.Bytes:
		return base64.StdEncoding.DecodeString(text)
	case rows.Timestamp:
		return time.Parse(time.RFC3339Nano, text)
	case rows.Date:
		return time.Parse(time.DateOnly, text)
	case rows.Decimal:
		_, err := strconv.ParseFloat(text, 64)
		return text, err
	}
	return text, nil
}

// paramText is a parameter's value in a string: <param.NAME>.
func (c *compiler) paramText(name string) (string, bool) {
	p, ok := c.parameters[name]
	if !ok {
		return "", false
	}
	switch v := p.Value.(type) {
	case nil: // in a check, or where its lack is reported, any token stands for a value
		return "x", c.options.Params == nil || !p.Field.Nullable
	case []byte:
		return base64.StdEncoding.EncodeToString(v), true
	case time.Time:
		return v.Format(time.RFC3339Nano), true
	default:
		return fmt.Sprint(v), true
	}
}
