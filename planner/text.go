package planner

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/flowlang/flow/connectors"
)

// Options are the flow's resolved settings, a line each: what an admission
// records and compares. Secrets show as where they come from.
func (f *Flow) Options() []string {
	var lines []string
	for _, s := range f.Sources {
		lines = append(lines, fmt.Sprintf("from %s %q as %s%s", s.Connection.Name, s.Spec.Select, s.Spec.Resource, settingsText(s.Connection.Kind.Source, s.Spec.Settings)))
	}
	if f.Schema.Declared {
		lines = append(lines, "schema "+f.Schema.String())
	}
	lines = append(lines, f.stepTexts()...)
	if f.BadRow == SkipBadRows {
		lines = append(lines, "on error skip")
	}
	if f.Dead != nil {
		lines = append(lines, fmt.Sprintf("on error dead letter to %s%s", f.Dead.Connection.Name, settingsText(f.Dead.Connection.Kind.DeadLetter, f.Dead.Spec.Settings)))
	}
	for _, s := range f.Sinks {
		lines = append(lines, fmt.Sprintf("to %s%s%s", s.Connection.Name, settingsText(s.Connection.Kind.Sink, s.Spec.Settings), s.routeText()))
	}
	return lines
}

// stepTexts are the flow's steps as it writes them, a line each.
func (f *Flow) stepTexts() []string {
	var lines []string
	for _, s := range f.Steps {
		switch {
		case s.Where != nil:
			lines = append(lines, "where "+s.Where.text())
		case s.Select != nil:
			lines = append(lines, "select { "+strings.Join(selectTexts(s.Select), ", ")+" }")
		default:
			names := make([]string, len(s.Drop))
			for i, d := range s.Drop {
				names[i] = nameText(d.Name)
			}
			lines = append(lines, "drop "+strings.Join(names, ", "))
		}
	}
	return lines
}

func selectTexts(columns []SelectColumn) []string {
	texts := make([]string, len(columns))
	for i, c := range columns {
		switch {
		case c.Rest:
			texts[i] = "..."
		case c.Value == nil:
			texts[i] = nameText(c.Name)
		default:
			texts[i] = nameText(c.Name) + ": " + c.Value.text()
		}
	}
	return texts
}

// nameText writes a column's name as the language does: in quotes, unless it is
// a word.
func nameText(name string) string {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// exactlyText says that the sink writes exactly once, if it does.
func (s *Sink) exactlyText() string {
	if s.Spec.ExactlyOnce() {
		return " " + exactlyOnce
	}
	return ""
}

// routeText says which rows the sink takes, if not all.
func (s *Sink) routeText() string {
	switch {
	case s.When != nil:
		return " when " + s.When.text()
	case s.Otherwise:
		return " otherwise"
	}
	return ""
}

func settingsText(fields connectors.Fields, s connectors.Settings) string {
	var b strings.Builder
	for _, f := range fields {
		text, ok := FormatSetting(s[f.Key])
		if !ok {
			continue
		}
		if f.Type == connectors.Text {
			text = fmt.Sprintf("%q", text)
		}
		fmt.Fprintf(&b, " %s %s", f.Key, text)
	}
	return b.String()
}

// WriteText writes the plan for a person.
func (p *Plan) WriteText(w io.Writer) error {
	for i, f := range p.Flows {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, f.text()); err != nil {
			return err
		}
	}
	return nil
}

// row is a labeled line of a flow's text, and lines that belong to it.
type row struct {
	label, text string
	more        []string
}

func (f *Flow) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "flow %s (namespace %s, fingerprint %s)\n", f.Flow, f.Namespace, f.Fingerprint)
	for _, r := range f.rows() {
		fmt.Fprintf(&b, "  %-9s %s\n", r.label, r.text)
		for _, m := range r.more {
			fmt.Fprintf(&b, "  %-9s   %s\n", "", m)
		}
	}
	return b.String()
}

func (f *Flow) rows() []row {
	var rows []row
	for i, s := range f.Sources {
		r := row{label: "from", text: s.text() + " as " + s.Spec.Resource}
		if i == len(f.Sources)-1 {
			r.more = s.Connection.Kind.DescribeSources(f.Identity, f.SourceSpecs(), f.Epoch)
		}
		rows = append(rows, r)
	}
	if f.Schema.Declared {
		rows = append(rows, row{label: "schema", text: f.Schema.String()})
	} else {
		rows = append(rows, row{label: "schema", text: "fixed by the first message of each resource, and kept with the flow's state"})
	}
	rows = append(rows, row{label: "epoch", text: f.epochText()})
	rows = append(rows, f.stepRows()...)
	written := f.knownLast()
	for _, s := range f.Sinks {
		rows = append(rows, row{
			label: "to", text: s.Connection.Name + templatesText(s.Connection.Kind.Sink, s.Spec.Settings) + s.exactlyText() + s.routeText(),
			more: append([]string{"writes " + s.writtenText(written)}, s.Connection.Kind.DescribeSink(s.Spec)...),
		})
	}
	guarantee, because := f.delivery()
	return append(rows, row{label: "errors", text: f.errorText()}, row{label: "delivery", text: guarantee, more: because})
}

// text says what is read: a subject, or what the settings bind.
func (s *Source) text() string {
	if s.Spec.Select != "" && !s.implied() {
		return fmt.Sprintf("%s %q", s.Connection.Name, s.Spec.Select)
	}
	binding := slices.DeleteFunc(slices.Clone(s.Connection.Kind.Source), func(f connectors.Field) bool { return f.Tuning })
	return s.Connection.Name + settingsText(binding, s.Spec.Settings)
}

// implied says whether what is read follows from the settings.
func (s *Source) implied() bool {
	return s.Connection.Kind.Select != nil && s.Connection.Kind.Select(s.Spec.Settings) == s.Spec.Select
}

// stepRows are the steps, with the columns that each leaves if it changes them.
func (f *Flow) stepRows() []row {
	after := f.knownAfter()
	var rows []row
	for i, text := range f.stepTexts() {
		word, rest, _ := strings.Cut(text, " ")
		r := row{label: word, text: rest}
		if f.Steps[i].Where == nil {
			r.more = []string{"leaves " + after[i].String()}
		}
		rows = append(rows, r)
	}
	return rows
}

func (s *Sink) writtenText(columns known) string {
	text := columns.String()
	if s.addsEnvelope() {
		text += ", and the envelope as columns `_flow_*`"
	}
	return text
}

// addsEnvelope says whether the envelope's columns follow those of the row.
func (s *Sink) addsEnvelope() bool {
	return !s.Spec.Shaped && s.Spec.Settings.Text("envelope") == "body"
}

func templatesText(fields connectors.Fields, s connectors.Settings) string {
	var b strings.Builder
	for _, f := range fields {
		if f.Template && s.Has(f.Key) && !s.Has(f.Unless) {
			fmt.Fprintf(&b, " %s %q", f.Key, s.Template(f.Key).Text)
		}
	}
	return b.String()
}

func (f *Flow) epochText() string {
	text := fmt.Sprintf("up to %s records, %s", connectors.FormatCount(int64(f.Epoch.MaxRecords)), connectors.ShortDuration(f.Epoch.MaxWait))
	if f.Epoch.MaxBytes > 0 {
		text += ", " + connectors.FormatSize(f.Epoch.MaxBytes)
	}
	if f.Epoch.MaxAge > 0 {
		text += fmt.Sprintf(", %s after the first record", connectors.ShortDuration(f.Epoch.MaxAge))
	}
	return text
}

func (f *Flow) errorText() string {
	times := "without end"
	if f.Retry.Times > 0 {
		times = fmt.Sprintf("%d times", f.Retry.Times)
	}
	bad := "a bad row stops the flow"
	switch f.BadRow {
	case SkipBadRows:
		bad = "a bad row is dropped, counted and logged"
	case KeepBadRows:
		bad = f.Dead.Connection.Kind.DescribeDeadLetter(f.Dead.Spec)
	}
	return fmt.Sprintf("%s; a transient failure is retried %s, after %s to %s", bad, times,
		connectors.ShortDuration(f.Retry.Min), connectors.ShortDuration(f.Retry.Max))
}
