package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// permitted is a connection, and what its user has to be allowed.
type permitted struct {
	Connection string   `json:"connection"`
	Flows      []string `json:"flows"`
	connectors.Rights

	conn *planner.Connection
	uses []connectors.Use
}

// permissions prints the rights that flows need, a block for each connection.
func (a *app) permissions(paths []string, asJSON bool) error {
	if asJSON {
		return a.permissionsJSON(paths)
	}
	plan, err := a.load(paths)
	if err != nil {
		return err
	}
	for i, p := range permittedBy(plan) {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		a.printPermissions(p)
	}
	return nil
}

func (a *app) permissionsJSON(paths []string) error {
	plan, findings, err := a.compile(paths)
	answer := struct {
		judgement
		Connections []*permitted `json:"connections"`
	}{judgement: judge(findings, err)}
	if !answer.OK {
		return a.refuse(answer.judgement)
	}
	answer.Connections = permittedBy(plan)
	return a.writeJSON(answer)
}

// permittedBy are the connections of a plan, in its order. The default one is the
// same for all files.
func permittedBy(plan *planner.Plan) []*permitted {
	var all []*permitted
	for _, f := range plan.Flows {
		for _, c := range f.Connections() {
			i := slices.IndexFunc(all, func(p *permitted) bool {
				return p.conn == c || p.Connection == c.Name && !p.conn.Declared() && !c.Declared()
			})
			if i < 0 {
				i = len(all)
				all = append(all, &permitted{Connection: c.Name, conn: c})
			}
			all[i].Flows = append(all[i].Flows, f.Flow)
			all[i].uses = append(all[i].uses, useOf(f, c))
		}
	}
	for _, p := range all {
		p.Rights = p.conn.Kind.Rights(p.conn.Settings, p.uses)
	}
	return all
}

// useOf is what a flow does on one of its connections.
func useOf(f *planner.Flow, c *planner.Connection) connectors.Use {
	use := connectors.Use{Flow: f.Identity}
	for _, s := range f.Sources {
		if s.Connection == c {
			use.Sources = append(use.Sources, s.Spec)
		}
	}
	for _, s := range f.Sinks {
		if s.Connection == c {
			use.Sinks = append(use.Sinks, s.Spec)
		}
	}
	if f.Dead != nil && f.Dead.Connection == c {
		use.Dead = &f.Dead.Spec
	}
	return use
}

// printPermissions writes a block of a nats-server configuration.
func (a *app) printPermissions(p *permitted) {
	noun := "flow"
	if len(p.Flows) > 1 {
		noun = "flows"
	}
	fmt.Fprintf(a.out, "# connection %s, %s %s\npermissions {\n", lang.Printable(p.Connection), noun, lang.Printable(strings.Join(p.Flows, ", ")))
	for _, side := range []struct {
		name   string
		rights []connectors.Right
	}{{"publish", p.Publish}, {"subscribe", p.Subscribe}} {
		fmt.Fprintf(a.out, "  %s {\n    allow: [\n", side.name)
		for _, r := range side.rights {
			if r.Only == "" {
				fmt.Fprintf(a.out, "      %s # %s\n", quoteConfiguration(r.Subject), r.Purpose)
			} else {
				fmt.Fprintf(a.out, "      # %s # %s, only where needed: %s\n", quoteConfiguration(r.Subject), r.Purpose, r.Only)
			}
		}
		fmt.Fprint(a.out, "    ]\n  }\n")
	}
	fmt.Fprintln(a.out, "}")
}

// quoteConfiguration writes a text as nats-server reads it, with the bytes of what
// would act on a terminal as escapes.
func quoteConfiguration(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch c := string(r); {
		case r == '"' || r == '\\':
			b.WriteString(`\` + c)
		case lang.Printable(c) != c:
			for i := range len(c) {
				fmt.Fprintf(&b, `\x%02X`, c[i])
			}
		default:
			b.WriteString(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
