package main

import (
	"fmt"
	"strings"

	"github.com/flowlang/flow/lang"
	"github.com/spf13/cobra"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Explain the code of a diagnostic, or list all codes",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, codes []string) error {
			if len(codes) == 0 {
				return a.listCodes()
			}
			return a.explain(strings.ToUpper(codes[0]))
		},
	}
}

func (a *app) explain(code string) error {
	e, ok := lang.Explain(lang.Code(code))
	if !ok {
		return usagef("there is no code %q%s; `flowc explain` lists all", code, meantCode(code))
	}
	fmt.Fprintf(a.out, "%s: %s\n\n%s\n", e.Code, e.Title, wrap(e.Text, 80))
	for _, program := range []struct{ title, text string }{{"Wrong:", e.Bad}, {"Right:", e.Good}} {
		if program.text != "" {
			fmt.Fprintf(a.out, "\n%s\n\n%s\n", program.title, indent(lang.Printable(program.text)))
		}
	}
	return nil
}

func meantCode(code string) string {
	var all []string
	for _, e := range lang.Explanations() {
		all = append(all, string(e.Code))
	}
	return meant(code, "", all)
}

// codeRanges are the first digits of codes.
var codeRanges = []struct{ prefix, title string }{
	{"F1", "syntax"}, {"F2", "names and types"}, {"F3", "options and plan"}, {"F4", "warnings"}, {"F5", "run time"},
}

func (a *app) listCodes() error {
	for i, r := range codeRanges {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "%s: %s\n", r.prefix, r.title)
		for _, e := range lang.Explanations() {
			if strings.HasPrefix(string(e.Code), r.prefix) {
				fmt.Fprintf(a.out, "  %s  %s\n", e.Code, e.Title)
			}
		}
	}
	return nil
}

// wrap breaks a text between words, so that its lines have at most so many characters.
func wrap(text string, width int) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		length := len([]rune(word))
		switch {
		case at == 0:
		case at+1+length > width:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += length
	}
	return b.String()
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
