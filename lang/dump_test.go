package lang

import (
	"fmt"
	"reflect"
	"strings"
)

// dump writes a file without its places: two files with the same dump mean the
// same. Expressions are shown as their tokens.
func dump(f *File) string {
	var d dumper
	for _, part := range []any{f.Language, f.Params, f.Connections, f.Schemas, f.Flows} {
		d.value(reflect.ValueOf(part), "")
	}
	return d.String()
}

type dumper struct{ strings.Builder }

func (d *dumper) value(v reflect.Value, indent string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			d.value(v.Elem(), indent)
		}
	case reflect.Slice:
		for i := range v.Len() {
			d.value(v.Index(i), indent)
		}
	case reflect.Struct:
		if leaf, ok := leafText(v.Addr().Interface()); ok {
			fmt.Fprintf(d, "%s%s\n", indent, leaf)
			return
		}
		fmt.Fprintf(d, "%s%s\n", indent, v.Type().Name())
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.IsExported() && !v.Field(i).IsZero() {
				fmt.Fprintf(d, "%s  %s:", indent, field.Name)
				d.field(v.Field(i), indent+"    ")
			}
		}
	}
}

// field writes what is short on the line of its name.
func (d *dumper) field(v reflect.Value, indent string) {
	if v.Kind() == reflect.Bool || v.Kind() == reflect.String {
		fmt.Fprintf(d, " %v\n", v)
		return
	}
	if v.Kind() == reflect.Pointer {
		if leaf, ok := leafText(v.Interface()); ok {
			fmt.Fprintf(d, " %s\n", leaf)
			return
		}
	}
	d.WriteByte('\n')
	d.value(v, indent)
}

func leafText(node any) (string, bool) {
	switch node := node.(type) {
	case *Ident:
		return node.Name, true
	case *Slug:
		return node.Name, true
	case *Name:
		return fmt.Sprintf("%q", node.Text()), true
	case *String:
		return fmt.Sprintf("%q", node.Value), true
	case *Quantity:
		return fmt.Sprintf("%s is %s %d", node.Text, node.Amount.Kind, node.Amount.Value), true
	case *Expr:
		return "(" + tokensOf(node.Text) + ")", true
	}
	return "", false
}

func tokensOf(text string) string {
	tokens, _ := scan(&Source{Text: text})
	var values []string
	for _, w := range wordsIn(tokens) {
		values = append(values, w.Value)
	}
	return strings.Join(values, " ")
}
