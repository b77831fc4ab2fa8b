package lang

import "strings"

// markBetween notes which comments stand between two clauses.
func (f *formatter) markBetween() {
	var next *cutClause
	between := true
	for i := len(f.items) - 1; i >= 0; i-- {
		it := &f.items[i]
		if !it.comment() {
			next, between = it.clause, it.first
			continue
		}
		it.between, it.next = between, next
	}
}

// markExpressions notes which items stand inside an expression. Its first item
// does not: what is before that is the grammar's.
func (f *formatter) markExpressions(file *File) {
	i := 0
	for _, span := range expressionSpans(file) {
		for ; i < len(f.items) && f.items[i].Pos.Offset < span.End; i++ {
			f.items[i].expression = f.items[i].Pos.Offset > span.Start
		}
	}
}

// expressionSpans are the places of all expressions, in the order of the text.
func expressionSpans(file *File) []Span {
	var spans []Span
	for _, c := range file.Clauses {
		switch c := c.(type) {
		case *Where:
			spans = append(spans, c.Expr.span)
		case *Select:
			for _, field := range c.Fields {
				if field.Expr != nil {
					spans = append(spans, field.Expr.span)
				}
			}
		case *Sink:
			if c.When != nil {
				spans = append(spans, c.When.span)
			}
		}
	}
	return spans
}

// markKeys notes the keys of the options of connections, which go on lines of
// their own.
func (f *formatter) markKeys(file *File) {
	f.keys = map[int]bool{}
	for _, c := range file.Connections {
		for _, o := range c.Options {
			f.keys[o.Key.Span().Start] = true
		}
	}
}

// markBraces finds the braces of the grammar that hold a line break right
// inside; their content goes on lines of its own.
func (f *formatter) markBraces() {
	var open []int
	broken := map[int]bool{}
	for i, it := range f.items {
		if len(open) > 0 && it.newlines > 0 {
			broken[open[len(open)-1]] = true
		}
		switch {
		case isOpening(it.Token):
			open = append(open, i)
		case isClosing(it.Token):
			start := open[len(open)-1]
			open = open[:len(open)-1]
			if broken[start] && isPunct(it.Token, "}") && !f.inExpression(start) {
				f.spread[start], f.spread[i] = true, true
			}
		}
	}
}

// inExpression tells if the ith item is part of an expression, its first item
// included.
func (f *formatter) inExpression(i int) bool {
	return f.items[i].expression || i+1 < len(f.items) && f.items[i+1].expression
}

// markBlanks notes where empty lines go: where the program has some between
// clauses, one, and around what is a paragraph of its own.
func (f *formatter) markBlanks() {
	var last *cutClause
	for i := range f.items {
		it := &f.items[i]
		own := it.first || it.comment() && f.ownLine(i)
		it.blank = own && it.newlines > 1
		if !it.first {
			continue
		}
		if last != nil && (startsParagraph(*it.clause) || endsParagraph(*last)) {
			f.items[f.leadingComments(i)].blank = true
		}
		last = it.clause
	}
}

// leadingComments returns the index of the first of the comments that stand on
// lines of their own straight above the clause at i.
func (f *formatter) leadingComments(i int) int {
	for i > 0 && f.items[i].newlines == 1 && f.items[i-1].comment() && f.ownLine(i-1) {
		i--
	}
	return i
}

func startsParagraph(c cutClause) bool {
	return c.word == "flow" || endsParagraph(c)
}

func endsParagraph(c cutClause) bool {
	return c.word == "connection" || isDefinition(c)
}

// isDefinition tells a schema for the whole file, which has a name before its
// columns, from one in a flow.
func isDefinition(c cutClause) bool {
	if c.word != "schema" {
		return false
	}
	words := 0
	for _, t := range c.tokens {
		if isElided(t) {
			continue
		}
		if words++; words == 3 {
			return isPunct(t, "{")
		}
		if isPunct(t, "{") {
			return false
		}
	}
	return false
}

// ownLine tells if a comment starts a line.
func (f *formatter) ownLine(i int) bool { return i == 0 || f.items[i].newlines > 0 }

// breaks tells if the ith item goes on a new line.
func (f *formatter) breaks(i int) bool {
	it, before := f.items[i], f.items[i-1]
	if f.style == OneLine {
		return strings.HasPrefix(before.Value, "#!")
	}
	switch {
	case before.lineComment(), it.first:
		return true
	case it.comment():
		return f.ownLine(i)
	case before.comment(), it.expression, it.depth > 0 && !isClosing(it.Token) && !f.spread[i-1]:
		return it.newlines > 0
	case f.spread[i-1], f.spread[i] && isClosing(it.Token):
		return true
	}
	return it.depth == 0 && (f.isCondition(i) || f.keys[it.Pos.Offset])
}

// isCondition tells if the item is the `when` of a `to`.
func (f *formatter) isCondition(i int) bool {
	it := f.items[i]
	return it.clause.word == "to" && isWord(it.Token) && it.Value == "when" && !it.expression
}

// indent is the column at which the ith item starts its line.
func (f *formatter) indent(i int) int {
	it := f.items[i]
	if it.between {
		return f.baseOf(it.next)
	}
	base := f.baseOf(it.clause)
	switch {
	case it.first:
		return base
	case it.expression && it.clause.word == "to":
		return base + 4 + 2*it.depth
	case it.expression || it.depth == 0 && !isClosing(it.Token):
		return base + 2 + 2*it.depth
	}
	return base + 2*it.depth
}

// baseOf is how far a clause is indented; nil is the end of the file.
func (f *formatter) baseOf(c *cutClause) int {
	if c == nil || !f.named || c.word == "flow" || isDefinition(*c) {
		return 0
	}
	if _, inFlow := flowOrder[c.word]; !inFlow {
		return 0
	}
	return 2
}
