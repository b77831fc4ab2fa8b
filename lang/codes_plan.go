package lang

// planCodes are the diagnostics of the planner, and those that a run makes at a
// place in the file.
var planCodes = []Explanation{
	{
		Code: "F2001", Title: "unknown name in an expression",
		Text: "A name in an expression is a column, a parameter (`param.x`), a value of the message (`msg.subject`) or a function. With a `schema` the columns are known before anything is read, without one when the first message comes. A column whose name is no word is written `$env[\"the name\"]`.",
		Bad:  `from nats "orders.>" schema { id: string, amount: float, country: string? } where amont > 0 to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" schema { id: string, amount: float, country: string? } where amount > 0 to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F2002", Title: "types that do not fit",
		Text: "An operator and a function take values of certain types: strings are never numbers, and 1 is never true. `int(x)`, `float(x)` and `string(x)` convert.",
		Bad:  `from nats "orders.>" schema { id: string, amount: float, country: string? } where amount > "5" to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" schema { id: string, amount: float, country: string? } where amount > 5 to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F2003", Title: "constant that cannot be used",
		Text: "A constant in the text has the right type and no meaning: a regular expression that cannot be read, a time zone or a date that does not exist, a member that occurs twice.",
		Bad:  `from nats "orders.>" schema { id: string, amount: float, country: string? } where id matches "[" to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" schema { id: string, amount: float, country: string? } where id matches "^a" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F2004", Title: "expression that cannot be read",
		Text: "Each part is good by itself, and they do not make an expression. The mark is at the first part that does not fit to what stands before it.",
		Bad:  `from nats "orders.>" schema { id: string, amount: float, country: string? } where amount in [1,, 2] to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" schema { id: string, amount: float, country: string? } where amount in [1, 2] to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F2101", Title: "unknown connection",
		Text: "What follows `from` and `to` is the name of a connection: one that the file declares, or a kind such as `nats`, which stands for its default connection.",
		Bad:  `from warehouse "orders.>" to nats stream "OUT" subject "out.v1"`,
		Good: "connection warehouse nats url \"nats://warehouse.internal:4222\"\nfrom warehouse \"orders.>\" to nats stream \"OUT\" subject \"out.v1\"",
	},
	{
		Code: "F2102", Title: "unknown kind of connection",
		Text: "`connection NAME KIND` declares a connection to a kind of system, and the kind decides which options it takes. This program knows the kinds that are built into it.",
		Bad:  "connection warehouse kafka\nfrom nats \"orders.>\" to nats stream \"OUT\" subject \"out.v1\"",
		Good: "connection warehouse nats\nfrom warehouse \"orders.>\" to warehouse stream \"OUT\" subject \"out.v1\"",
	},
	{
		Code: "F2103", Title: "name given twice",
		Text: "What has a name has one of its own: connections, schemas and parameters of a file, columns of a schema and of a `select`, and the flows of a run: consumers, certificates and message ids are named after the flow, so two flows of one name would take each other's messages.",
		Bad:  "connection a nats url \"nats://one:4222\"\nconnection a nats url \"nats://two:4222\"\nfrom a \"orders.>\" to a stream \"OUT\" subject \"out.v1\"",
		Good: "connection a nats url \"nats://one:4222\"\nconnection b nats url \"nats://two:4222\"\nfrom a \"orders.>\" to b stream \"OUT\" subject \"out.v1\"",
	},
	{
		Code: "F2104", Title: "a flow's name",
		Text: "A flow is called as `flow NAME` says, or else as its file without the ending. The name becomes a token of subjects and a part of consumer names, so it has letters, digits, `_` and `-`, begins with no `-`, and is at most 100 characters long. Rename the file, or begin the flow with `flow NAME`.",
		Bad:  `flow -orders from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
		Good: `flow orders from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F2105", Title: "a resource's name",
		Text: "Each source subject is a resource, named after the subject: `orders.>` is `orders`. The name fills `<resource>` and keeps the schema, so it is not empty, and no two sources of a flow share one. `as NAME` gives another.",
		Bad:  `from nats "eu.orders" as orders, nats "us.orders" as orders to nats stream "OUT" subject "out.<resource>"`,
		Good: `from nats "eu.orders" as eu, nats "us.orders" as us to nats stream "OUT" subject "out.<resource>"`,
	},
	{
		Code: "F2106", Title: "unknown hole",
		Text: "`<name>` in a stream or a subject is a hole that the flow fills: `<resource>`, `<subject>`, `<1>` to `<9>` for what that wildcard of the source matched, `<param.NAME>`, or a column that `schema` or `select` names. A `<` that closes nothing is text.",
		Bad:  `from nats "orders.>" to nats stream "OUT" subject "out.<resorce>"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.<resource>"`,
	},
	{
		Code: "F2107", Title: "unknown schema",
		Text: "`schema NAME` in a flow takes the columns of a `schema NAME { ... }` that stands before the flow in the same file.",
		Bad:  `from nats "orders.>" schema order to nats stream "OUT" subject "out.v1"`,
		Good: "schema order { id: string, ... }\nfrom nats \"orders.>\" schema order to nats stream \"OUT\" subject \"out.v1\"",
	},
	{
		Code: "F2108", Title: "unknown type",
		Text: "The types of columns are `bool int float string bytes timestamp date decimal json`, lists `[T]` and records `{ name: T }`, each with `?` behind it if it may be null. A parameter has one of the simple ones.",
		Bad:  `from nats "orders.>" schema { id: text } to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" schema { id: string } to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F2109", Title: "schema that cannot be used",
		Text: "Names that start with `_flow_` are those of the envelope: members of the input that are called so are removed, so a schema declares none. A schema has at most 4,096 columns, members and elements, nested at most 64 deep; `json` as a column's type keeps a large or free value as it is.",
		Bad:  `from nats "orders.>" schema { _flow_subject: string, ... } to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" schema { id: string, ... } to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F2110", Title: "value of a parameter",
		Text: "`param NAME TYPE = DEFAULT` declares a parameter, and `--param NAME=VALUE` gives it a value, which the type must be able to read. Without a default the value must be given, and no other names can be given.",
		Bad:  "param min int = \"ten\"\nfrom nats \"orders.>\" where amount > param.min to nats stream \"OUT\" subject \"out.v1\"",
		Good: "param min int = 10\nfrom nats \"orders.>\" where amount > param.min to nats stream \"OUT\" subject \"out.v1\"",
	},
	{
		Code: "F3001", Title: "unknown option",
		Text: "Options are keys and values after a connection's kind, a source, a sink or the bounds of an epoch, and each of these takes its own. The help line lists them.",
		Bad:  `from nats "orders.>" to nats stream "OUT" subject "out.v1" create_steam false`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1" create_stream false`,
	},
	{
		Code: "F3002", Title: "value of another type",
		Text: "Texts stand in quotes; numbers, durations, sizes and words do not. A duration and a size have their unit: `5s`, `16MiB`. Only connections and secrets take `env`, `file` and `secret`.",
		Bad:  `from nats "orders.>" to nats stream "OUT" subject "out.v1" publish_timeout "5s"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1" publish_timeout 5s`,
	},
	{
		Code: "F3003", Title: "value out of range",
		Text: "The value has the right type, and the option cannot take it. The message gives the range; both of its ends are allowed.",
		Bad:  `from nats "orders.>" to nats stream "OUT" subject "out.v1" max_in_flight 0/16MiB`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1" max_in_flight 256/16MiB`,
	},
	{
		Code: "F3004", Title: "option given twice",
		Text: "An option has one value. The note shows where it stands for the first time; remove one of the two.",
		Bad:  `from nats "orders.>" to nats stream "OUT" subject "out.v1" subject "out.v2"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F3005", Title: "missing option",
		Text: "The option has no default, because none would be right for every flow.",
		Bad:  `from nats "orders.>" to nats stream "OUT"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F3006", Title: "secret in the text",
		Text: "Flow files are stored, sent and shown, so a secret is never written into one. `env \"NAME\"` reads it from the environment, `file \"PATH\"` from a file and `secret \"NAME\"` from the service manager's secrets, when the flow starts; no plan, log or error shows it.",
		Bad:  "connection w nats auth_mode token token \"s3cr3t\"\nfrom w \"orders.>\" to w stream \"OUT\" subject \"out.v1\"",
		Good: "connection w nats auth_mode token token env \"NATS_TOKEN\"\nfrom w \"orders.>\" to w stream \"OUT\" subject \"out.v1\"",
	},
	{
		Code: "F3101", Title: "connection that does not fit together",
		Text: "Each option is good by itself, and together they say two things or too little: `auth_mode` takes exactly the fields of its mode, a client certificate comes with its key, and one option says where the server is.",
		Bad:  "connection w nats username \"flow\" password env \"NATS_PASSWORD\"\nfrom w \"orders.>\" to w stream \"OUT\" subject \"out.v1\"",
		Good: "connection w nats auth_mode user_password username \"flow\" password env \"NATS_PASSWORD\"\nfrom w \"orders.>\" to w stream \"OUT\" subject \"out.v1\"",
	},
	{
		Code: "F3102", Title: "source that cannot be read",
		Text: "A source names subjects, with `*` for one token and a last `>` for the rest. Sources of one flow do not overlap, since a message that two of them match would be written twice. A flow has at most 1,000 of them, and a source has no holes.",
		Bad:  `from nats "orders.>", nats "orders.created" to nats stream "OUT" subject "out.<resource>"`,
		Good: `from nats "orders.paid", nats "orders.created" to nats stream "OUT" subject "out.<resource>"`,
	},
	{
		Code: "F3103", Title: "destination that cannot be written",
		Text: "Once its holes are filled, a subject is concrete: no wildcard, no white space, no empty token. A stream's name has letters, digits, `-` and `_`. Headers that control the server are never passed on. A flow has at most 256 destinations.",
		Bad:  `from nats "orders.>" to nats stream "OUT" subject "out.>"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.<resource>"`,
	},
	{
		Code: "F3104", Title: "flow that reads what it writes",
		Text: "A filter whose first token is a wildcard matches subjects of any stream, the destination's too. If it matches the destination, each message that the flow writes would come back as one to read, without end. Let the filter begin with a fixed token, or write to a subject outside of it.",
		Bad:  `from nats "*.v1" as all to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.v1" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F3105", Title: "two sinks to one place",
		Text: "A message's id is made of where it comes from and where it goes. Two sinks of a flow with the same stream and subject would give the same ids, and the server would drop the second one's messages as duplicates.",
		Bad:  `from nats "orders.>" to nats stream "OUT" subject "out.v1" to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1" to nats stream "OUT" subject "out.v2"`,
	},
	{
		Code: "F3106", Title: "retry",
		Text: "`retry 5 backoff 200ms..10s` tries an epoch again after a failure that may pass, five times in a row, and waits 200 milliseconds at first and never more than 10 seconds. Without the clause it goes on without end. A bad row is never retried.",
		Bad:  `from nats "orders.>" to nats stream "OUT" subject "out.v1" on error retry 0 backoff 200ms..10s`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1" on error retry 5 backoff 200ms..10s`,
	},
	{
		Code: "F3107", Title: "language of a newer version",
		Text: "The file is written in a version of the language that this program does not know. Update flowc, or write `language 1`.",
	},
	{
		Code: "F3108", Title: "`otherwise` without `when`",
		Text: "`otherwise` takes the rows that no `when` of the flow took. A sink with neither gets every row.",
		Bad:  `from nats "orders.>" to nats stream "OUT" subject "out.v1" otherwise`,
		Good: `from nats "orders.>" to nats stream "OUT" subject "out.v1" when amount > 5 to nats stream "REST" subject "rest.v1" otherwise`,
	},
	{
		Code: "F3901", Title: "not run yet",
		Text: "The program is correct, and this version of flowc cannot run a part of it. It refuses the whole, since a flow that leaves something out does not do what it says. The help line says what can be written instead.",
	},
	{
		Code: "F4001", Title: "probably not what was meant",
		Text: "The expression is legal, and often a mistake: a string that is called as a column, or a comparison that quietly drops every row whose column is null. The help line says how to write either of the two meanings, so that the warning goes away.",
		Bad:  `from nats "orders.>" schema { id: string, amount: float, country: string? } where "id" == "x" to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" schema { id: string, amount: float, country: string? } where id == "x" to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F4002", Title: "rows that go nowhere",
		Text: "Every sink has a `when`, so a row for which none is true is written nowhere. Such rows are counted and acknowledged. A sink with `otherwise` takes them.",
		Bad:  `from nats "orders.>" schema { id: string, amount: float, country: string? } to nats stream "OUT" subject "out.v1" when amount > 5`,
		Good: `from nats "orders.>" schema { id: string, amount: float, country: string? } to nats stream "OUT" subject "out.v1" when amount > 5 to nats stream "REST" subject "rest.v1" otherwise`,
	},
	{
		Code: "F5001", Title: "surroundings that do not fit",
		Text: "The program is correct, and what it found at its connection does not fit it: no stream holds the subjects, the destination does not capture the subject, a permission is missing. The mark is at the setting that it is about; the message names what was found.",
	},
}
