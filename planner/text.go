package planner

import (
	"fmt"
	"io"
	"strings"

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
			lines = append(lines, "where "+s.Where.Text())
		case s.Select != nil:
			lines = append(lines, "select { "+strings.Join(selectTexts(s.Select), ", ")+" }")
		default:
			names := make([]string, len(s.Drop))
			for i, d := range s.Drop {
				names[i] = d.Name
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
			texts[i] = c.Name
		default:
			texts[i] = c.Name + ": " + c.Value.Text()
		}
	}
	return texts
}

// routeText says which rows the sink takes, if not all.
func (s *Sink) routeText() string {
	switch {
	case s.When != nil:
		return " when " + s.When.Text()
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
		r := row{label: "from", text: fmt.Sprintf("%s %q as %s", s.Connection.Name, s.Spec.Select, s.Spec.Resource)}
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
	for _, text := range f.stepTexts() {
		word, rest, _ := strings.Cut(text, " ")
		rows = append(rows, row{label: word, text: rest})
	}
	for _, s := range f.Sinks {
		rows = append(rows, row{
			label: "to", text: s.Connection.Name + templatesText(s.Connection.Kind.Sink, s.Spec.Settings) + s.routeText(),
			more: s.Connection.Kind.DescribeSink(s.Spec),
		})
	}
	return append(rows, row{label: "errors", text: f.errorText()}, row{
		label: "delivery", text: "at least once: a message is acknowledged only after its epoch is certified",
		more: []string{
			"message ids let the destination drop what is sent again within its duplicate window",
			"not exactly once: a repetition later than that window is stored twice",
		},
	})
}

func templatesText(fields connectors.Fields, s connectors.Settings) string {
	var b strings.Builder
	for _, f := range fields {
		if f.Template {
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
	return fmt.Sprintf("a bad row stops the flow; a transient failure is retried %s, after %s to %s",
		times, connectors.ShortDuration(f.Retry.Min), connectors.ShortDuration(f.Retry.Max))
}
