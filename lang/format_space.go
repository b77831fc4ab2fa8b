package lang

// spaced tells if a space goes between the ith item and the one before, which
// stands on the same line. Inside expressions the author's spaces stay.
func (f *formatter) spaced(i int) bool {
	it, before := f.items[i], f.items[i-1]
	switch {
	case it.comment() || before.comment():
		return true
	case it.expression:
		return it.space
	case before.first:
		return true
	case isPunct(before.Token, "{"):
		return !isPunct(it.Token, "}")
	}
	return !hugsLeft(it, before) && !hugsRight(before)
}

// hugsLeft tells if an item stands close to the one before.
func hugsLeft(it, before item) bool {
	if it.Type != tokenPunct {
		return it.clause.word == "flow" && isPunct(before.Token, "-")
	}
	switch it.Value {
	case ",", ":", "?", "]", "/", "..":
		return true
	case "-":
		return it.clause.word == "flow"
	}
	return false
}

// hugsRight tells if an item stands close to the one behind.
func hugsRight(it item) bool {
	switch {
	case it.Type != tokenPunct:
		return false
	case it.Value == "[", it.Value == "/", it.Value == "..", it.Value == "-":
		return true
	}
	return false
}
