package expression

import (
	"fmt"
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Function documents one function of the language.
type Function struct {
	Name      string
	Signature string
	Doc       string
	Example   string // an expression
	Result    string // what it yields, as JSON
}

// Functions lists every function in the order of the reference: by topic.
func Functions() []Function {
	all := make([]Function, 0, len(functions))
	for _, group := range functionGroups() {
		for _, f := range group {
			all = append(all, f.Function)
		}
	}
	return all
}

func functionGroups() [][]function {
	return [][]function{textFunctions, numberFunctions, conversionFunctions, timeFunctions, listFunctions, predicateFunctions}
}

// function is a row of the table that everything about a function comes from.
type function struct {
	Function
	params  []param
	compile func(*compiler, call) operand
}

func (f function) lastParam() param {
	if len(f.params) == 0 {
		return param{}
	}
	return f.params[len(f.params)-1]
}

// call is a use of a function. Where the parameter has a kind, the argument
// has it, too, or is always null.
type call struct {
	node  ast.Node
	at    place
	name  string
	nodes []ast.Node
	args  []operand
}

var functions map[string]function

func init() {
	functions = map[string]function{}
	for _, group := range functionGroups() {
		for _, f := range group {
			functions[f.Name] = f
		}
	}
}

// unavailable says what to use instead of functions that expr has.
var unavailable = map[string]string{
	"timezone":  "give the zone's name to date, format, year and the others",
	"toPairs":   "use keys and values",
	"fromPairs": "write a record: { name: value }",
}

func methodHelp(name string) string {
	methods := map[string]string{"Format": "format(t, layout)", "Unix": "unix(t)", "Year": "year(t)", "Month": "month(t)",
		"Day": "day(t)", "Hour": "hour(t)", "Minute": "minute(t)", "Weekday": "weekday(t)", "In": "format(t, layout, zone)",
		"Hours": "seconds(d) / 3600", "Seconds": "seconds(d)", "Add": "t + d", "length": "len(x)", "size": "len(x)", "Sub": "t - u"}
	if instead, ok := methods[name]; ok {
		return "write " + instead
	}
	if _, ok := functions[name]; ok {
		return fmt.Sprintf("write %s(value)", name)
	}
	return ""
}

// call compiles the use of a function.
func (c *compiler) call(node ast.Node, name string, nodes []ast.Node) operand {
	f, ok := functions[name]
	if !ok {
		return c.unknownFunction(node, name, nodes)
	}
	if !c.checkArity(node, f, len(nodes)) {
		c.survey(nodes)
		return null()
	}
	k := call{node: node, at: c.place(node), name: name, nodes: nodes}
	valid := true
	for i, argument := range nodes {
		if i < len(f.params) && f.params[i].body {
			break
		}
		o, fits := c.argument(f, i, c.compile(argument))
		valid = valid && fits
		k.args = append(k.args, o)
	}
	if !valid {
		return null()
	}
	for i := len(nodes); i < len(f.params) && f.params[i].fallback != nil; i++ {
		k.args = append(k.args, literalOf(dataType{kind: f.params[i].kind}, f.params[i].fallback))
	}
	return f.compile(c, k)
}

func (c *compiler) unknownFunction(node ast.Node, name string, nodes []ast.Node) operand {
	at := c.source.bytes(node.Location())
	p := Problem{Start: at.start, End: at.end, Kind: UnknownName, Message: fmt.Sprintf("unknown function `%s`", name)}
	if help, ok := unavailable[name]; ok {
		p.Message, p.Help = fmt.Sprintf("`%s` is not available", name), help
	} else if form, ok := foreignForms[foreignName(name)]; ok {
		p.Help = fmt.Sprintf("write `%s`", form)
	} else if near := nearestFunction(name); near != "" {
		p.Label, p.Suggestion = fmt.Sprintf("did you mean `%s`?", near), near
	}
	c.report(p)
	c.survey(nodes)
	return null()
}

func nearestFunction(name string) string {
	if same, ok := foreignFunctions[foreignName(name)]; ok {
		return same
	}
	return nearest(name, slices.Collect(maps.Keys(functions)))
}

// survey finds the problems in the arguments of a call that has one itself.
func (c *compiler) survey(nodes []ast.Node) {
	for _, argument := range nodes {
		c.body(argument, scopeType{carry: &dataType{}})
	}
}

func (c *compiler) checkArity(node ast.Node, f function, given int) bool {
	least := 0
	for _, p := range f.params {
		if !p.optional {
			least++
		}
	}
	if given >= least && (given <= len(f.params) || f.lastParam().repeated) {
		return true
	}
	expected := plural(least)
	switch {
	case f.lastParam().repeated:
		expected = "at least " + plural(least)
	case len(f.params) > least:
		expected = fmt.Sprintf("%d to %s", least, plural(len(f.params)))
	}
	c.problem(node, Mistyped, "it is "+f.Signature, "`%s` takes %s, found %d", f.Name, expected, given)
	return false
}

func plural(arguments int) string {
	if arguments == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", arguments)
}

// argument checks an argument against its parameter. An int is taken for a
// float, and a date for its first instant.
func (c *compiler) argument(f function, i int, o operand) (operand, bool) {
	want := f.params[min(i, len(f.params)-1)].kind
	switch {
	case want == kindNull || want == o.typ.kind || o.typ.kind == kindNull:
		return o, true
	case want == kindFloat && o.typ.kind == kindInt:
		return c.coerce(o, dataType{kind: kindFloat}), true
	case want == kindTimestamp && o.typ.kind == kindDate:
		return c.midnight(o), true
	}
	c.problem(o.node, Mistyped, c.conversionHelp(o, want), "`%s` takes %s here, found %s", f.Name, article(want.String()), o.typ)
	return o, false
}
