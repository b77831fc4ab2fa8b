package lang

import "strings"

// syntaxCodes are the diagnostics of this package.
var syntaxCodes = []Explanation{
	{
		Code: "F1001", Title: "the form of a clause",
		Text: "A clause starts with its word, and each has its own form, which the help line shows. What does not fit it is underlined; if the clause stops too early, the last word is.",
		Bad:  `from nats "orders.>" on error to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1" on error stop`,
	},
	{
		Code: "F1002", Title: "expected a clause",
		Text: "A program is a sequence of clauses. Each starts with one of the clause words; what stands before the first one has no meaning.",
		Bad:  `hello from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1003", Title: "unknown clause",
		Text: "The word is not a clause word, but near to one. Clause words are written in lower case.",
		Bad:  `from nats "orders.>" wher amount > 0 to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" where amount > 0 to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1004", Title: "reserved clause word",
		Text: "`join`, `window`, `group`, `merge`, `import` and `limit` are kept for later versions of the language, so that programs of today keep their meaning.",
		Bad:  `from nats "orders.>" limit 10 to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1005", Title: "unclosed string",
		Text: "A string in double quotes ends on its line. The mark is at the quote that opens it; where several strings stand on the line it is the first whose closing quote seems to be missing.",
		Bad:  "from nats \"orders.>\nto nats stream \"OUT\" subject \"out.v1\"",
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1006", Title: "wrong quotes",
		Text: "A string stands in double quotes, or in backquotes if it shall have no escapes. Single quotes are for expressions only, and the typographic quotes that editors for prose insert are no quotes at all.",
		Bad:  `from nats 'orders.>' to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1007", Title: "escape or character in a string",
		Text: "Strings know Go's escapes. Control characters are written as escapes, so that a program can be read; the file itself is UTF-8.",
		Bad:  "from nats \"orders\\q.>\" to nats stream \"OUT\" subject \"out.v1\"",
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1008", Title: "unexpected character",
		Text: "The character starts no word, number, string or operator. Invisible characters often come from copied text.",
		Bad:  `from nats "orders.>" @ to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1009", Title: "bracket without partner",
		Text: "Every `(`, `[` and `{` needs its closing bracket, of the same kind and in the same clause.",
		Bad:  `from nats "orders.>" where (amount > 0 to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" where (amount > 0) to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1010", Title: "nested too deep or too long",
		Text: "Brackets nest at most 64 deep, and an expression has at most 20000 parts, so that no program can exhaust the stack of what reads it.",
		Bad: "from nats \"orders.>\" where " + strings.Repeat("(", MaxDepth+1) + "a" + strings.Repeat(")", MaxDepth+1) +
			" to nats stream \"OUT\" subject \"out.v1\"",
		Good: `from nats "orders.>" where a to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1011", Title: "wrong comment",
		Text: "Comments are `//` to the end of the line and `/* ... */`. `#` is the current element in functions such as `filter`.",
		Bad:  "# my flow\nfrom nats \"orders.>\" to nats stream \"OUT\" subject \"out.v1\"",
		Good: "// my flow\nfrom nats \"orders.>\" to nats stream \"OUT\" subject \"out.v1\"",
	},
	{
		Code: "F1012", Title: "option without a value",
		Text: "An option is a key and its value, with white space between them and nothing else. A value is a string, a quantity, a word, a list of strings, or `env`, `file` or `secret` with a string.",
		Bad:  `from nats "orders.>" to nats stream="OUT" subject "out.v1"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1013", Title: "text without quotes",
		Text: "Subjects, names with dots, URLs and texts with holes are strings.",
		Bad:  `from nats orders.> to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1014", Title: "separator where none belongs",
		Text: "Clauses follow each other without a separator, on one line or on several; so do options. The bounds of an epoch have `/` between them.",
		Bad:  `from nats "orders.>"; to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1015", Title: "select without braces",
		Text: "The columns of a `select` stand in braces, so that it is clear where they end. `...` stands for all columns that are not named.",
		Bad:  `from nats "orders.>" select id, amount to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" select { id, amount } to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1020", Title: "quantity",
		Text: "A quantity is a number with its unit and no space between them: a duration in `ns us ms s m h d`, a size in `B kB MB KiB MiB GiB`. `MB` is 1,000,000 bytes, `MiB` 1,048,576. Parts add up, as in `1m30s`, each unit once. The value is exact or refused.",
		Bad:  `from nats "orders.>" epoch 1000/1S to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" epoch 1000/1s to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1021", Title: "bounds of an epoch",
		Text: "`epoch 1000/1s/4MiB` ends an epoch after 1000 records, one second or 4 MiB, whichever comes first. The unit says which bound a quantity is: only the record count has none. Each may be left out, none may be zero.",
		Bad:  `from nats "orders.>" epoch 1000/1 to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" epoch 1000/1s to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1030", Title: "incomplete expression",
		Text: "An expression ends where an operand is followed by something that cannot continue it: a clause word, a comma, a closing bracket. It must be complete there. A clause word that opens a line always starts a clause.",
		Bad:  `from nats "orders.>" where amount > to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" where amount > 0 to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1031", Title: "`=` in an expression",
		Text: "`==` compares. Nothing in an expression assigns a value.",
		Bad:  `from nats "orders.>" where amount = 5 to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" where amount == 5 to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1032", Title: "operator where a value is due",
		Text: "`and or not in matches contains startsWith endsWith` are operators. A column of such a name is reached through `$env`.",
		Bad:  `from nats "orders.>" where in == 1 to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" where $env["in"] == 1 to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1033", Title: "integer out of range",
		Text: "Integers have 64 bits with a sign. A larger number can be written as a float, but not every digit of it counts then.",
		Bad:  `from nats "orders.>" where id > 18446744073709551615 to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" where id > 9223372036854775807 to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1034", Title: "statement in an expression",
		Text: "An expression has one value and no statements: `let`, `if` and `;` are not part of the language. `CONDITION ? THIS : THAT` makes a choice.",
		Bad:  `from nats "orders.>" select { size: if amount > 5 { "big" } else { "small" } } to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" select { size: amount > 5 ? "big" : "small" } to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1040", Title: "order of clauses",
		Text: "A flow reads like a sentence: `from`, `schema`, `epoch`, then `where`, `select` and `drop` in the order in which they act, then one or more `to`, then `on error`. Definitions stand before the flows that use them.",
		Bad:  `where amount > 0 from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" where amount > 0 to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1041", Title: "repeated clause",
		Text: "A flow has one `from`, one `schema`, one `epoch` and one `on error`; a file has one `language`. Several sources stand in one `from`, with commas.",
		Bad:  `from nats "orders.>" epoch 10/1s epoch 20/1s to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" epoch 10/1s to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1042", Title: "missing clause",
		Text: "A flow needs a source and a destination, and a file needs a flow.",
		Bad:  `from nats "orders.>"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1043", Title: "flow without a name",
		Text: "A single flow may take its name from its file. In a file with several flows each needs its own, because runs, consumers and message ids are named after it.",
		Bad:  "from nats \"orders.>\" to nats stream \"OUT\" subject \"out.v1\"\nfrom nats \"orders.>\" to nats stream \"OUT\" subject \"out.v1\"",
		Good: "flow a from nats \"orders.>\" to nats stream \"OUT\" subject \"out.v1\"\nflow b from nats \"orders.>\" to nats stream \"OUT\" subject \"out.v1\"",
	},
	{
		Code: "F1044", Title: "name of a flow",
		Text: "The name becomes a token of subjects and a part of consumer names. Letters A to Z of either case, digits, `_` and `-` are safe there.",
		Bad:  `flow größe from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
		Good: `flow groesse from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1045", Title: "language version",
		Text: "`language 1` says for which version a program was written. A program for a newer version is refused, since its words may mean something else.",
		Bad:  `language 2 from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
		Good: `language 1 from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F1046", Title: "text encoding",
		Text: "A program is UTF-8 text, with or without a byte order mark.",
		Bad:  "\xFF\xFEf\x00r\x00",
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
}
