package expression

// param is a parameter's type: kindNull takes any.
type param struct {
	kind     kind
	optional bool
	fallback any  // the value of an optional parameter that is not given, nil if compile looks itself
	repeated bool // the last parameter: any number of arguments
	body     bool // over the elements of a list: compile handles it, and what follows, itself
}

// The parameters that functions share.
var (
	textArg       = param{kind: kindString}
	intArg        = param{kind: kindInt}
	floatArg      = param{kind: kindFloat}
	anyArg        = param{kind: kindNull}
	spaceArg      = param{kind: kindString, optional: true, fallback: " "}
	whiteSpaceArg = param{kind: kindString, optional: true, fallback: " \t\r\n\v\f"}
	emptyArg      = param{kind: kindString, optional: true, fallback: ""}
	unlimitedArg  = param{kind: kindInt, optional: true, fallback: int64(-1)}
	maybeTextArg  = param{kind: kindString, optional: true}
	restArg       = param{kind: kindNull, repeated: true}
	twoTexts      = []param{textArg, textArg}
	oneText       = []param{textArg}
	oneAnything   = []param{anyArg}
)
