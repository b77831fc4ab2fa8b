package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
)

// settings types the options by the fields of their role and completes them with
// the defaults. What the role is called goes into the findings, and what there is
// instead of options that it lacks.
func (c *compiler) settings(fields connectors.Fields, options []*lang.Option, at *places, role string, lacks map[string]string) connectors.Settings {
	s := connectors.Settings{}
	at.keys = map[string]lang.Span{}
	misspelled := map[string]bool{}
	for _, o := range options {
		key := o.Key.Name
		field, ok := fields.Lookup(key)
		if !ok {
			if nearest, ok := lang.Nearest(key, fields.Keys()); ok {
				misspelled[nearest] = true
			}
			// A misspelled clause word is read as an option of the clause before it.
			c.report(lang.Diagnostic{Code: codeUnknownOption, Span: o.Key.Span(), Summary: fmt.Sprintf("%s has no option `%s`", role, key),
				Label: didYouMean(key, slices.Concat(fields.Keys(), lang.ClauseWords())), Help: cmp.Or(lacks[key], optionsHelp(fields))})
			continue
		}
		if first, again := at.keys[key]; again {
			c.report(lang.Diagnostic{Code: codeOptionTwice, Span: o.Key.Span(), Summary: fmt.Sprintf("the option `%s` is given twice", key),
				Notes: []lang.Note{{Source: c.source, Span: first, Text: "the first time"}}})
			continue
		}
		at.keys[key] = o.Value.Span()
		if v, ok := c.value(field, o.Value); ok {
			s[key] = v
		}
	}
	fields.Complete(s)
	for _, f := range fields {
		_, given := at.keys[f.Key]
		_, instead := at.keys[f.Unless]
		if f.Required && !given && !instead && !misspelled[f.Key] {
			c.report(lang.Diagnostic{Code: codeOptionMissing, Span: at.span, Summary: fmt.Sprintf("%s needs `%s`", role, f.Key), Help: f.Doc})
		}
	}
	return s
}

func optionsHelp(fields connectors.Fields) string {
	if len(fields) == 0 {
		return "it has none"
	}
	if len(fields) == 1 {
		return "its only option is " + quoted(fields.Keys())
	}
	return "its options are " + quoted(fields.Keys())
}

func quoted(keys []string) string {
	return "`" + strings.Join(keys, "`, `") + "`"
}

// value reads one option's value as its field's type says.
func (c *compiler) value(f connectors.Field, v *lang.Value) (any, bool) {
	if v.Reference != nil {
		return c.reference(f, v.Reference)
	}
	if f.Secret {
		c.report(lang.Diagnostic{Code: codeSecret, Span: v.Span(), Summary: fmt.Sprintf("`%s` is a secret and is never written into a flow", f.Key),
			Help: fmt.Sprintf("write `%s env \"NAME\"` or `%s file \"PATH\"`", f.Key, f.Key)})
		return nil, false
	}
	switch f.Type {
	case connectors.Text, connectors.List:
		return c.textValue(f, v)
	case connectors.Bool:
		if v.Word != nil && (v.Word.Name == "true" || v.Word.Name == "false") {
			return v.Word.Name == "true", true
		}
	case connectors.Word:
		return c.wordValue(f, v)
	case connectors.Window:
		return c.windowValue(f, v)
	case connectors.Origin:
		return c.originValue(f, v)
	default:
		return c.amountValue(f, v)
	}
	return c.wrongValue(f, v)
}

func (c *compiler) wrongValue(f connectors.Field, v *lang.Value) (any, bool) {
	c.report(lang.Diagnostic{Code: codeOptionValue, Span: v.Span(),
		Summary: fmt.Sprintf("expected %s for `%s`, found `%s`", expectedValue(f), f.Key, c.text(v.Span())),
		Help:    fmt.Sprintf("such as `%s %s`", f.Key, exampleValue(f))})
	return nil, false
}

func (c *compiler) text(s lang.Span) string { return c.source.Text[s.Start:s.End] }

func expectedValue(f connectors.Field) string {
	switch f.Type {
	case connectors.Text:
		return "a string in quotes"
	case connectors.List:
		return "a string or a list of strings"
	case connectors.Bool:
		return "true or false"
	case connectors.Count:
		return "a number without a unit"
	case connectors.Duration:
		return "a duration"
	case connectors.Size:
		return "a size"
	case connectors.Window:
		return "a number of messages, a size, or both"
	case connectors.Origin:
		return "one of " + strings.Join(connectors.StartWords(), ", ") + ", a sequence from 1 on, or a time in quotes"
	default:
		if len(f.Values) == 1 {
			return "`" + f.Values[0] + "`"
		}
		return "one of " + strings.Join(f.Values, ", ")
	}
}

func exampleValue(f connectors.Field) string {
	switch v := f.Default.(type) {
	case string:
		if f.Type == connectors.Text {
			return fmt.Sprintf("%q", v)
		}
		return v
	case nil:
	default:
		if text, ok := FormatSetting(v); ok {
			return text
		}
	}
	switch f.Type {
	case connectors.Duration:
		return "30s"
	case connectors.Size:
		return "16MiB"
	case connectors.Count:
		return "1000"
	case connectors.List:
		return `["a", "b"]`
	}
	return `"..."`
}

func (c *compiler) reference(f connectors.Field, r *lang.Reference) (any, bool) {
	switch {
	case !f.Secret && (f.Type != connectors.Text || f.Template) && f.Type != connectors.List:
		c.errorf(codeOptionValue, r.Span(), "`%s` is written into the flow, not read from `%s`", f.Key, r.From)
		return nil, false
	case r.Name.Value == "":
		c.errorf(codeOptionValue, r.Name.Span(), "`%s` is empty, and says where the value is", r.From)
		return nil, false
	case r.From == "secret" && !connectors.ValidSecretName(r.Name.Value):
		c.report(lang.Diagnostic{Code: codeSecret, Span: r.Name.Span(), Summary: fmt.Sprintf("`secret` takes the name of a file in the secret store, found %q", r.Name.Value),
			Help: "the store is $CREDENTIALS_DIRECTORY, or /run/secrets; a path is written `file \"PATH\"`"})
		return nil, false
	}
	return connectors.Secret{From: r.From, Name: r.Name.Value}, true
}

func (c *compiler) textValue(f connectors.Field, v *lang.Value) (any, bool) {
	switch {
	case v.String != nil && v.String.Value == "" && !f.Template:
		c.errorf(codeOptionValue, v.Span(), "`%s` is empty", f.Key)
		return nil, false
	case v.String != nil && f.Template:
		return connectors.ParseTemplate(v.String.Value), true
	case v.String != nil && f.Type == connectors.List:
		return []string{v.String.Value}, true
	case v.String != nil:
		return v.String.Value, true
	case v.List != nil && f.Type == connectors.List:
		texts := make([]string, len(v.List.Strings))
		for i, s := range v.List.Strings {
			texts[i] = s.Value
		}
		return texts, true
	}
	return c.wrongValue(f, v)
}

func (c *compiler) wordValue(f connectors.Field, v *lang.Value) (any, bool) {
	word := ""
	switch {
	case v.Word != nil:
		word = v.Word.Name
	case v.String != nil:
		word = v.String.Value
	}
	if slices.Contains(f.Values, word) {
		return word, true
	}
	if why, known := f.Refuses[word]; known {
		c.report(lang.Diagnostic{Code: codeOptionValue, Span: v.Span(), Summary: fmt.Sprintf("`%s %s` is not possible: %s", f.Key, word, why),
			Help: fmt.Sprintf("`%s` is %s", f.Key, expectedValue(f))})
		return nil, false
	}
	c.report(lang.Diagnostic{Code: codeOptionValue, Span: v.Span(),
		Summary: fmt.Sprintf("expected %s for `%s`, found `%s`", expectedValue(f), f.Key, c.text(v.Span())), Label: didYouMean(word, f.Values)})
	return nil, false
}

// originValue reads where to begin: a word, a sequence without a unit, or a time.
func (c *compiler) originValue(f connectors.Field, v *lang.Value) (any, bool) {
	text, label := "", ""
	switch {
	case v.Word != nil:
		text, label = v.Word.Name, didYouMean(v.Word.Name, connectors.StartWords())
	case v.String != nil:
		text = v.String.Value
	case v.Bounds != nil && len(v.Bounds.Quantities) == 1 && v.Bounds.Quantities[0].Amount.Kind == lang.Count:
		text = v.Bounds.Quantities[0].Text
	}
	start, err := connectors.ParseStart(text)
	if err == nil {
		return start, true
	}
	c.report(lang.Diagnostic{Code: codeOptionValue, Span: v.Span(),
		Summary: fmt.Sprintf("expected %s for `%s`, found `%s`", expectedValue(f), f.Key, c.text(v.Span())), Label: label,
		Help: fmt.Sprintf("such as `%s new` or `%s \"2026-01-31T08:00:00Z\"`", f.Key, f.Key)})
	return nil, false
}
