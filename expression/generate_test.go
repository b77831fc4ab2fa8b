package expression

import "fmt"

// generator writes random expressions that have the same meaning here and in
// expr's virtual machine as long as nothing is null: it is driven by bytes, so
// that fuzzing finds its way through it.
type generator struct{ choices []byte }

func (g *generator) choose(n int) int {
	if len(g.choices) == 0 {
		return 0
	}
	c := int(g.choices[0])
	g.choices = g.choices[1:]
	return c % n
}

func (g *generator) pick(of ...string) string { return of[g.choose(len(of))] }

func (g *generator) boolean(depth int) string {
	if depth == 0 {
		return g.pick("paid", "true", "false")
	}
	depth--
	switch g.choose(10) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.boolean(depth), g.pick("and", "or", "&&", "||", "==", "!="), g.boolean(depth))
	case 1:
		return "not " + g.boolean(depth)
	case 2:
		return fmt.Sprintf("(%s %s %s)", g.number(depth), g.comparison(), g.number(depth))
	case 3:
		return fmt.Sprintf("(%s %s %s)", g.text(depth), g.comparison(), g.text(depth))
	case 4:
		return fmt.Sprintf("(%s %s %s)", g.text(depth), g.pick("contains", "startsWith", "endsWith", "not contains"), g.text(depth))
	case 5:
		return fmt.Sprintf("(%s %s [%s, %s])", g.integer(depth), g.pick("in", "not in"), g.integer(depth), g.integer(depth))
	case 6:
		return fmt.Sprintf("(%s in %s)", g.text(depth), g.pick(`tags`, `["x", "DE"]`, `["a","b","c","d","e","f","g","h","DE"]`))
	case 7:
		return fmt.Sprintf("(%s matches %s)", g.text(depth), g.pick(`"^D"`, `"x+"`, `"本$"`))
	case 8:
		return fmt.Sprintf("%s(%s, # %s %s)", g.pick("all", "any", "none", "one"), g.integers(depth), g.comparison(), g.integer(depth))
	}
	return fmt.Sprintf("(%s ? %s : %s)", g.boolean(depth), g.boolean(depth), g.boolean(depth))
}

func (g *generator) comparison() string { return g.pick("==", "!=", "<", "<=", ">", ">=") }

func (g *generator) number(depth int) string {
	if g.choose(2) == 0 {
		return g.integer(depth)
	}
	return g.decimal(depth)
}

func (g *generator) integer(depth int) string {
	if depth == 0 {
		return g.pick("id", "qty", "0", "1", "7", "scores[0]", "cust.address.zip")
	}
	depth--
	switch g.choose(7) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.integer(depth), g.pick("+", "-", "*", "%"), g.integer(depth))
	case 1:
		return fmt.Sprintf("(-%s)", g.integer(depth))
	case 2:
		return fmt.Sprintf("len(%s)", g.text(depth))
	case 3:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max", "bitand", "bitor", "bitxor"), g.integer(depth), g.integer(depth))
	case 4:
		return fmt.Sprintf("sum(%s)", g.integers(depth))
	case 5:
		return fmt.Sprintf("count(%s, # > %s)", g.integers(depth), g.integer(depth))
	}
	return fmt.Sprintf("(%s ? %s : %s)", g.boolean(depth), g.integer(depth), g.integer(depth))
}

func (g *generator) decimal(depth int) string {
	if depth == 0 {
		return g.pick("amount", "0.5", "2.0")
	}
	depth--
	switch g.choose(4) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.number(depth), g.pick("/", "**"), g.number(depth))
	case 1:
		return fmt.Sprintf("(%s %s %s)", g.decimal(depth), g.pick("+", "-", "*"), g.number(depth))
	case 2:
		return fmt.Sprintf("%s(%s)", g.pick("floor", "ceil", "round", "abs"), g.decimal(depth))
	}
	return fmt.Sprintf("float(%s)", g.integer(depth))
}

func (g *generator) text(depth int) string {
	if depth == 0 {
		return g.pick("country", "name", `""`, `"D"`, "cust.tier", "tags[0]")
	}
	depth--
	switch g.choose(6) {
	case 0:
		return fmt.Sprintf("(%s + %s)", g.text(depth), g.text(depth))
	case 1:
		return fmt.Sprintf("%s(%s)", g.pick("upper", "lower", "trim"), g.text(depth))
	case 2:
		return fmt.Sprintf("string(%s)", g.integer(depth))
	case 3:
		return fmt.Sprintf(`join(split(%s, "D"), %s)`, g.text(depth), g.text(depth))
	case 4:
		return fmt.Sprintf(`replace(%s, "D", %s)`, g.text(depth), g.text(depth))
	}
	return fmt.Sprintf("(%s ? %s : %s)", g.boolean(depth), g.text(depth), g.text(depth))
}

func (g *generator) integers(depth int) string {
	if depth == 0 {
		return g.pick("scores", "[1, 2, 3]", "1..3")
	}
	depth--
	switch g.choose(3) {
	case 0:
		return fmt.Sprintf("filter(%s, # %s %s)", g.integers(depth), g.comparison(), g.integer(depth))
	case 1:
		return fmt.Sprintf("map(%s, # %s %s)", g.integers(depth), g.pick("+", "*", "-"), g.integer(depth))
	}
	return fmt.Sprintf("[%s, %s]", g.integer(depth), g.integer(depth))
}
